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

import org.springframework.util.Assert;

import io.github.lockspring.spi.TimeSource;

/**
 * Clock that only advances when instructed by the test. It acts both as the clock of a
 * store, as an {@link InstantSource}, and as the clock of the lease holder, as a
 * {@link TimeSource}, so that a single object keeps the two consistent.
 *
 * <pre class="code">{@code
 * SettableTime time = new SettableTime();
 * time.advance(Duration.ofSeconds(31)); // a lease of 30 seconds expires
 * }</pre>
 * <p>
 * As a bean it becomes the clock of all lock engines of an application context, and of
 * the backend {@code local}.
 * <p>
 * Thread-safe.
 */
public final class SettableTime implements TimeSource, InstantSource {

	private final Map<Thread, Long> sleepers = new HashMap<>();

	private final ThreadLocal<Long> lastLook = ThreadLocal.withInitial(this::currentNanoTime);

	private Instant instant;

	private long nanoTime;

	/**
	 * Create a clock that starts at noon UTC on January 1, 2026.
	 */
	public SettableTime() {
		this(Instant.parse("2026-01-01T12:00:00Z"));
	}

	/**
	 * Create a clock that starts at the given instant.
	 * @param start the initial time of the wall clock
	 */
	public SettableTime(Instant start) {
		this.instant = start;
	}

	/**
	 * Advance both the wall clock and the monotonic clock, and wake up the threads whose
	 * sleep has ended.
	 * @param duration the duration, not negative
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
	 * Adjust the wall clock without changing the monotonic clock. A forward jump
	 * simulates a process that was suspended together with its machine, or whose clock
	 * was set; a backward jump simulates only the latter. Sleeping threads are not woken
	 * up.
	 * @param duration the duration, negative to move backwards
	 */
	public synchronized void jumpWall(Duration duration) {
		this.instant = this.instant.plus(duration);
	}

	/**
	 * Return the number of threads that sleep until this clock advances. Check this
	 * before {@linkplain #advance(Duration) advancing} the clock for a thread that is
	 * about to wait; otherwise the thread may start to wait afterwards, until a later
	 * time.
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
	 * Park the current thread until it is unparked or interrupted, or until this clock
	 * has advanced by the given time. The time starts at the thread's last call of
	 * {@link #nanoTime()}, so that an advance between that call and the start of the
	 * sleep is not missed. As with {@link LockSupport}, it may return spuriously.
	 * @param blocker the object that the thread waits for
	 * @param nanos the maximum time to wait, in nanoseconds
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
