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
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Call;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for calls to the store with an unknown outcome.
 */
class UnknownOutcomeTests {

	private static final Duration STEP = Duration.ofMillis(100);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final DirectExecutor executor = new DirectExecutor();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), this.executor);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private void assertUnavailable() {
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE))
			.havingCause()
			.isInstanceOf(BackendException.class);
	}

	private List<LeaseRequest> releases() {
		return this.backend.calls(Kind.RELEASE).stream().map(Call::request).toList();
	}

	@Test
	void attemptWithUnknownOutcomeIsNotAcquired() {
		this.backend.next(Kind.TRY, Fault.unknownAfterEffect());
		assertUnavailable();
		this.harness.advance(STEP);
		assertThat(releases()).containsExactly(this.backend.lastCall(Kind.TRY).request());
		this.harness.assertNothingLeft();
	}

	@Test
	void exceptionThatABackendShouldNotThrowLeavesTheOutcomeUnknown() {
		this.backend.next(Kind.TRY, Fault.after(() -> {
			throw new IllegalStateException("driver");
		}));
		assertUnavailable();
		this.harness.advance(STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void errorInABackendLeavesTheOutcomeUnknownAndIsThrown() {
		this.backend.next(Kind.TRY, Fault.after(() -> {
			throw new StackOverflowError();
		}));
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0));
		this.harness.advance(STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void nextAttemptIsMadeByAnotherOwner() {
		this.backend.next(Kind.CONTEND, Fault.unknownAfterEffect());
		Waiter waiter = this.harness.queued(this.engine, LEASE);
		LeaseRequest first = this.backend.lastCall(Kind.CONTEND).request();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(waiter.hold().lease().request()).isNotEqualTo(first)
			.isEqualTo(this.backend.lastCall(Kind.CONTEND).request());
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void releaseWhoseFailureCannotBeLoggedIsRepeated() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.unavailable());
		Harness.assertFailureToLog(ReleaseRetrier.class, hold::release);
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseOfAnAttemptIsRepeatedThoughItIsRequestedAgain() {
		EngineContext context = new EngineContext(this.backend, EngineSettings.defaults(), this.harness.time,
				EngineThreads.of(this.executor));
		ReleaseRetrier releaseRetrier = new ReleaseRetrier(context);
		LeaseRequest late = context.store().newRequest(KEY, OPTIONS, false);
		releaseRetrier.releaseIfGranted(late);
		releaseRetrier.release(late);
		context.threads().start();
		context.startTasks();
		Harness.await().until(() -> {
			this.harness.advance(STEP);
			return releases().size() > 2;
		});
		context.stopTasks();
		assertThat(releases()).containsOnly(late);
	}

	@Test
	void releaseOfAnAttemptIsRepeatedUntilItIsFound() {
		this.backend.next(Kind.TRY, Fault.unknownWithoutEffect());
		assertUnavailable();
		LeaseRequest late = this.backend.lastCall(Kind.TRY).request();
		this.harness.advance(Duration.ofSeconds(5), STEP);
		assertThat(releases()).hasSizeBetween(5, 8).containsOnly(late);
		this.harness.backend().tryAcquire(late, Duration.ofSeconds(1));
		assertThat(this.harness.holders()).as("the request has arrived at last").hasSize(1);
		this.harness.advance(Duration.ofSeconds(2), STEP);
		assertThat(this.harness.holders()).isEmpty();
		assertThatNothingIsReleasedAnyMore();
	}

	@Test
	void releaseOfAnAttemptIsNotRepeatedBeyondTheEndOfTheLease() {
		this.backend.next(Kind.TRY, Fault.unknownWithoutEffect());
		assertUnavailable();
		this.harness.advance(LEASE.plusSeconds(5), STEP);
		assertThatNothingIsReleasedAnyMore();
	}

	private void assertThatNothingIsReleasedAnyMore() {
		int before = releases().size();
		this.harness.advance(LEASE, STEP);
		assertThat(releases()).hasSize(before);
	}

	@Test
	void releaseOfAnAttemptSurvivesThatTheStoreIsAway() {
		this.backend.next(Kind.TRY, Fault.unknownAfterEffect());
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		assertUnavailable();
		this.harness.advance(Duration.ofSeconds(5), STEP);
		this.backend.always(Kind.RELEASE, Fault.before(() -> {
			throw new IllegalStateException("driver");
		}));
		this.harness.advance(Duration.ofSeconds(5), STEP);
		assertThat(this.harness.holders()).hasSize(1);
		this.backend.heal();
		this.harness.advance(Duration.ofSeconds(2), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseOfAnAttemptSurvivesThatItCannotBeStarted() {
		this.backend.next(Kind.TRY, Fault.unknownAfterEffect());
		this.executor.rejectNext(new OutOfMemoryError("unable to create native thread"));
		assertUnavailable();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void oneAttemptThatFailsDoesNotHoldUpTheReleaseOfOthers() throws InterruptedException {
		this.backend.always(Kind.TRY, Fault.unknownAfterEffect());
		for (String key : List.of("a", "b", "c")) {
			assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(key, OPTIONS, 0));
		}
		this.backend.always(Kind.RELEASE, Fault.NONE);
		this.backend.next(Kind.RELEASE, Fault.before(() -> {
			throw new IllegalStateException("driver");
		}));
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseWithUnknownOutcomeIsRepeatedInTheBackground() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.unknownWithoutEffect());
		assertThat(hold.release()).as("the caller continues").isTrue();
		assertThat(this.engine.size()).isZero();
		this.harness.advance(STEP);
		assertThat(releases()).hasSize(2).containsOnly(hold.lease().request());
		this.harness.assertNothingLeft();
		assertThatNothingIsReleasedAnyMore();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void releaseThatTookEffectWithUnknownOutcomeIsNoLoss() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.unknownAfterEffect());
		assertThat(hold.release()).isTrue();
		this.harness.advance(STEP);
		assertThatNothingIsReleasedAnyMore();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void releaseThatIsTakenForALossBeforeItsOutcomeIsUnknownIsNoLoss() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.before(() -> {
			this.harness.store.expire(hold.lease().request());
			Fault.unavailable().before();
		}));
		assertThat(hold.release()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void releaseIsRepeatedUntilTheStoreIsBack() {
		Hold hold = Harness.hold(this.engine);
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		assertThat(hold.release()).isTrue();
		this.harness.advance(LEASE.dividedBy(2), STEP);
		assertThat(this.harness.holders()).hasSize(1);
		this.backend.heal();
		this.harness.advance(Duration.ofSeconds(2), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void lateReleaseDoesNotTouchTheNextAcquisition() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.unknownAfterEffect());
		hold.release();
		Hold next = Harness.hold(this.engine);
		this.harness.advance(Duration.ofSeconds(2), STEP);
		assertThat(releases()).hasSize(2).containsOnly(hold.lease().request());
		assertThat(next.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void errorInTheReleaseDoesNotKeepTheKey() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.before(() -> {
			throw new StackOverflowError();
		}));
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(hold::release);
		assertThat(this.engine.size()).isZero();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void unknownOutcomeOfTheLastAttemptIsUndoneToo() {
		this.backend.always(Kind.CONTEND, Fault.unknownAfterEffect());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofSeconds(1));
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(waiter.failure()).isInstanceOfSatisfying(EngineException.class, (ex) -> {
			assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE);
			assertThat(ex).hasCauseInstanceOf(OutcomeUnknownException.class);
		});
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatIsExtendedToAShorterTimeEndsWithThatIfTheReplyIsLost() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.backend.next(Kind.RENEW, Fault.unknownAfterEffect());
		assertExtensionFails(hold, LEASE.dividedBy(10));
		assertThat(hold.remaining()).isLessThanOrEqualTo(LEASE.dividedBy(10));
		this.harness.advance(LEASE.dividedBy(10));
		assertThat(this.harness.losses).hasSize(1);
		assertThat(hold.isHeld()).isFalse();
		assertThat(Harness.hold(this.harness.engine()).isHeld()).isTrue();
	}

	@Test
	void leaseIsNotHeldAnyLongerThanItIsExtendedWhileTheStoreHasNotAnswered() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.backend.next(Kind.RENEW, Fault.after(() -> {
			this.harness.time.advance(LEASE.dividedBy(10));
			assertThat(hold.isHeld()).isFalse();
		}));
		assertThat(hold.extend(unrenewed(LEASE.dividedBy(10)))).isFalse();
	}

	@Test
	void leaseThatIsExtendedToALongerTimeEndsAsBeforeIfTheReplyIsLost() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		Duration remaining = hold.remaining();
		this.backend.next(Kind.RENEW, Fault.unknownAfterEffect());
		assertExtensionFails(hold, LEASE.multipliedBy(10));
		assertThat(hold.remaining()).isEqualTo(remaining);
		assertThat(hold.extend(unrenewed(LEASE.multipliedBy(10)))).isTrue();
		assertThat(hold.remaining()).isGreaterThan(LEASE.multipliedBy(9));
	}

	private void assertExtensionFails(Hold hold, Duration leaseTime) {
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> hold.extend(unrenewed(leaseTime)))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE));
	}

	private static AcquireOptions unrenewed(Duration leaseTime) {
		return AcquireOptions.exclusive(leaseTime, false);
	}

}
