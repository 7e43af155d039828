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

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for waiting for another process: what the store sends without a request, and what
 * is done in case that it sends nothing.
 */
class NotificationTests {

	private static final Duration WAIT = Duration.ofDays(1);

	private static final Duration POLL = EngineSettings.defaults().polling().queue();

	private final Harness harness = new Harness();

	private final LockEngine other = this.harness.engine();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Waiter queued() {
		return this.harness.queued(this.engine, WAIT);
	}

	private LeaseRequest contender() {
		return this.backend.lastCall(Kind.CONTEND).request();
	}

	private void advanceUntilAsked(long times) {
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(10));
			return this.backend.attempts() >= times;
		});
	}

	@Test
	void grantThatIsSentWithoutARequestAcquiresWithoutAnotherCall() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = queued();
		held.release();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.hold().token()).isGreaterThan(held.token());
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void grantThatIsSentWithoutARequestCountsFromTheRequest() {
		Hold held = Harness.hold(this.other, UNRENEWED);
		Waiter waiter = this.harness.queued(this.engine, UNRENEWED, WAIT);
		this.harness.advance(Duration.ofMillis(100));
		held.release();
		assertThat(waiter.hold().remaining()).isEqualTo(LEASE.minus(LEASE.plusMillis(100).dividedBy(100)));
	}

	@Test
	void grantThatFollowsTheLastOfManyDenialsAcquiresWithoutAnotherCall() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = queued();
		LeaseRequest request = contender();
		for (int i = 2; i <= 5; i++) {
			askAgain(waiter, i);
		}
		held.release();
		assertThat(waiter.hold().lease().request()).isEqualTo(request);
		assertThat(this.backend.attempts()).isEqualTo(5);
	}

	private void askAgain(Waiter waiter, int times) {
		this.backend.listener().onRetryHint(contender());
		await().until(() -> this.backend.attempts() == times);
		waiter.awaitSleep();
	}

	@Test
	void grantThatFollowsAnEarlierDenialIsAskedFor() {
		Harness.hold(this.other);
		Waiter waiter = queued();
		long attemptId = this.backend.lastAttemptId();
		askAgain(waiter, 2);
		assertThat(push(7, LEASE, attemptId)).isTrue();
		await().until(() -> this.backend.attempts() == 3);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
	}

	@Test
	void grantWithoutAttemptIdIsAskedFor() {
		Harness.hold(this.other);
		this.backend.without(Capability.QUEUE);
		Waiter waiter = this.harness.queued(this.harness.engine(this.backend), WAIT);
		push(7, LEASE, 0);
		await().until(() -> this.backend.attempts() == 2);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
	}

	private boolean push(long token, Duration validity, long attemptId) {
		return push(token, validity, attemptId, Duration.ZERO);
	}

	private boolean push(long token, Duration validity, long attemptId, Duration waited) {
		return this.backend.listener().onGranted(contender(), new Grant(token, validity), attemptId, waited);
	}

	@Test
	void grantThatOvertakesTheDenialThatItFollowsAcquiresWithoutAnotherCall() {
		Hold held = Harness.hold(this.other);
		this.backend.next(Kind.CONTEND, Fault.after(held::release));
		Waiter waiter = this.harness.acquire(this.engine, WAIT);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void grantThatIsOvertakenByADenialIsAskedFor() {
		Harness.hold(this.other);
		Waiter waiter = queued();
		long attemptId = this.backend.lastAttemptId();
		this.backend.next(Kind.CONTEND, Fault.after(() -> push(7, LEASE, attemptId)));
		this.backend.listener().onRetryHint(contender());
		await().until(() -> this.backend.attempts() == 3);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
	}

	@Test
	void grantThatIsOverByTheMonotonicClockIsAskedFor() {
		assertOverAfter(() -> {
			this.harness.time.jumpWall(Duration.ofMillis(-99));
			this.harness.time.advance(Duration.ofMillis(99));
		});
	}

	@Test
	void grantThatIsOverByTheWallClockIsAskedFor() {
		assertOverAfter(() -> this.harness.time.jumpWall(Duration.ofMillis(99)));
	}

	private void assertOverAfter(Runnable passage) {
		Harness.hold(this.other, UNRENEWED);
		Waiter waiter = queued();
		passage.run();
		push(7, Duration.ofMillis(100), this.backend.lastAttemptId());
		await().until(() -> this.backend.attempts() == 2);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
	}

	@Test
	void grantForAShortTimeAcquiresWithoutAnotherCall() {
		Hold held = Harness.hold(this.other);
		this.backend.setClaimTime(Duration.ofSeconds(1));
		Waiter waiter = queued();
		held.release();
		assertThat(waiter.hold().remaining()).isIn(Duration.ofMillis(990), LEASE.multipliedBy(99).dividedBy(100));
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void grantLastsNoLongerThanItsValidityIfTheClockOfTheStoreWasSetForward() {
		Harness.hold(this.other);
		this.backend.always(Kind.RENEW, Fault.unavailable()); // the store has granted
																// nothing
		Waiter waiter = queued();
		push(7, Duration.ofSeconds(1), this.backend.lastAttemptId(), Duration.ofHours(1));
		assertThat(waiter.hold().remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
	}

	@Test
	void grantThatIsNotRenewedIsConfirmedIfTheClockOfTheStoreWasSetForward() {
		Harness.hold(this.other, UNRENEWED);
		Waiter waiter = this.harness.queued(this.engine, UNRENEWED, WAIT);
		push(7, LEASE.dividedBy(3), this.backend.lastAttemptId(), Duration.ofHours(1));
		await().until(() -> this.backend.attempts() == 2);
		assertThat(waiter.awaitSleep().isDone()).isFalse();
	}

	@Test
	void grantForAShortTimeIsConfirmedIfItIsNotRenewed() {
		Hold held = Harness.hold(this.other, UNRENEWED);
		this.backend.setClaimTime(LEASE.minusMillis(1));
		Waiter waiter = this.harness.queued(this.engine, UNRENEWED, WAIT);
		held.release();
		assertThat(waiter.hold().remaining()).isEqualTo(LEASE.minus(LEASE.dividedBy(100)));
		assertThat(this.backend.attempts()).isEqualTo(2);
	}

	@Test
	void messageThatIsLostCostsOnePoll() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = queued();
		this.backend.setDelivery(Delivery.LOSE);
		held.release();
		assertThat(waiter.isDone()).isFalse();
		this.harness.advance(POLL);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.attempts()).isEqualTo(2);
	}

	@Test
	void pollKeepsThePlaceInTheQueueOfTheStore() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = queued();
		for (long i = 1; i <= 3; i++) {
			long polls = i;
			await().until(() -> {
				this.harness.advance(Duration.ofMillis(10));
				return this.backend.count(Kind.POLL) == polls;
			});
		}
		Waiter later = this.harness.queued(this.harness.engine(), WAIT);
		held.release();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(later.isDone()).isFalse();
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
	}

	@Test
	void hintMakesTheLeaderTryAtOnce() {
		Harness.hold(this.other);
		queued();
		this.backend.listener().onRetryHint(contender());
		await().until(() -> this.backend.attempts() == 2);
	}

	@Test
	void hintForAnotherRequestIsIgnored() {
		Hold held = Harness.hold(this.other);
		Waiter waiter = queued();
		this.backend.listener().onRetryHint(held.lease().request());
		this.backend.listener().onRetryHint(new LeaseRequest("unknown", contender().terms(), "x", 1));
		assertThat(this.backend.listener().onGranted(held.lease().request(), new Grant(1, LEASE), 0, Duration.ZERO))
			.isFalse();
		assertThat(waiter.awaitSleep().isDone()).isFalse();
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void grantOfARequestThatWasCancelledIsNotAccepted() {
		Hold held = Harness.hold(this.other);
		this.backend.next(Kind.CONTEND, Fault.unknownAfterEffect());
		Waiter waiter = queued();
		LeaseRequest old = contender();
		assertThat(this.backend.listener().onGranted(old, new Grant(7, LEASE), 0, Duration.ZERO)).isFalse();
		this.harness.advance(POLL);
		await().until(() -> this.backend.attempts() == 2);
		assertThat(contender()).isNotEqualTo(old);
		assertThat(this.backend.listener().onGranted(old, new Grant(7, LEASE), 0, Duration.ZERO)).isFalse();
		assertThat(waiter.awaitSleep().isDone()).isFalse();
		held.release();
		assertThat(waiter.hold().lease().request()).isEqualTo(contender());
	}

	@Test
	void grantThatArrivesWhenItsRequestIsCancelledIsNotAccepted() {
		Hold held = Harness.hold(this.other);
		this.backend.setDelivery(Delivery.KEEP);
		Waiter waiter = queued();
		held.release();
		LeaseRequest old = contender();
		this.backend.next(Kind.CONTEND, Fault.before(() -> {
			this.backend.deliverNotifications();
			Fault.unknownWithoutEffect().before();
		}));
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(10));
			return waiter.isDone();
		});
		assertThat(waiter.hold().lease().request()).isNotEqualTo(old);
		this.backend.deliverNotifications();
		await().until(() -> this.harness.holders().size() == 1);
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void notificationThatArrivesTwiceIsHarmless() {
		Hold held = Harness.hold(this.other);
		this.backend.setDelivery(Delivery.KEEP);
		Waiter waiter = queued();
		held.release();
		assertThat(this.backend.deliverNotifications()).isOne();
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(this.backend.deliverNotifications()).as("taken over before").isOne();
		assertThat(this.harness.holders()).hasSize(1);
		waiter.hold().release();
		this.backend.deliverNotifications();
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatEndedBeforeItsMessageArrivedIsNotAccepted() {
		Hold held = Harness.hold(this.other);
		this.backend.setDelivery(Delivery.KEEP);
		Waiter waiter = queued();
		held.release();
		this.harness.store.expire(contender());
		Hold successor = Harness.hold(this.other);
		advanceUntilAsked(2);
		waiter.awaitSleep();
		this.backend.deliverNotifications();
		this.harness.advance(Duration.ZERO);
		await().until(() -> waiter.isDone() || this.backend.attempts() >= 3);
		assertThat(waiter.isDone()).isFalse();
		assertThat(successor.isHeld()).isTrue();
	}

	@Test
	void storeWithoutQueueIsAskedInGrowingPauses() {
		Hold held = Harness.hold(this.other);
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		Waiter waiter = this.harness.queued(this.harness.engine(polling), WAIT);
		List<Integer> pauses = List.of(1, 2, 4, 8, 16, 32, 50, 50, 50);
		for (int i = 0; i < pauses.size(); i++) {
			assertThat(polling.attempts()).isEqualTo(i + 1);
			this.harness.advance(Duration.ofMillis(pauses.get(i)));
			long asked = i + 2;
			await().until(() -> polling.attempts() == asked);
			waiter.awaitSleep();
		}
		held.release();
		this.harness.advance(Duration.ofMillis(50));
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(polling.count(Kind.RELEASE)).isZero();
	}

	@Test
	void storeWithNotificationsAndNoQueueIsTriedRarelyAndWhenItNotifies() {
		Hold held = Harness.hold(this.other);
		FaultyBackend notifying = this.harness.backend().without(Capability.QUEUE).with(Capability.NOTIFICATIONS);
		Waiter waiter = this.harness.queued(this.harness.engine(notifying), WAIT);
		await().until(() -> {
			this.harness.advance(POLL.dividedBy(10));
			return notifying.count(Kind.POLL) == 1;
		});
		assertThat(notifying.attempts()).isOne();
		held.release();
		notifying.listener().onRetryHint(notifying.lastCall(Kind.CONTEND).request());
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(notifying.count(Kind.RELEASE)).isZero();
	}

	@Test
	void pauseEndsWhenThePresentLeaseEnds() {
		AcquireOptions brief = AcquireOptions.exclusive(Duration.ofMillis(100), false);
		Harness.hold(this.other, brief);
		FaultyBackend slow = this.harness.backend().without(Capability.QUEUE);
		EngineSettings settings = EngineSettings.defaults()
			.withPoll(Duration.ofMillis(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
		Waiter waiter = this.harness.queued(this.harness.engine(slow, settings), WAIT);
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(1));
			return waiter.isDone();
		});
		assertThat(waiter.hold().isHeld()).isTrue();
	}

}
