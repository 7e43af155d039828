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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What {@link LeaseLock} promises on every backend, as tests.
 */
public abstract class LeaseLockContract extends LockClientContract {

	private LeaseLock lock;

	/**
	 * The same lock in another process.
	 */
	private LeaseLock elsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected LeaseLockContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createLocks() {
		this.lock = this.one.client.lock(this.key);
		this.elsewhere = this.two.client.lock(this.key);
	}

	private void assertHeld() {
		assertThat(isFree(this.lock)).as("free in this process").isFalse();
		assertThat(this.elsewhere.tryLock()).as("free in the other process").isFalse();
	}

	private void assertFree() {
		assertThat(isFree(this.lock)).as("free in this process").isTrue();
		assertThat(isFree(this.elsewhere)).as("free in the other process").isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void oneThreadOfAllProcessesHoldsTheLock() throws InterruptedException {
		this.lock.lock();
		assertHeld();
		this.lock.unlock();
		this.lock.lockInterruptibly();
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock()).isTrue();
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock(1, TimeUnit.MINUTES)).isTrue();
		assertHeld();
		this.lock.unlock();
		assertThat(this.lock.tryLock(LONG)).isTrue();
		assertHeld();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void locksOfTwoKeysAreTwoLocks() {
		LeaseLock other = this.one.client.lock(this.key + ":other");
		this.lock.lock();
		assertThat(isFree(other)).isTrue();
		assertNotHeldByCurrentThread(other);
	}

	@Test
	@Tag(EVERYWHERE)
	void waitingThreadsOfAllProcessesGetTheLock() {
		this.lock.lock();
		List<TestThread<Boolean>> waiting = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			waiting.add(startWaiting(this.lock, cycle(this.lock)));
			waiting.add(startWaiting(this.elsewhere, cycle(this.elsewhere)));
			waiting.add(startWaiting(this.elsewhere, () -> {
				this.elsewhere.lockInterruptibly();
				this.elsewhere.unlock();
				return true;
			}));
			waiting.add(startWaiting(this.lock, () -> {
				boolean locked = this.lock.tryLock(LONG);
				this.lock.unlock();
				return locked;
			}));
		}
		this.lock.unlock();
		assertThat(waiting).allSatisfy((thread) -> assertThat(thread.get()).isTrue());
		assertFree();
	}

	@Test
	void timedAttemptEndsWithItsTime() throws InterruptedException {
		this.elsewhere.lock();
		assertThat(this.lock.tryLock(SHORT)).isFalse();
		assertThat(this.lock.tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.lock.hasQueuedThreads()).isFalse();
		this.elsewhere.unlock();
		assertBecomesFree(this.lock, this.elsewhere);
	}

	@Test
	void attemptWithoutTimeIsMadeOnce() throws InterruptedException {
		for (long time : new long[] { 0, -1, Long.MIN_VALUE }) {
			assertThat(this.lock.tryLock(time, TimeUnit.DAYS)).isTrue();
			assertThat(this.elsewhere.tryLock(time, TimeUnit.DAYS)).isFalse();
			assertThat(this.elsewhere.tryLock(Duration.ofSeconds(time))).isFalse();
			this.lock.unlock();
			assertThat(this.elsewhere.tryLock(Duration.ofSeconds(time))).isTrue();
			this.elsewhere.unlock();
		}
	}

	@Test
	@Tag(EVERYWHERE)
	void threadThatHoldsTheLockAcquiresItAgain() throws InterruptedException {
		this.lock.lock();
		this.lock.lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(Duration.ZERO)).isTrue();
		assertThat(this.one.client.lock(this.key).tryLock(1, TimeUnit.MINUTES)).isTrue();
		for (int count = 5; count > 0; count--) {
			assertThat(this.lock.getHoldCount()).isEqualTo(count);
			assertHeld();
			this.lock.unlock();
		}
		assertThat(this.lock.getHoldCount()).isZero();
		assertNotHeldByCurrentThread(this.lock);
		assertFree();
	}

	@Test
	void strangerCannotUnlock() {
		assertNotHeldByCurrentThread(this.lock);
		this.lock.lock();
		assertThat(start(() -> {
			this.lock.unlock();
			return true;
		}).failure()).isInstanceOf(IllegalMonitorStateException.class);
		assertNotHeldByCurrentThread(this.elsewhere);
		assertHeld();
		this.lock.unlock();
		assertNotHeldByCurrentThread(this.lock);
	}

	@Test
	void interruptedThreadDoesNotAcquireAFreeLock() {
		assertInterruptedOnEntry(this.lock::lockInterruptibly);
		assertInterruptedOnEntry(() -> this.lock.tryLock(1, TimeUnit.SECONDS));
		assertInterruptedOnEntry(() -> this.lock.tryLock(0, TimeUnit.SECONDS));
		assertInterruptedOnEntry(() -> this.lock.tryLock(LONG));
		assertNotHeldByCurrentThread(this.lock);
		this.lock.lock();
		assertInterruptedOnEntry(this.lock::lockInterruptibly);
		this.lock.unlock();
		assertFree();
	}

	@Test
	void interruptEndsTheWaiting() {
		this.elsewhere.lock();
		assertInterrupted(startWaiting(this.lock, () -> {
			this.lock.lockInterruptibly();
			return true;
		}));
		assertInterrupted(startWaiting(this.lock, () -> this.lock.tryLock(LONG)));
		this.elsewhere.unlock();
		assertBecomesFree(this.lock, this.elsewhere);
	}

	@Test
	void uninterruptibleMethodsKeepTheInterruptStatus() {
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		this.lock.lock();
		assertThat(Thread.interrupted()).as("status").isTrue();
		TestThread<Boolean> waiting = startWaiting(this.lock, cycle(this.lock));
		waiting.thread.interrupt();
		assertThat(waiting.result).isNotDone();
		this.lock.unlock();
		assertThat(waiting.get()).isTrue();
		assertThat(waiting.interruptedAtEnd).as("status").isTrue();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void unlockAfterTheLossSaysSo() {
		this.lock.lock();
		expire(this.lock, this.key);
		assertThat(TestThread.call(() -> this.elsewhere.tryLock(LONG))).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertNotHeldByCurrentThread(this.lock);
		assertThat(this.lock.tryLock()).as("of the successor").isFalse();
	}

	@Test
	@Tag(EVERYWHERE)
	void queriesAnswerEveryThread() {
		assertQueries(false);
		assertThat(this.lock.holder()).isNull();
		this.lock.lock();
		assertQueries(true);
		assertThat(this.lock.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
		assertThat(this.elsewhere.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.mode()).isEqualTo(LeaseMode.EXCLUSIVE));
		assertThat(this.elsewhere.holder()).extracting(LeaseHolder::owner)
			.isEqualTo(this.lock.holders().get(0).owner());
		assertThat(this.lock.holder().remaining()).isPositive();
		this.lock.unlock();
		assertQueries(false);
		assertThat(this.lock.remaining()).isZero();
		assertThat(this.elsewhere.holders()).isEmpty();
	}

	@Test
	void holderSeesAForcedReleaseWithItsNextRenewal() {
		LeaseLock held = startRenewingProcess().client.lock(this.key);
		held.lock();
		this.two.forceRelease("lock:" + this.key, this.elsewhere.holder());
		assertThat(this.elsewhere.isLocked()).isFalse();
		assertThat(TestThread.call(held::isLocked)).isFalse();
		await().until(() -> !held.isLocked());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::unlock);
	}

	@Test
	void reentryDoesNotChangeTheLeaseTime() {
		LockOptions options = LockOptions.defaults().withAutoRenew(false);
		LeaseLock first = this.one.client.lock(this.key, options.withLeaseTime(Duration.ofSeconds(10)));
		LeaseLock second = this.one.client.lock(this.key, options.withLeaseTime(Duration.ofHours(1)));
		first.lock();
		second.lock();
		assertThat(second.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
		second.unlock();
		first.unlock();
		assertFree();
	}

	private void assertQueries(boolean held) {
		assertThat(this.lock.isLocked()).isEqualTo(held);
		assertThat(TestThread.call(this.lock::isLocked)).isEqualTo(held);
		assertThat(this.elsewhere.isLocked()).isEqualTo(held);
		assertThat(this.lock.isHeldByCurrentThread()).isEqualTo(held);
		assertThat(this.lock.getHoldCount()).isEqualTo(held ? 1 : 0);
		assertThat(TestThread.call(this.lock::isHeldByCurrentThread)).isFalse();
		assertThat(TestThread.call(this.lock::getHoldCount)).isZero();
		assertThat(TestThread.call(this.lock::remaining)).isZero();
		assertThat(this.elsewhere.isHeldByCurrentThread()).isFalse();
		assertThat(this.elsewhere.getHoldCount()).isZero();
	}

	@Test
	void queueLengthCountsTheWaitingOfThisProcess() {
		assertThat(this.lock.hasQueuedThreads()).isFalse();
		this.lock.lock();
		assertThat(this.lock.getQueueLength()).isZero();
		startWaiting(this.lock, cycle(this.lock));
		CompletableFuture<LockHandle> asynchronous = this.lock.lockAsync();
		await().until(() -> this.lock.getQueueLength() == 2);
		startWaiting(this.elsewhere, cycle(this.elsewhere));
		assertThat(this.lock.getQueueLength()).isEqualTo(2);
		assertThat(this.elsewhere.hasQueuedThreads()).isTrue();
		this.lock.unlock();
		result(asynchronous).close();
		await().until(() -> !this.lock.hasQueuedThreads());
	}

	@Test
	void waitersOfAllProcessesAreReported() {
		requires(Capability.FAIR);
		LeaseLock fair = this.one.client.fairLock(this.key);
		assertThat(fair.waiters()).isEmpty();
		fair.lock();
		TestThread<Boolean> waiting = startWaiting(this.two.client.fairLock(this.key),
				cycle(this.two.client.fairLock(this.key)));
		await().until(() -> fair.waiters().size() == 1);
		assertThat(fair.waiters()).allMatch((waiter) -> waiter.isOf(this.two.instance()));
		assertThat(this.two.client.multiLock(fair).waiters()).isEqualTo(fair.waiters());
		fair.unlock();
		assertThat(waiting.get()).isTrue();
		await().until(() -> fair.waiters().isEmpty());
	}

	@Test
	@Tag(EVERYWHERE)
	void heldLockIsExtended() {
		Duration lease = Duration.ofSeconds(5);
		LeaseLock unrenewed = this.one.client.lock(this.key,
				LockOptions.defaults().withLeaseTime(lease).withAutoRenew(false));
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> unrenewed.extend(lease));
		unrenewed.lock();
		unrenewed.extend(Duration.ofMinutes(10));
		assertThat(unrenewed.remaining()).isGreaterThan(lease);
		await().pollInSameThread()
			.untilAsserted(() -> assertThat(unrenewed.holders()).as("perhaps a minority of servers is late")
				.hasSize(1)
				.allSatisfy((holder) -> assertThat(holder.remaining()).isGreaterThan(lease)));
		assertThat(this.elsewhere.tryLock()).isFalse();
		expire(unrenewed, this.key);
		await().pollInSameThread()
			.untilAsserted(() -> assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> unrenewed.extend(Duration.ofMinutes(1))));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(unrenewed::unlock);
	}

	@Test
	void lockThatIsRenewedNeedsNoExtension() {
		this.lock.lock();
		Duration before = this.lock.remaining();
		this.lock.extend(Duration.ofMillis(100));
		assertThat(this.lock.remaining()).isGreaterThan(before.minusSeconds(10));
		this.lock.unlock();
	}

	@Test
	void onlyExclusiveLocksOfOneKeyAreExtended() {
		Duration lease = Duration.ofSeconds(5);
		LeaseLock reader = this.one.client.readWriteLock(this.key).readLock();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> reader.extend(lease));
		LockOptions unrenewed = LockOptions.defaults().withAutoRenew(false);
		LeaseLock both = this.one.client.multiLock(List.of(this.key, this.key + "b"), unrenewed);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> both.extend(lease));
		requires(Capability.MULTI_KEY);
		both.lock();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.one.client.lock(this.key, unrenewed).extend(lease));
		both.unlock();
	}

	@Test
	void fencingTokenGrowsWithEveryHolder() {
		requires(Capability.FENCING);
		long last = 0;
		for (LeaseLock next : List.of(this.lock, this.elsewhere, this.lock)) {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(next::fencingToken);
			next.lock();
			long token = next.fencingToken();
			assertThat(token).isGreaterThan(last);
			next.lock();
			assertThat(next.fencingToken()).isEqualTo(token);
			next.unlock();
			next.unlock();
			last = token;
		}
	}

	@Test
	void backendWithoutFencingSaysSo() {
		assumeFalse(this.one.has(Capability.FENCING), "Has fencing");
		this.lock.lock();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::fencingToken)
			.withMessageContaining('\'' + this.one.backendName() + '\'');
	}

	@Test
	@Tag(EVERYWHERE)
	void threadThatHoldsTheNonReentrantLockWaitsLikeAnyOther() throws InterruptedException {
		LeaseLock once = this.one.client.nonReentrantLock(this.key);
		once.lock();
		assertThat(once.tryLock()).isFalse();
		assertThat(once.tryLock(SHORT)).isFalse();
		assertThat(this.lock.tryLock()).as("reentrant lock of the key").isFalse();
		assertNotHeldByCurrentThread(this.lock);
		assertThat(once.getHoldCount()).isOne();
		assertThat(once.isHeldByCurrentThread()).isTrue();
		assertThat(isFree(this.two.client.nonReentrantLock(this.key))).isFalse();
		assertThat(start(() -> {
			once.unlock();
			return true;
		}).failure()).isInstanceOf(IllegalMonitorStateException.class);
		once.unlock();
		assertNotHeldByCurrentThread(once);
		assertFree();
		this.lock.lock();
		assertThat(once.tryLock()).as("while the reentrant lock is held").isFalse();
		assertNotHeldByCurrentThread(once);
		this.lock.unlock();
		assertThat(once.tryLock(LONG)).isTrue();
	}

	@Test
	void fairLockIsReentrantAndServesTheWaitingInTheirOrder() {
		requires(Capability.FAIR);
		LeaseLock fair = this.one.client.fairLock(this.key);
		fair.lock();
		assertThat(fair.tryLock()).isTrue();
		fair.unlock();
		List<Integer> order = new ArrayList<>();
		List<TestThread<Boolean>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			int number = i;
			waiting.add(startWaiting(fair, () -> {
				fair.lock();
				order.add(number);
				fair.unlock();
				return true;
			}));
		}
		assertThat(this.two.client.fairLock(this.key).tryLock()).isFalse();
		fair.unlock();
		waiting.forEach(TestThread::get);
		assertThat(order).containsExactly(0, 1, 2, 3);
	}

	@Test
	void backendWithoutFairLocksSaysSo() {
		assumeFalse(this.one.has(Capability.FAIR), "Has fair locks");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(this.one.client.fairLock(this.key)::lock)
			.withMessageContaining('\'' + this.one.backendName() + '\'')
			.withMessageContaining("fair");
	}

	@Test
	@Tag(EVERYWHERE)
	void unguardedCounterStaysExact() {
		int[] counter = new int[1];
		List<TestThread<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LeaseLock mine = (i % 2 == 0) ? this.lock : this.elsewhere;
			threads.add(start(() -> {
				for (int cycles = 0; cycles < 25; cycles++) {
					mine.lock();
					int before = counter[0];
					Thread.yield();
					counter[0] = before + 1;
					mine.unlock();
				}
				return true;
			}));
		}
		threads.forEach(TestThread::get);
		assertThat(counter[0]).isEqualTo(100);
	}

	@Test
	@Tag(EVERYWHERE)
	void asynchronousLockIsOwnedByItsHandle() {
		LockHandle handle = result(this.lock.lockAsync());
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.key()).isEqualTo(this.key);
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertNotHeldByCurrentThread(this.lock);
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.elsewhere.isLocked()).isTrue();
		CompletableFuture<LockHandle> second = this.elsewhere.lockAsync();
		assertThat(second).isNotDone();
		result(handle.closeAsync());
		result(result(second).closeAsync());
		assertFree();
	}

	@Test
	void asynchronousAttemptEndsWithItsTime() {
		this.lock.lock();
		assertThat(result(this.lock.tryLockAsync())).isNull();
		assertThat(result(this.elsewhere.tryLockAsync())).isNull();
		assertThat(result(this.elsewhere.tryLockAsync(SHORT))).isNull();
		assertThat(result(this.elsewhere.tryLockAsync(Duration.ofSeconds(-1)))).isNull();
		CompletableFuture<@Nullable LockHandle> waiting = this.elsewhere.tryLockAsync(LONG);
		this.lock.unlock();
		result(waiting).close();
		assertBecomesFree(this.lock, this.elsewhere);
	}

	@Test
	void cancelledLockIsNotHeld() {
		this.lock.lock();
		CompletableFuture<LockHandle> here = this.lock.lockAsync();
		CompletableFuture<LockHandle> there = this.elsewhere.lockAsync();
		here.cancel(false);
		there.cancel(false);
		await().until(() -> !this.lock.hasQueuedThreads() && !this.elsewhere.hasQueuedThreads());
		this.lock.unlock();
		assertBecomesFree(this.lock, this.elsewhere);
	}

}
