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
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.LeaseHolder;

import static io.github.lockspring.engine.Harness.FAIR;
import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the passing of a lease from one holder to the next inside a process.
 */
class HandOffTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final HookedTime time = new HookedTime(this.harness.time);

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = engine(EngineSettings.defaults());

	private LockEngine engine(EngineSettings settings) {
		return this.harness.engine(this.backend, settings, this.time);
	}

	@AfterEach
	void close() {
		this.harness.close();
	}

	/**
	 * A hold of a key that was waited for, whose lease can be handed off.
	 */
	private Hold contendedHold(LockEngine engine) {
		Hold first = Harness.hold(engine);
		Waiter waiter = this.harness.queued(engine, WAIT);
		first.release();
		Hold hold = waiter.hold();
		this.backend.clearCalls();
		return hold;
	}

	@Test
	void leaseIsHandedOffWithoutCallToTheStore() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		assertThat(hold.release()).isTrue();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		assertThat(this.backend.attempts() + this.backend.count(Kind.RELEASE)).isZero();
	}

	@Test
	void storeThatFailsToNameItsLongestLeaseDoesNotStopTheHandOff() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.backend.failLongestLease(1);
		assertThat(hold.release()).isTrue();
		assertThat(next.hold().isHeld()).isTrue();
		this.harness.advance(LEASE.dividedBy(2));
		Harness.await().until(() -> this.backend.count(Kind.RENEW) > 0);
	}

	@Test
	void nextHolderHasLargerToken() {
		Hold hold = contendedHold(this.engine);
		List<Long> tokens = new ArrayList<>(List.of(hold.token()));
		for (int i = 0; i < 10; i++) {
			Waiter next = this.harness.queued(this.engine, WAIT);
			hold.release();
			hold = next.hold();
			tokens.add(hold.token());
		}
		hold.release();
		tokens.add(Harness.hold(this.harness.engine()).token());
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void releaseByAnOperatorDoesNotHitASuccessor() {
		Hold hold = contendedHold(this.engine);
		LeaseHolder found = this.engine.inspection().holders(KEY).get(0);
		Waiter next = this.harness.queued(this.engine, WAIT);
		hold.release();
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		assertThat(this.engine.inspection().forceReleaseAsync(KEY, found).join()).isFalse();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
		LeaseHolder successor = this.engine.inspection().holders(KEY).get(0);
		assertThat(successor.token()).isEqualTo(next.hold().token());
		assertThat(this.engine.inspection().forceReleaseAsync(KEY, successor).join()).isTrue();
		assertThat(next.hold().isHeld()).isFalse();
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void leaseThatAnOperatorReleasesIsNotHandedOff() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.backend.next(Kind.RELEASE, Fault.before(hold::release));
		this.engine.inspection().forceReleaseAsync(KEY, this.engine.inspection().holders(KEY).get(0)).join();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(next.hold().lease()).isNotSameAs(hold.lease());
	}

	@Test
	void formerHolderIsNotHolderAnyMore() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		hold.release();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
	}

	@Test
	void uncontendedLeaseHasOneTokenAndIsNotHandedOff() {
		Hold first = Harness.hold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		first.release();
		assertThat(next.hold().lease()).isNotSameAs(first.lease());
		assertThat(first.lease().request().terms().tokens()).isOne();
		assertThat(next.hold().lease().request().terms().tokens()).isEqualTo(257);
	}

	@Test
	void leaseGoesBackAfterTheNumberOfHandOffs() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(3, Duration.ofSeconds(1)));
		Hold hold = contendedHold(engine);
		for (int i = 0; i < 3; i++) {
			hold = handOff(engine, hold);
			assertThat(this.backend.count(Kind.RELEASE)).isZero();
		}
		handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		assertThat(this.backend.attempts()).isOne();
	}

	private Hold handOff(LockEngine engine, Hold hold) {
		Waiter next = this.harness.queued(engine, WAIT);
		hold.release();
		return next.hold();
	}

	@Test
	void leaseGoesBackAfterAllTokensAreUsed() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(256, Duration.ofSeconds(1)));
		Hold hold = contendedHold(engine);
		long first = hold.token();
		for (int i = 0; i < 256; i++) {
			hold = handOff(engine, hold);
		}
		assertThat(hold.token()).isEqualTo(first + 256);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		assertThat(handOff(engine, hold).token()).isGreaterThan(first + 256);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void leaseGoesBackAfterTheSpan() {
		Hold hold = contendedHold(this.engine);
		this.harness.advance(Duration.ofMillis(19));
		hold = handOff(this.engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		this.harness.advance(Duration.ofMillis(1));
		handOff(this.engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void handOffCanBeSwitchedOff() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(0, Duration.ofSeconds(1)));
		Hold hold = contendedHold(engine);
		handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void afterTheBudgetAnotherProcessHasItsTurn() {
		LockEngine other = this.harness.engine();
		Hold hold = contendedHold(this.engine);
		Waiter elsewhere = this.harness.queued(other, WAIT);
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.harness.advance(Duration.ofMillis(20));
		hold.release();
		assertThat(elsewhere.hold().isHeld()).isTrue();
		assertThat(next.isDone()).isFalse();
		elsewhere.hold().release();
		assertThat(next.hold().token()).isGreaterThan(elsewhere.hold().token());
	}

	@Test
	void leaseIsNotPassedToOneWhoWantsOtherTerms() {
		for (AcquireOptions others : List.of(AcquireOptions.exclusive(LEASE.plusMillis(1), true), UNRENEWED,
				Harness.SHARED)) {
			Hold hold = contendedHold(this.engine);
			Waiter next = this.harness.queued(this.engine, others, WAIT);
			hold.release();
			assertThat(this.backend.count(Kind.RELEASE)).as("releases before %s", others).isOne();
			assertThat(next.hold().lease().request().terms().leaseTime())
				.isEqualTo(Duration.ofNanos(others.leaseNanos()));
			next.hold().release();
			this.harness.assertNothingLeft();
		}
	}

	@Test
	void leaseThatIsNotRenewedIsNotHandedOff() {
		Hold first = Harness.hold(this.engine, UNRENEWED);
		Waiter second = this.harness.queued(this.engine, UNRENEWED, WAIT);
		first.release();
		Waiter third = this.harness.queued(this.engine, UNRENEWED, WAIT);
		second.hold().release();
		assertThat(third.hold().lease()).isNotSameAs(second.hold().lease());
	}

	@Test
	void fairLeasesAlwaysGoThroughTheStore() {
		Hold first = Harness.hold(this.engine, FAIR);
		Waiter second = this.harness.queued(this.engine, FAIR, WAIT);
		Waiter third = this.harness.queued(this.engine, FAIR, WAIT);
		first.release();
		second.hold().release();
		assertThat(third.hold().isHeld()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
		assertThat(second.hold().lease().request().terms().tokens()).isOne();
	}

	@Test
	void leaseWithTooLittleTimeLeftIsNotHandedOff() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(256, LEASE).withMaxHoldTime(Duration.ZERO));
		Hold hold = contendedHold(engine);
		this.harness.advance(LEASE.minus(LEASE.dividedBy(100)).dividedBy(2));
		hold = handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		this.harness.advance(Duration.ofMillis(1));
		handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void leaseThatWasGrantedForAShortTimeIsHandedOffInTheFirstHalf() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(256, LEASE).withMaxHoldTime(Duration.ZERO));
		Hold hold = holdForASecond(engine);
		this.harness.advance(Duration.ofMillis(495));
		hold = handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
		this.harness.advance(Duration.ofMillis(1));
		handOff(engine, hold);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	/**
	 * A hold whose lease can be handed off, and was sent for a second only.
	 */
	private Hold holdForASecond(LockEngine engine) {
		Hold held = Harness.hold(this.harness.engine());
		Waiter first = this.harness.queued(engine, WAIT);
		Waiter second = this.harness.queued(engine, WAIT);
		first.interrupt();
		await().until(() -> this.backend.attempts() == 2);
		second.awaitSleep();
		this.backend.setClaimTime(Duration.ofSeconds(1));
		held.release();
		Hold hold = second.hold();
		await().until(() -> this.backend.count(Kind.RELEASE) == 1); // of the first
		this.backend.clearCalls();
		return hold;
	}

	@Test
	void lostLeaseIsNotHandedOff() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.harness.store.expire(hold.lease().request());
		assertThat(next.hold().lease()).isNotSameAs(hold.lease());
		assertThat(hold.release()).isFalse();
		assertThat(next.hold().isHeld()).isTrue();
	}

	@Test
	void leaseThatIsLostBetweenReleaseAndHandOffIsNotHandedOff() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, WAIT);
		this.time.afterNextLook(Thread.currentThread(), () -> this.harness.store.expire(hold.lease().request()));
		assertThat(hold.release()).isFalse();
		assertThat(next.hold().lease()).isNotSameAs(hold.lease());
		assertThat(next.hold().isHeld()).isTrue();
		await().until(() -> this.harness.losses.size() == 1);
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void notificationOfGrantBetweenReleaseAndHandOffDoesNotReleaseTheLease() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter first = this.harness.queued(this.engine, WAIT);
		Waiter second = this.harness.queued(this.engine, WAIT);
		CountDownLatch left = new CountDownLatch(1);
		this.backend.next(Kind.RELEASE, Fault.after(left::countDown));
		first.interrupt();
		await().until(() -> this.backend.attempts() == 2);
		second.awaitSleep();
		await().until(() -> left.getCount() == 0); // else the first is granted it
		Waiter third = this.harness.queued(this.engine, WAIT);
		this.backend.setDelivery(Delivery.KEEP);
		held.release();
		this.harness.advance(EngineSettings.defaults().polling().queue());
		Hold hold = second.hold();
		assertThat(this.backend.keptNotifications()).isOne();
		this.time.afterNextLook(Thread.currentThread(), this.backend::deliverNotifications);
		hold.release();
		assertThat(third.hold().lease()).isSameAs(hold.lease());
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void leaseThatIsHandedOffDuringTheSearchIsRenewed() {
		LockEngine engine = engine(EngineSettings.defaults().withHandOff(256, LEASE));
		Hold hold = contendedHold(engine);
		Waiter next = this.harness.queued(engine, WAIT);
		int sleeps = this.time.sleepsOfTimer();
		this.time.afterNextLook(Thread.currentThread(), () -> {
			this.harness.advance(LEASE.dividedBy(3));
			await().until(() -> this.time.sleepsOfTimer() > sleeps);
		});
		hold.release();
		assertThat(next.hold().lease()).isSameAs(hold.lease());
		await().until(() -> this.backend.count(Kind.RENEW) > 0);
		assertThat(this.backend.lastCall(Kind.RENEW).request()).isEqualTo(hold.lease().request());
	}

	@Test
	void grantThatCameWithoutARequestAfterLongWaitIsHandedOff() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter first = this.harness.queued(this.engine, WAIT);
		Waiter second = this.harness.queued(this.engine, WAIT);
		first.interrupt();
		await().until(() -> this.backend.attempts() == 2);
		second.awaitSleep();
		this.harness.advance(Duration.ofMillis(100));
		held.release();
		Waiter third = this.harness.queued(this.engine, WAIT);
		second.hold().release();
		assertThat(third.hold().lease()).isSameAs(second.hold().lease());
		assertThat(this.backend.attempts()).isEqualTo(2);
	}

	@Test
	void oneWhoseLeaseWasLostBeforeItWokeUpContinuesToWait() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness
			.start(() -> this.engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(), Long.MAX_VALUE / 2))
			.awaitSleep();
		this.time.beforeWaking(next.thread(), () -> this.harness.advance(LEASE));
		hold.release();
		Hold held = next.hold();
		assertThat(held.isHeld()).isTrue();
		assertThat(held.token()).isGreaterThan(hold.token() + 1);
		assertThat(this.engine.heldBy(KEY, next.thread(), OPTIONS)).isSameAs(held);
		assertThat(held.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatWasLostBeforeTheNextHolderWokeUpIsNotAcquiredAfterTheDeadline() {
		Hold hold = contendedHold(this.engine);
		Waiter next = this.harness.queued(this.engine, LEASE.dividedBy(2));
		this.time.beforeWaking(next.thread(), () -> this.harness.advance(LEASE));
		hold.release();
		assertThat(next.failure()).isInstanceOf(EngineException.class);
		this.harness.assertNothingLeft();
		assertThat(this.engine.heldBy(KEY, next.thread(), OPTIONS)).isNull();
	}

	@Test
	void nothingIsLeftAfterManyHandOffs() {
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiters.add(this.harness.start(() -> {
				Hold hold = this.engine.acquire(KEY, OPTIONS, WAIT.toNanos());
				assertThat(hold).isNotNull();
				hold.release();
				return hold;
			}));
		}
		waiters.forEach(Waiter::hold);
		this.harness.assertNothingLeft();
	}

}
