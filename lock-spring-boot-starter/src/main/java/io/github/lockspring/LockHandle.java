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

package io.github.lockspring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Handle of a lock that has been acquired. Its methods are answered locally, from the
 * clocks and without a call to the store, and stop reporting the lock as held from the
 * moment at which the store may have granted the lease to another owner.
 *
 * <pre class="code">{@code
 * try (LockHandle lock = locks.acquire("order:42")) {
 * 	Order order = repository.load(42);
 * 	lock.checkpoint();
 * 	repository.save(order.ship());
 * }
 * }</pre>
 * <p>
 * A backend may report that its leases are in doubt: one whose leases are bound to a
 * session while the connection to its store is suspended, or, after a failover of Redis,
 * until each lease is renewed. Meanwhile it is unknown whether the lock is still held:
 * the lock is reported as not held, but not as lost either. If its lease is still valid
 * when the connection is restored or the lease is renewed, the lock is held again.
 * <p>
 * <b>Using a handle in other threads.</b> A lock that was acquired by a blocking method
 * is owned by the calling thread until the handle is closed: further acquisitions of the
 * same key by that thread succeed immediately, even if they belong to unrelated work,
 * such as the next task of a thread pool. A handle that is closed by another thread, or
 * after the task that acquired it has ended, should therefore be acquired with
 * {@link LockOperations#acquireAsync acquireAsync}, whose locks are owned by their
 * handles, or with a template that is {@linkplain LockOperations#ownedBy(Object) owned
 * by} an object of the task. Inside an asynchronous annotated method this is done
 * automatically: a lock acquired by a blocking method is owned by the part of the method
 * that the thread runs without interruption; after that part has ended, nothing reenters
 * the lock, and it stays exclusive until it is closed. A warning is logged the first time
 * that a handle is closed by a thread other than the owner of its lock, and the first
 * time that a lock is renewed although its thread has ended or waits for the next task of
 * its pool.
 * <p>
 * Thread-safe; a handle may be closed by any thread.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the key as specified by the caller.
	 * @return the key, or several separated by commas
	 */
	String key();

	/**
	 * Return the key as used in the store: with the prefix and the name, as in log lines,
	 * in exceptions and in {@link io.github.lockspring.event.LockLostEvent}.
	 * @return the key, or several separated by commas
	 * @see LockException#storeKey()
	 */
	String storeKey();

	/**
	 * Return the fencing token: greater than every token previously granted by this store
	 * for this key, and constant while the lock is held, including reentrant acquisitions
	 * and renewals. A read lock that was acquired under the same owner's write lock has
	 * the token of the write lock, and read locks that share a lease inside a process
	 * have the same token. Tokens of permits are unique, but a permit that was handed off
	 * inside a process can have a smaller token than one that is held already.
	 * @return the token
	 * @throws LockLostException if the lease is lost
	 * @throws LockSuspendedException while it is unknown whether the lock is still held
	 * @throws IllegalStateException if this handle is closed, or represents several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend does not support fencing
	 * tokens
	 */
	long fencingToken();

	/**
	 * Return whether the lock is still held.
	 * @return {@code false} once the lease is lost or this handle is closed, and while it
	 * is unknown whether the lock is held
	 */
	boolean isHeld();

	/**
	 * Return whether the lease was lost while this handle was open.
	 * @return {@code false} if the lock is held, while it is unknown whether it is held,
	 * or if this handle was closed
	 */
	boolean isLost();

	/**
	 * Return the time for which the lease is guaranteed to last if it is not renewed.
	 * @return the remaining time; zero once the lease is lost or this handle is closed,
	 * and while it is unknown whether the lock is held
	 */
	Duration remaining();

	/**
	 * Throw an exception if the lock is no longer held. Call this before each step that
	 * must not run concurrently.
	 * @throws LockLostException if the lease is lost
	 * @throws LockSuspendedException while it is unknown whether the lock is still held
	 * @throws IllegalStateException if this handle is closed
	 */
	void checkpoint();

	/**
	 * Register a callback to run when the lease is lost. The callback runs once, in a
	 * separate thread, soon after the loss, or immediately if the lease is lost already.
	 * It never runs after a release in time, nor because the connection to the store is
	 * temporarily suspended.
	 * @param callback the callback to run
	 * @throws IllegalStateException if this handle is closed
	 */
	void onLost(Runnable callback);

	/**
	 * Release the lock, in this thread or another. Closing a handle again has no effect.
	 * If the store is unavailable, the failure is logged and the release is retried in
	 * the background until the lease would have expired; this method returns without
	 * waiting for that.
	 * @throws LockLostException if the lease was lost before
	 */
	@Override
	void close();

	/**
	 * Release the lock as {@link #close()} does, without blocking the calling thread,
	 * which may differ from the thread that acquired the lock. Closing a handle again has
	 * no effect and does not wait for the first call. Dependent stages of the future may
	 * run in a thread of this library.
	 * @return a future that completes when the lock is released; fails with
	 * {@link LockLostException} if the lease was lost before
	 */
	default CompletableFuture<Void> closeAsync() {
		return CompletableFuture.runAsync(this::close);
	}

}
