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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockUpgradeException;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link LockClient#multiLock} promises on every backend, as tests.
 */
public abstract class MultiLockContract extends LockClientContract {

	private final String a = this.key + ":a";

	private final String b = this.key + ":b";

	private final String c = this.key + ":c";

	private LeaseLock all;

	/**
	 * The same lock in another process.
	 */
	private LeaseLock allElsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected MultiLockContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createLocks() {
		this.all = this.one.client.multiLock(this.c, this.a, this.b);
		this.allElsewhere = this.two.client.multiLock(this.a, this.b, this.c);
	}

	private void assertFree(boolean free, String... keys) {
		for (String key : keys) {
			assertThat(isFree(this.one.client.lock(key))).as(key).isEqualTo(free);
			assertThat(isFree(this.two.client.lock(key))).as(key + " elsewhere").isEqualTo(free);
		}
	}

	@Test
	@Tag(EVERYWHERE)
	void allKeysAreLockedAndUnlocked() throws InterruptedException {
		this.all.lock();
		assertFree(false, this.a, this.b, this.c);
		this.all.unlock();
		assertFree(true, this.a, this.b, this.c);
		this.all.lockInterruptibly();
		assertThat(this.all.tryLock()).isTrue();
		assertThat(this.all.tryLock(LONG)).isTrue();
		assertThat(this.all.getHoldCount()).isEqualTo(3);
		this.all.unlock();
		this.all.unlock();
		assertFree(false, this.a, this.b, this.c);
		this.all.unlock();
		assertFree(true, this.a, this.b, this.c);
		assertNotHeldByCurrentThread(this.all);
	}

	@Test
	@Tag(EVERYWHERE)
	void attemptThatFailsLeavesNothing() throws InterruptedException {
		LeaseLock held = this.two.client.lock(this.b);
		held.lock();
		for (long time : new long[] { 0, -1, Long.MIN_VALUE, 30 }) {
			assertThat(this.all.tryLock(time, TimeUnit.MILLISECONDS)).isFalse();
		}
		assertThat(this.all.tryLock()).isFalse();
		assertThat(this.all.tryLock(SHORT)).isFalse();
		assertFree(true, this.a, this.c);
		held.unlock();
		assertBecomesFree(this.all);
		assertThat(this.all.tryLock(0, TimeUnit.SECONDS)).isTrue();
		assertThat(TestThread.call(() -> this.allElsewhere.tryLock(-1, TimeUnit.SECONDS))).isFalse();
	}

	@Test
	@Tag(EVERYWHERE)
	void waitsForEachOfTheKeys() {
		LeaseLock first = this.two.client.lock(this.a);
		LeaseLock last = this.two.client.lock(this.c);
		first.lock();
		last.lock();
		TestThread<Boolean> waiting = startWaiting(this.one.client.lock(this.a), cycle(this.all));
		first.unlock();
		await().until(this.one.client.lock(this.c)::hasQueuedThreads);
		assertThat(waiting.result).isNotDone();
		last.unlock();
		assertThat(waiting.get()).isTrue();
		assertFree(true, this.a, this.b, this.c);
	}

	@Test
	void interruptLeavesNothing() {
		assertInterruptedOnEntry(this.all::lockInterruptibly);
		assertInterruptedOnEntry(() -> this.all.tryLock(LONG));
		LeaseLock held = this.two.client.lock(this.b);
		held.lock();
		LeaseLock awaited = this.one.client.lock(this.b);
		assertInterrupted(startWaiting(awaited, () -> this.all.tryLock(LONG)));
		assertInterrupted(startWaiting(awaited, () -> {
			this.all.lockInterruptibly();
			return true;
		}));
		assertBecomesFree(this.two.client.lock(this.a), this.two.client.lock(this.c));
		held.unlock();
		assertBecomesFree(awaited, held);
	}

	@Test
	void failureOfOneKeyLeavesNothing() {
		requires(Capability.SHARED);
		LeaseLock reading = this.one.client.readWriteLock(this.b).readLock();
		reading.lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.all::lock);
		assertFree(true, this.a, this.c);
		assertThat(reading.getHoldCount()).isOne();
	}

	@Test
	void strangerCannotUnlock() {
		this.all.lock();
		assertThat(start(() -> {
			this.all.unlock();
			return true;
		}).failure()).isInstanceOf(IllegalMonitorStateException.class);
		assertNotHeldByCurrentThread(this.allElsewhere);
		this.one.client.lock(this.b).unlock();
		assertNotHeldByCurrentThread(this.all);
		assertFree(false, this.a, this.c);
	}

	@Test
	void duplicatesAreLockedOnce() {
		LeaseLock twice = this.one.client.multiLock(this.a, this.b, this.a);
		twice.lock();
		assertThat(this.one.client.lock(this.a).getHoldCount()).isOne();
		twice.unlock();
		assertFree(true, this.a, this.b);
	}

	@Test
	void readAndWriteLockOfAKeyAreTheWriteLock() {
		requires(Capability.SHARED);
		LeaseReadWriteLock lock = this.one.client.readWriteLock(this.a);
		LeaseLock both = this.one.client.multiLock(lock.readLock(), lock.writeLock());
		both.lock();
		assertThat(lock.writeLock().getHoldCount()).isOne();
		assertThat(lock.readLock().getHoldCount()).isZero();
		both.unlock();
		assertFree(true, this.a);
	}

	@Test
	void queriesAnswerForAllKeys() {
		assertThat(this.all.isLocked()).isFalse();
		this.two.client.lock(this.a).lock();
		assertThat(this.all.isLocked()).isFalse();
		assertThat(this.all.holders()).hasSize(1);
		this.two.client.lock(this.a).unlock();
		this.all.lock();
		assertThat(this.allElsewhere.isLocked()).isTrue();
		assertThat(this.all.isHeldByCurrentThread()).isTrue();
		assertThat(this.allElsewhere.isHeldByCurrentThread()).isFalse();
		assertThat(this.all.getHoldCount()).isOne();
		assertThat(this.all.remaining()).isPositive();
		TestThread<Boolean> waiting = startWaiting(this.all, cycle(this.all));
		this.one.client.lock(this.a).lock();
		assertThat(this.all.getHoldCount()).isOne();
		this.one.client.lock(this.a).unlock();
		this.all.unlock();
		assertThat(waiting.get()).isTrue();
		assertThat(this.all.remaining()).isZero();
	}

	@Test
	void keysAcquiredTogetherHaveOneToken() {
		requires(Capability.MULTI_KEY);
		requires(Capability.FENCING);
		this.all.lock();
		long token = this.all.fencingToken();
		assertThat(this.one.client.lock(this.b).fencingToken()).isEqualTo(token);
		this.all.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.all::fencingToken);
	}

	@Test
	void unlockAfterTheLossOfOneKeySaysSoAndReleasesTheOthers() {
		this.one.client.lock(this.b).lock(); // has a lease of its own
		this.all.lock();
		this.one.client.lock(this.b).unlock();
		expire(this.one.client.lock(this.b), this.b);
		assertThat(TestThread.call(() -> this.two.client.lock(this.b).tryLock(LONG))).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.all::unlock);
		assertNotHeldByCurrentThread(this.all);
		assertFree(true, this.a, this.c);
	}

	@Test
	@Tag(EVERYWHERE)
	void threadsThatLockSomeOfTheKeysInAnyOrderDoNotDeadlock() {
		List<String> keys = List.of(this.a, this.a.toUpperCase(), this.b, this.c);
		int[] counters = new int[keys.size()];
		List<TestThread<int[]>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockClient client = ((i % 2 == 0) ? this.one : this.two).client;
			Random random = new Random(i);
			threads.add(start(() -> {
				int[] own = new int[keys.size()];
				for (int cycle = 0; cycle < 10; cycle++) {
					List<String> some = new ArrayList<>(keys);
					Collections.shuffle(some, random);
					some = some.subList(0, 1 + random.nextInt(keys.size()));
					LeaseLock lock = client.multiLock(some.toArray(String[]::new));
					lock.lock();
					some.forEach((key) -> {
						counters[keys.indexOf(key)]++;
						own[keys.indexOf(key)]++;
					});
					lock.unlock();
				}
				return own;
			}));
		}
		int[] expected = new int[keys.size()];
		threads.forEach((thread) -> {
			int[] own = thread.get();
			for (int i = 0; i < own.length; i++) {
				expected[i] += own[i];
			}
		});
		assertThat(counters).containsExactly(expected);
	}

	@Test
	void locksOfTwoBackendsAreLockedTogether() throws InterruptedException {
		LocalStore store = new LocalStore();
		LockClient other = startProcess(new LocalLockBackend(store)).client;
		LeaseLock otherElsewhere = startProcess(new LocalLockBackend(store)).client.lock(this.b);
		LeaseLock both = other.multiLock(this.one.client.nonReentrantLock(this.a), other.lock(this.b),
				this.one.client.lock(this.c));
		both.lock();
		assertFree(false, this.a, this.c);
		assertFree(true, this.b);
		assertThat(isFree(otherElsewhere)).isFalse();
		assertThat(both.getHoldCount()).isOne();
		assertThat(both.holders()).hasSize(3);
		both.unlock();
		assertFree(true, this.a, this.c);
		assertThat(isFree(otherElsewhere)).isTrue();
		otherElsewhere.lock();
		assertThat(both.tryLock()).isFalse();
		assertThat(both.tryLock(SHORT)).isFalse();
		assertThat(result(both.tryLockAsync(SHORT))).isNull();
		assertFree(true, this.a, this.c);
		otherElsewhere.unlock();
		this.two.client.lock(this.c).lock();
		assertThat(both.tryLock()).isFalse();
		assertThat(result(both.tryLockAsync())).isNull();
		assertThat(isFree(otherElsewhere)).isTrue();
		this.two.client.lock(this.c).unlock();
		LockHandle handle = result(both.lockAsync());
		assertThat(handle.isHeld()).isTrue();
		assertFree(false, this.a, this.c);
		assertThat(isFree(otherElsewhere)).isFalse();
		result(handle.closeAsync());
		assertFree(true, this.a, this.c);
		assertThat(isFree(otherElsewhere)).isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void asynchronousLockIsOwnedByItsHandle() {
		LockHandle handle = result(this.all.lockAsync());
		assertFree(false, this.a, this.b, this.c);
		assertThat(this.all.isHeldByCurrentThread()).isFalse();
		assertThat(result(this.allElsewhere.tryLockAsync())).isNull();
		assertThat(result(this.all.tryLockAsync(SHORT))).isNull();
		CompletableFuture<LockHandle> waiting = this.allElsewhere.lockAsync();
		handle.close();
		result(result(waiting).closeAsync());
		assertFree(true, this.a, this.b, this.c);
	}

	@Test
	void cancelledLockLeavesNothing() {
		LeaseLock held = this.two.client.lock(this.b);
		held.lock();
		CompletableFuture<LockHandle> waiting = this.all.lockAsync();
		await().until(this.one.client.lock(this.b)::hasQueuedThreads);
		waiting.cancel(false);
		assertBecomesFree(this.two.client.lock(this.a), this.two.client.lock(this.c));
		held.unlock();
		assertBecomesFree(held);
	}

	@Test
	void waitingEndsWithItsTime() throws InterruptedException {
		this.allElsewhere.lock();
		assertThat(this.all.tryLock(Duration.ofMillis(100))).isFalse();
		assertThat(this.one.client.multiLock(this.c).tryLock(SHORT)).isFalse();
		this.allElsewhere.unlock();
		assertThat(this.all.tryLock(LONG)).isTrue();
	}

}
