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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.Assert;

import io.github.lockspring.support.TimerThread;

/**
 * Runs the maintenance tasks of one engine at the earliest requested time, after which
 * they request their next run. All engines that use the clocks of the machine share one
 * timer thread.
 */
final class LeaseScheduler {

	static final long NEVER = Long.MAX_VALUE;

	private static final Log logger = LogFactory.getLog(LeaseScheduler.class);

	private static final long RETRY_NANOS = 100_000_000;

	private final TimeSource time;

	private final TimerThread.Task task;

	private Task[] tasks = {};

	LeaseScheduler(String name, TimeSource time) {
		this.time = time;
		TimerThread timer = (time == TimeSource.SYSTEM) ? TimerThread.shared()
				: new TimerThread("lock-timer-" + name, time::nanoTime, time::parkNanos);
		this.task = timer.task(this::runTasks);
	}

	void start(Task... tasks) {
		Assert.state(this.tasks.length == 0, "Started already");
		this.tasks = tasks;
		start();
	}

	/**
	 * Start again after a stop.
	 */
	void start() {
		Assert.state(this.task.isStopped(), "Not stopped");
		this.task.start();
	}

	/**
	 * Request that the tasks run at a time of the monotonic clock, or earlier. Very cheap
	 * if they will run earlier anyway.
	 */
	void wakeUpAt(long nanoTime) {
		this.task.runAt(nanoTime);
	}

	private void runTasks() {
		for (Task task : this.tasks) {
			try {
				task.run();
			}
			catch (Throwable ex) {
				if (this.task.isStopped()) {
					return; // and so are the threads that run the tasks
				}
				logger.error("Lock maintenance task failed; it will be retried", ex);
				wakeUpAt(this.time.nanoTime() + RETRY_NANOS);
			}
		}
	}

	void stop() {
		this.task.stop();
	}

	/**
	 * Something to do from time to time, which calls
	 * {@link LeaseScheduler#wakeUpAt(long)} for its next time. It does not block.
	 */
	@FunctionalInterface
	interface Task {

		void run();

	}

}
