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

package io.github.lockspring.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Daemon thread that runs short tasks at requested times. It exists as long as there are
 * {@linkplain Task#start() started} tasks. By default all tasks of the library share one
 * thread, regardless of the number of backends; a task that may block hands its work to a
 * separate thread.
 * <p>
 * Thread-safe.
 */
public final class TimerThread {

	private static final Log logger = LogFactory.getLog(TimerThread.class);

	/**
	 * Time of a run that is not requested.
	 */
	public static final long NEVER = Long.MAX_VALUE;

	private static final long RETRY_NANOS = 100_000_000;

	private static final TimerThread SHARED = new TimerThread("lock-timer", System::nanoTime, LockSupport::parkNanos);

	private final String name;

	private final LongSupplier clock;

	private final Parker parker;

	private final long origin;

	private final List<Task> tasks = new CopyOnWriteArrayList<>();

	/**
	 * The thread that runs the tasks, or {@code null} while none is started.
	 */
	private volatile @Nullable Thread thread;

	/**
	 * Create a timer with a separate thread.
	 * @param name the name of the thread
	 * @param clock the monotonic clock, in nanoseconds
	 * @param parker parks the thread
	 */
	public TimerThread(String name, LongSupplier clock, Parker parker) {
		this.name = name;
		this.clock = clock;
		this.parker = parker;
		this.origin = clock.getAsLong();
	}

	/**
	 * Return the timer of all tasks that use the system clock.
	 * @return the shared timer
	 */
	public static TimerThread shared() {
		return SHARED;
	}

	/**
	 * Create a task, which is not started.
	 * @param action the action to run, which must not block
	 * @return the task
	 */
	public Task task(Runnable action) {
		return new Task(action);
	}

	/**
	 * Return whether the caller is a task of this timer, and must not block.
	 * @return whether the current thread is the one of this timer
	 */
	public boolean isCurrentThread() {
		return this.thread == Thread.currentThread();
	}

	private synchronized void add(Task task) {
		if (this.thread == null) {
			startThread();
		}
		this.tasks.add(task);
		LockSupport.unpark(this.thread);
	}

	private void startThread() {
		Thread thread = DaemonThreads.create(this.name, this::run);
		this.thread = thread;
		try {
			thread.start();
		}
		catch (Throwable ex) {
			this.thread = null; // another start may find room for a thread
			throw ex;
		}
	}

	private synchronized void remove(Task task) {
		this.tasks.remove(task);
		if (this.tasks.isEmpty()) {
			Thread thread = this.thread;
			this.thread = null;
			LockSupport.unpark(thread);
		}
	}

	private void run() {
		while (isCurrentThread()) {
			try {
				sleepOrRunTasks();
			}
			catch (Throwable ex) {
				log("The timer of locks failed; it will be retried", ex);
				LockSupport.parkNanos(this, RETRY_NANOS);
				this.tasks.forEach((task) -> task.request(0)); // clock may have failed
			}
		}
	}

	/**
	 * Log a failure, unless that fails as well.
	 */
	private static void log(String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// the tasks are more important than the log
		}
	}

	private void sleepOrRunTasks() {
		long pause = nextWakeUp() - elapsed();
		if (pause > 0) {
			this.parker.parkNanos(this, pause);
			Thread.interrupted();
		}
		else {
			this.tasks.forEach(Task::runIfDue);
		}
	}

	private long nextWakeUp() {
		long next = NEVER;
		for (Task task : this.tasks) {
			next = Math.min(next, task.wakeUpAt.get());
		}
		return next;
	}

	private long elapsed() {
		return this.clock.getAsLong() - this.origin;
	}

	/**
	 * Task that is run at requested times.
	 * <p>
	 * Thread-safe.
	 */
	public final class Task {

		private final Runnable action;

		private final AtomicLong wakeUpAt = new AtomicLong(NEVER);

		private final AtomicLong runs = new AtomicLong();

		private volatile boolean running;

		private volatile boolean started;

		private Task(Runnable action) {
			this.action = action;
		}

		/**
		 * Start this task, which is then run at requested times, including those
		 * requested before.
		 */
		public void start() {
			synchronized (TimerThread.this) {
				if (!this.started) {
					add(this);
					this.started = true;
				}
			}
		}

		/**
		 * Stop this task until it is started again. Does not wait for the end of a run in
		 * progress.
		 */
		public void stop() {
			synchronized (TimerThread.this) {
				if (this.started) {
					this.started = false;
					remove(this);
				}
			}
		}

		/**
		 * Return whether this was stopped, or not started yet.
		 * @return whether it does not run
		 */
		public boolean isStopped() {
			return !this.started;
		}

		/**
		 * Return the number of runs that have begun.
		 * @return the number, which changes before the request of a run is cleared
		 */
		public long runs() {
			return this.runs.get();
		}

		/**
		 * Return whether no run is due or in progress. If the number of {@link #runs()}
		 * is unchanged as well, there was none in between.
		 * @return whether this waits, or is stopped
		 */
		public boolean isIdle() {
			return !this.started || (!this.running && this.wakeUpAt.get() - elapsed() > 0);
		}

		/**
		 * Return the time until the next run.
		 * @return the time in nanoseconds, not positive if a run is due, {@link #NEVER}
		 * or slightly less if none is requested
		 */
		public long nanosToNextRun() {
			return this.wakeUpAt.get() - elapsed();
		}

		/**
		 * Request a run at a time of the monotonic clock, or earlier. The request is
		 * cheap if an earlier run is already requested. A run that is requested while the
		 * task is running follows.
		 * @param nanoTime the time
		 */
		public void wakeUpAt(long nanoTime) {
			request(nanoTime - TimerThread.this.origin);
		}

		private void request(long when) {
			while (true) {
				long current = this.wakeUpAt.get();
				if (current <= when) {
					return;
				}
				if (this.wakeUpAt.compareAndSet(current, when)) {
					LockSupport.unpark(TimerThread.this.thread);
					return;
				}
			}
		}

		private void runIfDue() {
			if (this.started && this.wakeUpAt.get() - elapsed() <= 0) {
				this.running = true;
				this.runs.incrementAndGet();
				this.wakeUpAt.set(NEVER);
				run();
				this.running = false;
			}
		}

		private void run() {
			try {
				this.action.run();
			}
			catch (Throwable ex) {
				if (this.started) {
					request(elapsed() + RETRY_NANOS);
					log("Lock maintenance task failed; it will be retried", ex);
				}
			}
		}

	}

	/**
	 * Parks the current thread as {@link LockSupport#parkNanos(Object, long)} does.
	 */
	@FunctionalInterface
	public interface Parker {

		/**
		 * Park the current thread.
		 * @param blocker the object for which the thread waits
		 * @param nanos the maximum time to park
		 */
		void parkNanos(Object blocker, long nanos);

	}

}
