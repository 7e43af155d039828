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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Renewal;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for leases that are lost while they are held.
 */
class LossTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private void awaitLossOf(Hold hold) {
		await().until(() -> this.harness.losses.equals(List.of(KEY + "#" + hold.token())));
	}

	@Test
	void lossReportedByTheStoreIsReported() {
		Hold hold = Harness.hold(this.engine);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		awaitLossOf(hold);
	}

	@Test
	void lossThatCannotBeLoggedIsReported() {
		Hold hold = Harness.hold(this.engine);
		Harness.assertFailureToLog(LossHandler.class, () -> this.backend.listener().onLost(hold.lease().request()));
		awaitLossOf(hold);
	}

	@Test
	void renewalThatIsRejectedIsALoss() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setDelivery(Delivery.LOSE);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.isHeld()).as("not known yet").isTrue();
		this.harness.advance(LEASE.dividedBy(3));
		awaitLossOf(hold);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void grantOfAnotherLeaseToTheSameProcessIsALoss() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setDelivery(Delivery.LOSE);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.isHeld()).as("not known yet").isTrue();
		Hold next = Harness.hold(this.engine, Harness.FAIR);
		assertThat(hold.isHeld()).isFalse();
		assertThat(next.isHeld()).isTrue();
		awaitLossOf(hold);
		assertThat(next.release()).isTrue();
	}

	@Test
	void onlyTheLeaseThatWasNotRenewedIsLost() throws InterruptedException {
		Hold hold = Harness.hold(this.engine);
		Hold other = this.engine.acquire("other", Harness.OPTIONS, 0);
		this.backend.setRenewalAnswer(
				(renewal) -> new Renewal(Set.of(other.lease().request()), Set.of(hold.lease().request())));
		this.harness.advance(LEASE.dividedBy(3));
		awaitLossOf(hold);
		assertThat(other.isHeld()).isTrue();
	}

	@Test
	void endOfTheLeaseIsReportedWithoutACheck() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(LEASE.minus(LEASE.dividedBy(100)));
		awaitLossOf(hold);
	}

	@Test
	void firstLookAfterTheEndReportsTheLoss() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.time.jumpWall(LEASE);
		assertThat(this.harness.losses).isEmpty();
		assertThat(hold.isHeld()).isFalse();
		awaitLossOf(hold);
	}

	@Test
	void lackOfThreadsDoesNotPreventNotifications() {
		DirectExecutor executor = new DirectExecutor();
		LockEngine engine = this.harness.engine(this.harness.backend(), executor);
		Hold hold = Harness.hold(engine, UNRENEWED);
		AtomicInteger called = new AtomicInteger();
		hold.onLost(called::incrementAndGet);
		hold.onLost(called::incrementAndGet);
		for (int i = 0; i < 4; i++) {
			executor.rejectNext(new OutOfMemoryError("a test"));
		}
		this.harness.advance(LEASE);
		await().until(() -> called.get() == 2);
		awaitLossOf(hold);
	}

	@Test
	void storeThatRemovedTheLeaseBeforeTheReleaseIsALoss() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setDelivery(Delivery.LOSE);
		AtomicInteger called = new AtomicInteger();
		hold.onLost(called::incrementAndGet);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.release()).isFalse();
		awaitLossOf(hold);
		await().until(() -> called.get() == 1);
		this.harness.assertNothingLeft();
	}

	@Test
	void lossIsReportedOnceWhicheverSideNoticesItFirst() throws Exception {
		for (int i = 0; i < 200; i++) {
			Hold hold = Harness.hold(this.engine);
			AtomicInteger called = new AtomicInteger();
			hold.onLost(called::incrementAndGet);
			List<Runnable> witnesses = List.of(hold::isHeld, hold::remaining, () -> this.harness.advance(LEASE),
					() -> this.harness.store.expire(hold.lease().request()),
					() -> this.backend.listener().onLost(hold.lease().request()));
			runAtOnce(witnesses);
			assertThat(hold.release()).isFalse();
			await().until(() -> called.get() == 1);
			this.harness.assertNothingLeft();
		}
		await().until(() -> this.harness.losses.size() == 200);
		assertThat(this.harness.losses).doesNotHaveDuplicates();
	}

	private static void runAtOnce(List<Runnable> actions) throws Exception {
		CyclicBarrier start = new CyclicBarrier(actions.size());
		List<CompletableFuture<Void>> running = new ArrayList<>();
		for (Runnable action : actions) {
			CompletableFuture<Void> done = new CompletableFuture<>();
			running.add(done);
			new Thread(() -> {
				try {
					start.await();
					action.run();
					done.complete(null);
				}
				catch (Throwable ex) {
					done.completeExceptionally(ex);
				}
			}).start();
		}
		CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get();
	}

	@Test
	void lossAndReleaseAtOnceAreOneOrTheOther() throws Exception {
		for (int i = 0; i < 500; i++) {
			Hold hold = Harness.hold(this.engine);
			AtomicInteger called = new AtomicInteger();
			hold.onLost(called::incrementAndGet);
			CompletableFuture<Boolean> released = new CompletableFuture<>();
			runAtOnce(List.of(() -> released.complete(hold.release()),
					() -> this.harness.store.expire(hold.lease().request())));
			int expected = released.get() ? 0 : 1;
			await().until(() -> called.get() == expected);
			this.harness.assertNothingLeft();
		}
	}

	@Test
	void callbackRunsInAThreadOfItsOwn() {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		hold.onLost(() -> thread.complete(Thread.currentThread()));
		this.harness.store.expire(hold.lease().request());
		assertThat(thread.join()).isNotSameAs(Thread.currentThread());
		assertThat(thread.join().isDaemon()).isTrue();
	}

	@Test
	void allCallbacksRunOnce() {
		Hold hold = Harness.hold(this.engine);
		ConcurrentLinkedQueue<Integer> called = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < 10; i++) {
			int number = i;
			hold.onLost(() -> called.add(number));
		}
		this.harness.store.expire(hold.lease().request());
		await().until(() -> called.size() == 10);
		hold.release();
		assertThat(called).doesNotHaveDuplicates();
	}

	@Test
	void callbackThatComesAfterTheLossRunsAtOnce() {
		Hold hold = Harness.hold(this.engine);
		this.harness.store.expire(hold.lease().request());
		CompletableFuture<Boolean> called = new CompletableFuture<>();
		hold.onLost(() -> called.complete(true));
		assertThat(called).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void callbackDoesNotRunAfterReleaseInTime() {
		Hold hold = Harness.hold(this.engine);
		AtomicInteger called = new AtomicInteger();
		hold.onLost(called::incrementAndGet);
		hold.release();
		hold.onLost(called::incrementAndGet);
		this.harness.advance(LEASE.multipliedBy(2));
		Hold marker = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(LEASE);
		awaitLossOf(marker);
		assertThat(called).hasValue(0);
	}

	@Test
	void callbackThatThrowsDoesNotAffectTheOthers() {
		Hold hold = Harness.hold(this.engine);
		CompletableFuture<Boolean> called = new CompletableFuture<>();
		hold.onLost(() -> {
			throw new IllegalStateException("from a callback");
		});
		hold.onLost(() -> {
			throw new AssertionError("from a callback");
		});
		hold.onLost(() -> called.complete(true));
		this.harness.store.expire(hold.lease().request());
		assertThat(called).succeedsWithin(Duration.ofMinutes(1));
		awaitLossOf(hold);
	}

	@Test
	void callbackThatBlocksDoesNotAffectRenewal() throws InterruptedException {
		Hold hold = Harness.hold(this.engine);
		Hold other = this.engine.acquire("other", Harness.OPTIONS, 0);
		Gate gate = new Gate();
		hold.onLost(gate);
		this.harness.store.expire(hold.lease().request());
		gate.awaitArrival();
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> other.remaining().compareTo(LEASE.dividedBy(10).multipliedBy(9)) > 0);
		gate.open();
	}

	@Test
	void listenerThatThrowsDoesNotAffectRenewal() {
		EngineListener angry = new EngineListener() {

			@Override
			public void lost(String key, long token) {
				throw new IllegalStateException("from a listener");
			}

		};
		try (LockEngine engine = new LockEngine(this.backend, EngineSettings.defaults(), angry, this.harness.time)) {
			Hold hold = Harness.hold(engine);
			this.harness.store.expire(hold.lease().request());
			hold.release();
			Hold next = Harness.hold(engine);
			this.harness.advance(LEASE.dividedBy(3));
			await().until(() -> this.backend.count(Kind.RENEW) == 1);
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void lostHoldDoesNotStandInTheWayOfOthers() {
		Hold hold = Harness.hold(this.engine);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.store.expire(hold.lease().request());
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(waiter.hold().token()).isGreaterThan(hold.token());
	}

	@Test
	void lostHoldsThatAreNeverReleasedAreDiscarded() throws InterruptedException {
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			holds.add(this.engine.acquire("forgotten:" + i, UNRENEWED, 0));
		}
		this.harness.advance(LEASE);
		await().until(() -> this.harness.losses.size() == 100);
		assertThat(this.engine.size()).as("in sight of the owner").isEqualTo(100);
		this.harness.advance(Duration.ofDays(2));
		await().until(() -> this.engine.size() == 0);
		Hold anew = this.engine.acquire("forgotten:0", UNRENEWED, 0);
		assertThat(anew.token()).isGreaterThan(holds.get(0).token());
		assertThat(holds).noneMatch(Hold::release);
		assertThat(anew.isHeld()).isTrue();
		assertThat(anew.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void callbacksLeaveWithTheAcquisitionThatAskedForThem() throws InterruptedException {
		Hold hold = Harness.hold(this.engine);
		List<String> called = new CopyOnWriteArrayList<>();
		hold.onLost("first", () -> called.add("first"));
		for (int i = 0; i < 1000; i++) {
			assertThat(this.engine.acquire(KEY, Harness.OPTIONS, hold.owner(), 0)).isSameAs(hold);
			hold.onLost("again", () -> called.add("again"));
			assertThat(hold.release("again")).isTrue();
		}
		this.harness.store.expire(hold.lease().request());
		await().until(() -> !called.isEmpty());
		awaitLossOf(hold);
		assertThat(called).containsExactly("first");
	}

	@Test
	void releaseAfterLossLeavesTheSuccessorAlone() {
		Hold hold = Harness.hold(this.engine);
		this.harness.store.expire(hold.lease().request());
		Hold successor = Harness.hold(this.harness.engine());
		assertThat(hold.release()).isFalse();
		assertThat(successor.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(this.backend.count(Kind.RELEASE)).isZero();
	}

	@Test
	void lateReleaseLeavesTheSuccessorAlone() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setDelivery(Delivery.LOSE);
		this.harness.store.expire(hold.lease().request());
		Hold successor = Harness.hold(this.harness.engine());
		assertThat(hold.release()).isFalse();
		assertThat(successor.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
	}

	@Test
	void releaseThatFailsAfterTheEndOfTheLeaseIsALoss() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.backend.next(Kind.RELEASE, Fault.before(() -> {
			this.harness.time.jumpWall(LEASE);
			Fault.unavailable().before();
		}));
		assertThat(hold.release()).isFalse();
		awaitLossOf(hold);
	}

	@Test
	void waiterInLineGetsItsTurnWhenTheHolderNeverLooks() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.advance(LEASE);
		assertThat(waiter.hold().isHeld()).isTrue();
		assertThat(hold.isHeld()).isFalse();
	}

}
