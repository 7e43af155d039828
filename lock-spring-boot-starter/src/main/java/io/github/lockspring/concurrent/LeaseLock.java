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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;

/**
 * {@link Lock} that excludes the threads of all processes that use the same store. It is
 * held under a lease, which is renewed for as long as the lock is held, and which ends by
 * itself if the process crashes.
 *
 * <pre class="code">{@code
 * LeaseLock lock = client.lock("order:42");
 * if (lock.tryLock(Duration.ofSeconds(2))) {
 * 	try {
 * 		ship(42);
 * 	}
 * 	finally {
 * 		lock.unlock();
 * 	}
 * }
 * }</pre>
 * <p>
 * The lock is owned by the thread that acquired it, which must also unlock it. Two
 * objects for the same key are the same lock. Unless it was created by
 * {@link LockClient#nonReentrantLock(String)}, it is reentrant: a thread that holds it
 * acquires it again at once, without a call to the store, and must unlock it as many
 * times. Inside an asynchronous annotated method, the lock is owned by the part of the
 * method that the thread runs without interruption, which must unlock it before it ends;
 * if the method holds the key already, the owner is the method. The locks of a client
 * that is {@linkplain LockClient#ownedBy(Object) owned by} an object are owned by that
 * object: what is said here of the current thread applies to any thread that uses them.
 * <p>
 * <b>Store failures.</b> {@link #lock()} and {@link #lockInterruptibly()} wait until the
 * store is available again; the other methods throw
 * {@link io.github.lockspring.LockUnavailableException} if the store failed throughout
 * the wait time. They throw {@link io.github.lockspring.LockShutdownException} if the
 * application shuts down.
 * <p>
 * <b>Loss.</b> If the lease is lost, for example because the process was suspended for
 * longer than the lease time, the lock is no longer held, as the queries of this
 * interface report, and another owner may acquire it. The thread learns of the loss by
 * {@link io.github.lockspring.LockLostException}, thrown by {@link #unlock()} and by
 * attempts to acquire the lock again before that. Call {@link #unlock()} in a
 * {@code finally} block whatever {@link #isHeldByCurrentThread()} returns: a lost lock
 * that is never unlocked cannot be acquired again by its thread for up to a day.
 * <p>
 * Implementations are thread-safe.
 *
 * @see LockClient
 */
public interface LeaseLock extends Lock {

	/**
	 * Acquire the lock, waiting for as long as another owner holds it. The interrupt
	 * status of the thread is ignored and kept.
	 * @throws io.github.lockspring.LockLostException if the thread acquired the lock
	 * before, and lost it
	 * @throws io.github.lockspring.LockUpgradeException if this is a write lock, and the
	 * thread holds the read lock
	 */
	@Override
	void lock();

	/**
	 * Acquire the lock like {@link #lock()}, unless the thread is interrupted.
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the lock is free, or while waiting
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Try once to acquire the lock, with a single call to the store. The interrupt status
	 * of the thread is ignored and kept.
	 * @return {@code false} if another owner holds the lock
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	@Override
	boolean tryLock();

	/**
	 * Acquire the lock unless another owner holds it for the whole wait time.
	 * @param time the maximum time to wait; zero or less to try once
	 * @param unit the unit of the time
	 * @return {@code false} if the lock was not acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the lock is free, or while waiting
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Acquire the lock unless another owner holds it for the whole wait time.
	 * @param waitTime the maximum time to wait; zero or less to try once
	 * @return {@code false} if the lock was not acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the lock is free, or while waiting
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	boolean tryLock(Duration waitTime) throws InterruptedException;

	/**
	 * Release one acquisition of the current thread. The last one releases the lock. If
	 * the store is unavailable, the failure is logged and the release is retried in the
	 * background until the lease would have expired.
	 * @throws IllegalMonitorStateException if the current thread has not acquired the
	 * lock, or has unlocked it as often as it acquired it
	 * @throws io.github.lockspring.LockLostException if the lease was lost before
	 */
	@Override
	void unlock();

	/**
	 * Not supported.
	 * @return nothing
	 * @throws UnsupportedOperationException always
	 */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException("Distributed locks do not support conditions");
	}

	/**
	 * Acquire the lock without blocking the calling thread, however long another owner
	 * holds it or the store is unavailable. The lock is owned by the handle and not by a
	 * thread: it is not reentrant, and a thread that holds the lock already waits like
	 * any other; use {@link LockClient#ownedBy(Object)} for reentrant acquisitions.
	 * Cancelling the future stops waiting and releases the lock if it has been granted in
	 * the meantime.
	 * @return a future that completes with the handle, which releases the lock by
	 * {@link LockHandle#closeAsync()}
	 * @see io.github.lockspring.LockOperations#acquireAsync(String)
	 */
	CompletableFuture<LockHandle> lockAsync();

	/**
	 * Try once to acquire the lock without blocking the calling thread, to be owned by
	 * the handle.
	 * @return a future that completes with the handle, or with {@code null} if another
	 * owner holds the lock; fails with
	 * {@link io.github.lockspring.LockUnavailableException} if the store failed
	 * @see #lockAsync()
	 */
	default CompletableFuture<@Nullable LockHandle> tryLockAsync() {
		return tryLockAsync(Duration.ZERO);
	}

	/**
	 * Acquire the lock without blocking the calling thread, unless another owner holds it
	 * for the whole wait time. The lock is owned by the handle.
	 * @param waitTime the maximum time to wait; zero or less to try once
	 * @return a future that completes with the handle, or with {@code null} if the lock
	 * was not acquired; fails with {@link io.github.lockspring.LockUnavailableException}
	 * if the store failed
	 * @see #lockAsync()
	 */
	CompletableFuture<@Nullable LockHandle> tryLockAsync(Duration waitTime);

	/**
	 * Return whether any owner of any process holds the lock. Calls the store, unless the
	 * current thread holds the lock. For a read lock, whether there is any reader; for
	 * any other lock, whether there is an exclusive holder.
	 * @return whether the lock is held, which may have changed when this returns
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	boolean isLocked();

	/**
	 * Return whether the current thread holds the lock. Does not call the store.
	 * @return {@code false} also if the lease was lost, and while it is unknown whether
	 * the lock is held
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Return how many times the current thread holds the lock: how often it acquired it
	 * without having unlocked it. Does not call the store.
	 * @return the number, zero also if the lease was lost
	 */
	int getHoldCount();

	/**
	 * Return the time for which the lease of the current thread is guaranteed to last if
	 * it is not renewed. Does not call the store.
	 * @return the time, zero if the current thread does not hold the lock
	 */
	Duration remaining();

	/**
	 * Extend the lease of the current thread, so that it ends after the given time from
	 * now on unless it is extended again. The new end may also be earlier than the former
	 * one. A minimum hold time begins anew. Has no effect if the lock is renewed
	 * automatically, as is the default, because its lease does not end then: use it with
	 * {@link io.github.lockspring.LockOptions#withAutoRenew(boolean)
	 * withAutoRenew(false)}. Calls the store at most once. Must not be called by several
	 * threads at the same time, nor while the lock is unlocked.
	 * @param leaseTime the lease time, which begins with this call
	 * @throws IllegalMonitorStateException if the current thread has not acquired the
	 * lock
	 * @throws io.github.lockspring.LockLostException if the lease is lost
	 * @throws io.github.lockspring.LockSuspendedException while it is unknown whether the
	 * lock is held
	 * @throws io.github.lockspring.LockUnavailableException if the store failed; the
	 * lease ends at the earlier of both times then, as far as this process knows
	 * @throws UnsupportedOperationException if this is a read lock, a semaphore's permit
	 * or a lock of several keys
	 */
	void extend(Duration leaseTime);

	/**
	 * Return the fencing token of the current thread: greater than every token that the
	 * store granted for this key before, and constant while the lock is held. Readers
	 * that share a lease inside a process have the same token. Does not call the store.
	 * @return the token
	 * @throws IllegalMonitorStateException if the current thread has not acquired the
	 * lock
	 * @throws io.github.lockspring.LockLostException if the lease is lost
	 * @throws io.github.lockspring.LockSuspendedException while it is unknown whether the
	 * lock is held
	 * @throws UnsupportedOperationException if the backend does not support fencing
	 * tokens
	 * @see LockHandle#fencingToken()
	 */
	long fencingToken();

	/**
	 * Return the owner that holds the key, in any process, as recorded in the store. For
	 * diagnostics: it may have changed when this returns.
	 * @return the holder, one of several if they share the key, or {@code null} if the
	 * key is free
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	default @Nullable LeaseHolder holder() {
		List<LeaseHolder> holders = holders();
		return holders.isEmpty() ? null : holders.get(0);
	}

	/**
	 * Return the owners that hold the key in any mode, in all processes, as recorded in
	 * the store. For diagnostics: they may have changed when this returns.
	 * @return the holders, empty if the key is free
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	List<LeaseHolder> holders();

	/**
	 * Return the owners that wait for the key, in all processes, as recorded in the
	 * store, in the order in which it serves them. The threads of a process wait behind
	 * one of them, so that a process is listed once. A store without a queue that polls
	 * for free keys records none. For diagnostics: they may have changed when this
	 * returns.
	 * @return the waiting owners, empty if there are none
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 * @see LeaseWaiter#isOf(String)
	 */
	List<LeaseWaiter> waiters();

	/**
	 * Return an estimate of the number of threads and asynchronous acquisitions of this
	 * process that wait for the key, with any type of lock. Those of other processes are
	 * not counted. Does not call the store.
	 * @return the estimate
	 */
	int getQueueLength();

	/**
	 * Return whether a thread or an asynchronous acquisition of this process waits for
	 * the key.
	 * @return whether any waits, which may have changed when this returns
	 * @see #getQueueLength()
	 */
	default boolean hasQueuedThreads() {
		return getQueueLength() > 0;
	}

}
