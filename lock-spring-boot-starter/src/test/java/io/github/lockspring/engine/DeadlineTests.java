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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Call;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static io.github.lockspring.engine.Harness.FAIR;
import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the one deadline of an acquisition, and for stores that fail before it.
 */
class DeadlineTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration STEP = Duration.ofMillis(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private static void assertUnavailable(Waiter waiter, String cause) {
		assertThat(waiter.failure()).isInstanceOfSatisfying(EngineException.class, (ex) -> {
			assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE);
			assertThat(ex.getCause()).hasMessage(cause);
		});
	}

	/**
	 * A store that answers nothing: calls end when their time is over.
	 */
	private Fault hanging() {
		return Fault.after(() -> {
			List<Call> calls = this.backend.calls(Kind.CONTEND);
			this.harness.advance(calls.get(calls.size() - 1).timeout());
			throw new OutcomeUnknownException("timeout", null);
		});
	}

	/**
	 * A time that moves on by itself when one that waits would sleep.
	 */
	private TimeSource sleepless() {
		return new TimeSource() {

			private final SettableTime time = DeadlineTests.this.harness.time;

			@Override
			public long nanoTime() {
				return this.time.nanoTime();
			}

			@Override
			public long currentTimeMillis() {
				return this.time.currentTimeMillis();
			}

			@Override
			public void parkNanos(Object blocker, long nanos) {
				if (blocker instanceof LocalQueue) {
					this.time.advance(Duration.ofNanos(nanos));
				}
				else {
					this.time.parkNanos(blocker, nanos);
				}
			}

		};
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void repeatedNotificationsDoNotPostponeTheDeadline(boolean async) {
		Harness.hold(this.harness.engine());
		this.backend.always(Kind.CONTEND, Fault.after(() -> {
			this.harness.time.advance(Duration.ofMillis(150));
			this.backend.listener().onRetryHint(this.backend.lastCall(Kind.CONTEND).request());
		}));
		long start = this.harness.time.nanoTime();
		Waiter waiter = async
				? this.harness
					.start(() -> this.engine.acquireAsync(KEY, OPTIONS, new Object(), SECOND.toNanos()).join())
				: this.harness.acquire(this.engine, SECOND);
		assertThat(waiter.result()).isNull();
		assertThat(Duration.ofNanos(this.harness.time.nanoTime() - start)).isLessThanOrEqualTo(SECOND.plusMillis(150));
	}

	private void advanceUntilDone(Waiter waiter) {
		await().until(() -> {
			waiter.awaitSleepOrEnd();
			if (!waiter.isDone()) {
				this.harness.advance(STEP);
			}
			return waiter.isDone();
		});
	}

	@Test
	void attemptThatDoesNotWaitHasTheTimeOfAnOperation() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, OPTIONS, 0);
		assertThat(this.backend.lastCall(Kind.TRY).timeout()).isEqualTo(SECOND);
		assertThat(hold).isNotNull();
	}

	@Test
	void attemptHasNoMoreTimeThanAnOperationMayTake() {
		Waiter waiter = this.harness.acquire(this.engine, Duration.ofDays(1));
		waiter.hold();
		assertThat(this.backend.lastCall(Kind.CONTEND).timeout()).isEqualTo(SECOND);
	}

	@Test
	void attemptAtTheDeadlineHasTheTimeOfAnOperation() {
		Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofMillis(700));
		this.harness.advance(Duration.ofMillis(700));
		assertThat(waiter.result()).isNull();
		assertThat(this.backend.calls(Kind.CONTEND)).hasSize(2)
			.allSatisfy((call) -> assertThat(call.timeout()).isEqualTo(SECOND));
	}

	@ParameterizedTest
	@ValueSource(longs = { 300, 900 })
	void attemptThatBeginsAfterTheDeadlineHasTheRestOfTheTime(long late) {
		Gate gate = new Gate();
		this.backend.next(Kind.TRY, Fault.before(gate));
		Waiter together = this.harness.start(() -> {
			assertThat(this.engine.acquireTogether(List.of(KEY, "z"), OPTIONS, this, 0)).isNull();
			return null;
		});
		gate.awaitArrival();
		Waiter waiter = this.harness.queued(this.engine, Duration.ZERO);
		this.harness.advance(Duration.ofMillis(late));
		this.harness.engine().acquireUninterruptibly("z", OPTIONS, this, 0);
		gate.open();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.lastCall(Kind.TRY).timeout()).isEqualTo(SECOND.minusMillis(late));
		assertThat(together.result()).isNull();
	}

	@Test
	void releaseAndProbeHaveTheTimeOfAnOperation() {
		LockEngine engine = this.harness.engine(this.backend,
				EngineSettings.defaults().withOperationTimeout(Duration.ofMillis(123)));
		Harness.hold(engine).release();
		engine.inspection().probe();
		assertThat(this.backend.lastCall(Kind.TRY).timeout()).isEqualTo(Duration.ofMillis(123));
		assertThat(this.backend.lastCall(Kind.RELEASE).timeout()).isEqualTo(Duration.ofMillis(123));
		assertThat(this.backend.lastCall(Kind.PROBE).timeout()).isEqualTo(Duration.ofMillis(123));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 100, 250, 500, 999, 1000, 1001, 1400, 2000, 3000 })
	void storeThatHangsEndsTheWaitingInTime(long millis) {
		this.backend.always(Kind.CONTEND, hanging());
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), sleepless());
		long start = this.harness.time.nanoTime();
		Waiter waiter = this.harness.acquire(engine, Duration.ofMillis(millis));
		assertUnavailable(waiter, "timeout");
		assertThat(Duration.ofNanos(this.harness.time.nanoTime() - start)).isBetween(Duration.ofMillis(millis),
				Duration.ofMillis(millis).plus(SECOND));
		this.backend.heal();
		this.harness.advance(SECOND);
		this.harness.assertNothingLeft();
	}

	@Test
	void queuedWaiterWaitsForTheCallOfTheLeaderForTheTimeOfAnOperation() {
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.before(gate));
		Waiter leader = this.harness.acquire(this.engine, SECOND.multipliedBy(10));
		gate.awaitArrival();
		Waiter waiter = this.harness.queued(this.engine, SECOND);
		this.harness.advance(SECOND);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
		this.harness.advance(SECOND);
		assertUnavailable(waiter, "The store did not answer in time");
		assertThat(leader.isDone()).isFalse();
		gate.open();
		assertThat(leader.hold().isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 100 })
	void storeThatHangsIsUnavailableForAllWhoWaitForTheSameCall(long millis) {
		Gate gate = new Gate();
		Kind kind = (millis > 0) ? Kind.CONTEND : Kind.TRY;
		this.backend.always(kind, Fault.before(() -> {
			gate.run();
			throw new OutcomeUnknownException("timeout", null);
		}));
		List<Waiter> waiters = new ArrayList<>();
		waiters.add(this.harness.acquire(this.engine, Duration.ofMillis(millis)));
		gate.awaitArrival();
		for (int i = 0; i < 11; i++) {
			waiters.add(this.harness.queued(this.engine, Duration.ofMillis(millis)));
		}
		this.harness.advance(Duration.ofMillis(millis));
		gate.open();
		waiters.forEach((waiter) -> assertUnavailable(waiter, "timeout"));
		assertThat(this.backend.attempts()).as("one failure is that of all").isOne();
	}

	@Test
	void storeThatFailsIsAskedAgain() {
		this.backend.next(Kind.CONTEND, Fault.unavailable());
		this.backend.next(Kind.CONTEND, Fault.unavailable());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofSeconds(10));
		advanceUntilDone(waiter);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.calls(Kind.CONTEND).stream().map(Call::request).distinct()).hasSize(1);
	}

	@Test
	void storeThatFailsUntilTheDeadlineIsUnavailable() {
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofSeconds(10));
		advanceUntilDone(waiter);
		assertUnavailable(waiter, "connection refused");
		assertThat(this.backend.count(Kind.CONTEND)).isBetween(20L, 42L);
		this.harness.assertNothingLeft();
	}

	@Test
	void storeWithoutQueueThatFailsIsUnavailableToo() {
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		polling.always(Kind.CONTEND, Fault.unavailable());
		Waiter waiter = this.harness.queued(this.harness.engine(polling), SECOND);
		advanceUntilDone(waiter);
		assertUnavailable(waiter, "connection refused");
	}

	@Test
	void attemptThatDoesNotWaitIsMadeOnce() {
		this.backend.always(Kind.TRY, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE))
			.havingCause()
			.withMessage("connection refused");
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void storeFailureThatIsOverIsCleared() {
		Harness.hold(this.harness.engine());
		this.backend.next(Kind.CONTEND, Fault.unavailable());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofSeconds(2));
		advanceUntilDone(waiter);
		assertThat(waiter.result()).as("denied in the end").isNull();
	}

	@Test
	void thoseInLineLearnThatTheStoreFailed() {
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiters.add(this.harness.queued(this.engine, SECOND));
		}
		this.harness.advance(SECOND);
		waiters.forEach((waiter) -> assertUnavailable(waiter, "connection refused"));
		this.harness.assertNothingLeft();
	}

	@Test
	void storeFailureOfAFairRequestIsNotReportedToALaterOne() {
		Harness.hold(this.engine);
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		Waiter fair = this.harness.queued(this.engine, FAIR, SECOND);
		this.harness.advance(SECOND);
		assertUnavailable(fair, "connection refused");
		Waiter waiter = this.harness.queued(this.engine, SECOND);
		this.harness.advance(SECOND);
		assertThat(waiter.result()).as("the lock is held in this process").isNull();
	}

	@Test
	void waitingForEverIsPossible() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.start(() -> this.engine.acquire(KEY, OPTIONS, Long.MAX_VALUE / 2)).awaitSleep();
		this.harness.advance(Duration.ofMinutes(1));
		held.release();
		advanceUntilDone(waiter);
		assertThat(waiter.hold().isHeld()).isTrue();
	}

}
