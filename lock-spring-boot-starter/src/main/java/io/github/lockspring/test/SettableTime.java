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

package io.github.lockspring.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import io.github.lockspring.engine.TimeSource;

import org.springframework.util.Assert;

/**
 * Time that stands still until the test moves it. It is the clock of a store, as an
 * {@link InstantSource}, and of the one that holds its leases, as a {@link TimeSource};
 * one object for both, and they agree.
 * <p>
 * Safe for use by many threads at once.
 */
public final class SettableTime implements TimeSource, InstantSource {

	private final Map<Thread, Long> sleepers = new HashMap<>();

	private final ThreadLocal<Long> lastLook = ThreadLocal.withInitial(this::currentNanoTime);

	private Instant instant;

	private long nanoTime;

	/**
	 * Creates a time that starts at noon of the first day of 2026, UTC.
	 */
	public SettableTime() {
		this(Instant.parse("2026-01-01T12:00:00Z"));
	}

	/**
	 * Creates a time that starts at the given moment.
	 * @param start what the wall clock shows first
	 */
	public SettableTime(Instant start) {
		this.instant = start;
	}

	/**
	 * Lets time pass: both clocks move, and the threads whose sleep is over wake up.
	 * @param duration how far, not negative
	 */
	public synchronized void advance(Duration duration) {
		Assert.isTrue(!duration.isNegative(), () -> "'duration' must not be negative, but is " + duration);
		this.nanoTime += duration.toNanos();
		this.instant = this.instant.plus(duration);
		this.sleepers.forEach((thread, end) -> {
			if (this.nanoTime - end >= 0) {
				LockSupport.unpark(thread);
			}
		});
	}

	/**
	 * Moves the wall clock and leaves the monotonic clock where it is. Forwards, that is
	 * what a process sees that was suspended together with its machine, or whose clock
	 * was set; backwards, only the latter. Sleeping threads sleep on.
	 * @param duration how far, negative for backwards
	 */
	public synchronized void jumpWall(Duration duration) {
		this.instant = this.instant.plus(duration);
	}

	/**
	 * How many threads sleep until this time moves. A test that lets a thread wait asks
	 * here before it {@linkplain #advance(Duration) advances}; else the thread may begin
	 * to wait too late, for a time that is later still.
	 * @return the number of threads in {@link #parkNanos(Object, long)}
	 */
	public synchronized int sleepers() {
		return this.sleepers.size();
	}

	@Override
	public synchronized Instant instant() {
		return this.instant;
	}

	@Override
	public long currentTimeMillis() {
		return millis();
	}

	@Override
	public long nanoTime() {
		long look = currentNanoTime();
		this.lastLook.set(look);
		return look;
	}

	private synchronized long currentNanoTime() {
		return this.nanoTime;
	}

	/**
	 * Parks the current thread until it is unparked or interrupted, or until this time
	 * has moved far enough. The time counts from the thread's last look at
	 * {@link #nanoTime()}, so that a thread misses nothing that happens between its look
	 * and its sleep. As with {@link LockSupport}, it may return for no reason.
	 * @param blocker what the thread waits for
	 * @param nanos how long at most
	 */
	@Override
	public void parkNanos(Object blocker, long nanos) {
		if (nanos > 0) {
			long end = this.lastLook.get() + nanos;
			fallAsleep(end);
			try {
				if (currentNanoTime() - end < 0) {
					LockSupport.park(blocker);
				}
			}
			finally {
				wakeUp();
			}
		}
	}

	private synchronized void fallAsleep(long end) {
		this.sleepers.put(Thread.currentThread(), end);
	}

	private synchronized void wakeUp() {
		this.sleepers.remove(Thread.currentThread());
		this.lastLook.set(this.nanoTime);
	}

}
