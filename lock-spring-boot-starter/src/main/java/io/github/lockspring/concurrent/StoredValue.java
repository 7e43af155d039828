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
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Values;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * A value in the store, with exceptions of the public API. Each kind of object has a
 * suffix of its own, so that objects of different kinds have different values for the
 * same key.
 */
final class StoredValue {

	private final Values values;

	private final String storeKey;

	StoredValue(Values values, String storeKey) {
		this.values = values;
		this.storeKey = storeKey;
	}

	Values values() {
		return this.values;
	}

	String storeKey() {
		return this.storeKey;
	}

	Value read() {
		return call(() -> this.values.read(this.storeKey));
	}

	ValueUpdateResult update(ValueChange change) {
		return call(() -> this.values.update(this.storeKey, change));
	}

	/**
	 * Set the time to live of the value.
	 * @return the value before, {@link Value#ABSENT} if there is none
	 */
	Value expire(Duration timeToLive) {
		Durations.requirePositive(timeToLive, "timeToLive");
		return update(new ValueChange.Expire(Durations.cap(timeToLive).plusNanos(999_999).toMillis())).before();
	}

	/**
	 * Let the value remain until it is deleted.
	 * @return the value before, {@link Value#ABSENT} if there is none
	 */
	Value persist() {
		return update(new ValueChange.Expire(0)).before();
	}

	/**
	 * Return a condition that is met by the end of the generation that is seen first, or
	 * by another generation, because the former one must have ended then.
	 * @param ended whether a value is that of an end
	 * @param generation the generation of a value, not negative
	 */
	static Predicate<Value> endOf(Predicate<Value> ended, ToLongFunction<Value> generation) {
		AtomicLong first = new AtomicLong(-1);
		return (value) -> {
			long present = generation.applyAsLong(value);
			return ended.test(value) || (!first.compareAndSet(-1, present) && first.get() != present);
		};
	}

	/**
	 * Wait until the value meets a condition.
	 * @return the value that did, or {@code null} if the time was over
	 */
	@Nullable Value await(Predicate<Value> condition, long waitNanos) throws InterruptedException {
		try {
			return this.values.await(this.storeKey, condition, waitNanos);
		}
		catch (EngineException ex) {
			throw translate(ex);
		}
	}

	/**
	 * Wait until the value meets a condition, without blocking the thread.
	 * @return whether it did, {@code false} if the time was over
	 */
	CompletableFuture<Boolean> awaitAsync(Predicate<Value> condition, Duration wait) {
		CompletableFuture<@Nullable Value> met = this.values.awaitAsync(this.storeKey, condition,
				Durations.waitNanos(wait));
		CompletableFuture<Boolean> future = met.thenApply((value) -> value != null)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(translated(failure)));
		future.whenComplete((result, failure) -> met.cancel(false));
		return future;
	}

	/**
	 * Run a call in another thread.
	 */
	<T> CompletableFuture<T> async(Supplier<T> call) {
		Supplier<T> timely = this.values.unlessLate(call);
		return this.values.async(() -> call(timely));
	}

	/**
	 * Run an action in another thread.
	 */
	CompletableFuture<Void> runAsync(Runnable action) {
		return async(() -> {
			action.run();
			return null;
		});
	}

	private Throwable translated(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof EngineException ex) ? translate(ex) : cause;
	}

	/**
	 * Make a call, and throw its failure as an exception of the public API.
	 */
	<T> T call(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (EngineException ex) {
			throw translate(ex);
		}
	}

	private RuntimeException translate(EngineException failure) {
		return LockUtils.translateValueFailure(failure, this.storeKey);
	}

	@Override
	public String toString() {
		return KeyFormat.quote(this.storeKey);
	}

}
