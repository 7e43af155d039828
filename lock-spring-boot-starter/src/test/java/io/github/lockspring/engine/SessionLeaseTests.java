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
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for stores that keep a lease for as long as they hear from the process, and no
 * longer than a session lasts without that.
 */
@ExtendWith(OutputCaptureExtension.class)
class SessionLeaseTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration SESSION = Duration.ofSeconds(6);

	private static final Duration WAIT = Duration.ofHours(1);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	@AfterEach
	void close() {
		this.harness.close();
	}

	/**
	 * A lease time without the margin of one percent.
	 */
	private static Duration usable(Duration lease) {
		return lease.minus(lease.dividedBy(100));
	}

	private long releases() {
		return this.backend.count(Kind.RELEASE);
	}

	private long renewals() {
		return this.backend.count(Kind.RENEW);
	}

	@Test
	void leaseIsCutToWhatTheStoreKeeps() {
		this.backend.setLongestLease(SESSION);
		Hold hold = Harness.hold(this.engine);
		assertThat(hold.lease().request().terms().leaseTime()).isEqualTo(SESSION);
		assertThat(hold.remaining()).isEqualTo(usable(SESSION));
		this.harness.advance(SESSION.dividedBy(3).minus(SESSION.dividedBy(100)));
		assertThat(renewals()).isOne();
		assertThat(hold.remaining()).isEqualTo(usable(SESSION));
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void leaseThatTheStoreKeepsIsNotCut() {
		this.backend.setLongestLease(LEASE);
		assertThat(Harness.hold(this.engine).options()).isSameAs(OPTIONS);
	}

	@Test
	void leaseIsCutAgainWhenTheStoreKeepsItForAnotherTime() {
		this.backend.setLongestLease(SESSION);
		Hold hold = Harness.hold(this.engine);
		hold.release();
		this.backend.setLongestLease(SESSION.multipliedBy(2));
		Hold longer = Harness.hold(this.engine);
		assertThat(longer.options().leaseTime()).isEqualTo(SESSION.multipliedBy(2));
		longer.release();
		this.backend.setLongestLease(LEASE.multipliedBy(2));
		assertThat(Harness.hold(this.engine).options().leaseTime()).isEqualTo(LEASE);
	}

	@Test
	void everyWayToAcquireIsCut() throws Exception {
		this.backend.setLongestLease(SESSION);
		Harness.acquireTogether(this.engine, List.of("a", "b"), OPTIONS);
		this.engine.acquireAsync("async", OPTIONS, new Object(), 0).join();
		Hold writer = this.engine.acquire("read", OPTIONS, 0);
		Hold reader = this.engine.acquire("read", SHARED, 0);
		writer.release();
		assertThat(List.of(Kind.TRY, Kind.DOWNGRADE))
			.allSatisfy((kind) -> assertThat(this.backend.calls(kind)).isNotEmpty()
				.allSatisfy((call) -> assertThat(call.requests())
					.allSatisfy((request) -> assertThat(request.terms().leaseTime()).isEqualTo(SESSION))));
		assertThat(reader.remaining()).isEqualTo(usable(SESSION));
	}

	@Test
	void leaseThatIsCutIsHandedOff() {
		this.backend.setLongestLease(SESSION);
		Hold first = Harness.hold(this.engine);
		Harness.Waiter waiter = this.harness.queued(this.engine, WAIT);
		first.release();
		Harness.Waiter next = this.harness.queued(this.engine, WAIT);
		this.backend.clearCalls();
		waiter.hold().release();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(releases()).isZero();
	}

	@Test
	void longerLeaseTimeIsLoggedOnce(CapturedOutput output) {
		this.backend.setLongestLease(SESSION);
		Harness.hold(this.engine).release();
		Harness.hold(this.engine, UNRENEWED).release();
		assertThat(output).containsOnlyOnce("keeps a lease for at most PT6S");
	}

	@Test
	void leaseThatIsNotRenewedIsKeptAliveForItsTime() {
		this.backend.setLongestLease(SESSION);
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(usable(LEASE).minus(SECOND), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isLessThanOrEqualTo(SECOND);
		long before = renewals();
		assertThat(before).isPositive();
		this.harness.advance(SECOND);
		assertThat(hold.isHeld()).isFalse();
		assertThat(renewals()).isEqualTo(before);
		assertThat(this.harness.losses).hasSize(1);
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void leaseThatIsNotRenewedAndShortEnoughIsNotKeptAlive() {
		this.backend.setLongestLease(LEASE);
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(usable(LEASE), SECOND);
		assertThat(hold.isHeld()).isFalse();
		assertThat(renewals()).isZero();
	}

	@Test
	void leaseThatIsNotRenewedAndWasLongInComingIsNotKeptAlive() throws InterruptedException {
		this.backend.next(Kind.TRY, Fault.after(() -> this.harness.time.advance(SECOND)));
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.engine.acquire("other", OPTIONS, 0);
		this.harness.advance(LEASE, SECOND);
		assertThat(hold.isHeld()).isFalse();
		assertThat(renewals()).isPositive();
		assertThat(this.backend.calls(Kind.RENEW))
			.noneMatch((call) -> call.requests().contains(hold.lease().request()));
	}

	@Test
	void leaseThatIsKeptAliveForItsTimeIsNotHandedOff() {
		this.backend.setLongestLease(SESSION);
		Hold first = Harness.hold(this.engine, UNRENEWED);
		Harness.Waiter waiter = this.harness.queued(this.engine, UNRENEWED, WAIT);
		first.release();
		Harness.Waiter next = this.harness.queued(this.engine, UNRENEWED, WAIT);
		waiter.hold().release();
		assertThat(next.hold().lease()).isNotSameAs(waiter.hold().lease());
	}

	@Test
	void renewalCountsForWhatTheStoreKeepsBy() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setLongestLease(SESSION);
		this.harness.advance(LEASE.minus(SESSION), SECOND);
		this.harness.advance(SESSION.dividedBy(3));
		assertThat(renewals()).isOne();
		assertThat(hold.remaining()).isEqualTo(usable(SESSION));
		this.harness.advance(SESSION, Duration.ofMillis(10));
		assertThat(renewals()).isEqualTo(4);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leaseWhoseTimeIsOverIsReleased() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(usable(LEASE));
		assertThat(releases()).isOne();
		assertThat(this.backend.lastCall(Kind.RELEASE).request()).isEqualTo(hold.lease().request());
		assertThat(this.harness.holders()).isEmpty();
		assertThat(hold.release()).isFalse();
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isOne();
	}

	@Test
	void leaseThatItsHolderNeverReleasesIsReleased() {
		LockEngine engine = this.harness.steadyEngine(this.backend,
				EngineSettings.defaults().withMaxHoldTime(LEASE.multipliedBy(2)));
		Hold hold = Harness.hold(engine);
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(releases()).isZero();
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isOne();
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void leaseThatCouldNotBeRenewedIsReleasedWhenTheStoreIsBack() {
		Hold hold = Harness.hold(this.engine);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		this.harness.advance(LEASE, SECOND);
		assertThat(hold.isHeld()).isFalse();
		this.backend.heal();
		this.backend.clearCalls();
		this.harness.advance(SECOND.multipliedBy(2));
		assertThat(releases()).isOne();
		assertThat(renewals()).isZero();
	}

	@Test
	void leaseWhoseTimeIsOverBeforeItsMinimumKeepsOthersOutUntilThen() {
		Hold hold = Harness.hold(this.engine, UNRENEWED.withMinimumHold(LEASE));
		this.harness.advance(usable(LEASE));
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.backend.lastDelay()).isEqualTo(LEASE.dividedBy(100));
		assertThat(this.harness.holders()).hasSize(1);
		this.harness.advance(LEASE.dividedBy(100));
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void leaseOfSeveralKeysIsReleasedOnce() {
		List<Hold> holds = Harness.acquireTogether(this.engine, List.of("a", "b", "c"), UNRENEWED);
		holds.get(0).release();
		assertThat(releases()).as("the part that was released").isOne();
		this.harness.advance(usable(LEASE));
		assertThat(holds).noneMatch(Hold::isHeld);
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isEqualTo(2);
	}

	@Test
	void leaseThatAReaderBorrowsIsReleasedOnce() throws InterruptedException {
		Hold writer = this.engine.acquire(KEY, UNRENEWED, 0);
		Hold reader = this.engine.acquire(KEY, AcquireOptions.shared(LEASE, false), 0);
		this.harness.advance(LEASE);
		assertThat(reader.isHeld()).isFalse();
		assertThat(writer.isHeld()).isFalse();
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isOne();
	}

	@Test
	void releaseIsTriedForAsLongAsTheSessionMayLast() {
		this.backend.setLongestLease(LEASE);
		Hold hold = Harness.hold(this.engine, AcquireOptions.exclusive(SECOND, true));
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		hold.release();
		this.harness.advance(LEASE, SECOND);
		this.backend.clearCalls();
		this.harness.advance(SECOND.multipliedBy(5), SECOND);
		assertThat(releases()).isPositive();
		this.backend.clearCalls();
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isZero();
	}

	@Test
	void releaseIsTriedForAsLongAsTheStoreIsOutOfReach() {
		Hold hold = Harness.hold(this.engine);
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		this.backend.listener().onSuspended();
		hold.release();
		this.harness.advance(LEASE.multipliedBy(10), SECOND);
		this.backend.listener().onResumed();
		this.backend.clearCalls();
		this.harness.advance(SECOND.multipliedBy(5), SECOND);
		assertThat(releases()).isPositive();
		this.backend.heal();
		this.harness.advance(SECOND.multipliedBy(5), SECOND);
		this.backend.clearCalls();
		this.harness.advance(LEASE, SECOND);
		assertThat(releases()).isZero();
	}

	@Test
	void attemptThatChangedNothingIsNotReleased() {
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		Harness.Waiter waiter = this.harness.queued(this.engine, SECOND);
		Harness.await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return waiter.isDone();
		});
		assertThat(waiter.failure()).isInstanceOf(EngineException.class);
		this.harness.advance(SECOND);
		assertThat(releases()).isZero();
	}

	@Test
	void placeThatWasGotBeforeTheStoreFailedIsReleased() {
		Harness.hold(this.harness.engine());
		Harness.Waiter waiter = this.harness.queued(this.engine, SECOND);
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		Harness.await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return waiter.isDone();
		});
		this.harness.advance(SECOND);
		assertThat(releases()).isOne();
	}

	@Test
	void leaseThatIsCutIsExtendedInTheStore() {
		this.backend.setLongestLease(SESSION);
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(SECOND);
		assertThat(hold.extend(UNRENEWED)).isTrue();
		assertThat(hold.remaining()).isEqualTo(usable(SESSION));
		this.harness.advance(usable(LEASE).minus(SECOND), SECOND);
		assertThat(hold.isHeld()).isTrue();
		this.harness.advance(SECOND);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void leaseThatIsCutAndHasEndedInTheStoreIsNotExtended() {
		this.backend.setLongestLease(SESSION);
		this.backend.setDelivery(Delivery.LOSE);
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.extend(UNRENEWED)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
	}

	@Test
	void leaseThatIsCutIsNotExtendedByAStoreThatIsAway() {
		this.backend.setLongestLease(SESSION);
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> hold.extend(UNRENEWED));
	}

}
