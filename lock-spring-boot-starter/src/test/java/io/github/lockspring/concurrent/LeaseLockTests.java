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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUpgradeException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link LeaseLock} with a settable time: the contract of {@link Lock}, as a
 * suite for {@link java.util.concurrent.locks.ReentrantLock} would check it.
 */
class LeaseLockTests {

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LocalLockBackend localBackend = new LocalLockBackend(this.store);

	private final LockBackend backend = mock(LockBackend.class, AdditionalAnswers.delegatesTo(this.localBackend));

	private final LockEngine engine = engine(this.backend);

	private final LockEngine otherEngine = engine(new LocalLockBackend(this.store));

	private final LeaseLock lock = client(this.engine).lock("42");

	private final LeaseLock elsewhere = client(this.otherEngine).lock("42");

	private final List<Thread> threads = new ArrayList<>();

	private int waiting;

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
	}

	private static LockClient client(LockEngine engine) {
		return new LockClient(LockUtils.template(LockEngines.of(engine), "lock:", LockOptions.defaults()));
	}

	@AfterEach
	void close() {
		Thread.interrupted();
		this.engine.close();
		this.otherEngine.close();
		this.threads.forEach(Thread::interrupt);
	}

	private <T> TestThread<T> start(Callable<T> action) {
		TestThread<T> running = new TestThread<>(action);
		this.threads.add(running.thread);
		running.thread.start();
		return running;
	}

	/**
	 * Starts an action and returns when it waits. Others may sleep as well: the timer of
	 * both engines, which is awake at times, and those that waited before.
	 */
	private <T> TestThread<T> startWaiting(Callable<T> action) {
		int others = 2 + this.waiting;
		TestThread<T> running = start(action);
		Awaitility.await().until(() -> running.result.isDone() || this.time.sleepers() > others);
		assertThat(running.result).as("waits").isNotDone();
		this.waiting++;
		return running;
	}

	private TestThread<Void> startLocking() {
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
		TestThread<Boolean> waiting = startWaiting(() -> this.lock.tryLock(3, TimeUnit.SECONDS));
		this.time.advance(Duration.ofMillis(2999));
		assertThat(waiting.result).isNotDone();
		this.time.advance(Duration.ofMillis(1));
		assertThat(waiting.get()).isFalse();
	}

	@Test
	void timedTryLockSucceedsWhenTheLockIsReleasedInTime() {
		this.elsewhere.lock();
		TestThread<Boolean> waiting = startWaiting(() -> this.lock.tryLock(3, TimeUnit.SECONDS));
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
		TestThread<Boolean> waiting = startWaiting(() -> this.lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
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
		TestThread<Void> waiting = startLocking();
		this.lock.unlock();
		waiting.get();
		assertNotHeld();
	}

	@Test
	void lockWaitsForAnotherProcess() {
		this.elsewhere.lock();
		TestThread<Void> waiting = startLocking();
		this.elsewhere.unlock();
		waiting.get();
		assertNotHeld();
	}

	@Test
	void lockInterruptiblyWaits() {
		this.elsewhere.lock();
		TestThread<Boolean> waiting = startWaiting(() -> {
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
		TestThread<Void> waiting = startLocking();
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
	void unlockByAStrangerIsRejected() {
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
	void unlockTooOftenIsRejected() {
		this.lock.lock();
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void unlockByAnotherProcessIsRejected() {
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
		TestThread<Void> waiting = startLocking();
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
		List<TestThread<Boolean>> waiting = new ArrayList<>();
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
		waiting.forEach(TestThread::get);
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

	private static void assertInterrupted(TestThread<?> waiting) {
		waiting.thread.interrupt();
		assertThat(waiting.failure()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(waiting.interruptedAtEnd).as("status").isFalse();
	}

	@Test
	void waitingLockIsNotInterruptedAndKeepsTheStatus() {
		this.lock.lock();
		TestThread<Void> waiting = startLocking();
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
	void queriesReportTheLoss() {
		this.lock.lock();
		this.lock.lock();
		assertThat(this.lock.getHoldCount()).isEqualTo(2);
		assertThat(this.lock.remaining()).isPositive();
		assertThat(this.lock.fencingToken()).isPositive();
		loseAll();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.getHoldCount()).isZero();
		assertThat(this.lock.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::fencingToken);
	}

	@Test
	void queriesThatCallTheStoreSayThatItIsAway() {
		willThrow(new BackendUnavailableException("down", null)).given(this.backend).inspect(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.lock::isLocked);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.lock::holders);
		this.lock.lock();
		assertThat(this.lock.isLocked()).as("known without the store").isTrue();
	}

	@Test
	void otherQueriesDoNotCallTheStore() {
		this.lock.lock();
		clearInvocations(this.backend);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.lock.getHoldCount()).isOne();
		assertThat(this.lock.remaining()).isPositive();
		assertThat(this.lock.fencingToken()).isPositive();
		assertThat(this.lock.getQueueLength()).isZero();
		verify(this.backend, never()).inspect(any(), any());
		verify(this.backend, never()).renew(any(), any());
	}

	@Test
	void asynchronousLockWaitsThroughAnOutageOfTheStore() {
		AtomicBoolean down = new AtomicBoolean(true);
		willAnswer((call) -> {
			if (down.get()) {
				throw new BackendUnavailableException("down", null);
			}
			return this.localBackend.contend(call.getArgument(0), call.getArgument(1));
		}).given(this.backend).contend(any(), any());
		CompletableFuture<LockHandle> waiting = this.lock.lockAsync();
		for (int i = 0; i < 20; i++) {
			this.time.advance(Duration.ofSeconds(10));
		}
		assertThat(waiting).isNotDone();
		down.set(false);
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return waiting.isDone();
		});
		assertThat(waiting.join().isHeld()).isTrue();
	}

	@Test
	void durationsAreRequired() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.tryLock((Duration) null))
			.withMessage("'waitTime' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.tryLockAsync(null))
			.withMessage("'waitTime' must not be null");
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
	void writerIsDowngradedToReader() {
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
	void lockOfAnOwnerIsReentrantInEveryThreadAndAsynchronously() {
		LeaseLock owned = client(this.engine).ownedBy(new Object()).lock("42");
		owned.lock();
		assertThat(this.lock.tryLock()).as("by the thread").isFalse();
		assertThat(start(owned::tryLock).get()).isTrue();
		LockHandle handle = owned.tryLockAsync().join();
		assertThat(start(owned::getHoldCount).get()).isEqualTo(3);
		handle.close();
		start(() -> {
			owned.unlock();
			owned.unlock();
			return null;
		}).get();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(owned::unlock);
		assertNotHeld();
	}

	@Test
	void locksOfSeveralKeysOfAnOwnerAreReentrantInEveryThread() {
		LockClient owned = client(this.engine).ownedBy(new Object());
		LeaseLock both = owned.multiLock(List.of("41", "42"));
		both.lock();
		assertThat(start(both::tryLock).get()).isTrue();
		assertThat(this.lock.tryLock()).as("by the thread").isFalse();
		both.unlock();
		both.unlock();
		assertNotHeld();
	}

	@Test
	void nonReentrantLockOfAnOwnerIsNotReentrantAsynchronously() {
		LockClient owned = client(this.engine).ownedBy(new Object());
		LeaseLock once = owned.nonReentrantLock("42");
		LockHandle handle = once.tryLockAsync().join();
		assertThat(once.tryLockAsync().join()).isNull();
		assertThat(owned.multiLock(once).tryLockAsync().join()).isNull();
		assertThat(once.tryLock()).isFalse();
		handle.close();
		assertNotHeld();
	}

	@Test
	void clientOfANameHasItsKeys() {
		LockClient orders = client(this.engine).named("order");
		assertThat(orders.lock("42")).hasToString("distributed lock 'lock:order:42'");
		assertThat(orders.defaultOptions()).isEqualTo(LockOptions.defaults());
		assertThatIllegalArgumentException().isThrownBy(() -> orders.named("a:b"));
	}

	@Test
	void lockNamesItsKey() {
		assertThat(this.lock).hasToString("distributed lock 'lock:42'");
	}

}
