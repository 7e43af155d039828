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

/**
 * Distributed counterpart of {@link java.util.concurrent.CountDownLatch}: lets processes
 * wait until others have counted down to zero. The count is set once by any process, with
 * {@link #trySetCount(long)}; a latch whose count is not set is open, its count is 0.
 *
 * <pre class="code">{@code
 * DistributedCountDownLatch latch = client.countDownLatch("import");
 * latch.trySetCount(3);
 * // in three processes
 * latch.countDown();
 * // in any process
 * latch.await(1, TimeUnit.MINUTES);
 * }</pre>
 * <p>
 * The count belongs to the store, not to a process: a process that ends without having
 * counted down leaves the others waiting, until their time is over or the latch is
 * {@linkplain #delete() deleted} or its {@linkplain #expire time to live} is over. A
 * latch that has reached zero leaves nothing in the store, and can be set again; those
 * that waited for the former count are released even if they notice it only afterwards.
 * <p>
 * Waiting continues while the store is unavailable, and throws
 * {@link io.github.lockspring.LockUnavailableException} if it still is when the time is
 * over and does not answer within the operation timeout, as the other methods do if the
 * store does not answer within three operation timeouts. The count is read once more when
 * the time is over. A count-down whose reply was lost is repeated and never counts twice.
 * Waiting threads are notified by stores with notifications; otherwise the count is read
 * periodically, in one call for everything that a process waits for.
 * <p>
 * The methods that end in {@code Async} do the same without blocking the calling thread,
 * and their futures fail with the same exceptions. Thread-safe.
 */
public interface DistributedCountDownLatch {

	/**
	 * Largest count.
	 */
	long MAX_COUNT = (1L << 39) - 1;

	/**
	 * Set the count, unless it was set before and has not reached zero.
	 * @param count the count
	 * @return whether the count was set
	 * @throws IllegalArgumentException if the count is negative or larger than
	 * {@link #MAX_COUNT}
	 */
	boolean trySetCount(long count);

	/**
	 * Return the count.
	 * @return the count, 0 if it is not set
	 */
	long getCount();

	/**
	 * Decrease the count by 1, unless it is 0. If it becomes 0, all waiting threads are
	 * released.
	 */
	void countDown();

	/**
	 * Wait until the count is 0. Returns immediately if it is, or is not set.
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	void await() throws InterruptedException;

	/**
	 * Wait until the count is 0. Returns immediately if it is, or is not set.
	 * @param timeout how long to wait; zero or less tests once
	 * @param unit the unit of the timeout
	 * @return {@code true} if the count is 0, {@code false} if the time was over
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	boolean await(long timeout, TimeUnit unit) throws InterruptedException;

	/**
	 * Wait until the count is 0. Returns immediately if it is, or is not set.
	 * @param waitTime how long to wait; zero or less tests once
	 * @return {@code true} if the count is 0, {@code false} if the time was over
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	default boolean await(Duration waitTime) throws InterruptedException {
		return await(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
	}

	/**
	 * Delete the latch, which releases all waiting threads.
	 * @return whether its count was set
	 */
	boolean delete();

	/**
	 * Set the time to live: the latch is deleted when it has passed by the clock of the
	 * store, whether or not any process runs. Replaces a former one, which other changes
	 * leave as it is. Its end is a {@linkplain #delete() deletion}: all waiting threads
	 * are released when they read the count next, which takes two seconds at most, and
	 * {@code await} returns {@code true} as if the count had reached zero. A count that
	 * is set afterwards has no time to live.
	 * @param timeToLive the time to live from now on, rounded up to milliseconds; more
	 * than a hundred years are a hundred years
	 * @return whether the count was set; if not, nothing is changed
	 * @throws IllegalArgumentException if the time is zero or negative
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean expire(Duration timeToLive);

	/**
	 * Remove the time to live, so that the latch remains until it is deleted.
	 * @return whether the count was set; if not, nothing is changed
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean persist();

	/**
	 * Asynchronous form of {@link #trySetCount(long)}.
	 * @param count the count
	 * @return whether the count was set
	 */
	CompletableFuture<Boolean> trySetCountAsync(long count);

	/**
	 * Asynchronous form of {@link #getCount()}.
	 * @return the count
	 */
	CompletableFuture<Long> getCountAsync();

	/**
	 * Asynchronous form of {@link #countDown()}.
	 * @return completed when the count is decreased
	 */
	CompletableFuture<Void> countDownAsync();

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
	 * Asynchronous form of {@link #await(long, TimeUnit)}. Cancelling the future ends the
	 * wait.
	 * @param waitTime how long to wait; zero or less tests once
	 * @return {@code true} if the count is 0, {@code false} if the time was over
	 */
	CompletableFuture<Boolean> awaitAsync(Duration waitTime);

}
