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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockspring.support.DaemonThreads;

/**
 * The one thread that looks after leases: it sleeps until the earliest moment that
 * anybody asked for, runs its chores, and asks them when they want to run again.
 * <p>
 * A moment that is asked for while the chores run is not forgotten: the thread lets go of
 * the former moment before it runs them.
 */
final class Upkeep {

	static final long NEVER = Long.MAX_VALUE;

	private static final Log logger = LogFactory.getLog(Upkeep.class);

	private static final long AFTER_FAILURE_NANOS = Duration.ofMillis(100).toNanos();

	private final TimeSource time;

	private final long origin;

	private final AtomicLong wakeAt = new AtomicLong(NEVER);

	private final String name;

	private Chore[] chores = {};

	/**
	 * The thread that runs the chores, or {@code null} while this is stopped.
	 */
	private volatile @Nullable Thread thread;

	Upkeep(String name, TimeSource time) {
		this.time = time;
		this.origin = time.nanoTime();
		this.name = "lock-upkeep-" + name;
	}

	void start(Chore... chores) {
		Assert.state(this.chores.length == 0, "Started already");
		this.chores = chores;
		start();
	}

	/**
	 * Starts again after a stop.
	 */
	void start() {
		Assert.state(this.thread == null, "Not stopped");
		Thread thread = DaemonThreads.create(this.name, this::run);
		this.thread = thread;
		thread.start();
	}

	private boolean isStopped() {
		return this.thread != Thread.currentThread();
	}

	/**
	 * Asks for the chores to run at a moment of the monotonic clock, or earlier. Costs
	 * next to nothing if they will run earlier anyway.
	 */
	void runAt(long nanoTime) {
		request(nanoTime - this.origin);
	}

	private void request(long when) {
		while (true) {
			long current = this.wakeAt.get();
			if (current <= when) {
				return;
			}
			if (this.wakeAt.compareAndSet(current, when)) {
				LockSupport.unpark(this.thread);
				return;
			}
		}
	}

	private void run() {
		while (!isStopped()) {
			try {
				sleepOrRunChores();
			}
			catch (Throwable ex) {
				logger.error("The upkeep of locks failed and goes on", ex);
				LockSupport.parkNanos(this, AFTER_FAILURE_NANOS);
				request(0); // at once, without a look at the clock
			}
		}
	}

	private void sleepOrRunChores() {
		long pause = this.wakeAt.get() - (this.time.nanoTime() - this.origin);
		if (pause > 0) {
			this.time.parkNanos(this, pause);
			Thread.interrupted();
		}
		else {
			this.wakeAt.set(NEVER);
			runChores();
		}
	}

	private void runChores() {
		for (Chore chore : this.chores) {
			try {
				chore.run();
			}
			catch (Throwable ex) {
				if (isStopped()) {
					return; // and so are those that work for the chores
				}
				logger.error("A chore of the upkeep of locks failed and will run again", ex);
				request(this.time.nanoTime() - this.origin + AFTER_FAILURE_NANOS);
			}
		}
	}

	void stop() {
		Thread thread = this.thread;
		this.thread = null;
		LockSupport.unpark(thread);
	}

	/**
	 * Something to do from time to time, which calls {@link Upkeep#runAt(long)} for its
	 * next time. It does not block.
	 */
	@FunctionalInterface
	interface Chore {

		void run();

	}

}
