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
package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLimitException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What {@link LeaseSemaphore} promises on every backend with permits: the contract of
 * {@link java.util.concurrent.Semaphore}, among several processes.
 */
public abstract class LeaseSemaphoreContract extends LockClientContract {

	protected LeaseSemaphoreContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void requirePermits() {
		requires(Capability.PERMITS);
	}

	private LeaseSemaphore one(int permits) {
		return this.one.client.semaphore(this.key, permits);
	}

	private LeaseSemaphore two(int permits) {
		return this.two.client.semaphore(this.key, permits);
	}

	@Test
	@Tag(EVERYWHERE)
	void permitsAreSharedByAllProcesses() throws InterruptedException {
		one(3).acquire(2);
		assertThat(two(3).tryAcquire(2)).isFalse();
		assertThat(two(3).availablePermits()).isEqualTo(1);
		two(3).acquire();
		assertThat(one(3).availablePermits()).isZero();
		assertThat(one(3).tryAcquire()).isFalse();
		one(3).release(2);
		assertThat(two(3).tryAcquire(2, LONG)).isTrue();
		two(3).release(3);
		assertThat(one(3).availablePermits()).isEqualTo(3);
	}

	@Test
	@Tag(EVERYWHERE)
	void waitingThreadAcquiresWhatAnotherProcessReleases() throws InterruptedException {
		one(2).acquire();
		one(2).acquire();
		TestThread<Boolean> waiting = startWaiting(two(2), acquiring(two(2), 2));
		one(2).release();
		assertThat(waiting.result).isNotDone();
		one(2).release();
		assertThat(waiting.get()).isTrue();
		assertThat(one(2).availablePermits()).isZero();
	}

	@Test
	void waitingThreadsOfOneProcessAcquireInOrder() throws InterruptedException {
		one(2).acquire(2);
		TestThread<Boolean> many = startWaiting(one(2), acquiring(one(2), 2));
		TestThread<Boolean> few = startWaiting(one(2), acquiring(one(2), 1));
		one(2).release(2);
		assertThat(many.get()).isTrue();
		assertThat(few.result).isNotDone();
		one(2).release();
		assertThat(few.get()).isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void threadThatWaitsForManyPermitsIsNotOvertaken() throws InterruptedException {
		requires(Capability.QUEUE);
		one(3).acquire();
		TestThread<Boolean> all = startWaiting(two(3), acquiring(two(3), 3));
		awaitQueued();
		TestThread<Boolean> late = startWaiting(one(3), acquiring(one(3), 1));
		assertThat(late.result).isNotDone();
		one(3).release();
		assertThat(all.get()).isTrue();
		assertThat(late.result).isNotDone();
		two(3).release(3);
		assertThat(late.get()).isTrue();
	}

	/**
	 * Waits until the request of another process keeps others out.
	 */
	private void awaitQueued() {
		await().until(() -> !one(3).tryAcquire(1, Duration.ofMillis(1)) || released(one(3)));
	}

	private static boolean released(LeaseSemaphore semaphore) {
		semaphore.release();
		return false;
	}

	@Test
	void fairSemaphoreGrantsInOrder() throws InterruptedException {
		requires(Capability.FAIR);
		LockOptions fair = LockOptions.defaults().withType(LockType.FAIR);
		LeaseSemaphore first = this.one.client.semaphore(this.key, 3, fair);
		LeaseSemaphore second = this.two.client.semaphore(this.key, 3, fair);
		assertThat(first.isFair()).isTrue();
		assertThat(one(3).isFair()).isFalse();
		first.acquire(2);
		TestThread<Boolean> all = startWaiting(second, acquiring(second, 3));
		await().until(() -> !first.tryAcquire(1, Duration.ofMillis(1)) || released(first));
		TestThread<Boolean> late = startWaiting(first, acquiring(first, 1));
		first.release(2);
		assertThat(all.get()).isTrue();
		assertThat(late.result).isNotDone();
		second.release(3);
		assertThat(late.get()).isTrue();
	}

	@Test
	void timedAttemptThatFailsTakesNothing() throws InterruptedException {
		one(2).acquire();
		assertThat(two(2).tryAcquire(2, 30, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(two(2).tryAcquire(2, SHORT)).isFalse();
		assertThat(two(2).tryAcquire(2, -1, TimeUnit.SECONDS)).isFalse();
		// The requests that failed are discarded in the background
		await().until(() -> two(2).tryAcquire(1, 0, TimeUnit.SECONDS));
		one(2).release();
		two(2).release();
		await().until(() -> one(2).tryAcquire(2));
	}

	@Test
	void interruptOnEntryThrowsAlthoughPermitsAreFree() {
		LeaseSemaphore semaphore = one(2);
		List<ThrowingCallable> calls = List.of(semaphore::acquire, () -> semaphore.acquire(2),
				() -> semaphore.acquire(0), () -> semaphore.tryAcquire(1, TimeUnit.SECONDS),
				() -> semaphore.tryAcquire(2, 1, TimeUnit.SECONDS), () -> semaphore.tryAcquire(LONG),
				() -> semaphore.tryAcquire(2, LONG), () -> semaphore.tryAcquire(0, TimeUnit.SECONDS));
		calls.forEach(LockClientContract::assertInterruptedOnEntry);
		assertThat(semaphore.availablePermits()).isEqualTo(2);
	}

	@Test
	void interruptWhileWaitingThrowsAndTakesNothing() throws InterruptedException {
		LeaseSemaphore semaphore = one(3);
		two(3).acquire(2);
		assertInterrupted(startWaiting(semaphore, acquiring(semaphore, 2)));
		assertInterrupted(startWaiting(semaphore, () -> semaphore.tryAcquire(3, LONG)));
		assertThat(semaphore.hasQueuedThreads()).isFalse();
		two(3).release(2);
		await().until(() -> semaphore.tryAcquire(3));
	}

	@Test
	void uninterruptibleFormsKeepTheStatus() throws InterruptedException {
		LeaseSemaphore semaphore = one(2);
		Thread.currentThread().interrupt();
		semaphore.acquireUninterruptibly();
		assertThat(semaphore.tryAcquire()).isTrue();
		semaphore.release(2);
		assertThat(Thread.interrupted()).as("status").isTrue();
		two(2).acquire(2);
		TestThread<Boolean> waiting = startWaiting(semaphore, () -> {
			semaphore.acquireUninterruptibly(2);
			return true;
		});
		waiting.thread.interrupt();
		two(2).release(2);
		assertThat(waiting.get()).isTrue();
		assertThat(waiting.interruptedAtEnd).as("status").isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void partOfPermitsThatWereAcquiredTogetherIsReleased() throws InterruptedException {
		one(3).acquire(3);
		TestThread<Boolean> waiting = startWaiting(two(3), acquiring(two(3), 1));
		one(3).release();
		assertThat(waiting.get()).isTrue();
		assertThat(one(3).availablePermits()).isZero();
		assertThat(two(3).tryAcquire()).isFalse();
		one(3).release();
		assertThat(one(3).availablePermits()).isEqualTo(1);
		one(3).release();
		assertThat(one(3).availablePermits()).isEqualTo(2);
		assertReleaseIsRejected(one(3), 1);
	}

	@Test
	void releaseMaySpanPermitsThatWereAcquiredSeparately() throws InterruptedException {
		one(6).acquire();
		one(6).acquire(2);
		one(6).acquire(3);
		one(6).release(5);
		assertThat(two(6).availablePermits()).isEqualTo(5);
		assertReleaseIsRejected(one(6), 2);
		one(6).release();
		assertThat(two(6).availablePermits()).isEqualTo(6);
	}

	@Test
	void anyThreadOfTheProcessMayRelease() throws InterruptedException {
		one(2).acquire(2);
		TestThread.call(() -> {
			one(2).release();
			return true;
		});
		assertThat(one(2).availablePermits()).isEqualTo(1);
		TestThread.call(acquiring(one(2), 1));
		one(2).release(2);
		assertThat(one(2).availablePermits()).isEqualTo(2);
	}

	@Test
	void releaseOfMoreThanTheProcessHoldsChangesNothing() throws InterruptedException {
		assertReleaseIsRejected(one(5), 1);
		one(5).acquire(2);
		assertReleaseIsRejected(one(5), 3);
		assertReleaseIsRejected(two(5), 1);
		assertThat(two(5).availablePermits()).isEqualTo(3);
		one(5).release(2);
		assertReleaseIsRejected(one(5), 1);
		assertThat(two(5).availablePermits()).isEqualTo(5);
	}

	private static void assertReleaseIsRejected(LeaseSemaphore semaphore, int permits) {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> semaphore.release(permits));
	}

	@Test
	@Tag(EVERYWHERE)
	void lostPermitsComeBackOnce() throws InterruptedException {
		one(2).acquire(2);
		expireAll();
		assertThat(two(2).tryAcquire(LONG)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> one(2).release());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> one(2).release());
		assertReleaseIsRejected(one(2), 1);
		assertThat(one(2).availablePermits()).isEqualTo(1);
		assertThat(one(2).tryAcquire()).isTrue();
		assertThat(two(2).tryAcquire()).isFalse();
	}

	@Test
	void threadReleasesItsOwnPermitsAndNotThoseOfOthers() throws InterruptedException {
		one(2).acquire();
		expireAll();
		TestThread.call(() -> {
			one(2).acquire();
			one(2).release();
			one(2).acquire();
			return true;
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> one(2).release());
		assertThat(two(2).availablePermits()).isEqualTo(1);
		one(2).release();
		assertThat(two(2).availablePermits()).isEqualTo(2);
	}

	private void expireAll() {
		expire(this.one.client.lock(this.key), this.key);
	}

	@Test
	void permitsOfAProcessThatDiesComeBack() throws InterruptedException {
		LockBackend backend = this.processes.backend();
		assumeTrue(backend.maxLeaseTime().equals(LockBackend.UNLIMITED), "The lease ends with the session");
		LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(1)).withAutoRenew(false);
		try (LockTemplate template = LockTemplate.builder(backend)
			.operationTimeout(LONG)
			.shutdownTimeout(Duration.ZERO)
			.build()) {
			new LockClient(template).semaphore(this.key, 3, options).acquire(2);
			one(3).acquire();
			backend.close();
			assertThat(two(3).tryAcquire(2, LONG)).isTrue();
			assertThat(one(3).availablePermits()).isZero();
		}
	}

	@Test
	void drainTakesWhatIsAvailableWhileTheLimitChanges() {
		requiresValues();
		AtomicBoolean over = new AtomicBoolean();
		TestThread<Boolean> resizing = start(() -> {
			for (int i = 0; !over.get(); i++) {
				one(9).resize(1 + 8 * (i % 2));
			}
			return true;
		});
		for (int i = 0; i < 200; i++) {
			int drained = one(9).drainPermits();
			assertThat(drained).isBetween(0, 9);
			one(9).release(drained);
		}
		over.set(true);
		assertThat(resizing.get()).isTrue();
	}

	@Test
	void drainTakesWhatIsAvailable() throws InterruptedException {
		one(5).acquire();
		assertThat(one(5).drainPermits()).isEqualTo(4);
		assertThat(two(5).drainPermits()).isZero();
		assertThat(two(5).availablePermits()).isZero();
		one(5).release(5);
		assertThat(two(5).drainPermits()).isEqualTo(5);
		two(5).release(2);
		assertThat(one(5).drainPermits()).isEqualTo(2);
	}

	@Test
	@Tag(EVERYWHERE)
	void otherLimitIsRejectedWithBothNumbers() throws InterruptedException {
		one(41).acquire();
		List<ThrowingCallable> calls = List.of(() -> two(73).acquire(), () -> two(73).tryAcquire(),
				() -> two(73).tryAcquire(2, LONG), () -> two(73).acquireUninterruptibly());
		assertThat(calls).allSatisfy((call) -> assertThatExceptionOfType(LockLimitException.class).isThrownBy(call)
			.withMessageContaining("41")
			.withMessageContaining("73"));
		assertThat(two(73).acquireAsync()).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(LockLimitException.class);
		one(41).release();
		assertThat(two(73).tryAcquire()).isTrue();
	}

	@Test
	void argumentsAreThoseOfJavaUtilConcurrent() throws InterruptedException {
		LeaseSemaphore semaphore = one(3);
		List<ThrowingCallable> negative = List.of(() -> semaphore.acquire(-1), () -> semaphore.tryAcquire(-1),
				() -> semaphore.acquireUninterruptibly(-1), () -> semaphore.tryAcquire(-1, 1, TimeUnit.SECONDS),
				() -> semaphore.tryAcquire(-1, LONG), () -> semaphore.release(-1), () -> semaphore.acquireAsync(0),
				() -> semaphore.tryAcquireAsync(-1, LONG), () -> one(0), () -> one(-1), () -> semaphore.resize(0));
		assertThat(negative).allSatisfy((call) -> assertThatIllegalArgumentException().isThrownBy(call));
		List<ThrowingCallable> tooMany = List.of(() -> semaphore.acquire(41), () -> semaphore.tryAcquire(41),
				() -> semaphore.acquireUninterruptibly(41), () -> semaphore.tryAcquire(41, LONG));
		assertThat(tooMany).allSatisfy((call) -> assertThatIllegalArgumentException().isThrownBy(call)
			.withMessageContaining("3")
			.withMessageContaining("41"));
		semaphore.acquire(0);
		semaphore.acquireUninterruptibly(0);
		assertThat(semaphore.tryAcquire(0)).isTrue();
		semaphore.release(0);
		assertThat(semaphore.availablePermits()).isEqualTo(3);
		assertReleaseIsRejected(semaphore, 1);
	}

	@Test
	@Tag(EVERYWHERE)
	void asynchronousPermitsAreReleasedByTheirHandle() throws Exception {
		LockHandle handle = result(one(3).acquireAsync(2));
		assertThat(handle.isHeld()).isTrue();
		assertReleaseIsRejected(one(3), 1);
		assertThat(result(two(3).tryAcquireAsync(2, SHORT))).isNull();
		CompletableFuture<LockHandle> waiting = two(3).acquireAsync(3);
		assertThat(waiting).isNotDone();
		result(handle.closeAsync().toCompletableFuture());
		LockHandle all = result(waiting);
		assertThat(one(3).availablePermits()).isZero();
		all.close();
		assertThat(one(3).availablePermits()).isEqualTo(3);
		assertThat(one(3).acquireAsync(4)).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void cancelledAcquisitionLeavesNothing() throws InterruptedException {
		one(2).acquire();
		CompletableFuture<LockHandle> waiting = two(2).acquireAsync(2);
		await().until(() -> two(2).getQueueLength() == 1);
		waiting.cancel(false);
		await().until(() -> two(2).getQueueLength() == 0);
		one(2).release();
		await().until(() -> one(2).tryAcquire(2));
	}

	@Test
	void noMoreThanTheLimitAreInsideAtOnce() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<TestThread<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			LeaseSemaphore semaphore = (i % 2 == 0) ? one(4) : two(4);
			int wanted = 1 + i / 2;
			threads.add(start(() -> cycles(semaphore, wanted, inside, most)));
		}
		threads.forEach(TestThread::get);
		assertThat(most.get()).isBetween(1, 4);
		await().until(() -> one(4).availablePermits() == 4);
		assertThat(one(4).hasQueuedThreads()).isFalse();
	}

	/**
	 * Acquires several permits, and releases them one by one.
	 */
	private static boolean cycles(LeaseSemaphore semaphore, int permits, AtomicInteger inside, AtomicInteger most)
			throws InterruptedException {
		for (int i = 0; i < 20; i++) {
			semaphore.acquire(permits);
			most.accumulateAndGet(inside.addAndGet(permits), Math::max);
			for (int j = 0; j < permits; j++) {
				inside.decrementAndGet();
				semaphore.release();
			}
		}
		return true;
	}

	@Test
	@Tag(EVERYWHERE)
	void higherLimitLetsWaitingThreadsIn() throws InterruptedException {
		requireResize();
		one(2).acquire(2);
		TestThread<Boolean> waiting = startWaiting(two(2), acquiring(two(2), 1));
		TestThread<Boolean> waitingHere = startWaiting(one(2), acquiring(one(2), 1));
		CompletableFuture<LockHandle> asynchronous = two(2).acquireAsync(1);
		one(2).resize(5);
		assertThat(waiting.get()).isTrue();
		assertThat(waitingHere.get()).isTrue();
		assertThat(result(asynchronous).isHeld()).isTrue();
		assertThat(two(2).tryAcquire()).isFalse();
		assertThat(two(2).limit()).isEqualTo(5);
		assertThat(two(2).availablePermits()).isZero();
	}

	@Test
	@Tag(EVERYWHERE)
	void lowerLimitAppliesWhenEnoughPermitsCameBack() throws InterruptedException {
		requireResize();
		one(4).acquire(4);
		two(4).resize(2);
		await().until(() -> one(4).limit() == 2);
		assertThat(two(4).availablePermits()).isZero();
		one(4).release(2);
		assertThat(two(4).availablePermits()).isZero();
		assertThat(two(4).tryAcquire()).isFalse();
		assertThat(one(4).tryAcquire()).isFalse();
		one(4).release();
		assertThat(one(4).tryAcquire(LONG)).isTrue();
		assertThat(two(4).tryAcquire()).isFalse();
		assertThatIllegalArgumentException().isThrownBy(() -> two(4).tryAcquire(3));
	}

	@Test
	void threadThatWaitsForMoreThanTheNewLimitFails() throws InterruptedException {
		requireResize();
		one(4).acquire();
		TestThread<Boolean> waiting = startWaiting(two(4), acquiring(two(4), 4));
		one(4).resize(3);
		assertThat(waiting.failure()).isInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void changedLimitOutlastsAllPermitsAndProcesses() throws InterruptedException {
		requireResize();
		one(2).resize(7);
		one(2).resize(4);
		LockProcess late = startProcess(this.processes.backend());
		LeaseSemaphore semaphore = late.client.semaphore(this.key, 9);
		assertThat(semaphore.limit()).isEqualTo(4);
		semaphore.acquire(4);
		assertThat(semaphore.tryAcquire()).isFalse();
		assertThat(one(3).availablePermits()).isZero();
	}

	@Test
	void limitThatTheStoreHasLostIsThatOfThePermitsInUse() throws InterruptedException {
		requireResize();
		one(2).resize(5);
		one(2).acquire(3);
		this.one.update("lock:" + this.key + ":permits", new ValueChange.Delete(ValueChange.ANY_VERSION));
		assertThat(two(2).tryAcquire(1, LONG)).isTrue();
		assertThat(two(2).limit()).isEqualTo(5);
	}

	@Test
	void permitsOfDifferentLimitsNeverExceedTheLatest() {
		requireResize();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<TestThread<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LeaseSemaphore semaphore = (i % 2 == 0) ? one(3) : two(3);
			threads.add(start(() -> cycles(semaphore, 1, inside, most)));
		}
		for (int limit = 1; limit <= 5; limit++) {
			((limit % 2 == 0) ? one(3) : two(3)).resize(limit);
		}
		threads.forEach(TestThread::get);
		assertThat(most.get()).isBetween(1, 5);
		await().until(() -> one(3).availablePermits() == 5);
	}

	private void requireResize() {
		try (LockBackend backend = this.processes.backend()) {
			assumeTrue(backend.values().isPresent(), "The store has no values");
		}
	}

	private static Callable<Boolean> acquiring(LeaseSemaphore semaphore, int permits) {
		return () -> {
			semaphore.acquire(permits);
			return true;
		};
	}

	private <T> TestThread<T> startWaiting(LeaseSemaphore semaphore, Callable<T> action) {
		int before = semaphore.getQueueLength();
		TestThread<T> thread = start(action);
		await().until(() -> thread.result.isDone() || semaphore.getQueueLength() > before);
		assertThat(thread.result).as("waits").isNotDone();
		return thread;
	}

}
