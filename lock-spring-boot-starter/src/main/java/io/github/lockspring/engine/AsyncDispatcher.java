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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.TimerThread;

/**
 * Dispatches the steps of asynchronous acquisitions, or other calls, to threads.
 * <ol>
 * <li>One thread at a time takes the next step from the queue.</li>
 * <li>Before it runs the step, which may call the store or run callbacks that a user
 * attached to a future, it lets another thread take the next one.</li>
 * <li>Sleeping acquisitions are woken by a timed task, which only puts them into the
 * queue.</li>
 * </ol>
 * Thus no step waits for another, but thousands of short ones that arrive together do not
 * create thousands of threads. If the executor rejects a task, because the engine is shut
 * down, the steps are run by the calling threads.
 * <p>
 * Thread-safe.
 */
final class AsyncDispatcher implements DueCalls.Work<AsyncDispatcher.Timer> {

	private static final Log logger = LogFactory.getLog(AsyncDispatcher.class);

	private static final long PAUSE_NANOS = 100_000_000;

	private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean taking = new AtomicBoolean();

	private final AtomicInteger calls = new AtomicInteger();

	private final TimeSource time;

	private final Executor executor;

	private final TimerThread.Task task;

	private final DueCalls<Timer> timers;

	/**
	 * Create a dispatcher.
	 * @param context the context
	 * @param executor runs the steps
	 */
	AsyncDispatcher(EngineContext context, Executor executor) {
		this.time = context.time();
		this.executor = executor;
		this.task = context.task(this::takeNext);
		this.timers = new DueCalls<>(context, Runnable::run, this);
	}

	/**
	 * Dispatch a step to a thread that it may block.
	 */
	void execute(Runnable step) {
		this.steps.add(step);
		takeNext();
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

	private void takeNext() {
		if (this.steps.isEmpty() || !this.taking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.executor.execute(this::take);
		}
		catch (RejectedExecutionException ex) {
			this.taking.set(false);
			for (Runnable step = this.steps.poll(); step != null; step = this.steps.poll()) {
				step.run();
			}
		}
		catch (Throwable ex) {
			this.taking.set(false);
			logger.error("Could not start a thread for asynchronous acquisitions; it will be retried", ex);
			this.task.wakeUpAt(this.time.nanoTime() + PAUSE_NANOS);
		}
	}

	private void take() {
		Runnable step = this.steps.poll();
		this.taking.set(false);
		takeNext();
		if (step != null) {
			step.run();
		}
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
			cancel(timer);
			timer.sleeper.wakeUp();
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
