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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link YieldPolicy}, and for processes that share a store without a queue.
 */
class YieldPolicyTests {

	private static final Duration WAIT = Duration.ofDays(1);

	private static final Duration MAX_POLL = EngineSettings.defaults().polling().max();

	private static final long MILLI = Duration.ofMillis(1).toNanos();

	private final YieldPolicy yieldPolicy = new YieldPolicy(0, EngineSettings.defaults());

	private long pauseAfter(long heldNanos) {
		this.yieldPolicy.released(0, heldNanos);
		return this.yieldPolicy.yieldUntil();
	}

	@Test
	void processDoesNotYieldAtFirst() {
		assertThat(this.yieldPolicy.yieldUntil()).isZero();
	}

	@Test
	void quietLastsTwiceAsLongAsTheLeaseBetweenTwoLimits() {
		assertThat(pauseAfter(20 * MILLI)).isEqualTo(40 * MILLI);
		assertThat(pauseAfter(0)).isEqualTo(2 * MILLI);
		assertThat(pauseAfter(Duration.ofDays(1).toNanos())).isEqualTo(110 * MILLI);
	}

	@Test
	void moreAndMoreDelaysAreSkippedWhileNoOtherProcessAcquires() {
		List<Integer> pauses = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			long before = this.yieldPolicy.yieldUntil();
			this.yieldPolicy.released(i * MILLI, 0);
			if (this.yieldPolicy.yieldUntil() != before) {
				pauses.add(i);
			}
			this.yieldPolicy.answered(false);
		}
		assertThat(pauses).containsExactly(0, 2, 6, 14, 30, 62, 126, 190, 254);
	}

	@Test
	void noDelayIsSkippedWhenAnotherProcessAcquired() {
		for (int i = 0; i < 20; i++) {
			this.yieldPolicy.released(0, 0);
			this.yieldPolicy.answered(false);
		}
		this.yieldPolicy.answered(true);
		this.yieldPolicy.released(MILLI, 0);
		assertThat(this.yieldPolicy.yieldUntil()).isEqualTo(3 * MILLI);
	}

	@Test
	void deadlineComesBeforeYielding() {
		RetrySchedule retrySchedule = new RetrySchedule(0, MILLI, EngineSettings.defaults(), false);
		retrySchedule.delayUntil(50 * MILLI);
		assertThat(retrySchedule.isTimeToTry(MILLI - 1, false)).isFalse();
		assertThat(retrySchedule.sleepNanos(0, true)).isEqualTo(MILLI);
		assertThat(retrySchedule.isTimeToTry(MILLI, false)).isTrue();
	}

	@Test
	void nextHoldYieldsOnlyAfterTheHandOffBudgetIsSpent() {
		try (Harness harness = new Harness()) {
			FaultyBackend backend = harness.backend().without(Capability.QUEUE);
			LockEngine engine = harness.engine(backend);
			Hold first = Harness.hold(engine);
			Waiter second = harness.queued(engine, WAIT);
			first.release();
			assertThat(second.hold().isHeld()).isTrue();
			Waiter third = harness.queued(engine, WAIT);
			harness.advance(Duration.ofMillis(20));
			backend.clearCalls();
			second.hold().release();
			harness.advance(Duration.ofMillis(40).minusNanos(1));
			assertThat(third.awaitSleep().isDone()).isFalse();
			assertThat(backend.attempts()).isZero();
			harness.advance(Duration.ofNanos(1));
			assertThat(third.hold().isHeld()).isTrue();
		}
	}

	/**
	 * The pause that one process makes is long enough for another that only looks from
	 * time to time whether the key is free.
	 */
	@Test
	void sleeperInAnotherProcessAcquiresWhenTheHandOffBudgetIsSpent() {
		try (Harness harness = new Harness()) {
			FaultyBackend polling = harness.backend().without(Capability.QUEUE);
			LockEngine busy = harness.steadyEngine(harness.backend().without(Capability.QUEUE),
					EngineSettings.defaults().withHandOff(1, WAIT));
			LockEngine pollingEngine = harness.steadyEngine(polling, EngineSettings.defaults());
			assertThat(harness.engine().acquireUninterruptibly("another", OPTIONS, new Object(), 0)).isNotNull();
			Hold first = Harness.hold(busy);
			CompletableFuture<@Nullable Hold> sleeping = waiting(pollingEngine, KEY);
			waiting(pollingEngine, "another");
			harness.advance(MAX_POLL.multipliedBy(20), Duration.ofMillis(1));
			polling.clearCalls();
			harness.advance(MAX_POLL, Duration.ofMillis(1));
			assertThat(polling.count(Kind.POLL)).isPositive();
			assertThat(polling.attempts()).isZero();
			CompletableFuture<@Nullable Hold> second = waiting(busy, KEY);
			CompletableFuture<@Nullable Hold> third = waiting(busy, KEY);
			CompletableFuture<@Nullable Hold> next = waiting(busy, KEY);
			first.release();
			second.join().release(); // to the third, as often as it may be handed off
			harness.advance(MAX_POLL, Duration.ofMillis(1));
			third.join().release();
			harness.advance(MAX_POLL.minusNanos(1), Duration.ofMillis(1));
			assertThat(sleeping).isDone();
			assertThat(next).isNotDone();
			assertThat(attempts(polling, first.key())).isOne();
			assertThat(sleeping.join().isHeld()).isTrue();
			harness.advance(MAX_POLL.multipliedBy(20), Duration.ofMillis(1));
			assertThat(next).isNotDone();
			sleeping.join().release();
			harness.advance(MAX_POLL, Duration.ofMillis(1));
			assertThat(next.join().isHeld()).isTrue();
		}
	}

	private static long attempts(FaultyBackend backend, String key) {
		return Stream.of(Kind.TRY, Kind.CONTEND)
			.flatMap((kind) -> backend.calls(kind).stream())
			.filter((call) -> call.requests().stream().anyMatch((request) -> request.key().equals(key)))
			.count();
	}

	private static CompletableFuture<@Nullable Hold> waiting(LockEngine engine, String key) {
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(key, OPTIONS, new Object(), WAIT.toNanos());
		assertThat(future).isNotDone();
		return future;
	}

	@Test
	void storeWithPlacesIsAskedAtOnce() {
		try (Harness harness = new Harness()) {
			LockEngine engine = harness.engine(withPlaces(harness));
			Hold first = Harness.hold(engine);
			Waiter second = harness.queued(engine, WAIT);
			first.release();
			Hold hold = second.hold();
			Waiter third = harness.queued(engine, WAIT);
			harness.advance(Duration.ofMillis(20));
			hold.release();
			assertThat(third.hold().isHeld()).isTrue();
		}
	}

	private static FaultyBackend withPlaces(Harness harness) {
		return harness.backend().without(Capability.QUEUE).with(Capability.POLLED_QUEUE);
	}

	@Test
	void placeIsTakenByOneThatWaitsForMoreThanAMomentAndLeftByOneThatTimesOut() {
		try (Harness harness = new Harness()) {
			FaultyBackend backend = withPlaces(harness);
			Hold stranger = Harness.hold(harness.engine());
			LockEngine engine = harness.engine(backend);
			Waiter waiter = harness.queued(engine, Duration.ofMillis(100));
			assertThat(backend.count(FaultyBackend.Kind.CONTEND)).isZero();
			assertThat(backend.attempts()).isPositive();
			harness.advance(Duration.ofMillis(12));
			Harness.await().until(() -> backend.count(FaultyBackend.Kind.CONTEND) > 0);
			assertThat(backend.count(FaultyBackend.Kind.RELEASE)).isZero();
			harness.advance(Duration.ofMillis(100));
			assertThat(waiter.result()).isNull();
			Harness.await().until(() -> backend.count(FaultyBackend.Kind.RELEASE) == 1);
			stranger.release();
		}
	}

	@Test
	void requestThatTimesOutAfterAMomentHasNoQueueEntry() {
		try (Harness harness = new Harness()) {
			FaultyBackend backend = withPlaces(harness);
			Hold stranger = Harness.hold(harness.engine());
			Waiter waiter = harness.queued(harness.engine(backend), Duration.ofMillis(5));
			harness.advance(Duration.ofMillis(6));
			assertThat(waiter.result()).isNull();
			assertThat(backend.count(FaultyBackend.Kind.CONTEND)).isZero();
			assertThat(backend.count(FaultyBackend.Kind.RELEASE)).isZero();
			stranger.release();
		}
	}

	@Test
	void storeWithQueueIsAskedAtOnce() {
		try (Harness harness = new Harness()) {
			LockEngine engine = harness.engine();
			Hold first = Harness.hold(engine);
			Waiter second = harness.queued(engine, WAIT);
			first.release();
			Hold hold = second.hold();
			Waiter third = harness.queued(engine, WAIT);
			harness.advance(Duration.ofMillis(20));
			hold.release();
			assertThat(third.hold().isHeld()).isTrue();
		}
	}

	/**
	 * Without the policy, the least served would get a thousandth, and not be served this
	 * often in the time.
	 */
	@Test
	void processesShareAStoreWithoutQueue() throws InterruptedException {
		LocalStore store = new LocalStore();
		int processes = 4;
		AtomicLongArray acquired = new AtomicLongArray(processes);
		AtomicBoolean over = new AtomicBoolean();
		List<LockEngine> engines = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < processes; i++) {
			int process = i;
			LockEngine engine = new LockEngine(new FaultyBackend(store).without(Capability.QUEUE).withoutRecording(),
					EngineSettings.defaults(), EngineListener.NONE, TimeSource.SYSTEM);
			engines.add(engine);
			for (int j = 0; j < 4; j++) {
				threads.add(new Thread(() -> work(engine, over, () -> acquired.incrementAndGet(process))));
			}
		}
		threads.forEach(Thread::start);
		try {
			Harness.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(IntStream.range(0, processes).mapToLong(acquired::get))
					.allSatisfy((count) -> assertThat(count).isGreaterThan(500)));
		}
		finally {
			over.set(true);
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).isFalse();
		}
		engines.forEach(LockEngine::close);
	}

	private static void work(LockEngine engine, AtomicBoolean over, Runnable action) {
		while (!over.get()) {
			Hold hold = engine.acquireUninterruptibly(KEY, OPTIONS, Thread.currentThread(),
					TimeUnit.SECONDS.toNanos(30));
			if (hold == null) {
				assertThat(over).isTrue();
				return;
			}
			action.run();
			LockSupport.parkNanos(100_000);
			hold.release();
		}
	}

}
