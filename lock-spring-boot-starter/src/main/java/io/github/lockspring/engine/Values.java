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

package io.github.lockspring.engine;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;

/**
 * Values of a store as the primitives use them: read, changed, awaited and listened to,
 * by blocking and by asynchronous calls.
 * <p>
 * Every method throws an {@link EngineException}, or completes a future with it, if the
 * store failed, the engine is shut down, or the backend has no values. If its cause is an
 * {@link OutcomeUnknownException}, a change may have been made. Thread-safe.
 */
public final class Values {

	private final EngineContext context;

	private final Store store;

	private final TimeSource time;

	private final Dispatchers dispatchers;

	private final ValueUpdates updates;

	private final WatchedValues watches;

	/**
	 * Create the values of an engine.
	 * @param context the context
	 * @param dispatchers makes calls and completes waits in other threads
	 */
	Values(EngineContext context, Dispatchers dispatchers) {
		this.context = context;
		this.store = context.store();
		this.time = context.time();
		this.dispatchers = dispatchers;
		this.updates = new ValueUpdates(context);
		this.watches = new WatchedValues(context);
	}

	/**
	 * Read a value.
	 * @param key the key
	 * @return the value
	 */
	public Value read(String key) {
		return call(() -> this.store.read(key, this.context.settings().operationTimeout()));
	}

	/**
	 * Change a value. Ignores interrupts, but preserves the interrupt status.
	 * @param key the key
	 * @param change the change
	 * @return the value before and after
	 */
	public ValueUpdateResult update(String key, ValueChange change) {
		return call(() -> {
			if (change instanceof ValueChange.Expire) {
				this.store.requireExpiringValues();
			}
			return this.updates.update(key, change);
		});
	}

	/**
	 * Run a call that may block in another thread.
	 * @param <T> the type of the result
	 * @param call the call
	 * @return the future result
	 */
	public <T> CompletableFuture<T> async(Supplier<T> call) {
		return this.dispatchers.calls().call(call);
	}

	/**
	 * Return a call that fails without being made if it begins later than a call that
	 * begins now may end, because the threads wait for a store that hangs.
	 * @param <T> the type of the result
	 * @param call the call
	 * @return the call
	 */
	public <T> Supplier<T> unlessLate(Supplier<T> call) {
		long deadline = this.time.nanoTime() + 3 * Math.min(this.context.answerNanos(), Durations.MAX_NANOS / 3);
		return () -> {
			if (this.time.nanoTime() - deadline > 0) {
				throw this.store.notAnswered();
			}
			return call.get();
		};
	}

	private <T> T call(Supplier<T> call) {
		this.context.requireOpen();
		this.store.values(); // throws an exception if unsupported
		return this.store.orUnavailable(call);
	}

	/**
	 * Wait until a value meets a condition, which is tested once more when the time is
	 * over. An answer of the store to that is waited for as long as to any other call.
	 * @param key the key
	 * @param condition the condition, which is tested by several threads
	 * @param waitNanos the maximum time to wait; zero tests once
	 * @return the value that met the condition, or {@code null} if no value did in time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws EngineException if the store failed, and still failed when the time was
	 * over
	 */
	public @Nullable Value await(String key, Predicate<Value> condition, long waitNanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		ValueWait wait = new ValueWait(this.context, this.watches, key, condition, waitNanos);
		return await(wait, wait::begin, true);
	}

	/**
	 * Read a value, waiting for a store that is unavailable. Those that do so at the same
	 * time share the answer.
	 * @param interruptible whether an interrupt ends the waiting
	 */
	Value awaitRead(String key, long waitNanos, boolean interruptible) throws InterruptedException {
		ValueWait wait = new ValueWait(this.context, this.watches, key, (value) -> true, waitNanos);
		return Objects.requireNonNull(await(wait, wait::watch, interruptible));
	}

	private @Nullable Value await(ValueWait wait, Runnable begin, boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		try {
			begin.run();
			while (!wait.isDone()) {
				this.time.parkNanos(wait, wait.remaining());
				interrupted |= Thread.interrupted();
				if (interrupted && interruptible) {
					interrupted = false;
					throw new InterruptedException();
				}
			}
			return wait.result();
		}
		finally {
			wait.end();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Wait until a value meets a condition, without blocking the calling thread.
	 * Cancelling the future ends the wait.
	 * @param key the key
	 * @param condition the condition, which is tested by several threads
	 * @param waitNanos the maximum time to wait; zero tests once
	 * @return the value that met the condition, or {@code null} if no value did in time
	 * @see #await(String, Predicate, long)
	 */
	public CompletableFuture<@Nullable Value> awaitAsync(String key, Predicate<Value> condition, long waitNanos) {
		return new AsyncValueWait(this.context, this.watches, this.dispatchers.steps(), key, condition, waitNanos)
			.start();
	}

	/**
	 * Register a listener for a value. It is called in a separate thread with the value
	 * after one or more changes: the last value is always delivered, and no value twice
	 * in a row. Changes during an interruption of the connection to the store are
	 * delivered afterwards.
	 * @param key the key
	 * @param executor runs the listener
	 * @param listener the listener, whose exceptions are logged
	 * @return what to run to remove the listener
	 */
	public Runnable listen(String key, Executor executor, Consumer<Value> listener) {
		ValueListener observer = new ValueListener(key, read(key), executor, listener);
		this.watches.add(key, observer);
		return () -> {
			observer.close();
			this.watches.remove(key, observer);
		};
	}

	/**
	 * Return the number of keys that are updated, awaited or listened to.
	 * @return the number of keys
	 */
	public int size() {
		return this.updates.size() + this.watches.size();
	}

	WatchedValues watches() {
		return this.watches;
	}

}
