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
import java.util.concurrent.Executor;

/**
 * Integer that processes share, with versions and listeners: a process changes it on the
 * condition that no other has changed it since it was read, and is notified of changes.
 * It is 0 until it is set, and remains until it is {@linkplain #delete() deleted} or its
 * {@linkplain #expire time to live} is over.
 *
 * <pre class="code">{@code
 * SharedCount workers = client.sharedCount("workers");
 * workers.addListener((count) -> pool.resize(count));
 * SharedCount.Versioned current = workers.getVersionedValue();
 * workers.trySetCount(current, current.count() + 1);
 * }</pre>
 * <p>
 * Every method calls the store once. Methods ignore interrupts, but preserve the
 * interrupt status. A change whose reply was lost is repeated and recognized by the
 * store. If the store does not answer within three operation timeouts, they throw
 * {@link io.github.lockspring.LockUnavailableException}.
 * <p>
 * The methods that end in {@code Async} do the same without blocking the calling thread,
 * and their futures fail with the same exceptions. Thread-safe.
 */
public interface SharedCount extends AutoCloseable {

	/**
	 * Return the count.
	 * @return the count, 0 if it is not set
	 */
	int getCount();

	/**
	 * Return the count together with its version.
	 * @return the count and the version
	 */
	Versioned getVersionedValue();

	/**
	 * Set the count, whatever it was.
	 * @param newCount the new count
	 */
	void setCount(int newCount);

	/**
	 * Set the count unless it was changed since it was read.
	 * @param previous the count as it was read
	 * @param newCount the new count
	 * @return whether it was set; if not, another process has changed it
	 */
	boolean trySetCount(Versioned previous, int newCount);

	/**
	 * Delete the count from the store, so that it is 0 again.
	 * @return whether it had been set
	 */
	boolean delete();

	/**
	 * Set the time to live: the count is deleted when it has passed by the clock of the
	 * store, whether or not any process runs. Replaces a former one, which other changes
	 * leave as it is. The version increases. Listeners are called now, and with 0 when
	 * the count is read after the deletion. A count that is set then has no time to live.
	 * @param timeToLive the time to live from now on, rounded up to milliseconds; more
	 * than a hundred years are a hundred years
	 * @return whether the count was set; if not, nothing is changed
	 * @throws IllegalArgumentException if the time is zero or negative
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean expire(Duration timeToLive);

	/**
	 * Remove the time to live, so that the count remains until it is deleted.
	 * @return whether the count was set; if not, nothing is changed
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean persist();

	/**
	 * Add a listener, which is called in a thread of this library.
	 * @param listener the listener
	 * @see #addListener(SharedCountListener, Executor)
	 */
	void addListener(SharedCountListener listener);

	/**
	 * Add a listener. It is called with the count after each change made from now on by
	 * any process, or after several changes: the last count is always delivered, also
	 * after an interruption of the connection, and the same version never twice in a row.
	 * A listener that throws is logged; one that blocks delays itself only.
	 * @param listener the listener
	 * @param executor runs the listener, one call at a time
	 */
	void addListener(SharedCountListener listener, Executor executor);

	/**
	 * Remove a listener. A call that is under way is not waited for.
	 * @param listener the listener
	 */
	void removeListener(SharedCountListener listener);

	/**
	 * Remove all listeners of this object. The count remains.
	 */
	@Override
	void close();

	/**
	 * Asynchronous form of {@link #getVersionedValue()}.
	 * @return the count and the version
	 */
	CompletableFuture<Versioned> getVersionedValueAsync();

	/**
	 * Asynchronous form of {@link #setCount(int)}.
	 * @param newCount the new count
	 * @return completed when the count is set
	 */
	CompletableFuture<Void> setCountAsync(int newCount);

	/**
	 * Asynchronous form of {@link #trySetCount(Versioned, int)}.
	 * @param previous the count as it was read
	 * @param newCount the new count
	 * @return whether it was set
	 */
	CompletableFuture<Boolean> trySetCountAsync(Versioned previous, int newCount);

	/**
	 * Asynchronous form of {@link #expire(Duration)}.
	 * @param timeToLive the time to live from now on
	 * @return whether the count was set
	 */
	CompletableFuture<Boolean> expireAsync(Duration timeToLive);

	/**
	 * Asynchronous form of {@link #persist()}.
	 * @return whether the count was set
	 */
	CompletableFuture<Boolean> persistAsync();

	/**
	 * Count together with its version.
	 *
	 * @param count the count
	 * @param version the version, which increases with every change; 0 if the count is
	 * not set
	 */
	record Versioned(int count, long version) {
	}

}
