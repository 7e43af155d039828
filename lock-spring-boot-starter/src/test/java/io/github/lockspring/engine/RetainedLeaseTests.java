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
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;

import static io.github.lockspring.engine.Harness.FAIR;
import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for leases that a process retains after their last use.
 */
class RetainedLeaseTests {

	private static final Duration RETAIN = Duration.ofSeconds(5);

	private static final AcquireOptions RETAINED = OPTIONS.withRetain(RETAIN);

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	private final FaultyBackend otherBackend = this.harness.backend();

	private final LockEngine other = this.harness.engine(this.otherBackend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private long retain() {
		return retain(this.engine);
	}

	private long retain(LockEngine engine) {
		Hold hold = Harness.hold(engine, RETAINED);
		assertThat(hold.release()).isTrue();
		this.backend.clearCalls();
		return hold.token();
	}

	private boolean isFree() {
		return this.harness.holders().isEmpty();
	}

	private @Nullable Hold tryOnce(LockEngine engine, AcquireOptions options) {
		return engine.acquireUninterruptibly(KEY, options, new Object(), 0);
	}

	@Test
	void nextAcquisitionMakesNoCall() {
		long token = retain();
		Hold next = Harness.hold(this.engine, RETAINED);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.token()).isGreaterThan(token);
		assertThat(next.release()).isTrue();
		assertThat(this.backend.count(Kind.values())).isZero();
	}

	@Test
	void asynchronousAcquisitionMakesNoCall() {
		retain();
		CompletableFuture<@Nullable Hold> next = this.engine.acquireAsync(KEY, RETAINED, new Object(), 0);
		assertThat(next).isCompletedWithValueMatching((hold) -> hold != null && hold.isHeld());
		assertThat(next.join()).satisfies((hold) -> assertThat(hold.releaseAsync()).isCompletedWithValue(true));
		assertThat(Harness.hold(this.engine, RETAINED).release()).isTrue();
		assertThat(this.backend.count(Kind.values())).isZero();
	}

	@Test
	void tokensIncreaseAndAreNeverUsedTwice() {
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			Hold hold = Harness.hold(this.engine, RETAINED);
			tokens.add(hold.token());
			hold.release();
		}
		this.engine.shutdown(Duration.ZERO);
		tokens.add(Harness.hold(this.other).token());
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(this.backend.attempts()).isEqualTo(4);
	}

	@Test
	void formerHolderDoesNotHoldTheLock() {
		Hold former = Harness.hold(this.engine, RETAINED);
		former.release();
		assertThat(former.isHeld()).isFalse();
		assertThat(former.remaining()).isZero();
		assertThat(Harness.hold(this.engine, RETAINED).isHeld()).isTrue();
		assertThat(former.isHeld()).isFalse();
	}

	@Test
	void otherProcessThatWaitsRecallsIt() {
		long token = retain();
		Hold hold = this.harness.acquire(this.other, WAIT).hold();
		assertThat(hold.token()).isGreaterThan(token);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.engine.size()).isZero();
		assertThat(this.backend.count(Kind.DECLINE)).isZero();
	}

	@Test
	void otherProcessThatTriesOnceGetsIt() {
		retain();
		assertThat(tryOnce(this.other, OPTIONS)).isNotNull();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void otherProcessThatTriesOnceWithoutThreadGetsIt() {
		retain();
		assertThat(this.other.acquireAsync(KEY, OPTIONS, new Object(), 0).join()).isNotNull();
	}

	@Test
	void readerOfAnotherProcessThatTriesOnceGetsIt() {
		retain();
		assertThat(tryOnce(this.other, SHARED)).isNotNull();
	}

	@Test
	void fairOwnerOfAnotherProcessThatTriesOnceGetsIt() {
		retain();
		assertThat(tryOnce(this.other, FAIR)).isNotNull();
	}

	@Test
	void severalKeysOfAnotherProcessThatTriesOnceAreAcquired() {
		retain();
		List<Hold> holds = this.other.acquireTogether(List.of(KEY, "order:43"), OPTIONS, new Object(), 0);
		assertThat(holds).as("one after the other").isEmpty();
		assertThat(tryOnce(this.other, OPTIONS)).isNotNull();
	}

	@Test
	void otherProcessThatTriesOnceDoesNotWaitForTheHolder() {
		Hold hold = Harness.hold(this.engine, RETAINED);
		assertThat(tryOnce(this.other, OPTIONS)).isNull();
		assertThat(this.backend.count(Kind.DECLINE)).isEqualTo(1);
		this.otherBackend.clearCalls();
		assertThat(tryOnce(this.other, OPTIONS)).isNull();
		assertThat(this.otherBackend.attempts()).as("attempts after the recall was declined").isEqualTo(1);
		hold.release();
		assertThat(isFree()).isTrue();
		assertThat(tryOnce(this.other, OPTIONS)).isNotNull();
		assertThat(this.harness.sizeOfStore()).isPositive();
	}

	@Test
	void otherProcessThatTriesOnceWaitsNoLongerThanForACall() {
		retain();
		this.backend.setDelivery(Delivery.LOSE);
		Waiter waiter = this.harness.queued(this.other, Duration.ZERO);
		this.harness.advance(Duration.ofSeconds(1));
		assertThat(waiter.result()).isNull();
		assertThat(Harness.hold(this.engine, RETAINED).isHeld()).isTrue();
	}

	@Test
	void otherProcessThatWaitsForLessThanACallGetsIt() {
		retain();
		this.backend.setDelivery(Delivery.KEEP);
		Waiter waiter = this.harness.queued(this.other, Duration.ofMillis(5));
		this.harness.advance(Duration.ofMillis(6));
		this.backend.deliverNotifications();
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void recallIsAwaitedThoughTheClockOverflows() {
		long start = Long.MAX_VALUE - 1;
		RetrySchedule schedule = new RetrySchedule(start, start, EngineSettings.defaults(), true);
		schedule.leaderAnswered(new Denial(Duration.ofSeconds(1), 0, true), start + 1);
		assertThat(schedule.remaining(start + 1)).isPositive();
	}

	@Test
	void declinedRecallThatIsLostDelaysNoLongerThanACall() {
		Hold hold = Harness.hold(this.engine, RETAINED);
		this.backend.always(Kind.DECLINE, Fault.unavailable());
		Waiter waiter = this.harness.queued(this.other, Duration.ZERO);
		this.harness.advance(Duration.ofSeconds(1));
		assertThat(waiter.result()).isNull();
		assertThat(hold.release()).isTrue();
		assertThat(isFree()).isTrue();
	}

	@Test
	void leaseThatIsRecalledInUseIsNotRetained() {
		Hold hold = Harness.hold(this.engine, RETAINED);
		Waiter waiter = this.harness.queued(this.other, WAIT);
		Waiter later = this.harness.queued(this.engine, RETAINED, WAIT);
		this.harness.time.advance(Duration.ofMillis(20));
		hold.release();
		Hold next = waiter.hold();
		assertThat(next.isHeld()).isTrue();
		next.release();
		assertThat(later.hold().release()).isTrue();
	}

	@Test
	void leaseIsHandedOffForNoLongerThanUsualOnceRecalled() {
		Hold hold = Harness.hold(this.engine, RETAINED);
		Waiter next = this.harness.queued(this.engine, RETAINED, WAIT);
		this.harness.time.advance(Duration.ofMillis(20));
		hold.release();
		assertThat(next.hold().lease()).as("not recalled").isSameAs(hold.lease());
		Waiter last = this.harness.queued(this.engine, RETAINED, WAIT);
		Waiter waiter = this.harness.queued(this.other, WAIT);
		next.hold().release();
		assertThat(waiter.hold().release()).isTrue();
		assertThat(last.hold().release()).isTrue();
	}

	@Test
	void recallThatIsLostDelaysUntilTheNextPoll() {
		retain();
		this.backend.setDelivery(Delivery.LOSE);
		Waiter waiter = this.harness.queued(this.other, WAIT);
		this.backend.setDelivery(Delivery.PASS);
		this.harness.advance(Duration.ofSeconds(2));
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void recallThatArrivesBeforeTheGrantIsHonored() {
		this.backend.next(Kind.TRY, Fault.after(() -> this.harness.queued(this.other, WAIT)));
		this.backend.next(Kind.CONTEND, Fault.after(() -> this.harness.queued(this.other, WAIT)));
		Hold hold = Harness.hold(this.engine, RETAINED);
		hold.release();
		await().until(() -> this.engine.size() == 0);
	}

	@Test
	void leaseForWhichOthersWaitAlreadyIsNotRetained() {
		Hold hold = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, RETAINED, WAIT);
		Waiter behind = this.harness.queued(this.harness.engine(), WAIT);
		hold.release();
		waiter.hold().release();
		assertThat(behind.hold().isHeld()).isTrue();
	}

	@Test
	void isReleasedWhenItsTimeIsOver() {
		retain();
		this.harness.advance(RETAIN.minusMillis(1));
		assertThat(isFree()).isFalse();
		this.harness.advance(Duration.ofMillis(100));
		assertThat(isFree()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void storeChecksThatItReceivesRecallsAsLongAsThereAreAny() {
		Harness.hold(this.engine, OPTIONS.withRetain(LEASE)).release();
		this.backend.clearCalls();
		this.harness.advance(LEASE.minusMillis(1), Duration.ofSeconds(1));
		assertThat(this.backend.calls(Kind.POLL)).hasSizeBetween(10, 15).allMatch((call) -> call.requests().isEmpty());
		this.harness.advance(Duration.ofSeconds(10), Duration.ofSeconds(1));
		this.backend.clearCalls();
		this.harness.advance(LEASE, Duration.ofSeconds(1));
		assertThat(this.backend.count(Kind.values())).isZero();
	}

	@Test
	void isReleasedIfRecallsWereMissed() {
		Hold held = this.engine.acquireUninterruptibly("order:43", RETAINED, new Object(), 0);
		retain();
		this.backend.listener().onRecallsMissed();
		assertThat(this.engine.size()).isEqualTo(1);
		assertThat(held != null && held.isHeld()).isTrue();
	}

	@Test
	void timeBeginsWithEachUse() {
		retain();
		for (int i = 0; i < 5; i++) {
			this.harness.advance(RETAIN.minusMillis(1));
			Harness.hold(this.engine, RETAINED).release();
		}
		assertThat(this.backend.attempts()).isZero();
		this.harness.advance(RETAIN.plusMillis(100));
		this.harness.assertNothingLeft();
	}

	@Test
	void lastUserDeterminesTheTime() {
		retain();
		Harness.hold(this.engine, OPTIONS).release();
		assertThat(this.backend.attempts()).isZero();
		assertThat(isFree()).isTrue();
	}

	@Test
	void isRenewedAsLongAsItIsRetained() {
		Hold hold = Harness.hold(this.engine, OPTIONS.withRetain(LEASE.multipliedBy(10)));
		hold.release();
		this.harness.advance(LEASE.multipliedBy(9), LEASE.dividedBy(10));
		this.backend.clearCalls();
		assertThat(Harness.hold(this.engine, RETAINED).isHeld()).isTrue();
		assertThat(this.backend.attempts()).isZero();
	}

	@Test
	void isNotTakenOverIfItMayHaveExpired() {
		long token = retain();
		this.harness.time.advance(LEASE);
		Hold next = Harness.hold(this.engine, RETAINED);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.token()).isGreaterThan(token + 1);
		assertThat(next.remaining()).isGreaterThan(LEASE.dividedBy(2));
	}

	@Test
	void isNotTakenOverIfMostOfItIsOver() {
		retain();
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.harness.time.advance(LEASE.multipliedBy(2).dividedBy(3));
		assertThat(Harness.hold(this.engine, RETAINED).remaining()).isGreaterThan(LEASE.dividedBy(2));
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void eachHolderHasNearlyTheMaximumHoldTime() {
		Duration max = Duration.ofSeconds(100);
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults().withMaxHoldTime(max));
		retain(engine);
		this.harness.advance(Duration.ofMillis(999));
		Harness.hold(engine, RETAINED).release();
		assertThat(this.backend.attempts()).isZero();
		this.harness.advance(Duration.ofMillis(1));
		Harness.hold(engine, RETAINED).release();
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void lossIsNotReported() {
		retain();
		assertThat(this.harness.store.expire(KEY)).isTrue();
		await().until(() -> this.engine.size() == 0);
		assertThat(Harness.hold(this.engine, RETAINED).isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void lossThatIsFoundWhenItIsReleasedIsNotReported() {
		retain();
		this.backend.setDelivery(Delivery.LOSE);
		assertThat(this.harness.store.expire(KEY)).isTrue();
		this.harness.advance(RETAIN);
		assertThat(this.engine.size()).isZero();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void isNotTakenOverWhileTheConnectionIsSuspended() {
		retain();
		this.backend.listener().onSuspended();
		this.engine.acquireUninterruptibly(KEY, RETAINED, new Object(), 0);
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void isNotTakenOverAfterAFailover() {
		retain();
		this.harness.advance(Duration.ofMillis(1));
		this.backend.always(Kind.RENEW, Fault.unavailable());
		this.backend.listener().onFailedOver();
		Harness.hold(this.engine, RETAINED);
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void readerOfTheSameProcessWaitsUntilItIsReleased() {
		retain();
		Hold reader = tryOnce(this.engine, SHARED);
		assertThat(reader).isNotNull();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(1);
	}

	@Test
	void fairOwnerOfTheSameProcessWaitsUntilItIsReleased() {
		retain();
		assertThat(tryOnce(this.engine, FAIR)).isNotNull();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(1);
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void acquisitionWithAnotherLeaseTimeWaitsUntilItIsReleased() {
		retain();
		assertThat(tryOnce(this.engine, AcquireOptions.exclusive(LEASE.multipliedBy(2), true))).isNotNull();
		assertThat(this.harness.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(LEASE));
	}

	@Test
	void otherOptionsWithoutThreadWaitUntilItIsReleased() {
		LockEngine engine = this.harness.engine();
		retain(engine);
		assertThat(engine.acquireAsync(KEY, FAIR, new Object(), 0).join()).isNotNull();
	}

	@Test
	void acquisitionWaitsForTheEndOfItsReleaseInAnotherThread() {
		LockEngine engine = this.harness.engine(this.backend);
		retain(engine);
		Gate gate = new Gate();
		this.backend.next(Kind.RELEASE, Fault.before(gate));
		Waiter first = this.harness.acquire(engine, UNRENEWED, Duration.ZERO);
		gate.awaitArrival();
		Waiter second = this.harness.queued(engine, RETAINED, Duration.ZERO);
		gate.open();
		assertThat(List.of(first.result() != null, second.result() != null)).containsExactly(true, false);
	}

	@Test
	void severalKeysOfTheSameProcessAreAcquired() {
		retain();
		List<Hold> together = this.engine.acquireTogether(List.of(KEY, "order:43"), RETAINED, new Object(), 0);
		assertThat(together).as("one after the other").isEmpty();
		assertThat(tryOnce(this.engine, RETAINED)).isNotNull();
		assertThat(this.engine.size()).isEqualTo(1);
	}

	@Test
	void leaseOfSeveralKeysIsNotRetained() {
		List<Hold> holds = Harness.acquireTogether(this.engine, List.of(KEY, "order:43"), RETAINED);
		assertThat(holds).hasSize(2);
		Hold.releaseAll(holds);
		this.harness.assertNothingLeft();
	}

	@Test
	void otherLeasesAreNotRetained() {
		for (AcquireOptions options : List.of(FAIR, SHARED, UNRENEWED, AcquireOptions.permits(1, 2, LEASE, true),
				OPTIONS.withMinimumHold(Duration.ofMillis(1)))) {
			Harness.hold(this.engine, options.withRetain(RETAIN)).release();
			this.harness.time.advance(Duration.ofMillis(2));
			this.harness.assertNothingLeft();
		}
	}

	@Test
	void reentrantAcquisitionsAreReleasedFirst() {
		Object owner = new Object();
		this.engine.acquireUninterruptibly(KEY, RETAINED, owner, 0);
		Hold again = this.engine.acquireUninterruptibly(KEY, RETAINED, owner, 0);
		assertThat(again).isNotNull();
		again.release();
		assertThat(again.isHeld()).isTrue();
		again.release();
		assertThat(Harness.hold(this.engine, RETAINED).isHeld()).isTrue();
	}

	@Test
	void readerUnderItsWriterKeepsTheKey() {
		Object owner = new Object();
		Hold writer = this.engine.acquireUninterruptibly(KEY, RETAINED, owner, 0);
		Hold reader = this.engine.acquireUninterruptibly(KEY, SHARED, owner, 0);
		assertThat(writer != null && writer.release()).isTrue();
		assertThat(reader != null && reader.isHeld()).isTrue();
		assertThat(tryOnce(this.other, SHARED)).isNotNull();
		assertThat(reader != null && reader.release()).isTrue();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void oldestIsReleasedIfThereAreTooMany() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults().withMaxRetainedKeys(10));
		for (int i = 0; i < 30; i++) {
			Hold hold = engine.acquireUninterruptibly("key:" + i, RETAINED, new Object(), 0);
			assertThat(hold != null && hold.release()).isTrue();
			this.harness.advance(Duration.ofMillis(1));
			assertThat(engine.size()).isLessThanOrEqualTo(10);
		}
		assertThat(engine.size()).isGreaterThanOrEqualTo(8);
		this.backend.clearCalls();
		assertThat(engine.acquireUninterruptibly("key:29", RETAINED, new Object(), 0)).isNotNull();
		assertThat(engine.acquireUninterruptibly("key:0", RETAINED, new Object(), 0)).isNotNull();
		assertThat(this.backend.attempts()).isEqualTo(1);
	}

	@Test
	void asManyAsPermittedStay() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults().withMaxRetainedKeys(10));
		for (int i = 0; i < 10; i++) {
			Hold hold = engine.acquireUninterruptibly("key:" + i, OPTIONS.withRetain(LEASE), new Object(), 0);
			assertThat(hold != null && hold.release()).isTrue();
		}
		this.harness.advance(LEASE.dividedBy(2), Duration.ofSeconds(1));
		assertThat(engine.size()).isEqualTo(10);
	}

	@Test
	void noneIsRetainedIfNoneMayBe() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults().withMaxRetainedKeys(0));
		retain(engine);
		this.harness.assertNothingLeft();
	}

	@Test
	void shutdownReleasesItAtOnce() {
		retain();
		long before = System.nanoTime();
		this.engine.shutdown(Duration.ofMinutes(1));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(50));
		this.harness.assertNothingLeft();
	}

	@Test
	void holderThatEndsDuringShutdownReleasesIt() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine, RETAINED);
		CompletableFuture<Void> done = CompletableFuture.runAsync(() -> engine.shutdown(Duration.ofMinutes(1)));
		await().until(engine::isClosed);
		assertThat(hold.release()).isTrue();
		done.join();
		this.harness.assertNothingLeft();
	}

	@Test
	void oneWithoutThreadThatTakesItOverDuringShutdownIsRejected() {
		LockEngine engine = this.harness.engine(this.backend);
		engine.addObserver(new EngineObserver() {

			@Override
			public @Nullable LockObservation onAcquire(String key, LockKind kind) {
				return null;
			}

			@Override
			public void onHandOff(String key, LockKind kind) {
				CompletableFuture.runAsync(() -> engine.shutdown(Duration.ofMinutes(1)));
				await().until(engine::isClosed);
			}

		});
		retain(engine);
		assertThat(engine.acquireAsync(KEY, RETAINED, new Object(), 0)).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(EngineException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.CLOSED));
		this.harness.assertNothingLeft();
	}

	@Test
	void isRetainedAgainAfterARestart() {
		retain();
		this.engine.shutdown(Duration.ZERO);
		this.engine.start();
		retain();
		Harness.hold(this.engine, RETAINED);
		assertThat(this.backend.attempts()).isZero();
	}

	@Test
	void releaseWhoseReplyIsLostWhenItIsReleasedIsRepeated() {
		retain();
		this.backend.next(Kind.RELEASE, Fault.unknownWithoutEffect());
		Waiter waiter = this.harness.acquire(this.other, WAIT);
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return waiter.isDone();
		});
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void errorWhenItIsReleasedLeavesNothing() {
		retain();
		this.backend.next(Kind.RELEASE, Fault.before(() -> {
			throw new AssertionError("expected by this test");
		}));
		this.harness.advance(RETAIN);
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return isFree();
		});
		this.harness.assertNothingLeft();
	}

	@Test
	void operatorReleasesIt() {
		retain();
		assertThat(this.engine.inspection().forceReleaseAsync(KEY, this.engine.inspection().holders(KEY).get(0)))
			.isCompletedWithValue(true);
		assertThat(this.engine.size()).isZero();
		assertThat(this.harness.losses).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void snapshotShowsIt() {
		long token = retain();
		assertThat(this.engine.inspection().snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.state()).isEqualTo(EngineInspection.Snapshot.State.RETAINED);
			assertThat(held.token()).isEqualTo(token);
			assertThat(held.owner().name()).isEqualTo("retained");
		});
	}

	@Test
	void storeThatCannotRecallRejectsIt() {
		LockEngine engine = this.harness.engine(this.harness.backend().without(Capability.RECALL));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> Harness.hold(engine, RETAINED))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNSUPPORTED))
			.withMessageContaining("retained leases");
		assertThat(engine.supports(RETAINED)).isFalse();
	}

}
