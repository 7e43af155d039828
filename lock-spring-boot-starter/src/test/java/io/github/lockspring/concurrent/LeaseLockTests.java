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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUpgradeException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.internal.LockAccess;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LeaseLock}: the contract of {@link Lock}, as a suite for
 * {@link java.util.concurrent.locks.ReentrantLock} would check it.
 */
class LeaseLockTests {

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LocalLockBackend localBackend = new LocalLockBackend(this.store);

	private final LockBackend backend = mock(LockBackend.class, AdditionalAnswers.delegatesTo(this.localBackend));

	private final LockEngine engine = engine(this.backend);

	private final LockEngine otherEngine = engine(new LocalLockBackend(this.store));

	private final Lock lock = client(this.engine).lock("42");

	private final Lock elsewhere = client(this.otherEngine).lock("42");

	private final List<Thread> threads = new ArrayList<>();

	private int waiting;

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
	}

	private static LockClient client(LockEngine engine) {
		return new LockClient(LockAccess.get().template(LockEngines.of(engine), "lock:", LockOptions.defaults()));
	}

	@AfterEach
	void close() {
		Thread.interrupted();
		this.engine.close();
		this.otherEngine.close();
		this.threads.forEach(Thread::interrupt);
	}

	private <T> Running<T> start(Callable<T> action) {
		Running<T> running = new Running<>(action);
		this.threads.add(running.thread);
		running.thread.start();
		return running;
	}

	/**
	 * Starts an action and returns when it waits. Others may sleep as well: the timer of
	 * both engines, which is awake at times, and those that waited before.
	 */
	private <T> Running<T> startWaiting(Callable<T> action) {
		int others = 2 + this.waiting;
		Running<T> running = start(action);
		Awaitility.await().until(() -> running.result.isDone() || this.time.sleepers() > others);
		assertThat(running.result).as("waits").isNotDone();
		this.waiting++;
		return running;
	}

	private Running<Void> startLocking() {
		return startWaiting(() -> {
			this.lock.lock();
			this.lock.unlock();
			return null;
		});
	}

	private void assertNotHeld() {
		assertThat(this.engine.size()).isZero();
		assertThat(start(() -> {
			boolean locked = this.elsewhere.tryLock();
			if (locked) {
				this.elsewhere.unlock();
			}
			return locked;
		}).get()).isTrue();
	}

	private void assertHeldByCurrentThread() {
		assertThat(start(this.lock::tryLock).get()).isFalse();
		assertThat(start(this.elsewhere::tryLock).get()).isFalse();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	private void loseAll() {
		this.time.jumpWall(Duration.ofDays(1));
	}

	@Test
	void lockAndUnlock() {
		this.lock.lock();
		assertHeldByCurrentThread();
		this.lock.unlock();
		assertNotHeld();
	}

	@Test
	void lockInterruptiblyAndUnlock() throws InterruptedException {
		this.lock.lockInterruptibly();
		assertHeldByCurrentThread();
		this.lock.unlock();
		assertNotHeld();
	}

	@Test
	void tryLockAndUnlock() {
		assertThat(this.lock.tryLock()).isTrue();
		assertHeldByCurrentThread();
		this.lock.unlock();
		assertNotHeld();
	}

	@Test
	void timedTryLockAndUnlock() throws InterruptedException {
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		assertHeldByCurrentThread();
		this.lock.unlock();
		assertNotHeld();
	}

	@Test
	void tryLockFailsAtOnceIfAnotherThreadHolds() {
		this.lock.lock();
		assertThat(start(this.lock::tryLock).get()).isFalse();
	}

	@Test
	void tryLockFailsAtOnceIfAnotherProcessHolds() {
		this.elsewhere.lock();
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void timedTryLockFailsWhenTheTimeIsOver() {
		this.lock.lock();
		Running<Boolean> waiting = startWaiting(() -> this.lock.tryLock(3, TimeUnit.SECONDS));
		this.time.advance(Duration.ofMillis(2999));
		assertThat(waiting.result).isNotDone();
		this.time.advance(Duration.ofMillis(1));
		assertThat(waiting.get()).isFalse();
	}

	@Test
	void timedTryLockSucceedsWhenTheLockIsReleasedInTime() {
		this.elsewhere.lock();
		Running<Boolean> waiting = startWaiting(() -> this.lock.tryLock(3, TimeUnit.SECONDS));
		this.elsewhere.unlock();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void timedTryLockWithoutTimeTriesOnce() throws InterruptedException {
		for (long time : new long[] { 0, -1, Long.MIN_VALUE }) {
			assertThat(this.lock.tryLock(time, TimeUnit.DAYS)).isTrue();
			assertThat(start(() -> this.lock.tryLock(time, TimeUnit.DAYS)).get()).isFalse();
			this.lock.unlock();
		}
	}

	@Test
	void timedTryLockMayWaitForEver() {
		this.elsewhere.lock();
		Running<Boolean> waiting = startWaiting(() -> this.lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
		this.elsewhere.unlock();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void timedTryLockNeedsAUnit() {
		assertThatNullPointerException().isThrownBy(() -> this.lock.tryLock(1, null));
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void lockWaits() {
		this.lock.lock();
		Running<Void> waiting = startLocking();
		this.lock.unlock();
		waiting.get();
		assertNotHeld();
	}

	@Test
	void lockWaitsForAnotherProcess() {
		this.elsewhere.lock();
		Running<Void> waiting = startLocking();
		this.elsewhere.unlock();
		waiting.get();
		assertNotHeld();
	}

	@Test
	void lockInterruptiblyWaits() {
		this.elsewhere.lock();
		Running<Boolean> waiting = startWaiting(() -> {
			this.lock.lockInterruptibly();
			return true;
		});
		this.elsewhere.unlock();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void lockWaitsThroughAnOutageOfTheStore() {
		AtomicBoolean down = new AtomicBoolean(true);
		willAnswer((call) -> {
			if (down.get()) {
				throw new BackendUnavailableException("down", null);
			}
			return this.localBackend.contend(call.getArgument(0), call.getArgument(1));
		}).given(this.backend).contend(any(), any());
		Running<Void> waiting = startLocking();
		for (int i = 0; i < 20; i++) {
			this.time.advance(Duration.ofSeconds(10));
		}
		assertThat(waiting.result).isNotDone();
		down.set(false);
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return waiting.result.isDone();
		});
		waiting.get();
	}

	@Test
	void tryLockSaysThatTheStoreIsAway() {
		willThrow(new BackendUnavailableException("down", null)).given(this.backend).tryAcquire(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.lock::tryLock);
	}

	@Test
	void unlockByAStrangerIsRefused() {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("'lock:42'");
		this.lock.lock();
		assertThat(start(() -> {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
			return true;
		}).get()).isTrue();
		assertHeldByCurrentThread();
	}

	@Test
	void unlockTooOftenIsRefused() {
		this.lock.lock();
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void unlockByAnotherProcessIsRefused() {
		this.lock.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.elsewhere::unlock);
		assertHeldByCurrentThread();
	}

	@Test
	void threadLocksAgain() throws InterruptedException {
		for (int i = 0; i < 250; i++) {
			this.lock.lock();
			this.lock.lockInterruptibly();
			assertThat(this.lock.tryLock()).isTrue();
			assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		}
		for (int i = 0; i < 1000; i++) {
			assertThat(this.engine.size()).isOne();
			this.lock.unlock();
		}
		assertNotHeld();
	}

	@Test
	void threadLocksAgainWhileOthersWait() {
		this.lock.lock();
		Running<Void> waiting = startLocking();
		this.lock.lock();
		this.lock.unlock();
		assertThat(waiting.result).isNotDone();
		this.lock.unlock();
		waiting.get();
	}

	@Test
	void waitersGetTheLockInTheirOrder() {
		this.lock.lock();
		List<Integer> order = Collections.synchronizedList(new ArrayList<>());
		List<Running<Boolean>> waiting = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int number = i;
			waiting.add(startWaiting(() -> {
				this.lock.lock();
				order.add(number);
				this.lock.unlock();
				return true;
			}));
		}
		this.lock.unlock();
		waiting.forEach(Running::get);
		assertThat(order).hasSize(20).isSorted();
	}

	@Test
	void twoObjectsForOneKeyAreOneLock() {
		Lock same = client(this.engine).lock("42");
		this.lock.lock();
		assertThat(start(same::tryLock).get()).isFalse();
		assertThat(same.tryLock()).as("same thread").isTrue();
		same.unlock();
		same.unlock();
		assertNotHeld();
	}

	@Test
	void locksOfTwoKeysAreTwoLocks() {
		Lock other = client(this.engine).lock("43");
		this.lock.lock();
		assertThat(start(other::tryLock).get()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::unlock);
	}

	@Test
	void interruptedThreadDoesNotLockInterruptiblyEvenIfFree() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::lockInterruptibly);
		assertThat(Thread.currentThread().isInterrupted()).as("status").isFalse();
		assertNotHeld();
	}

	@Test
	void interruptedThreadDoesNotTryTimedEvenIfFree() {
		for (long time : new long[] { 1, 0, -1 }) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> this.lock.tryLock(time, TimeUnit.SECONDS));
			assertThat(Thread.currentThread().isInterrupted()).as("status").isFalse();
		}
		assertNotHeld();
	}

	@Test
	void tryLockTakesNoNoticeOfAnInterrupt() {
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).as("status").isTrue();
		assertHeldByCurrentThread();
	}

	@Test
	void lockTakesNoNoticeOfAnInterrupt() {
		Thread.currentThread().interrupt();
		this.lock.lock();
		assertThat(Thread.interrupted()).as("status").isTrue();
		assertHeldByCurrentThread();
	}

	@Test
	void unlockTakesNoNoticeOfAnInterrupt() {
		this.lock.lock();
		Thread.currentThread().interrupt();
		this.lock.unlock();
		assertThat(Thread.interrupted()).as("status").isTrue();
		assertNotHeld();
	}

	@Test
	void lockInterruptiblyIsInterrupted() {
		this.lock.lock();
		assertInterrupted(startWaiting(() -> {
			this.lock.lockInterruptibly();
			return true;
		}));
		this.lock.unlock();
		assertNotHeld();
	}

	@Test
	void timedTryLockIsInterrupted() {
		this.elsewhere.lock();
		assertInterrupted(startWaiting(() -> this.lock.tryLock(1, TimeUnit.DAYS)));
		this.elsewhere.unlock();
		assertNotHeld();
	}

	private static void assertInterrupted(Running<?> waiting) {
		waiting.thread.interrupt();
		assertThat(waiting.failure()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(waiting.interruptedAtEnd).as("status").isFalse();
	}

	@Test
	void waitingLockIsNotInterruptedAndKeepsTheStatus() {
		this.lock.lock();
		Running<Void> waiting = startLocking();
		waiting.thread.interrupt();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(waiting.result).isNotDone();
		this.lock.unlock();
		waiting.get();
		assertThat(waiting.interruptedAtEnd).as("status").isTrue();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void lastUnlockAfterTheLeaseWasLostSaysSo() {
		this.lock.lock();
		this.lock.lock();
		loseAll();
		this.lock.unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("'lock:42'");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		assertNotHeld();
	}

	@Test
	void lockAfterTheLeaseWasLostSaysSo() {
		this.lock.lock();
		loseAll();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		this.lock.lock();
		assertHeldByCurrentThread();
	}

	@Test
	void lockOfAClosedApplicationSaysSo() {
		this.engine.close();
		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(this.lock::lock)
			.withMessageContaining("shutting down");
	}

	@Test
	void readersReadTogetherAndWritersDoNot() {
		LockOptions options = LockOptions.defaults();
		Lock reading = client(this.engine).lock("42", options.withType(LockType.READ));
		Lock writing = client(this.engine).lock("42", options.withType(LockType.WRITE));
		reading.lock();
		assertThat(start(() -> {
			boolean locked = reading.tryLock();
			reading.unlock();
			return locked;
		}).get()).isTrue();
		assertThat(start(writing::tryLock).get()).isFalse();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(writing::tryLock);
		reading.unlock();
		assertThat(writing.tryLock()).isTrue();
	}

	@Test
	void writerStepsDownToReader() {
		LockOptions options = LockOptions.defaults();
		Lock reading = client(this.engine).lock("42", options.withType(LockType.READ));
		Lock writing = client(this.engine).lock("42", options.withType(LockType.WRITE));
		writing.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(reading::unlock);
		reading.lock();
		writing.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(writing::unlock);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(writing::tryLock);
		assertThat(start(reading::tryLock).get()).isTrue();
		assertThat(start(writing::tryLock).get()).isFalse();
		reading.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(reading::unlock);
	}

	@Test
	void lockNamesItsKey() {
		assertThat(this.lock).hasToString("distributed lock 'lock:42'");
	}

	/**
	 * An action in a thread of its own.
	 */
	private static final class Running<T> {

		private final CompletableFuture<T> result = new CompletableFuture<>();

		private final Thread thread;

		private volatile boolean interruptedAtEnd;

		Running(Callable<T> action) {
			this.thread = new Thread(() -> run(action));
			this.thread.setDaemon(true);
		}

		private void run(Callable<T> action) {
			try {
				T value = action.call();
				this.interruptedAtEnd = Thread.currentThread().isInterrupted();
				this.result.complete(value);
			}
			catch (Throwable ex) {
				this.interruptedAtEnd = Thread.currentThread().isInterrupted();
				this.result.completeExceptionally(ex);
			}
		}

		T get() {
			try {
				return this.result.get(20, TimeUnit.SECONDS);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				throw new AssertionError("Stuck or failed: " + List.of(this.thread.getStackTrace()), ex);
			}
		}

		Throwable failure() {
			try {
				throw new AssertionError("Did not fail: " + this.result.get(20, TimeUnit.SECONDS));
			}
			catch (ExecutionException ex) {
				return ex.getCause();
			}
			catch (InterruptedException | TimeoutException ex) {
				throw new AssertionError(ex);
			}
		}

	}

}
