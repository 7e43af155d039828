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

package io.github.lockspring.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.faults.JumpingTime;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Someone sets the clock of a process. The servers never see it.
 */
class ZooKeeperClockJumpServerTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final AcquireOptions FAIR = AcquireOptions.fair(Duration.ofSeconds(30), true);

	private static final List<String> KEYS = List.of("one", "two");

	private static final Load LOAD = new Load(KEYS, List.of(OPTIONS, FAIR), List.of(FaultRun.MAX_WAIT),
			Duration.ofMillis(20), Duration.ofMillis(50));

	private final ZooKeeperServer server = ZooKeeperServer.shared();

	private final ZooKeeperStore store = new ZooKeeperStore(this.server.connectString(), Duration.ofSeconds(10));

	private final JumpingTime time = new JumpingTime();

	private FaultRun run;

	private EngineProcess jumping;

	private EngineProcess other;

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
		this.jumping = this.run.startProcess(this.store, this.time);
		this.other = this.run.startProcess(this.store);
	}

	@AfterEach
	void stop() {
		this.run.close();
	}

	/**
	 * The process cannot notify this from having stood still for an hour.
	 */
	@Test
	void clockThatIsSetForwardsEndsTheLeaseAtOnce() {
		Hold hold = this.run.acquire(this.jumping, "one", OPTIONS, FaultRun.MAX_WAIT);
		AtomicInteger notified = new AtomicInteger();
		hold.onLost(notified::incrementAndGet);
		this.time.jump(HOUR);
		assertThat(hold.isHeld()).isFalse();
		this.run.assertEveryoneAcquires(KEYS);
		FaultRun.eventually().until(() -> notified.get() == 1);
		assertThat(this.run.release(hold)).isFalse();
		FaultRun.eventually().untilAsserted(() -> assertThat(this.jumping.lostTokens).containsExactly(hold.token()));
		assertEnd();
	}

	@Test
	void clockThatIsSetBackwardsChangesNothing() {
		Hold hold = this.run.acquire(this.jumping, "one", OPTIONS, FaultRun.MAX_WAIT);
		this.time.jump(HOUR.negated());
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isLessThanOrEqualTo(this.jumping.backend.maxLeaseTime());
		assertThat(this.run.acquire(this.other, "one", OPTIONS, Duration.ZERO)).isNull();
		assertThat(this.run.release(hold)).isTrue();
		this.run.assertEveryoneAcquires(KEYS);
		assertThat(this.run.losses()).isZero();
		assertEnd();
	}

	@Test
	void processesExcludeEachOtherWhileTheirClocksJump() throws Exception {
		JumpingTime backwards = new JumpingTime();
		EngineProcess third = this.run.startProcess(this.store, backwards);
		Duration length = Duration.ofSeconds(1L + FaultRun.SCALE);
		List.of(this.jumping, this.other, third).forEach((process) -> this.run.startWorkers(process, 2, LOAD, length));
		for (int i = 0; i < 4 * FaultRun.SCALE; i++) {
			Thread.sleep(100 + this.run.random.nextInt(200));
			this.time.jump((i % 2 == 0) ? HOUR : HOUR.negated());
			backwards.jump((i % 2 == 0) ? HOUR.negated() : HOUR);
		}
		this.run.awaitThreads();
		this.run.assertProgress();
		this.run.assertEveryoneAcquires(KEYS);
		assertEnd();
	}

	private void assertEnd() {
		this.run.assertNoViolations();
		this.run.assertExclusion();
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

}
