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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.TimeSource;

/**
 * Dispatches the steps of asynchronous acquisitions, or other calls, to threads.
 * <ol>
 * <li>A step may call the store, or run callbacks that a user attached to a future.</li>
 * <li>Sleeping acquisitions are woken by a timed task, which only dispatches their next
 * step.</li>
 * <li>A step that is rejected, because the engine is shut down, is run by the calling
 * thread. One for which no thread could be started is dispatched again later.</li>
 * </ol>
 * <p>
 * Thread-safe.
 */
final class AsyncDispatcher implements DueCalls.Work<AsyncDispatcher.Timer> {

	private static final Log logger = LogFactory.getLog(AsyncDispatcher.class);

	private static final long PAUSE_NANOS = 100_000_000;

	private final AtomicInteger calls = new AtomicInteger();

	private final TimeSource time;

	private final Executor executor;

	private final DueCalls<Timer> timers;

	/**
	 * Create a dispatcher.
	 * @param context the context
	 * @param executor runs the steps
	 */
	AsyncDispatcher(EngineContext context, Executor executor) {
		this.time = context.time();
		this.executor = executor;
		this.timers = new DueCalls<>(context, Runnable::run, this);
	}

	/**
	 * Dispatch a step to a thread that it may block.
	 */
	void execute(Runnable step) {
		try {
			this.executor.execute(step);
		}
		catch (RejectedExecutionException ex) {
			step.run();
		}
		catch (Throwable ex) {
			wakeUpAt(this.time.nanoTime() + PAUSE_NANOS, () -> execute(step));
			log(ex);
		}
	}

	/**
	 * Log a failure, unless that fails as well.
	 */
	private static void log(Throwable failure) {
		try {
			logger.error("Could not start a thread for asynchronous acquisitions; it will be retried", failure);
		}
		catch (Throwable ex) {
			// the step is more important than the log
		}
	}

	/**
	 * Run an action that may wait for the store in another thread.
	 * @return a future completed with the result or failure of the action
	 */
	<T> CompletableFuture<T> call(Supplier<T> action) {
		CompletableFuture<T> future = new CompletableFuture<>();
		this.calls.incrementAndGet();
		execute(() -> {
			Runnable outcome = outcome(future, action);
			this.calls.decrementAndGet();
			outcome.run();
		});
		return future;
	}

	private static <T> Runnable outcome(CompletableFuture<T> future, Supplier<T> action) {
		try {
			T result = action.get();
			return () -> future.complete(result);
		}
		catch (Throwable ex) {
			return () -> future.completeExceptionally(ex);
		}
	}

	/**
	 * Return whether an action that was to be called has not ended yet.
	 */
	boolean isCalling() {
		return this.calls.get() > 0;
	}

	/**
	 * Schedule the wake-up of an acquisition at a time of the monotonic clock.
	 * @return what to {@link #cancel(Timer)} if it wakes up before
	 */
	Timer wakeUpAt(long nanoTime, Waiter sleeper) {
		Timer timer = new Timer(sleeper);
		this.timers.schedule(timer, nanoTime);
		return timer;
	}

	void cancel(Timer timer) {
		this.timers.remove(timer);
	}

	/**
	 * Wake the acquisitions whose timers have expired.
	 */
	@Override
	public void call(List<Timer> due) {
		due.forEach((timer) -> {
			timer.sleeper.wakeUp();
			cancel(timer);
		});
	}

	@Override
	public long pauseAfterFailure() {
		return PAUSE_NANOS;
	}

	/**
	 * Timer of a sleeping acquisition.
	 */
	static final class Timer extends DueCalls.Item {

		private final Waiter sleeper;

		private Timer(Waiter sleeper) {
			this.sleeper = sleeper;
		}

	}

}
