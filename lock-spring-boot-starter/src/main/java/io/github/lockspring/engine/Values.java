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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Values of a store as the primitives use them: read, changed, awaited and listened to,
 * by blocking and by asynchronous calls.
 * <p>
 * Every method throws an {@link EngineException}, or completes a future with it, if the
 * store failed, the engine is shut down, or the backend has no values. If its cause is an
 * {@link OutcomeUnknownException}, a change may have been made. Thread-safe.
 */
public final class Values {

	private static final Log logger = LogFactory.getLog(Values.class);

	private final EngineContext context;

	private final Store store;

	private final TimeSource time;

	private final AsyncDispatcher asyncDispatcher;

	private final AsyncDispatcher callDispatcher;

	private final ValueUpdates updates;

	private final ValueWatches watches;

	/**
	 * Create the values of an engine.
	 * @param context the context
	 * @param asyncDispatcher completes asynchronous waits
	 * @param callDispatcher makes calls to the store in other threads
	 */
	Values(EngineContext context, AsyncDispatcher asyncDispatcher, AsyncDispatcher callDispatcher) {
		this.context = context;
		this.store = context.store();
		this.time = context.time();
		this.asyncDispatcher = asyncDispatcher;
		this.callDispatcher = callDispatcher;
		this.updates = new ValueUpdates(context);
		this.watches = new ValueWatches(context);
	}

	/**
	 * Read a value.
	 * @param key the key
	 * @return the value
	 */
	public Value read(String key) {
		return read(key, this.context.settings().operationTimeout());
	}

	Value read(String key, Duration timeout) {
		return call(() -> readInStore(key, timeout));
	}

	private Value readInStore(String key, Duration timeout) {
		return this.store.read(List.of(key), false, timeout).getOrDefault(key, Value.ABSENT);
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
		return this.callDispatcher.call(call);
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
		Await await = new Await(key, condition, waitNanos);
		try {
			await.begin();
			while (!await.isDone()) {
				this.time.parkNanos(await, await.remaining());
				if (Thread.interrupted()) {
					throw new InterruptedException();
				}
			}
		}
		finally {
			await.end();
		}
		return await.result();
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
		return new AsyncAwait(key, condition, waitNanos).start();
	}

	/**
	 * Register a listener for a value. It is called in a separate thread with the value
	 * after one or more changes: the last value is always delivered, and no value twice
	 * in a row. Changes during an interruption of the connection to the store are
	 * delivered afterwards.
	 * @param key the key
	 * @param executor runs the listener
	 * @param listener the listener, whose exceptions are logged
	 * @return the registration, which removes the listener
	 */
	public Registration listen(String key, Executor executor, Consumer<Value> listener) {
		Listener observer = new Listener(key, executor, listener);
		observer.begin(read(key));
		return observer;
	}

	/**
	 * Register a listener with the present value, which is not delivered.
	 */
	Registration listen(String key, Value present, Executor executor, Consumer<Value> listener) {
		Listener observer = new Listener(key, executor, listener);
		observer.begin(present);
		return observer;
	}

	/**
	 * Return an executor for callbacks of the application.
	 * @return the executor
	 */
	public Executor callbacks() {
		return this.context.threads().callbacks();
	}

	/**
	 * Return the number of keys that are updated, awaited or listened to.
	 * @return the number of keys
	 */
	public int size() {
		return this.updates.size() + this.watches.size();
	}

	void onChanged(String key) {
		this.watches.onChanged(key);
	}

	/**
	 * Wake all waiters after the engine was closed.
	 */
	void wakeAll() {
		this.watches.wakeAll();
	}

	/**
	 * Wait of a thread until a value meets a condition.
	 */
	private class Await implements ValueWatches.Observer {

		private final String key;

		private final Predicate<Value> condition;

		private final long deadline;

		/**
		 * Time until which the last answer is waited for.
		 */
		private volatile long answerDeadline;

		private final Thread thread = Thread.currentThread();

		private volatile boolean watching;

		/**
		 * The last test, after the deadline. Set once, guarded by the monitor.
		 */
		private volatile @Nullable LastLook lastLook;

		private volatile @Nullable Value met;

		private volatile @Nullable RuntimeException failure;

		Await(String key, Predicate<Value> condition, long waitNanos) {
			this.key = key;
			this.condition = condition;
			this.deadline = Values.this.time.nanoTime() + Math.min(Math.max(waitNanos, 0), Durations.MAX_NANOS);
			this.answerDeadline = this.deadline + Values.this.context.answerNanos();
		}

		/**
		 * Test the value once, and start to watch it if there is time to wait.
		 */
		void begin() {
			Values.this.context.requireOpen();
			boolean waits = remaining() > 0;
			if (waits) {
				Values.this.store.values(); // throws an exception if unsupported
			}
			try {
				onValue(readInStore(this.key, Values.this.context.timeoutUntil(this.answerDeadline)));
			}
			catch (BackendException ex) {
				onFailure(ex);
			}
			if (waits && !isMet()) {
				watch();
			}
		}

		void watch() {
			this.watching = true;
			Values.this.watches.add(this.key, this);
		}

		void end() {
			if (this.watching) {
				Values.this.watches.remove(this.key, this);
			}
			LastLook lastLook = this.lastLook;
			if (lastLook != null) {
				Values.this.watches.remove(this.key, lastLook);
			}
		}

		@Override
		public void onValue(Value value) {
			this.failure = null;
			if (this.met == null && test(value)) {
				this.met = value;
				wakeUp();
			}
		}

		private boolean test(Value value) {
			try {
				return this.condition.test(value);
			}
			catch (RuntimeException ex) {
				this.failure = ex;
				return false;
			}
		}

		@Override
		public void onFailure(@Nullable BackendException failure) {
			this.failure = (failure != null) ? Values.this.store.unavailable(failure) : null;
		}

		@Override
		public void wakeUp() {
			LockSupport.unpark(this.thread);
		}

		private boolean isMet() {
			return this.met != null;
		}

		/**
		 * Return whether the wait is over. When its time is, begins to look a last time.
		 */
		boolean isDone() {
			if (isMet() || Values.this.context.isClosed()) {
				return true;
			}
			if (nanosUntil(this.deadline) > 0) {
				return false;
			}
			boolean over = !this.watching || (this.failure != null && nanosUntil(this.answerDeadline) <= 0);
			return over || lookOnce().answered || nanosUntil(this.answerDeadline) <= 0;
		}

		private synchronized LastLook lookOnce() {
			LastLook lastLook = this.lastLook;
			if (lastLook == null) {
				lastLook = new LastLook(this);
				this.answerDeadline = Values.this.time.nanoTime() + Values.this.context.answerNanos();
				this.lastLook = lastLook;
				Values.this.watches.add(this.key, lastLook);
			}
			return lastLook;
		}

		/**
		 * Return the time until the next call of {@link #isDone} at the latest.
		 */
		long remaining() {
			return nanosUntil((this.lastLook != null) ? this.answerDeadline : this.deadline);
		}

		private long nanosUntil(long time) {
			return time - Values.this.time.nanoTime();
		}

		@Nullable Value result() {
			Value met = this.met;
			RuntimeException failure = this.failure;
			LastLook lastLook = this.lastLook;
			if (met == null && Values.this.context.isClosed()) {
				throw EngineContext.closedException();
			}
			if (met == null && failure != null) {
				throw failure;
			}
			if (met == null && lastLook != null && !lastLook.answered) {
				throw Values.this.store.notAnswered();
			}
			return met;
		}

	}

	/**
	 * Test of a value that was read after the deadline of a wait.
	 */
	private static final class LastLook implements ValueWatches.Observer {

		private final Await await;

		private volatile boolean answered;

		LastLook(Await await) {
			this.await = await;
		}

		@Override
		public void onValue(Value value) {
			this.await.onValue(value);
			wakeUp();
		}

		@Override
		public void onFailure(@Nullable BackendException failure) {
			this.await.onFailure(failure);
			wakeUp();
		}

		@Override
		public void wakeUp() {
			this.answered = true;
			this.await.wakeUp();
		}

	}

	/**
	 * Asynchronous wait, without a thread.
	 */
	private final class AsyncAwait extends Await implements Waiter {

		private final CompletableFuture<@Nullable Value> future = new CompletableFuture<>();

		private volatile AsyncDispatcher.@Nullable Timer timer;

		AsyncAwait(String key, Predicate<Value> condition, long waitNanos) {
			super(key, condition, waitNanos);
		}

		CompletableFuture<@Nullable Value> start() {
			this.future.whenComplete((value, failure) -> stop());
			try {
				Values.this.context.requireOpen();
				Values.this.store.values(); // throws an exception if unsupported
				watch();
				completeIfDone();
			}
			catch (Throwable ex) {
				this.future.completeExceptionally(ex);
			}
			return this.future;
		}

		private void stop() {
			end();
			AsyncDispatcher.Timer timer = this.timer;
			if (timer != null) {
				Values.this.asyncDispatcher.cancel(timer);
			}
		}

		@Override
		public void wakeUp() {
			Values.this.asyncDispatcher.execute(this::completeIfDone);
		}

		private void completeIfDone() {
			try {
				if (isDone()) {
					this.future.complete(result());
				}
				else {
					this.timer = Values.this.asyncDispatcher.wakeUpAt(Values.this.time.nanoTime() + remaining(), this);
				}
			}
			catch (RuntimeException ex) {
				this.future.completeExceptionally(ex);
			}
			if (this.future.isDone()) {
				stop(); // it may have been cancelled in the meantime
			}
		}

	}

	/**
	 * Listener that is called with one value at a time.
	 */
	private final class Listener implements ValueWatches.Observer, Registration {

		private final String key;

		private final Executor executor;

		private final Consumer<Value> listener;

		/**
		 * The last value, and the last one that was delivered. Guarded by the monitor.
		 */
		private @Nullable Value current;

		private @Nullable Value delivered;

		private boolean delivering;

		private boolean closed;

		Listener(String key, Executor executor, Consumer<Value> listener) {
			this.key = key;
			this.executor = executor;
			this.listener = listener;
		}

		/**
		 * Start with the present value, which is not delivered.
		 */
		void begin(Value present) {
			this.current = present;
			this.delivered = present;
			Values.this.watches.add(this.key, this);
		}

		@Override
		public void onValue(Value value) {
			synchronized (this) {
				this.current = value;
				if (this.delivering || this.closed || value.equals(this.delivered)) {
					return;
				}
				this.delivering = true;
			}
			try {
				this.executor.execute(this::deliver);
			}
			catch (Throwable ex) {
				if (!(ex instanceof RejectedExecutionException)) {
					logger.error("The executor of a listener for the value " + KeyFormat.quote(this.key) + " failed",
							ex);
				}
				synchronized (this) {
					this.delivering = false; // until the value is read again
				}
			}
		}

		private void deliver() {
			for (Value value = next(); value != null; value = next()) {
				try {
					this.listener.accept(value);
				}
				catch (Throwable ex) {
					logger.error("A listener for the value " + KeyFormat.quote(this.key) + " failed", ex);
				}
			}
		}

		private synchronized @Nullable Value next() {
			Value value = this.current;
			if (this.closed || value == null || value.equals(this.delivered)) {
				this.delivering = false;
				return null;
			}
			this.delivered = value;
			return value;
		}

		@Override
		public void onFailure(@Nullable BackendException failure) {
			// the value is read again
		}

		@Override
		public void wakeUp() {
			// does not wait
		}

		@Override
		public void close() {
			synchronized (this) {
				this.closed = true;
			}
			Values.this.watches.remove(this.key, this);
		}

	}

	/**
	 * Registration of a listener.
	 */
	@FunctionalInterface
	public interface Registration {

		/**
		 * Stop to call the listener.
		 */
		void close();

	}

}
