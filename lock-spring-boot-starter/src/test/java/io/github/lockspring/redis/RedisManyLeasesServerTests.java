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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of leases are held and renewed, while others acquire and release.
 */
class RedisManyLeasesServerTests extends RedisFaults {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final int LEASES = (FaultRun.SCALE > 1) ? 20_000 : 5_000;

	private static final Duration LENGTH = (FaultRun.SCALE > 1) ? LEASE.multipliedBy(3) : Duration.ofSeconds(6);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private static final Load LOAD = new Load(KEYS, List.of(OPTIONS), List.of(FaultRun.MAX_WAIT), Duration.ZERO,
			Duration.ofMillis(5));

	@Test
	void noneIsLost() throws Exception {
		EngineProcess process = this.run.startProcess(RedisStore.on(this.server));
		EngineProcess other = this.run.startProcess(RedisStore.on(this.server));
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < LEASES; i++) {
			Hold hold = this.run.acquire(process, "key-" + i, OPTIONS, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			holds.add(hold);
		}
		this.run.startWorkers(process, 2, LOAD, LENGTH);
		this.run.startWorkers(other, 2, LOAD, LENGTH);
		Duration least = leastRemainingOf(holds);
		this.run.awaitThreads();
		this.run.say("of " + LEASES + " leases of " + LEASE.toMillis() + " ms, " + least.toMillis()
				+ " ms were left at the least");
		holds.forEach((hold) -> assertThat(this.run.release(hold)).isTrue());
		this.run.assertProgress();
		assertThat(this.run.losses()).isZero();
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	/**
	 * A million on the scale of the long versions. Each is kept, or rejected.
	 */
	@Test
	@Torture(alsoIn = "RedisManyLeasesServerTests#noneIsLost")
	void leasesOfThirtySecondsAreKeptOrRejected() throws Exception {
		int wanted = Math.min(1_000_000, 100_000 * FaultRun.SCALE);
		AcquireOptions options = AcquireOptions.exclusive(Duration.ofSeconds(30), true);
		EngineProcess process = this.run.startProcess(RedisStore.on(this.server));
		AtomicInteger rejected = new AtomicInteger();
		List<Hold> holds = IntStream.range(0, wanted).parallel().mapToObj((i) -> {
			try {
				return process.engine.acquire("key-" + i, options, Thread.currentThread(), 0);
			}
			catch (EngineException ex) {
				assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE);
				rejected.incrementAndGet();
				return null;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}).filter(Objects::nonNull).toList();
		Duration least = Duration.ofSeconds(30);
		long start = System.nanoTime();
		while (System.nanoTime() - start < Duration.ofSeconds(90).toNanos()) {
			least = holds.stream()
				.map(Hold::remaining)
				.min(Comparator.naturalOrder())
				.filter(least(least))
				.orElse(least);
			Thread.sleep(1_000);
		}
		this.run.say("of " + wanted + " leases of 30 s, " + rejected + " were rejected; " + least.toMillis()
				+ " ms were left at the least");
		assertThat(this.run.losses()).isZero();
		assertThat(holds).allMatch(Hold::isHeld);
	}

	private static Predicate<Duration> least(Duration least) {
		return (other) -> other.compareTo(least) < 0;
	}

	private static Duration leastRemainingOf(List<Hold> holds) throws InterruptedException {
		Duration least = LEASE;
		long start = System.nanoTime();
		while (System.nanoTime() - start < LENGTH.toNanos()) {
			for (Hold hold : holds) {
				Duration remaining = hold.remaining();
				least = (remaining.compareTo(least) < 0) ? remaining : least;
			}
			Thread.sleep(100);
		}
		assertThat(holds).allMatch(Hold::isHeld);
		return least;
	}

}
