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
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EngineObserver}.
 */
class EngineObserverTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration WAIT = Duration.ofMinutes(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	private final Queue<String> calls = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.harness.close();
	}

	private static Hold acquire(LockEngine engine, String key) {
		Hold hold = engine.acquireUninterruptibly(key, OPTIONS, new Object(), 0);
		assertThat(hold).isNotNull();
		return hold;
	}

	@Test
	void acquisitionAndReleaseAreObserved() {
		this.engine.addObserver(new Recorder());
		Hold hold = acquire(this.engine, KEY);
		this.harness.time.advance(Duration.ofSeconds(3));
		hold.release();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "acquired " + hold.token() + " after 0",
				"released after 3 in 0");
	}

	@Test
	void releaseIsMeasured() {
		this.engine.addObserver(new Recorder());
		this.backend.next(Kind.RELEASE, Fault.before(() -> this.harness.time.advance(Duration.ofSeconds(2))));
		acquire(this.engine, KEY).release();
		assertThat(this.calls).last().isEqualTo("released after 0 in 2");
	}

	@Test
	void reentryIsNotObserved() throws Exception {
		this.engine.addObserver(new Recorder());
		Hold hold = this.engine.acquire(KEY, OPTIONS, 0);
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isSameAs(hold);
		assertThat(this.engine.acquire(KEY, SHARED, 0)).isNotNull();
		this.engine.heldBy(KEY, Thread.currentThread(), SHARED).release();
		hold.release();
		assertThat(this.calls).hasSize(2);
		hold.release();
		assertThat(this.calls).hasSize(3).last().isEqualTo("released after 0 in 0");
		this.harness.assertNothingLeft();
	}

	@Test
	void kindsAreKnown() {
		this.engine.addObserver(new Recorder());
		this.engine.acquireUninterruptibly("a", Harness.FAIR, this, 0).release();
		this.engine.acquireUninterruptibly("b", SHARED, this, 0).release();
		this.engine.acquireUninterruptibly("c", AcquireOptions.permits(1, 2, LEASE, true), this, 0).release();
		assertThat(this.calls).filteredOn((call) -> call.startsWith("begin"))
			.containsExactly("begin a FAIR", "begin b READ", "begin c SEMAPHORE");
	}

	@Test
	void deniedAttemptIsObserved() throws Exception {
		acquire(this.harness.engine(), KEY);
		acquire(this.engine, "local");
		this.engine.addObserver(new Recorder());
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isNull();
		assertThat(this.engine.acquire("local", OPTIONS, 0)).isNull();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "contended", "waited", "DENIED after 0",
				"begin local EXCLUSIVE", "contended", "waited", "DENIED after 0");
	}

	@Test
	void timeoutIsObserved() {
		acquire(this.harness.engine(), KEY);
		this.engine.addObserver(new Recorder());
		Waiter waiter = this.harness.queued(this.engine, Duration.ofSeconds(5));
		this.harness.time.advance(Duration.ofSeconds(6));
		assertThat(waiter.result()).isNull();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "contended", "waited", "TIMEOUT after 6");
	}

	@Test
	void waitingIsObserved() {
		Hold other = acquire(this.harness.engine(), KEY);
		this.engine.addObserver(new Recorder());
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		this.harness.time.advance(Duration.ofSeconds(2));
		other.release();
		Hold hold = waiter.hold();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "contended", "waited",
				"acquired " + hold.token() + " after 2");
	}

	@Test
	void interruptIsObserved() {
		acquire(this.harness.engine(), KEY);
		this.engine.addObserver(new Recorder());
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		waiter.interrupt();
		assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
		assertThat(this.calls).last().isEqualTo("INTERRUPTED after 0");
	}

	@Test
	void failuresAreObserved() {
		this.engine.addObserver(new Recorder());
		this.backend.next(Kind.TRY, Fault.before(() -> {
			throw new BackendUnavailableException("down", null);
		}));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0));
		this.backend.next(Kind.TRY, Fault.before(() -> {
			throw new OutOfMemoryError("no more");
		}));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0));
		this.engine.close();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0));
		assertThat(this.engine.acquireAsync(KEY, OPTIONS, this, 0)).failsWithin(WAIT);
		assertThat(this.calls).filteredOn((call) -> call.contains("after"))
			.containsExactly("UNAVAILABLE after 0", "ERROR after 0", "REJECTED after 0", "REJECTED after 0");
	}

	@Test
	void asynchronousAcquisitionIsObserved() {
		this.engine.addObserver(new Recorder());
		Hold hold = this.engine.acquireAsync(KEY, OPTIONS, this, 0).join();
		assertThat(this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0).join()).isNull();
		hold.releaseAsync().toCompletableFuture().join();
		await().untilAsserted(() -> assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE",
				"acquired " + hold.token() + " after 0", "begin order:42 EXCLUSIVE", "contended", "waited",
				"DENIED after 0", "released after 0 in 0"));
	}

	@Test
	void cancelledAcquisitionIsObserved() {
		acquire(this.harness.engine(), KEY);
		this.engine.addObserver(new Recorder());
		CompletableFuture<Hold> acquisition = this.engine.acquireAsync(KEY, OPTIONS, this, SECOND);
		await().until(() -> this.calls.contains("contended"));
		acquisition.cancel(false);
		await().untilAsserted(() -> assertThat(this.calls).last().isEqualTo("CANCELLED after 0"));
	}

	@Test
	void keysAcquiredTogetherAreObserved() {
		this.engine.addObserver(new Recorder());
		List<Hold> holds = Harness.acquireTogether(this.engine, List.of("a", "b"), OPTIONS);
		assertThat(holds).hasSize(2);
		this.harness.time.advance(Duration.ofSeconds(1));
		Hold.releaseAll(holds);
		assertThat(this.calls).containsExactly("begin a EXCLUSIVE", "acquired " + holds.get(0).token() + " after 0",
				"begin b EXCLUSIVE", "acquired " + holds.get(1).token() + " after 0", "released after 1 in 0",
				"released after 1 in 0");
	}

	@Test
	void keysThatAreNotAcquiredTogetherAreNotObserved() {
		acquire(this.harness.engine(), "b");
		this.engine.addObserver(new Recorder());
		assertThat(Harness.acquireTogether(this.engine, List.of("a", "b"), OPTIONS)).isEmpty();
		assertThat(this.calls).isEmpty();
	}

	@Test
	void observedHoldsOfSeveralKeysAreReleasedInOneCall() {
		this.engine.addObserver(new Recorder());
		List<Hold> holds = Harness.acquireTogether(this.engine, List.of("a", "b", "c"), OPTIONS);
		this.backend.clearCalls();
		Hold.releaseAll(holds);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
	}

	@Test
	void lossIsObservedOnceAndNoRelease() {
		this.engine.addObserver(new Recorder());
		Hold hold = acquire(this.engine, KEY);
		this.harness.time.advance(Duration.ofSeconds(2));
		this.backend.listener().onLost(hold.lease().request());
		await().until(() -> this.calls.size() == 4);
		assertThat(hold.release()).isFalse();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "acquired " + hold.token() + " after 0",
				"lost order:42 EXCLUSIVE", "lost after 2");
	}

	@Test
	void lossFoundAtReleaseIsObserved() {
		this.engine.addObserver(new Recorder());
		Hold hold = acquire(this.engine, KEY);
		this.backend.next(Kind.RELEASE, Fault.before(() -> this.harness.store.expire(hold.lease().request())));
		assertThat(hold.release()).isFalse();
		await().until(() -> this.calls.contains("lost after 0"));
		assertThat(this.calls).hasSize(4);
	}

	private long count(String prefix) {
		return this.calls.stream().filter((call) -> call.startsWith(prefix)).count();
	}

	@Test
	void handOffsAreObserved() {
		Hold first = acquire(this.engine, KEY);
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		first.release();
		Hold hold = waiter.hold();
		this.engine.addObserver(new Recorder());
		for (int i = 0; i < 5; i++) {
			Waiter next = this.harness.queued(this.engine, WAIT);
			hold.release();
			hold = next.hold();
		}
		hold.release();
		assertThat(this.calls).filteredOn((call) -> call.startsWith("hand-off"))
			.hasSize(5)
			.containsOnly("hand-off order:42 EXCLUSIVE");
	}

	@Test
	void renewalsAreObserved() {
		LockEngine steady = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		steady.addObserver(new Recorder());
		acquire(steady, "a");
		acquire(steady, "b");
		this.calls.clear();
		this.harness.advance(LEASE.dividedBy(3));
		assertThat(this.calls).containsExactlyInAnyOrder("renewed a EXCLUSIVE 19", "renewed b EXCLUSIVE 19");
		this.calls.clear();
		this.backend.next(Kind.RENEW, Fault.before(() -> {
			throw new BackendUnavailableException("down", null);
		}));
		this.harness.advance(LEASE.dividedBy(3));
		assertThat(this.calls).containsExactlyInAnyOrder("not renewed a EXCLUSIVE", "not renewed b EXCLUSIVE");
		this.calls.clear();
		this.harness.advance(Duration.ofSeconds(1));
		assertThat(this.calls).hasSize(2).allMatch((call) -> call.startsWith("renewed"));
	}

	@Test
	void holdWithoutObserverHasTheListenerOfTheEngine() {
		this.engine.addObserver((key, kind) -> null);
		Hold hold = acquire(this.engine, KEY);
		assertThat(hold.anew()).extracting("listener").isInstanceOf(LeaseReleaser.class);
	}

	@Test
	void allObserversAreNotified() {
		this.engine.addObserver(new Recorder());
		this.engine.addObserver(new Recorder());
		Hold hold = acquire(this.engine, KEY);
		hold.release();
		assertThat(this.calls).containsExactly("begin order:42 EXCLUSIVE", "begin order:42 EXCLUSIVE",
				"acquired " + hold.token() + " after 0", "acquired " + hold.token() + " after 0",
				"released after 0 in 0", "released after 0 in 0");
	}

	static Stream<Throwable> throwables() {
		return ErrorTests.throwables();
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void observerThatThrowsHarmsNoLock(Throwable failure) throws Exception {
		this.engine.addObserver(new Thrower(failure));
		this.engine.addObserver(new Recorder());
		this.engine.acquire(KEY, OPTIONS, 0).release();
		Hold.releaseAll(Harness.acquireTogether(this.engine, List.of("a", "b"), OPTIONS));
		Hold hold = this.engine.acquireAsync(KEY, OPTIONS, this, 0).join();
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isNull();
		assertThat(this.engine.acquireAsync(KEY, OPTIONS, new Object(), 0).join()).isNull();
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		assertThat(hold.releaseAsync().toCompletableFuture().join()).isTrue();
		Hold last = waiter.hold();
		this.harness.store.expire(last.lease().request());
		this.backend.listener().onLost(last.lease().request());
		await().until(() -> this.calls.contains("lost after 0"));
		last.release();
		this.harness.assertNothingLeft();
		assertThat(this.calls).filteredOn((call) -> call.startsWith("released")).hasSize(4);
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void observerThatThrowsStopsNoRenewal(Throwable failure) {
		LockEngine steady = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		steady.addObserver(new Thrower(failure));
		Hold hold = acquire(steady, KEY);
		this.harness.advance(LEASE.multipliedBy(5), Duration.ofSeconds(1));
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void stackOverflowLeavesNothing() throws InterruptedException {
		this.engine.addObserver(new Recorder());
		Thread thread = new Thread(null, this::overflow, "overflow", 1 << 18);
		thread.start();
		thread.join();
		this.harness.assertNothingLeft();
		long acquired = this.calls.stream().filter((call) -> call.startsWith("acquired")).count();
		long begun = this.calls.stream().filter((call) -> call.startsWith("begin")).count();
		assertThat(acquired).isPositive().isLessThanOrEqualTo(begun);
	}

	/**
	 * Whatever happens concurrently, what begins ends once.
	 */
	@Test
	void everyAcquisitionAndEveryHoldEndsOnce() throws InterruptedException {
		LockEngine busy = this.harness.engine(this.backend, EngineSettings.defaults(), TimeSource.SYSTEM);
		busy.addObserver(new Recorder());
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Random random = new Random(i);
			Thread thread = new Thread(() -> IntStream.range(0, 500).forEach((call) -> callAtRandom(busy, random)));
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		await().until(() -> busy.size() == 0);
		await().untilAsserted(() -> {
			long acquired = count("acquired");
			assertThat(count("begin")).isEqualTo(acquired + this.calls.stream().filter(this::isOutcome).count());
			assertThat(acquired).isPositive().isEqualTo(count("released") + count("lost after"));
			assertThat(count("contended")).isPositive().isEqualTo(count("waited"));
		});
	}

	private boolean isOutcome(String call) {
		return Arrays.stream(AcquireOutcome.values()).anyMatch((outcome) -> call.startsWith(outcome + " after"));
	}

	private void callAtRandom(LockEngine engine, Random random) {
		String key = "key-" + random.nextInt(3);
		long wait = random.nextInt(3) * 100_000L;
		switch (random.nextInt(4)) {
			case 0 -> Hold.releaseAll(Harness.acquireTogether(engine, List.of("key-0", "key-1"), OPTIONS));
			case 1 -> cancelOrRelease(engine.acquireAsync(key, OPTIONS, new Object(), wait));
			case 2 -> engine.acquireAsync(key, OPTIONS, new Object(), wait).thenAccept((hold) -> {
				if (hold != null) {
					hold.releaseAsync();
				}
			}).join();
			default -> loseOrRelease(engine.acquireUninterruptibly(key, OPTIONS, new Object(), wait), random);
		}
	}

	private static void cancelOrRelease(CompletableFuture<@Nullable Hold> acquisition) {
		Hold hold = acquisition.cancel(false) ? null : acquisition.join();
		if (hold != null) {
			hold.release();
		}
	}

	private void loseOrRelease(@Nullable Hold hold, Random random) {
		if (hold != null) {
			if (random.nextInt(5) == 0) {
				this.harness.store.expire(hold.lease().request());
			}
			hold.release();
		}
	}

	private void overflow() {
		try {
			acquireAndDescend(0);
		}
		catch (StackOverflowError ex) {
			// expected
		}
	}

	private int acquireAndDescend(int depth) {
		Hold hold = this.engine.acquireUninterruptibly(KEY, OPTIONS, this, 0);
		if (hold != null) {
			hold.release();
		}
		return acquireAndDescend(depth + 1) + 1;
	}

	/**
	 * Records all calls, with times in seconds.
	 */
	private final class Recorder implements EngineObserver {

		private void record(String call) {
			EngineObserverTests.this.calls.add(call);
		}

		@Override
		public LockObservation onAcquire(String key, LockKind kind) {
			record("begin " + key + ' ' + kind);
			return new LockObservation() {

				@Override
				public void onContended() {
					record("contended");
				}

				@Override
				public void onWaited() {
					record("waited");
				}

				@Override
				public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
					record(outcome + " after " + waitedNanos / SECOND);
				}

				@Override
				public void onAcquired(long token, long waitedNanos) {
					record("acquired " + token + " after " + waitedNanos / SECOND);
				}

				@Override
				public void onReleased(long heldNanos, long releaseNanos) {
					record("released after " + heldNanos / SECOND + " in " + releaseNanos / SECOND);
				}

				@Override
				public void onLost(long heldNanos) {
					record("lost after " + heldNanos / SECOND);
				}

			};
		}

		@Override
		public void onLost(String key, LockKind kind) {
			record("lost " + key + ' ' + kind);
		}

		@Override
		public void onHandOff(String key, LockKind kind) {
			record("hand-off " + key + ' ' + kind);
		}

		@Override
		public void onRenewed(String key, LockKind kind, long marginNanos) {
			record("renewed " + key + ' ' + kind + ' ' + marginNanos / SECOND);
		}

		@Override
		public void onRenewalFailed(String key, LockKind kind) {
			record("not renewed " + key + ' ' + kind);
		}

	}

	/**
	 * Throws in every method, but for that which begins an observation.
	 */
	private record Thrower(Throwable failure) implements EngineObserver, EngineObserver.LockObservation {

		@SuppressWarnings("unchecked")
		private static <E extends Throwable> void sneakyThrow(Throwable failure) throws E {
			throw (E) failure;
		}

		@Override
		public LockObservation onAcquire(String key, LockKind kind) {
			return this;
		}

		@Override
		public void onContended() {
			sneakyThrow(this.failure);
		}

		@Override
		public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onAcquired(long token, long waitedNanos) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onReleased(long heldNanos, long releaseNanos) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onLost(long heldNanos) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onLost(String key, LockKind kind) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onHandOff(String key, LockKind kind) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onRenewed(String key, LockKind kind, long marginNanos) {
			sneakyThrow(this.failure);
		}

		@Override
		public void onRenewalFailed(String key, LockKind kind) {
			sneakyThrow(this.failure);
		}

	}

}
