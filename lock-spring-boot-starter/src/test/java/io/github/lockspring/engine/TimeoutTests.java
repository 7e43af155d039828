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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for waiters whose time is over: they take nothing and leave nothing.
 */
class TimeoutTests {

	private static final Duration WAIT = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final LockEngine other = this.harness.engine();

	private final HookedTime time = new HookedTime(this.harness.time);

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), this.time);

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void queuedWaiterTimesOutAtItsDeadline() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.advance(WAIT.minusNanos(1));
		assertThat(waiter.isDone()).isFalse();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(waiter.result()).isNull();
		assertThat(this.backend.attempts()).isOne();
		hold.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void waiterThatTimedOutIsNotHandedTheLease() {
		Hold hold = Harness.hold(this.engine);
		Waiter brief = this.harness.queued(this.engine, WAIT);
		Waiter longWaiter = this.harness.queued(this.engine, LONG);
		this.harness.advance(WAIT);
		assertThat(brief.result()).isNull();
		hold.release();
		assertThat(longWaiter.hold().isHeld()).isTrue();
		assertThat(this.engine.heldBy(KEY, brief.thread(), OPTIONS)).isNull();
	}

	@Test
	void leaderTriesOnceMoreAtItsDeadline() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.backend.setDelivery(Delivery.LOSE);
		held.release();
		this.harness.advance(WAIT);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.attempts()).isEqualTo(2);
	}

	@Test
	void leaderThatTimesOutLeavesTheQueueOfTheStore() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.advance(WAIT);
		assertThat(waiter.result()).isNull();
		await().until(() -> this.backend.count(Kind.RELEASE) == 1);
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void fairLeaderThatTimesOutLeavesAStoreWithoutNotificationsAsWell() {
		LockEngine polling = this.harness.engine(this.backend.without(Capability.QUEUE), EngineSettings.defaults(),
				this.time);
		Harness.hold(this.other);
		Waiter waiter = this.harness.queued(polling, Harness.FAIR, WAIT);
		this.harness.advance(WAIT);
		assertThat(waiter.result()).isNull();
		await().until(() -> this.backend.count(Kind.RELEASE) == 1);
	}

	@Test
	void leaderThatTimesOutMakesRoomForTheNext() {
		Hold held = Harness.hold(this.other);
		Waiter brief = this.harness.queued(this.engine, WAIT);
		Waiter longWaiter = this.harness.queued(this.engine, LONG);
		this.harness.advance(WAIT);
		assertThat(brief.result()).isNull();
		await().until(() -> this.backend.count(Kind.CONTEND) == 3);
		held.release();
		assertThat(longWaiter.hold().isHeld()).isTrue();
	}

	@Test
	void allTimeOutAtOnce() {
		Hold held = Harness.hold(this.other);
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiters.add(this.harness.queued(this.engine, WAIT));
		}
		this.harness.advance(WAIT);
		assertThat(waiters).allMatch((waiter) -> waiter.result() == null);
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatIsHandedOffInTheLastMomentIsTaken() {
		Hold hold = Harness.hold(this.engine);
		Waiter first = this.harness.queued(this.engine, LONG);
		hold.release();
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.time.beforeWaking(waiter.thread(), () -> first.hold().release());
		this.harness.advance(WAIT);
		assertThat(waiter.hold().isHeld()).isTrue();
		waiter.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatIsHandedOffWhileTheWaiterLeavesIsTaken() {
		LockEngine generous = this.harness.engine(this.backend, EngineSettings.defaults().withHandOff(256, LONG),
				this.time);
		Hold hold = Harness.hold(generous);
		Waiter first = this.harness.queued(generous, LONG);
		hold.release();
		Waiter waiter = this.harness.queued(generous, WAIT);
		this.time.afterNextLook(waiter.thread(), () -> first.hold().release());
		this.harness.advance(WAIT);
		assertThat(waiter.hold().lease()).isSameAs(first.hold().lease());
		assertThat(waiter.hold().isHeld()).isTrue();
		waiter.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatIsSentInTheLastMomentIsTaken() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.time.beforeWaking(waiter.thread(), held::release);
		this.harness.advance(WAIT);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.attempts()).isOne();
		waiter.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatIsSentDuringTheLastAttemptIsTaken() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.backend.next(Kind.CONTEND, Fault.after(held::release));
		this.harness.advance(WAIT);
		assertThat(waiter.hold().isHeld()).isTrue();
		waiter.hold().release();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantWhoseMessageComesTooLateIsReleased() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.backend.setDelivery(Delivery.KEEP);
		this.backend.next(Kind.CONTEND, Fault.after(held::release));
		this.harness.advance(WAIT);
		assertThat(waiter.result()).isNull();
		assertThat(this.backend.deliverNotifications()).isZero();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantWhoseMessageIsLostIsReleased() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.backend.setDelivery(Delivery.LOSE);
		this.backend.next(Kind.CONTEND, Fault.after(held::release));
		this.harness.advance(WAIT);
		assertThat(waiter.result()).isNull();
		this.harness.assertNothingLeft();
	}

	@Test
	void lastWaiterThatLeavesDoesNotOrphanTheGrant() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = this.harness.queued(this.engine, LONG);
		this.backend.next(Kind.RELEASE, Fault.before(held::release));
		waiter.interrupt();
		assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
		this.harness.assertNothingLeft();
	}

	@Test
	void manyWaitersLeaveInAnyOrder() {
		Harness.hold(this.engine);
		List<CompletableFuture<Hold>> waiters = new ArrayList<>();
		for (int i = 0; i < 60_000; i++) {
			waiters.add(this.engine.acquireAsync(KEY, OPTIONS, new Object(), Duration.ofDays(1).toNanos()));
		}
		Collections.shuffle(waiters, new Random(1));
		CompletableFuture<Hold> last = waiters.remove(waiters.size() - 1);
		assertThat(CompletableFuture.runAsync(() -> waiters.forEach((waiter) -> waiter.cancel(false))))
			.succeedsWithin(Duration.ofMinutes(1));
		await().until(() -> this.engine.inspection().waitingCount(KEY) == 1);
		assertThat(last).isNotDone();
		last.cancel(false);
	}

	@Test
	void thoseWhoRemainAreServedInOrderAfterOthersHaveLeft() {
		Hold hold = Harness.hold(this.engine);
		List<CompletableFuture<Hold>> waiters = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			waiters.add(this.engine.acquireAsync(KEY, OPTIONS, new Object(), Duration.ofDays(1).toNanos()));
		}
		Random random = new Random(1);
		List<CompletableFuture<Hold>> left = new ArrayList<>();
		waiters.removeIf((waiter) -> random.nextInt(10) > 0 && left.add(waiter));
		left.forEach((waiter) -> waiter.cancel(false));
		await().until(() -> this.engine.inspection().waitingCount(KEY) == waiters.size());
		for (CompletableFuture<Hold> waiter : waiters) {
			hold.release();
			hold = waiter.join();
		}
		assertThat(hold.release()).isTrue();
		this.harness.assertNothingLeft();
	}

}
