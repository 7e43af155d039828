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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches the steps of asynchronous acquisitions to threads.
 * <ol>
 * <li>One thread at a time takes the next step from the queue.</li>
 * <li>Before it runs the step, which may call the store or run callbacks that a user
 * attached to a future, it lets another thread take the next one.</li>
 * <li>Sleeping acquisitions are woken by the lease scheduler, which only puts them into
 * the queue.</li>
 * </ol>
 * Thus no step waits for another, but thousands of short ones that arrive together do not
 * create thousands of threads. If the executor rejects a task, because the engine is shut
 * down, the steps are run by the calling threads.
 * <p>
 * Thread-safe.
 */
final class AsyncDispatcher {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private static final long PAUSE_NANOS = 100_000_000;

	private final Queue<Runnable> row = new ConcurrentLinkedQueue<>();

	/**
	 * Guarded by its monitor.
	 */
	private final TreeSet<Alarm> alarms = new TreeSet<>();

	private final AtomicBoolean taking = new AtomicBoolean();

	private final AtomicLong sequence = new AtomicLong();

	private final LeaseScheduler leaseScheduler;

	private final TimeSource time;

	private final Executor executor;

	private final long origin;

	AsyncDispatcher(LeaseScheduler leaseScheduler, TimeSource time, Executor executor) {
		this.leaseScheduler = leaseScheduler;
		this.time = time;
		this.executor = executor;
		this.origin = time.nanoTime();
	}

	/**
	 * Dispatch a step to a thread that it may block.
	 */
	void execute(Runnable step) {
		this.row.add(step);
		takeNext();
	}

	private void takeNext() {
		if (this.row.isEmpty() || !this.taking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.executor.execute(this::take);
		}
		catch (RejectedExecutionException ex) {
			this.taking.set(false);
			makeAll();
		}
		catch (Throwable ex) {
			this.taking.set(false);
			logger.error("Could not start a thread for asynchronous acquisitions; it will be retried", ex);
			this.leaseScheduler.wakeUpAt(this.time.nanoTime() + PAUSE_NANOS);
		}
	}

	private void take() {
		Runnable step = this.row.poll();
		this.taking.set(false);
		takeNext();
		if (step != null) {
			step.run();
		}
	}

	private void makeAll() {
		for (Runnable step = this.row.poll(); step != null; step = this.row.poll()) {
			step.run();
		}
	}

	/**
	 * Schedule the wake-up of an acquisition at a time of the monotonic clock.
	 * @return what to {@link #cancel(Alarm)} if it wakes up before
	 */
	Alarm wakeAt(long nanoTime, Acquisition sleeper) {
		Alarm alarm = new Alarm(nanoTime - this.origin, this.sequence.incrementAndGet(), sleeper);
		synchronized (this.alarms) {
			this.alarms.add(alarm);
		}
		this.leaseScheduler.wakeUpAt(nanoTime);
		return alarm;
	}

	void cancel(Alarm alarm) {
		synchronized (this.alarms) {
			this.alarms.remove(alarm);
		}
	}

	/**
	 * Task: wake the acquisitions whose timers have expired.
	 */
	void run() {
		for (Alarm alarm = pollDue(); alarm != null; alarm = pollDue()) {
			alarm.sleeper.wake();
		}
		takeNext();
	}

	private @Nullable Alarm pollDue() {
		synchronized (this.alarms) {
			Alarm first = this.alarms.isEmpty() ? null : this.alarms.first();
			if (first == null) {
				return null;
			}
			if (first.at - (this.time.nanoTime() - this.origin) > 0) {
				this.leaseScheduler.wakeUpAt(this.origin + first.at);
				return null;
			}
			return this.alarms.pollFirst();
		}
	}

	/**
	 * Timer of a sleeping acquisition.
	 *
	 * @param at the time, relative to the start
	 * @param number a unique number, in the order in which the timers were set
	 * @param sleeper the acquisition to wake
	 */
	record Alarm(long at, long number, Acquisition sleeper) implements Comparable<Alarm> {

		@Override
		public int compareTo(Alarm other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.number, other.number);
		}

	}

}
