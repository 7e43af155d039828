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
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Distributed counterpart of {@link java.util.concurrent.atomic.AtomicLong}: a number in
 * the store, shared by all processes, which is 0 until it is changed and remains until it
 * is {@linkplain #delete() deleted} or its {@linkplain #expire time to live} is over.
 *
 * <pre class="code">{@code
 * DistributedAtomicLong invoices = client.atomicLong("invoices");
 * long number = invoices.incrementAndGet();
 * }</pre>
 * <p>
 * All operations are linearizable. An operation calls the store once, except that
 * {@link #updateAndGet} and its relatives call it twice or, if others change the number
 * in the meantime, more often. Additions made by several threads of a process at the same
 * time are combined into one call. Methods ignore interrupts, as a change that was sent
 * cannot be taken back, but preserve the interrupt status.
 * <p>
 * An update whose reply was lost is repeated, and the store recognizes the repetition: it
 * never counts twice. If the store does not answer within three operation timeouts, all
 * methods throw {@link io.github.lockspring.LockUnavailableException}. If its cause is an
 * {@link io.github.lockspring.spi.OutcomeUnknownException}, the change may have been
 * made, once; otherwise it was not.
 * <p>
 * The methods that end in {@code Async} do the same without blocking the calling thread,
 * and their futures fail with the same exceptions. Thread-safe.
 */
public interface DistributedAtomicLong {

	/**
	 * Return the number.
	 * @return the number, 0 if it was never set
	 */
	long get();

	/**
	 * Set the number.
	 * @param newValue the new number
	 */
	void set(long newValue);

	/**
	 * Set the number, and return the former one.
	 * @param newValue the new number
	 * @return the former number
	 */
	long getAndSet(long newValue);

	/**
	 * Set the number if it was never set, or has been deleted.
	 * @param newValue the new number
	 * @return whether the number was set
	 */
	boolean setIfAbsent(long newValue);

	/**
	 * Set the number if it is the expected one.
	 * @param expectedValue the expected number
	 * @param newValue the new number
	 * @return whether the number was as expected
	 */
	boolean compareAndSet(long expectedValue, long newValue);

	/**
	 * Add to the number.
	 * @param delta the number to add
	 * @return the new number
	 * @throws ArithmeticException if the sum is out of range; the number is unchanged
	 */
	long addAndGet(long delta);

	/**
	 * Add to the number.
	 * @param delta the number to add
	 * @return the former number
	 * @throws ArithmeticException if the sum is out of range; the number is unchanged
	 */
	long getAndAdd(long delta);

	/**
	 * Add 1 to the number.
	 * @return the new number
	 * @throws ArithmeticException if the sum is out of range; the number is unchanged
	 */
	default long incrementAndGet() {
		return addAndGet(1);
	}

	/**
	 * Add 1 to the number.
	 * @return the former number
	 * @throws ArithmeticException if the sum is out of range; the number is unchanged
	 */
	default long getAndIncrement() {
		return getAndAdd(1);
	}

	/**
	 * Subtract 1 from the number.
	 * @return the new number
	 * @throws ArithmeticException if the difference is out of range; the number is
	 * unchanged
	 */
	default long decrementAndGet() {
		return addAndGet(-1);
	}

	/**
	 * Subtract 1 from the number.
	 * @return the former number
	 * @throws ArithmeticException if the difference is out of range; the number is
	 * unchanged
	 */
	default long getAndDecrement() {
		return getAndAdd(-1);
	}

	/**
	 * Set the number to the result of a function.
	 * @param function calculates the new number from the present one; called again if
	 * another change was made in the meantime, so it should have no side effects
	 * @return the new number
	 */
	long updateAndGet(LongUnaryOperator function);

	/**
	 * Set the number to the result of a function.
	 * @param function calculates the new number from the present one; called again if
	 * another change was made in the meantime, so it should have no side effects
	 * @return the former number
	 */
	long getAndUpdate(LongUnaryOperator function);

	/**
	 * Set the number to the result of a function of the number and an operand.
	 * @param operand the second argument of the function
	 * @param function calculates the new number from the present one and the operand;
	 * called again if another change was made in the meantime
	 * @return the new number
	 */
	default long accumulateAndGet(long operand, LongBinaryOperator function) {
		return updateAndGet((number) -> function.applyAsLong(number, operand));
	}

	/**
	 * Set the number to the result of a function of the number and an operand.
	 * @param operand the second argument of the function
	 * @param function calculates the new number from the present one and the operand;
	 * called again if another change was made in the meantime
	 * @return the former number
	 */
	default long getAndAccumulate(long operand, LongBinaryOperator function) {
		return getAndUpdate((number) -> function.applyAsLong(number, operand));
	}

	/**
	 * Delete the number from the store, so that it is 0 again.
	 * @return the former number
	 */
	long getAndDelete();

	/**
	 * Delete the number from the store, so that it is 0 again.
	 * @return whether it had been set
	 */
	boolean delete();

	/**
	 * Set the time to live: the number is deleted when it has passed by the clock of the
	 * store, whether or not any process runs. Replaces a former one, which other changes
	 * leave as it is. A number that is set after the deletion has none.
	 * @param timeToLive the time to live from now on, rounded up to milliseconds; more
	 * than a hundred years are a hundred years
	 * @return whether the number was set; if not, nothing is changed
	 * @throws IllegalArgumentException if the time is zero or negative
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean expire(Duration timeToLive);

	/**
	 * Remove the time to live, so that the number remains until it is deleted.
	 * @return whether the number was set; if not, nothing is changed
	 * @throws UnsupportedOperationException if the backend does not support it
	 */
	boolean persist();

	/**
	 * Asynchronous form of {@link #get()}.
	 * @return the number
	 */
	CompletableFuture<Long> getAsync();

	/**
	 * Asynchronous form of {@link #set(long)}.
	 * @param newValue the new number
	 * @return completed when the number is set
	 */
	CompletableFuture<Void> setAsync(long newValue);

	/**
	 * Asynchronous form of {@link #getAndSet(long)}.
	 * @param newValue the new number
	 * @return the former number
	 */
	CompletableFuture<Long> getAndSetAsync(long newValue);

	/**
	 * Asynchronous form of {@link #compareAndSet(long, long)}.
	 * @param expectedValue the expected number
	 * @param newValue the new number
	 * @return whether the number was as expected
	 */
	CompletableFuture<Boolean> compareAndSetAsync(long expectedValue, long newValue);

	/**
	 * Asynchronous form of {@link #addAndGet(long)}.
	 * @param delta the number to add
	 * @return the new number
	 */
	CompletableFuture<Long> addAndGetAsync(long delta);

	/**
	 * Asynchronous form of {@link #getAndAdd(long)}.
	 * @param delta the number to add
	 * @return the former number
	 */
	CompletableFuture<Long> getAndAddAsync(long delta);

	/**
	 * Asynchronous form of {@link #incrementAndGet()}.
	 * @return the new number
	 */
	default CompletableFuture<Long> incrementAndGetAsync() {
		return addAndGetAsync(1);
	}

	/**
	 * Asynchronous form of {@link #decrementAndGet()}.
	 * @return the new number
	 */
	default CompletableFuture<Long> decrementAndGetAsync() {
		return addAndGetAsync(-1);
	}

	/**
	 * Asynchronous form of {@link #updateAndGet(LongUnaryOperator)}.
	 * @param function calculates the new number from the present one
	 * @return the new number
	 */
	CompletableFuture<Long> updateAndGetAsync(LongUnaryOperator function);

	/**
	 * Asynchronous form of {@link #expire(Duration)}.
	 * @param timeToLive the time to live from now on
	 * @return whether the number was set
	 */
	CompletableFuture<Boolean> expireAsync(Duration timeToLive);

	/**
	 * Asynchronous form of {@link #persist()}.
	 * @return whether the number was set
	 */
	CompletableFuture<Boolean> persistAsync();

	/**
	 * Asynchronous form of {@link #getAndDelete()}.
	 * @return the former number
	 */
	CompletableFuture<Long> getAndDeleteAsync();

}
