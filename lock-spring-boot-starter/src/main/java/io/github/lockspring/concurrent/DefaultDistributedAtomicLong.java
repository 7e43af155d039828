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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Default implementation of {@link DistributedAtomicLong}.
 */
final class DefaultDistributedAtomicLong extends ExpirableValue implements DistributedAtomicLong {

	/**
	 * Longest pause, in nanoseconds, after another process was faster.
	 */
	private static final long MAX_PAUSE = 10_000_000;

	DefaultDistributedAtomicLong(StoredValue value) {
		super(value, "atomic long");
	}

	@Override
	public long get() {
		return this.value.read().number();
	}

	@Override
	public void set(long newValue) {
		getAndSet(newValue);
	}

	@Override
	public long getAndSet(long newValue) {
		return this.value.update(new ValueChange.Set(newValue, ValueChange.ANY_VERSION)).before().number();
	}

	@Override
	public boolean setIfAbsent(long newValue) {
		return this.value.update(new ValueChange.Set(newValue, Value.ABSENT.version())).applied();
	}

	@Override
	public boolean compareAndSet(long expectedValue, long newValue) {
		return this.value.update(new ValueChange.Replace(newValue, expectedValue)).applied();
	}

	@Override
	public long addAndGet(long delta) {
		return add(delta).after().number();
	}

	@Override
	public long getAndAdd(long delta) {
		return add(delta).before().number();
	}

	private ValueUpdateResult add(long delta) {
		ValueUpdateResult result = this.value.update(new ValueChange.Add(delta, Long.MIN_VALUE));
		if (!result.applied()) {
			throw new ArithmeticException(
					"The sum of " + result.before().number() + " and " + delta + " is out of range for the " + this);
		}
		return result;
	}

	@Override
	public long updateAndGet(LongUnaryOperator function) {
		return change(function).after().number();
	}

	@Override
	public long getAndUpdate(LongUnaryOperator function) {
		return change(function).before().number();
	}

	private ValueUpdateResult change(LongUnaryOperator function) {
		Value present = this.value.read();
		for (int attempt = 1;; attempt++) {
			ValueUpdateResult result = this.value
				.update(new ValueChange.Set(function.applyAsLong(present.number()), present.version()));
			if (result.applied()) {
				return result;
			}
			present = result.before();
			pause(attempt);
		}
	}

	/**
	 * Let others finish, after an attempt in which one of them was faster.
	 */
	private static void pause(int attempt) {
		long longest = Math.min(MAX_PAUSE, 50_000L * attempt);
		boolean interrupted = Thread.interrupted();
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest));
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public long getAndDelete() {
		return this.value.update(new ValueChange.Delete(ValueChange.ANY_VERSION)).before().number();
	}

	@Override
	public CompletableFuture<Long> getAsync() {
		return this.value.async(this::get);
	}

	@Override
	public CompletableFuture<Void> setAsync(long newValue) {
		return this.value.runAsync(() -> set(newValue));
	}

	@Override
	public CompletableFuture<Long> getAndSetAsync(long newValue) {
		return this.value.async(() -> getAndSet(newValue));
	}

	@Override
	public CompletableFuture<Boolean> compareAndSetAsync(long expectedValue, long newValue) {
		return this.value.async(() -> compareAndSet(expectedValue, newValue));
	}

	@Override
	public CompletableFuture<Long> addAndGetAsync(long delta) {
		return this.value.async(() -> addAndGet(delta));
	}

	@Override
	public CompletableFuture<Long> getAndAddAsync(long delta) {
		return this.value.async(() -> getAndAdd(delta));
	}

	@Override
	public CompletableFuture<Long> updateAndGetAsync(LongUnaryOperator function) {
		return this.value.async(() -> updateAndGet(function));
	}

	@Override
	public CompletableFuture<Long> getAndDeleteAsync() {
		return this.value.async(this::getAndDelete);
	}

}
