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

import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.LeaseMode;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the passing of permits from one holder to the next inside a process, past the
 * leader, which waits for those of the store.
 */
class PermitHandOffTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final AcquireOptions ONE = AcquireOptions.permits(1, 3, LEASE, true);

	private static final AcquireOptions TWO = AcquireOptions.permits(2, 3, LEASE, true);

	private final Harness harness = new Harness();

	private final HookedTime time = new HookedTime(this.harness.time);

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = engine(EngineSettings.defaults());

	private LockEngine engine(EngineSettings settings) {
		return this.harness.engine(this.backend, settings, this.time);
	}

	/**
	 * One of the three permits, held by another process, so that there is a leader.
	 */
	private final Hold elsewhere = Harness.hold(this.harness.engine(), ONE);

	@AfterEach
	void close() {
		this.harness.close();
	}

	/**
	 * Holds of the other permits, which were waited for, so that they can be handed off.
	 */
	private List<Hold> contendedHolds() {
		Hold first = Harness.hold(this.engine, ONE);
		Hold second = Harness.hold(this.engine, ONE);
		Waiter leader = queued(ONE);
		Waiter next = queued(ONE);
		Waiter last = queued(ONE);
		first.release();
		leader.hold();
		second.release();
		next.hold();
		leader.hold().release();
		List<Hold> holds = List.of(next.hold(), last.hold());
		this.backend.clearCalls();
		return holds;
	}

	private Waiter queued(AcquireOptions options) {
		return this.harness.queued(this.engine, options, WAIT);
	}

	private Waiter leader(AcquireOptions options) {
		Waiter leader = queued(options);
		this.backend.clearCalls();
		return leader;
	}

	private void assertNoCall() {
		assertThat(this.backend.countWithoutValues()).isZero();
	}

	@Test
	void leaseIsHandedOffPastTheLeaderWithoutCallToTheStore() {
		Hold hold = contendedHolds().get(0);
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		assertThat(hold.release()).isTrue();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		assertThat(next.hold().token()).isEqualTo(hold.token() + 1);
		assertThat(hold.isHeld()).isFalse();
		assertThat(leader.isDone()).isFalse();
		assertNoCall();
	}

	@Test
	void asynchronousReleaseHandsOffAtOnce() {
		Hold hold = contendedHolds().get(0);
		leader(ONE);
		Waiter next = queued(ONE);
		assertThat(hold.releaseAsync()).isCompletedWithValue(true);
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		assertNoCall();
	}

	@Test
	void leaderIsGrantedTheLeaseThatGoesBack() {
		Hold hold = contendedHolds().get(0);
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		hold.release();
		Waiter last = queued(ONE);
		this.harness.advance(EngineSettings.defaults().handOff().span());
		next.hold().release();
		assertThat(leader.hold().lease()).isNotSameAs(hold.lease());
		assertThat(last.isDone()).isFalse();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void leaderThatWantsMorePermitsIsNotOvertaken() {
		List<Hold> holds = contendedHolds();
		Waiter leader = leader(TWO);
		Waiter next = queued(ONE);
		holds.forEach(Hold::release);
		assertThat(leader.hold().isHeld()).isTrue();
		assertThat(next.isDone()).isFalse();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
	}

	@Test
	void leaseIsNotHandedOffForAnotherNumberOfPermits() {
		List<Hold> holds = contendedHolds();
		Waiter leader = leader(ONE);
		Waiter next = queued(TWO);
		queued(ONE);
		holds.get(0).release();
		assertThat(leader.hold().isHeld()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		holds.get(1).release();
		leader.hold().release();
		assertThat(next.hold().permits().permits()).isEqualTo(2);
	}

	@Test
	void permitsThatAreLeftOfALeaseAreHandedOffWithTheTokensThatAreLeft() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(2, Duration.ofSeconds(1)));
		Hold first = Harness.hold(engine, TWO);
		Waiter contended = this.harness.queued(engine, TWO, WAIT);
		first.release();
		Hold hold = contended.hold();
		Waiter second = this.harness.queued(engine, TWO, WAIT);
		hold.release();
		assertThat(second.hold().token()).isEqualTo(hold.token() + 1);
		Waiter other = this.harness.queued(engine, ONE, WAIT);
		assertThat(second.hold().releasePermits(1)).isTrue();
		assertThat(other.hold().isHeld()).isTrue();
		Waiter leader = this.harness.queued(engine, ONE, WAIT);
		Waiter third = this.harness.queued(engine, ONE, WAIT);
		second.hold().release();
		assertThat(third.hold().token()).isEqualTo(hold.token() + 2);
		Waiter last = this.harness.queued(engine, ONE, WAIT);
		third.hold().release();
		assertThat(leader.hold().lease()).isNotSameAs(hold.lease());
		assertThat(last.isDone()).isFalse();
	}

	@Test
	void noneContendsWhileThisProcessHoldsTooManyPermits() {
		this.elsewhere.release();
		List<Hold> holds = List.of(Harness.hold(this.engine, ONE), Harness.hold(this.engine, TWO));
		this.backend.clearCalls();
		Waiter first = queued(TWO);
		Waiter second = queued(ONE);
		Waiter third = queued(ONE);
		assertNoCall();
		holds.get(1).release();
		assertThat(first.hold().isHeld()).isTrue();
		holds.get(0).release();
		assertThat(second.hold().isHeld()).isTrue();
		this.backend.clearCalls();
		second.hold().release();
		assertThat(third.hold().lease()).isSameAs(second.hold().lease());
		assertNoCall();
	}

	@Test
	void otherLimitIsRejectedAlthoughThisProcessHoldsAllPermits() {
		this.elsewhere.release();
		Harness.hold(this.engine, ONE);
		Harness.hold(this.engine, TWO);
		Waiter rejected = this.harness.acquire(this.engine, AcquireOptions.permits(1, 2, LEASE, true), WAIT);
		assertThat(rejected.failure()).isInstanceOf(EngineException.class);
	}

	@Test
	void leaseWithALimitThatWasChangedSinceIsNotHandedOff() {
		PermitLedger ledger = new PermitLedger(this.engine);
		// watched from now on
		ledger.limit(KEY, new PermitTerms(1, 3, false, LEASE, true));
		Hold hold = contendedHolds().get(0);
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		this.time.afterNextLook(Thread.currentThread(), () -> ledger.setLimit(KEY, 1));
		assertThat(hold.release()).isTrue();
		// the leader may release as well, when it leaves the queue of the store
		assertThat(this.backend.calls(Kind.RELEASE)).extracting(FaultyBackend.Call::request)
			.containsOnlyOnce(hold.lease().request());
		for (Waiter rejected : List.of(leader, next)) {
			assertThat(rejected.failure()).isInstanceOfSatisfying(EngineException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.REJECTED));
		}
		await().untilAsserted(() -> assertThat(this.harness.holders()).hasSize(2));
	}

	@Test
	void permitsOfOtherTermsAreNotHandedOff() {
		for (AcquireOptions others : List.of(AcquireOptions.permits(1, 3, LEASE.plusMillis(1), true),
				AcquireOptions.permits(1, 3, LEASE, false),
				AcquireOptions.permits(LeaseMode.permits(1, 3), true, LEASE, true))) {
			List<Hold> holds = contendedHolds();
			Waiter leader = leader(ONE);
			Waiter next = queued(others);
			holds.get(0).release();
			assertThat(leader.hold().isHeld()).isTrue();
			assertThat(this.backend.count(Kind.RELEASE)).as("releases before %s", others).isOne();
			holds.get(1).release();
			assertThat(next.hold().lease()).isNotSameAs(holds.get(1).lease());
			leader.hold().release();
			next.hold().release();
			assertThat(this.harness.holders()).hasSize(1);
		}
	}

	@Test
	void leaseThatIsLostBetweenReleaseAndHandOffIsNotHandedOff() {
		Hold hold = contendedHolds().get(0);
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		this.time.afterNextLook(Thread.currentThread(), () -> this.harness.store.expire(hold.lease().request()));
		assertThat(hold.release()).isFalse();
		assertThat(leader.hold().isHeld()).isTrue();
		assertThat(next.isDone()).isFalse();
		await().until(() -> this.harness.losses.size() == 1);
		assertThat(this.harness.holders()).hasSize(3);
	}

	@Test
	void interruptedWaiterIsPassedOver() {
		Hold hold = contendedHolds().get(0);
		leader(ONE);
		Waiter interrupted = queued(ONE);
		Waiter next = queued(ONE);
		interrupted.interrupt();
		assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
		hold.release();
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		assertNoCall();
	}

	@Test
	void oneWhoseLeaseWasLostBeforeItWokeUpContinuesToWait() {
		List<Hold> holds = contendedHolds();
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		this.time.beforeWaking(next.thread(), () -> this.harness.advance(LEASE));
		holds.get(0).release();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(next.hold().lease()).isNotSameAs(holds.get(0).lease());
		assertThat(leader.hold().isHeld()).isTrue();
		assertThat(holds.get(1).release()).isFalse();
		leader.hold().release();
		next.hold().release();
		this.elsewhere.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatIsHandedOffAtShutdownIsReleased() {
		List<Hold> holds = contendedHolds();
		Waiter leader = leader(ONE);
		Waiter next = queued(ONE);
		this.time.beforeWaking(next.thread(), this.engine::close);
		holds.get(0).release();
		assertThat(next.failure()).isInstanceOf(EngineException.class);
		assertThat(leader.failure()).isInstanceOf(EngineException.class);
		await().untilAsserted(() -> assertThat(this.harness.holders()).hasSize(1));
	}

	@Test
	void afterTheBudgetAnotherProcessHasItsTurn() {
		LockEngine other = this.harness.engine();
		List<Hold> holds = contendedHolds();
		Waiter elsewhere = this.harness.queued(other, ONE, WAIT);
		Waiter leader = queued(ONE);
		Waiter next = queued(ONE);
		this.harness.advance(EngineSettings.defaults().handOff().span());
		holds.get(0).release();
		assertThat(elsewhere.hold().isHeld()).isTrue();
		assertThat(List.of(leader, next)).noneMatch(Waiter::isDone);
		holds.get(1).release();
		assertThat(leader.hold().isHeld()).isTrue();
	}

}
