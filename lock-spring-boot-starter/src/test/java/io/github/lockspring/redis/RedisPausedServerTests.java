/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server stands still for a while, with its connections open.
 */
class RedisPausedServerTests extends RedisFaults {

	private static final Duration LONG = Duration.ofSeconds(5);

	private static final Duration SHORT = Duration.ofSeconds(2);

	private static final AcquireOptions WAITERS = AcquireOptions.exclusive(SHORT, true);

	private static final Duration WAIT = Duration.ofSeconds(3);

	private static final int KEYS = 20;

	/**
	 * How long the machine may keep a thread from running.
	 */
	private static final Duration SLACK = Duration.ofSeconds(5);

	private EngineProcess holder;

	private EngineProcess waiter;

	private final Queue<String> lost = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void start() {
		this.holder = this.run.startProcess(RedisStore.on(this.server));
		this.waiter = this.run.startProcess(RedisStore.on(this.server));
	}

	@AfterEach
	void stop() {
		this.server.resume();
	}

	@Test
	void pauseOfAThirdOfALeaseLosesNothing() throws Exception {
		List<Hold> holds = acquireAll(LONG);
		for (int i = 0; i < FaultRun.SCALE; i++) {
			Thread.sleep(this.run.random.nextInt((int) LONG.toMillis() / 3));
			this.server.pause();
			Thread.sleep(LONG.toMillis() / 3);
			this.server.resume();
			Thread.sleep(LONG.toMillis() / 2); // a pause of the sum would be too long
		}
		assertThat(holds).allMatch(Hold::isHeld);
		holds.forEach((hold) -> assertThat(this.run.release(hold)).isTrue());
		assertThat(this.run.losses()).isZero();
		assertThat(this.lost).isEmpty();
		assertEnd();
	}

	@Test
	void pauseOfThreeLeasesIsReportedOnceAndRecoveredFrom() throws Exception {
		List<String> keys = new ArrayList<>(List.of("late", "new"));
		IntStream.range(0, KEYS).forEach((i) -> keys.add("key-" + i));
		for (int i = 0; i < FaultRun.SCALE; i++) {
			List<Hold> holds = acquireAll(SHORT);
			AtomicInteger rejected = new AtomicInteger();
			for (int j = 0; j < KEYS; j++) {
				String key = "key-" + j;
				this.run.startThread("waiter-" + j, () -> waitInVain(key, rejected));
			}
			Thread.sleep(100); // so that most of them have been denied once
			this.server.pause();
			this.run.startThread("late-waiter", () -> waitInVain("late", rejected));
			Thread.sleep(SHORT.multipliedBy(3).toMillis());
			assertThat(holds).noneMatch(Hold::isHeld);
			FaultRun.eventually().untilAsserted(() -> assertThat(this.lost).hasSize(KEYS).doesNotHaveDuplicates());
			FaultRun.eventually()
				.untilAsserted(() -> assertThat(this.holder.lostTokens).hasSize(KEYS).doesNotHaveDuplicates());
			this.run.awaitThreads();
			assertThat(rejected).hasValue(KEYS + 1);
			holds.forEach((hold) -> assertThat(this.run.release(hold)).isFalse());
			this.server.resume();
			this.run.assertEveryoneAcquires(keys);
			this.lost.clear();
			this.holder.lostTokens.clear();
		}
		assertEnd();
	}

	private List<Hold> acquireAll(Duration leaseTime) {
		AcquireOptions options = AcquireOptions.exclusive(leaseTime, true);
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			String key = "key-" + i;
			Hold hold = this.run.acquire(this.holder, key, options, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			hold.onLost(() -> this.lost.add(key));
			holds.add(hold);
		}
		return holds;
	}

	private void waitInVain(String key, AtomicInteger rejected) {
		long start = System.nanoTime();
		try {
			Hold hold = this.waiter.engine.acquireUninterruptibly(key, WAITERS, Thread.currentThread(), WAIT.toNanos());
			this.run.violation(key + " was " + ((hold != null) ? "granted" : "held by another"));
		}
		catch (EngineException ex) {
			assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE);
			rejected.incrementAndGet();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start))
			.isLessThan(WAIT.plusMillis(250).plus(EngineSettings.defaults().operationTimeout()).plus(SLACK));
	}

	private void assertEnd() {
		this.run.assertNoViolations();
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

}
