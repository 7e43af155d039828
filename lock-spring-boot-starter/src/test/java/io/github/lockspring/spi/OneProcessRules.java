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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.assertj.core.util.Throwables;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The threads of one process, which share an engine: none is rejected while there is room
 * for all of them.
 */
abstract class OneProcessRules extends BackendRules {

	private static final int THREADS = 10;

	private static final int ROUNDS = 5;

	/**
	 * How long an attempt that does not wait is repeated at least before it is rejected,
	 * or the store is said not to answer, which a machine with very much to do may use
	 * up.
	 */
	private static final Duration REPETITIONS = Duration.ofMillis(100);

	private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

	private final CyclicBarrier barrier = new CyclicBarrier(THREADS);

	private LockEngine engine;

	OneProcessRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void startEngine() {
		EngineListener listener = new EngineListener() {

			@Override
			public void lost(String key, long token) {
			}

		};
		this.engine = new LockEngine(this.contract.backend(),
				EngineSettings.defaults().withOperationTimeout(BackendProcess.TIMEOUT), listener, TimeSource.SYSTEM);
	}

	@AfterEach
	void stopEngine() {
		this.threads.shutdownNow();
		this.engine.close();
	}

	@ParameterizedTest
	@Tag(LockBackendContractTests.EVERYWHERE)
	@ValueSource(ints = { 0, 1 })
	void readersThatComeAtOnceAllRead(int waitMillis) throws Exception {
		requires(Capability.SHARED);
		assertAllAcquire(AcquireOptions.shared(BackendProcess.LEASE_TIME, true), waitMillis);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void permitsThatAreWantedAtOnceAreAllGranted(int waitMillis) throws Exception {
		requires(Capability.PERMITS);
		assertAllAcquire(AcquireOptions.permits(1, THREADS, BackendProcess.LEASE_TIME, true), waitMillis);
	}

	private void assertAllAcquire(AcquireOptions options, int waitMillis) throws Exception {
		acquireAll(options, Duration.ofMinutes(1)); // opens connections
		for (int round = 0; round < ROUNDS; round++) {
			acquireAll(options, Duration.ofMillis(waitMillis));
		}
	}

	private void acquireAll(AcquireOptions options, Duration wait) throws Exception {
		List<Future<Outcome>> attempts = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			attempts.add(this.threads.submit(() -> {
				this.barrier.await();
				long begin = System.nanoTime();
				return acquire(options, wait, begin);
			}));
		}
		List<Hold> holds = new ArrayList<>();
		for (Future<Outcome> attempt : attempts) {
			Outcome outcome = attempt.get(2, TimeUnit.MINUTES);
			if (outcome.hold() != null) {
				holds.add(outcome.hold());
			}
			else {
				assertThat(outcome.duration()).as(() -> "rejected within %s: %s".formatted(wait, outcome.reason()))
					.isGreaterThanOrEqualTo(wait.plus(REPETITIONS));
			}
		}
		assertThat(holds).isNotEmpty().allMatch(Hold::release);
	}

	private Outcome acquire(AcquireOptions options, Duration wait, long begin) throws InterruptedException {
		Hold hold = null;
		EngineException failure = null;
		try {
			hold = this.engine.acquire(this.key, options, wait.toNanos());
		}
		catch (EngineException ex) {
			assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE);
			failure = ex;
		}
		return new Outcome(hold, failure, Duration.ofNanos(System.nanoTime() - begin));
	}

	private record Outcome(@Nullable Hold hold, @Nullable EngineException failure, Duration duration) {

		String reason() {
			return (this.failure != null) ? Throwables.getStackTrace(this.failure) : "the key is held";
		}

	}

}
