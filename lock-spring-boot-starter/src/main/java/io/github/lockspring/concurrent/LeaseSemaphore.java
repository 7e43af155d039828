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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;

/**
 * Counting semaphore, as {@link java.util.concurrent.Semaphore}, whose permits are shared
 * by the threads of all processes that use the same store. Permits are held under leases,
 * which are renewed for as long as the permits are held, and which end by themselves if
 * the process crashes, so that its permits come back.
 *
 * <pre class="code">{@code
 * LeaseSemaphore connections = client.semaphore("legacy-system", 8);
 * connections.acquire();
 * try {
 * 	call();
 * }
 * finally {
 * 	connections.release();
 * }
 * }</pre>
 * <p>
 * Permits that are acquired in one call are granted together or not at all. Two objects
 * for the same key are the same semaphore. It is not reentrant. Permits belong to the
 * process: any of its threads may release what another one acquired, as with
 * {@code java.util.concurrent}. Unlike there, a process cannot release more permits than
 * it holds: the number of permits is the limit, which all processes agree on, and which
 * is changed by {@link #resize(int)}.
 * <p>
 * Waiting threads of a process acquire permits in the order in which they began to wait,
 * except that a thread which waits for permits of other processes can be overtaken for a
 * short time (the property {@code lock.hand-off.span}) by those behind it, to which
 * permits are handed off inside the process. Among processes, the backends decide: with a
 * queue in the store, as in Redis and ZooKeeper, a thread that waits for many permits is
 * not overtaken by others that wait. {@link #tryAcquire()} takes permits that are
 * available even if others wait, except in ZooKeeper, which never lets one request
 * overtake another.
 * <p>
 * <b>Limit.</b> If permits of the key are in use with another limit, in any process,
 * methods that acquire permits throw {@link io.github.lockspring.LockLimitException},
 * which names both numbers. After {@link #resize(int)}, the new limit applies to all
 * processes, whatever limit they specified for their semaphores.
 * <p>
 * <b>Store failures.</b> {@link #acquire()} and {@link #acquireUninterruptibly()} wait
 * until the store is available again; the other methods throw
 * {@link io.github.lockspring.LockUnavailableException} if the store failed throughout
 * the wait time. They throw {@link io.github.lockspring.LockShutdownException} if the
 * application shuts down, and {@link UnsupportedOperationException} on a backend without
 * semaphores.
 * <p>
 * <b>Loss.</b> If a lease is lost, for example because the process was suspended for
 * longer than the lease time, its permits are available to others again. The thread
 * learns of it by {@link io.github.lockspring.LockLostException}, thrown by
 * {@link #release()}. The {@linkplain LockHandle handles} of the asynchronous methods
 * report at any time whether their permits are still held.
 * <p>
 * Implementations are thread-safe.
 *
 * @see LockClient#semaphore(String, int)
 */
public interface LeaseSemaphore {

	/**
	 * Acquire a permit, waiting until one is available.
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * a permit is available, or while waiting
	 */
	default void acquire() throws InterruptedException {
		acquire(1);
	}

	/**
	 * Acquire permits, waiting until all of them are available.
	 * @param permits the number of permits; zero acquires nothing
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the permits are available, or while waiting
	 * @throws IllegalArgumentException if the number is negative, or greater than the
	 * limit
	 */
	void acquire(int permits) throws InterruptedException;

	/**
	 * Acquire a permit, waiting until one is available. The interrupt status of the
	 * thread is ignored and kept.
	 */
	default void acquireUninterruptibly() {
		acquireUninterruptibly(1);
	}

	/**
	 * Acquire permits, waiting until all of them are available. The interrupt status of
	 * the thread is ignored and kept.
	 * @param permits the number of permits; zero acquires nothing
	 * @throws IllegalArgumentException if the number is negative, or greater than the
	 * limit
	 */
	void acquireUninterruptibly(int permits);

	/**
	 * Try once to acquire a permit, with a single call to the store. The interrupt status
	 * of the thread is ignored and kept.
	 * @return {@code false} if no permit is available
	 */
	default boolean tryAcquire() {
		return tryAcquire(1);
	}

	/**
	 * Try once to acquire permits, with a single call to the store. The interrupt status
	 * of the thread is ignored and kept.
	 * @param permits the number of permits; zero acquires nothing
	 * @return {@code false} if not all of them are available
	 * @throws IllegalArgumentException if the number is negative, or greater than the
	 * limit
	 */
	boolean tryAcquire(int permits);

	/**
	 * Acquire a permit unless none is available for the whole wait time.
	 * @param timeout the maximum time to wait; zero or less to try once
	 * @param unit the unit of the time
	 * @return {@code false} if no permit was acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * a permit is available, or while waiting
	 */
	default boolean tryAcquire(long timeout, TimeUnit unit) throws InterruptedException {
		return tryAcquire(1, timeout, unit);
	}

	/**
	 * Acquire permits unless they are not all available during the whole wait time.
	 * @param permits the number of permits; zero acquires nothing
	 * @param timeout the maximum time to wait; zero or less to try once
	 * @param unit the unit of the time
	 * @return {@code false} if no permit was acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the permits are available, or while waiting
	 * @throws IllegalArgumentException if the number is negative, or greater than the
	 * limit
	 */
	boolean tryAcquire(int permits, long timeout, TimeUnit unit) throws InterruptedException;

	/**
	 * Acquire a permit unless none is available for the whole wait time.
	 * @param waitTime the maximum time to wait; zero or less to try once
	 * @return {@code false} if no permit was acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * a permit is available, or while waiting
	 */
	default boolean tryAcquire(Duration waitTime) throws InterruptedException {
		return tryAcquire(1, waitTime);
	}

	/**
	 * Acquire permits unless they are not all available during the whole wait time.
	 * @param permits the number of permits; zero acquires nothing
	 * @param waitTime the maximum time to wait; zero or less to try once
	 * @return {@code false} if no permit was acquired
	 * @throws InterruptedException if the thread was interrupted before the call, even if
	 * the permits are available, or while waiting
	 * @throws IllegalArgumentException if the number is negative, or greater than the
	 * limit
	 */
	boolean tryAcquire(int permits, Duration waitTime) throws InterruptedException;

	/**
	 * Release a permit.
	 * @throws IllegalMonitorStateException if this process holds no permit
	 * @throws io.github.lockspring.LockLostException if the lease of the permit was lost
	 * @see #release(int)
	 */
	default void release() {
		release(1);
	}

	/**
	 * Release permits that were acquired by the methods of this interface, other than the
	 * asynchronous ones, in any thread of this process: first those that the current
	 * thread acquired. They may be a part of the permits that were acquired in one call,
	 * or of several calls. If the store is unavailable, the failure is logged and the
	 * release is retried in the background until the leases would have expired.
	 * @param permits the number of permits; zero releases nothing
	 * @throws IllegalArgumentException if the number is negative
	 * @throws IllegalMonitorStateException if this process holds fewer permits; none is
	 * released
	 * @throws io.github.lockspring.LockLostException if a lease was lost; its permits are
	 * available to others already, and the other ones are released
	 * @throws io.github.lockspring.LockUnavailableException if the store failed, and a
	 * part of the permits that were acquired in one call was to be released; no permit is
	 * released
	 */
	void release(int permits);

	/**
	 * Acquire all permits that are available: as many as the store reports, or fewer if
	 * others acquire permits at the same time.
	 * @return the number of permits that were acquired, to be released by
	 * {@link #release(int)}; may be zero
	 */
	int drainPermits();

	/**
	 * Return the number of permits that are available: the limit less the permits in use
	 * in all processes, or zero if more are in use than the limit since it was
	 * {@linkplain #resize(int) changed}.
	 * @return the number, which may have changed when this returns
	 */
	int availablePermits();

	/**
	 * Return the limit: the number of permits of which {@link #availablePermits()} is the
	 * part that is not in use.
	 * @return the limit, as last changed by any process
	 */
	int limit();

	/**
	 * Change the limit, for all processes and permanently. Permits in use are not
	 * affected: if there are more than the new limit, none is granted until enough were
	 * released. Threads that wait continue to wait with the new limit; those that wait
	 * for more permits than it has get an {@link IllegalArgumentException}. If several
	 * processes change the limit, the last change applies.
	 * <p>
	 * Other processes are notified of the change. One that has not noticed it yet can
	 * acquire permits of the former limit for a short time, unless permits are already in
	 * use with the new one, and can hand off those that it has between its threads.
	 * <p>
	 * Methods with {@link io.github.lockspring.DistributedSemaphore} do not follow the
	 * change: as long as permits are in use with the new limit, they are rejected.
	 * @param limit the new limit, 1 or more
	 * @throws IllegalArgumentException if the limit is less than 1
	 * @throws UnsupportedOperationException if the store of this backend cannot keep the
	 * limit
	 */
	void resize(int limit);

	/**
	 * Acquire a permit without blocking the calling thread, however long none is
	 * available.
	 * @return a future that completes with a handle, which releases the permit
	 * @see #acquireAsync(int)
	 */
	default CompletableFuture<LockHandle> acquireAsync() {
		return acquireAsync(1);
	}

	/**
	 * Acquire permits without blocking the calling thread, however long they are not
	 * available or the store is unavailable. The permits are released by the handle, not
	 * by {@link #release(int)}. Cancelling the future stops waiting and releases permits
	 * granted in the meantime.
	 * @param permits the number of permits, 1 or more
	 * @return a future that completes with a handle, which releases all the permits by
	 * {@link LockHandle#closeAsync()}; fails with {@link IllegalArgumentException} if the
	 * number is greater than the limit
	 * @throws IllegalArgumentException if the number is less than 1
	 */
	CompletableFuture<LockHandle> acquireAsync(int permits);

	/**
	 * Try once to acquire a permit without blocking the calling thread.
	 * @return a future that completes with a handle, or with {@code null} if no permit is
	 * available
	 * @see #tryAcquireAsync(int, Duration)
	 */
	default CompletableFuture<@Nullable LockHandle> tryAcquireAsync() {
		return tryAcquireAsync(1, Duration.ZERO);
	}

	/**
	 * Acquire permits without blocking the calling thread, unless they are not all
	 * available during the whole wait time.
	 * @param permits the number of permits, 1 or more
	 * @param waitTime the maximum time to wait; zero or less to try once
	 * @return a future that completes with a handle, or with {@code null} if no permit
	 * was acquired; fails with {@link io.github.lockspring.LockUnavailableException} if
	 * the store failed
	 * @throws IllegalArgumentException if the number is less than 1
	 * @see #acquireAsync(int)
	 */
	CompletableFuture<@Nullable LockHandle> tryAcquireAsync(int permits, Duration waitTime);

	/**
	 * Return whether permits are granted in the order of the requests, also to those of
	 * different processes.
	 * @return whether the semaphore was created with
	 * {@link io.github.lockspring.LockType#FAIR}
	 */
	boolean isFair();

	/**
	 * Return an estimate of the number of threads and asynchronous acquisitions of this
	 * process that wait for permits. Those of other processes are not counted. Does not
	 * call the store.
	 * @return the estimate
	 */
	int getQueueLength();

	/**
	 * Return whether a thread or an asynchronous acquisition of this process waits for
	 * permits.
	 * @return whether any waits, which may have changed when this returns
	 * @see #getQueueLength()
	 */
	default boolean hasQueuedThreads() {
		return getQueueLength() > 0;
	}

}
