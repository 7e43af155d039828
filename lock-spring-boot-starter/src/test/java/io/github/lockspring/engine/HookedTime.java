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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.TimerThread;

/**
 * A time that has something happen when a thread looks at the clock, which is how a test
 * gets in between two steps of the engine.
 */
final class HookedTime implements TimeSource {

	private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final TimeSource time;

	private final AtomicInteger sleepsOfTimer = new AtomicInteger();

	private final AtomicLong readings = new AtomicLong();

	private volatile @Nullable Thread timer;

	private volatile @Nullable Hook hook;

	private volatile @Nullable Hook wakeHook;

	HookedTime(TimeSource time) {
		this.time = time;
	}

	/**
	 * Has something happen right after the given thread looks at the monotonic clock for
	 * the next time.
	 */
	void afterNextLook(Thread thread, Runnable action) {
		this.hook = new Hook(thread, action);
	}

	/**
	 * Has something happen right after the timer looks at the monotonic clock for the
	 * given time from now on.
	 */
	void afterLookOfTimer(int number, Runnable action) {
		Thread timer = Objects.requireNonNull(this.timer, "The timer has not slept yet");
		afterNextLook(timer, (number == 1) ? action : () -> afterLookOfTimer(number - 1, action));
	}

	/**
	 * Has something happen when the given thread wakes up.
	 */
	void beforeWaking(Thread thread, Runnable action) {
		this.wakeHook = new Hook(thread, action);
	}

	/**
	 * Waits until the timer has done all that is due and sleeps. An timer that is just
	 * falling asleep may not have looked at the clock for a while, hence twice.
	 */
	void awaitTimer() {
		for (int i = 0; i < 2; i++) {
			int before = sleepsOfTimer();
			LockSupport.unpark(this.timer);
			long start = System.nanoTime();
			// many times in a test: without Awaitility
			while (sleepsOfTimer() == before) {
				Thread.yield();
				if (System.nanoTime() - start > MAX_WAIT_NANOS) {
					throw new AssertionError("The timer does not go to sleep");
				}
			}
		}
	}

	/**
	 * How many times an timer thread went to sleep.
	 */
	int sleepsOfTimer() {
		return this.sleepsOfTimer.get();
	}

	/**
	 * Number of readings of the monotonic clock.
	 */
	long readings() {
		return this.readings.get();
	}

	@Override
	public long nanoTime() {
		this.readings.incrementAndGet();
		long now = this.time.nanoTime();
		Hook hook = this.hook;
		if (hook != null && hook.thread() == Thread.currentThread()) {
			this.hook = null;
			hook.action().run();
		}
		return now;
	}

	@Override
	public long currentTimeMillis() {
		return this.time.currentTimeMillis();
	}

	@Override
	public void parkNanos(Object blocker, long nanos) {
		if (blocker instanceof TimerThread) {
			this.timer = Thread.currentThread();
			this.sleepsOfTimer.incrementAndGet();
		}
		this.time.parkNanos(blocker, nanos);
		Hook hook = this.wakeHook;
		if (hook != null && hook.thread() == Thread.currentThread()) {
			this.wakeHook = null;
			hook.action().run();
		}
	}

	/**
	 * What happens to whom.
	 *
	 * @param thread the thread
	 * @param action what to do
	 */
	private record Hook(Thread thread, Runnable action) {

	}

}
