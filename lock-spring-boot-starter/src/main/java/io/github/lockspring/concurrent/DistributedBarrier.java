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
 * Barrier that blocks threads of all processes from the time at which it is set until it
 * is removed, by any process. A barrier that is not set blocks no one.
 *
 * <pre class="code">{@code
 * DistributedBarrier maintenance = client.barrier("maintenance");
 * maintenance.setBarrier();
 * // in any process
 * maintenance.waitOnBarrier();
 * // when finished
 * maintenance.removeBarrier();
 * }</pre>
 * <p>
 * The barrier belongs to the store, not to a process: it remains if the process that set
 * it ends. Those that wait are released by a removal even if the barrier is set again
 * before they notice. Waiting continues while the store is unavailable, and throws
 * {@link io.github.lockspring.LockUnavailableException} if it still is when the time is
 * over, as the other methods do if the store does not answer within three operation
 * timeouts.
 * <p>
 * The methods that end in {@code Async} do the same without blocking the calling thread,
 * and their futures fail with the same exceptions. Thread-safe.
 */
public interface DistributedBarrier {

	/**
	 * Set the barrier. Has no effect if it is set.
	 */
	void setBarrier();

	/**
	 * Remove the barrier, which releases all waiting threads. Has no effect if it is not
	 * set.
	 */
	void removeBarrier();

	/**
	 * Return whether the barrier is set.
	 * @return whether it blocks
	 */
	boolean isSet();

	/**
	 * Wait until the barrier is removed. Returns immediately if it is not set.
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	void waitOnBarrier() throws InterruptedException;

	/**
	 * Wait until the barrier is removed. Returns immediately if it is not set.
	 * @param waitTime how long to wait; zero or less tests once
	 * @param unit the unit of the time
	 * @return {@code true} if the barrier is not set, {@code false} if the time was over
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	boolean waitOnBarrier(long waitTime, TimeUnit unit) throws InterruptedException;

	/**
	 * Wait until the barrier is removed. Returns immediately if it is not set.
	 * @param waitTime how long to wait; zero or less tests once
	 * @return {@code true} if the barrier is not set, {@code false} if the time was over
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 */
	default boolean waitOnBarrier(Duration waitTime) throws InterruptedException {
		return waitOnBarrier(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
	}

	/**
	 * Asynchronous form of {@link #setBarrier()}.
	 * @return completed when the barrier is set
	 */
	CompletableFuture<Void> setBarrierAsync();

	/**
	 * Asynchronous form of {@link #removeBarrier()}.
	 * @return completed when the barrier is removed
	 */
	CompletableFuture<Void> removeBarrierAsync();

	/**
	 * Asynchronous form of {@link #waitOnBarrier(long, TimeUnit)}. Cancelling the future
	 * ends the wait.
	 * @param waitTime how long to wait; zero or less tests once
	 * @return {@code true} if the barrier is not set, {@code false} if the time was over
	 */
	CompletableFuture<Boolean> waitOnBarrierAsync(Duration waitTime);

}
