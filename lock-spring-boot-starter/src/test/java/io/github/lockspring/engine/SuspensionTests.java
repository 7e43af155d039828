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
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Renewal;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the time in which the store cannot be asked whether what is held is still
 * held.
 */
class SuspensionTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration WAIT = Duration.ofHours(1);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	@AfterEach
	void close() {
		this.harness.close();
	}

	private void suspend() {
		this.backend.listener().onSuspended();
	}

	private void resume() {
		this.backend.listener().onResumed();
	}

	@Test
	void nothingCountsAsHeldUntilTheStoreIsBack() {
		Hold hold = Harness.hold(this.engine);
		AtomicInteger notified = new AtomicInteger();
		hold.onLost(notified::incrementAndGet);
		suspend();
		suspend();
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.hasLease()).isTrue();
		assertThat(hold.remaining()).isZero();
		resume();
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isPositive();
		assertThat(notified).hasValue(0);
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void storeThatIsBackWithoutHavingBeenAwayChangesNothing() {
		Hold hold = Harness.hold(this.engine);
		resume();
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void timeOfTheLeaseContinues() {
		Hold hold = Harness.hold(this.engine);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		suspend();
		this.harness.advance(LEASE, SECOND);
		assertThat(hold.hasLease()).isFalse();
		assertThat(this.harness.losses).containsExactly(KEY + "#" + hold.token());
		resume();
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void lossIsNotifiedMeanwhile() {
		Hold hold = Harness.hold(this.engine);
		suspend();
		this.harness.store.expire(hold.lease().request());
		assertThat(this.harness.losses).hasSize(1);
		resume();
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void leaseIsRenewedWhenTheStoreIsBack() {
		Hold hold = Harness.hold(this.engine);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		suspend();
		this.harness.advance(LEASE.dividedBy(2), SECOND);
		this.backend.heal();
		resume();
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leaseThatIsGrantedMeanwhileCountsAsHeldAfterIt() {
		suspend();
		Hold hold = Harness.hold(this.engine);
		assertThat(hold.isHeld()).isFalse();
		resume();
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leaseThatWasWaitedForAndIsGrantedMeanwhileCountsAsHeldAfterIt() {
		Hold other = Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		suspend();
		other.release();
		assertThat(waiter.hold().isHeld()).isFalse();
		resume();
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void ownerDoesNotAcquireAgain() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, OPTIONS, 0);
		suspend();
		for (AcquireOptions options : new AcquireOptions[] { OPTIONS, SHARED }) {
			assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, options, 0))
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.SUSPENDED));
		}
		resume();
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isSameAs(hold);
	}

	@Test
	void ownerThatLostTheLeaseMeanwhileIsNotifiedOfTheLoss() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, OPTIONS, 0);
		suspend();
		this.harness.store.expire(hold.lease().request());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.LOST));
	}

	@Test
	void leaseIsNotHandedOff() {
		Hold first = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		first.release();
		Hold hold = waiter.hold();
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.backend.clearCalls();
		suspend();
		assertThat(hold.release()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		resume();
		assertThat(next.hold().lease()).isNotSameAs(hold.lease());
		assertThat(next.hold().isHeld()).isTrue();
	}

	@Test
	void releaseGoesToTheStoreAndIsTriedAgain() {
		Hold hold = Harness.hold(this.engine);
		suspend();
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		assertThat(hold.release()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isPositive();
		this.backend.heal();
		resume();
		this.harness.advance(SECOND);
		assertThat(this.harness.losses).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void nothingCountsAsHeldAfterAFailoverUntilItWasRenewed() {
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(SECOND);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.backend.listener().onFailedOver();
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		assertThat(hold.hasLease()).isTrue();
		this.backend.heal();
		this.harness.advance(SECOND.multipliedBy(2), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void failoverHasLeasesRenewedAtOnce() {
		Harness.hold(this.engine);
		this.harness.advance(SECOND);
		long before = this.backend.count(Kind.RENEW);
		this.backend.listener().onFailedOver();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(this.backend.count(Kind.RENEW)).isEqualTo(before + 1);
		this.harness.advance(SECOND);
		assertThat(this.backend.count(Kind.RENEW)).isEqualTo(before + 1);
	}

	@Test
	void leaseOfWhichTheNewServerDoesNotKnowIsLost() {
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(SECOND);
		this.backend.setRenewalAnswer((renewal) -> new Renewal(Set.of(), Set.of(hold.lease().request())));
		this.backend.listener().onFailedOver();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(hold.hasLease()).isFalse();
		assertThat(this.harness.losses).containsExactly(KEY + "#" + hold.token());
	}

	@Test
	void leaseInDoubtIsNotHandedOff() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.advance(SECOND);
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.backend.listener().onFailedOver();
		hold.release();
		assertThat(waiter.hold().token()).isNotEqualTo(hold.token() + 1);
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void leaseThatIsNotRenewedIsHeldAfterAFailover() {
		Hold hold = Harness.hold(this.engine, Harness.UNRENEWED);
		this.harness.advance(SECOND);
		this.backend.listener().onFailedOver();
		this.harness.advance(SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.backend.count(Kind.RENEW)).isZero();
	}

}
