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

import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

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
final class AsyncDispatcher {

	private static final Log logger = LogFactory.getLog(AsyncDispatcher.class);

	private static final long PAUSE_NANOS = 100_000_000;

	private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

	/**
	 * Guarded by its monitor.
	 */
	private final TreeSet<Timer> timers = new TreeSet<>();

	private final AtomicBoolean taking = new AtomicBoolean();

	private final AtomicLong sequence = new AtomicLong();

	private final AtomicInteger calls = new AtomicInteger();

	private final TimeSource time;

	private final Executor executor;

	private final TimerThread.Task task;

	private final long origin;

	/**
	 * Create a dispatcher.
	 * @param context the context
	 * @param executor runs the steps
	 */
	AsyncDispatcher(EngineContext context, Executor executor) {
		this.time = context.time();
		this.executor = executor;
		this.task = context.task(this::run);
		this.origin = this.time.nanoTime();
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
			runAll();
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

	private void runAll() {
		for (Runnable step = this.steps.poll(); step != null; step = this.steps.poll()) {
			step.run();
		}
	}

	/**
	 * Schedule the wake-up of an acquisition at a time of the monotonic clock.
	 * @return what to {@link #cancel(Timer)} if it wakes up before
	 */
	Timer wakeUpAt(long nanoTime, Waiter sleeper) {
		Timer timer = new Timer(nanoTime - this.origin, this.sequence.incrementAndGet(), sleeper);
		synchronized (this.timers) {
			this.timers.add(timer);
		}
		this.task.wakeUpAt(nanoTime);
		return timer;
	}

	void cancel(Timer timer) {
		synchronized (this.timers) {
			this.timers.remove(timer);
		}
	}

	/**
	 * Task: wake the acquisitions whose timers have expired.
	 */
	private void run() {
		for (Timer timer = pollDue(); timer != null; timer = pollDue()) {
			timer.sleeper.wakeUp();
		}
		takeNext();
	}

	private @Nullable Timer pollDue() {
		synchronized (this.timers) {
			Timer first = this.timers.isEmpty() ? null : this.timers.first();
			if (first == null) {
				return null;
			}
			if (first.at - (this.time.nanoTime() - this.origin) > 0) {
				this.task.wakeUpAt(this.origin + first.at);
				return null;
			}
			return this.timers.pollFirst();
		}
	}

	/**
	 * Timer of a sleeping acquisition.
	 *
	 * @param at the time, relative to the start
	 * @param number a unique number, in the order in which the timers were set
	 * @param sleeper the acquisition to wake
	 */
	record Timer(long at, long number, Waiter sleeper) implements Comparable<Timer> {

		@Override
		public int compareTo(Timer other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.number, other.number);
		}

	}

}
