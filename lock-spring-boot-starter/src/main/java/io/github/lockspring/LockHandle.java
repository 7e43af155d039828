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
 * A lock that is held, by whoever has this object. Its answers are local and honest: they
 * ask the clocks, not the store, and no longer say <em>held</em> from the moment when the
 * store may have given the lease to another.
 * <p>
 * A backend whose leases last as long as a session may say that its store is out of
 * reach. Until it is back, nobody can tell whether the lock is still held: it counts as
 * not held, but not as lost either. If its lease lasts until then, it is held again.
 * <p>
 * <b>Handles that travel.</b> A lock that a blocking method acquired belongs to the
 * thread that called it, until the handle is closed: whatever that thread acquires of the
 * same key in the meantime, it gets at once, also if that is the work of somebody else,
 * such as the next task of its pool. A handle that is closed by another thread, or later
 * than the task that acquired it ends, is therefore acquired with
 * {@link LockOperations#acquireAsync acquireAsync}, whose locks belong to their handles,
 * or with a template that is {@linkplain LockTemplate#ownedBy(Object) owned by} an object
 * of the task. Inside an annotated method that is asynchronous, the blocking methods know
 * that: what they acquire belongs to what the thread does of the method at a stretch, and
 * to nobody after that, so that it keeps out everybody until it is closed. The log warns
 * of the first handle that is closed by another thread than the one that its lock belongs
 * to, and of the first lock that is renewed though its thread has ended or waits for the
 * next task of its pool.
 * <p>
 * Safe for use by many threads; any thread may close it.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the key as the caller named it.
	 * @return the key, or several separated by commas
	 */
	String key();

	/**
	 * Return the key as the store knows it: with the prefix and the name, as in log
	 * lines, in exceptions and in {@link LockLostEvent}.
	 * @return the key, or several separated by commas
	 * @see LockException#getStoreKey()
	 */
	String storeKey();

	/**
	 * The fencing token: larger than every token that this store granted for this key
	 * before, the same for the whole time of holding, re-entries and renewals included. A
	 * reader that took the read lock under its own write lock has the token of that.
	 * @return the token
	 * @throws LockLostException if the lease is lost
	 * @throws LockSuspendedException while the connection to the store is suspended
	 * @throws IllegalStateException if this handle is closed, or stands for several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend has no fencing tokens
	 */
	long fencingToken();

	/**
	 * Whether the lock is still held.
	 * @return {@code false} once the lease is lost or this handle is closed, and as long
	 * as the store is out of reach and whether the lock is held is unknown
	 */
	boolean isHeld();

	/**
	 * Whether the lease was lost while this handle was open.
	 * @return {@code false} if the lock is held, or may be held though the store is out
	 * of reach at present, or if this handle was closed
	 */
	boolean isLost();

	/**
	 * How long the lease is sure to last if it is not renewed.
	 * @return the time, zero once the lease is lost or this handle is closed, and as long
	 * as whether the lock is held is unknown
	 */
	Duration remaining();

	/**
	 * Throw an exception if the lock is no longer held. Call this before each step that
	 * must not run concurrently.
	 * @throws LockLostException if the lease is lost
	 * @throws LockSuspendedException while the connection to the store is suspended, so
	 * that it is unknown whether the lock is still held
	 * @throws IllegalStateException if this handle is closed
	 */
	void checkpoint();

	/**
	 * Asks to be told when the lease is lost. The callback runs once, in a thread of its
	 * own, soon after the loss, or at once if the lease is lost already. It never runs
	 * after a release in time, nor because the store is out of reach for a while.
	 * @param callback what to do then
	 * @throws IllegalStateException if this handle is closed
	 */
	void onLost(Runnable callback);

	/**
	 * Gives the lock back, in this thread or another. Closing again does nothing. If the
	 * store cannot be reached, this is logged and tried again in the background until the
	 * lease would have ended; the caller goes on.
	 * @throws LockLostException if the lease was lost before
	 */
	@Override
	void close();

	/**
	 * Gives the lock back as {@link #close()} does, but without holding up the calling
	 * thread, which may be another one than that which acquired it. Closing again does
	 * nothing, and does not wait for the first. What depends on the future may run in a
	 * thread of the locks.
	 * @return when the lock is given back; fails with {@link LockLostException} if the
	 * lease was lost before
	 */
	default CompletableFuture<Void> closeAsync() {
		return CompletableFuture.runAsync(this::close);
	}

}
