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
 * Clock that only advances when instructed by the test, or that runs like the clock of
 * the machine and can be advanced {@linkplain #running() in addition}. It acts both as
 * the clock of a store, as an {@link InstantSource}, and as the clock of the lease
 * holder, as a {@link TimeSource}, so that a single object keeps the two consistent.
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

	private final boolean running;

	private final Instant start;

	private final long startNanos = System.nanoTime();

	/**
	 * Time that the test has added to the monotonic clock.
	 */
	private long nanoTime;

	/**
	 * Time that the test has added to the wall clock.
	 */
	private Duration shift = Duration.ZERO;

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
		this(start, false);
	}

	private SettableTime(Instant start, boolean running) {
		this.start = start;
		this.running = running;
	}

	/**
	 * Create a clock that shows the time of the machine and runs like it, so that waiting
	 * threads need not be woken up by the test, and that can be advanced in addition.
	 * @return the clock
	 */
	public static SettableTime running() {
		return new SettableTime(Instant.now(), true);
	}

	/**
	 * Advance both the wall clock and the monotonic clock, and wake up the threads whose
	 * sleep has ended.
	 * @param duration the duration, not negative
	 */
	public synchronized void advance(Duration duration) {
		Assert.isTrue(!duration.isNegative(), () -> "'duration' must not be negative, but is " + duration);
		this.nanoTime += duration.toNanos();
		this.shift = this.shift.plus(duration);
		long now = currentNanoTime();
		this.sleepers.forEach((thread, end) -> {
			if (this.running || now - end >= 0) { // a running one sleeps for less now
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
		this.shift = this.shift.plus(duration);
	}

	/**
	 * Set the wall clock back to the time that it had without the test. The monotonic
	 * clock is not changed, because it never moves backwards.
	 */
	synchronized void resetWall() {
		this.shift = Duration.ZERO;
	}

	/**
	 * Return whether the wall clock shows the time that it has without the test.
	 */
	synchronized boolean isUnmoved() {
		return this.shift.isZero();
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
		return (this.running ? Instant.now() : this.start).plus(this.shift);
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
		return this.running ? this.nanoTime + System.nanoTime() - this.startNanos : this.nanoTime;
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
				park(blocker, end - currentNanoTime());
			}
			finally {
				wakeUp();
			}
		}
	}

	private void park(Object blocker, long nanos) {
		if (nanos > 0 && this.running) {
			LockSupport.parkNanos(blocker, nanos);
		}
		else if (nanos > 0) {
			LockSupport.park(blocker);
		}
	}

	private synchronized void fallAsleep(long end) {
		this.sleepers.put(Thread.currentThread(), end);
	}

	private synchronized void wakeUp() {
		this.sleepers.remove(Thread.currentThread());
		this.lastLook.set(currentNanoTime());
	}

}
