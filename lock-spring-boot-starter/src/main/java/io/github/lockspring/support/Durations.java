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

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Durations that can be counted in nanoseconds and added to a monotonic time without
 * overflow: longer ones, which mean <em>for ever</em>, become a hundred years.
 */
public final class Durations {

	/**
	 * Maximum duration: a hundred years.
	 */
	public static final Duration MAX = Duration.ofDays(36_500);

	/**
	 * {@link #MAX} in nanoseconds, about a third of what a {@code long} can hold.
	 */
	public static final long MAX_NANOS = MAX.toNanos();

	private Durations() {
	}

	/**
	 * Cap a duration.
	 * @param duration the duration
	 * @return the duration, or {@link #MAX} if it is longer
	 */
	public static Duration cap(Duration duration) {
		return min(duration, MAX);
	}

	/**
	 * Return the shorter of two durations.
	 * @param one a duration
	 * @param other another duration
	 * @return one of them
	 */
	public static Duration min(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * Return the longer of two durations.
	 * @param one a duration
	 * @param other another duration
	 * @return one of them
	 */
	public static Duration max(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * Check that a duration is longer than zero.
	 * @param duration the duration
	 * @param name what it is called
	 * @throws IllegalArgumentException if it is zero or negative
	 */
	public static void requirePositive(Duration duration, String name) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("'" + name + "' must be positive, not " + duration);
		}
	}

	/**
	 * Return a duration in nanoseconds, capped.
	 * @param duration the duration, not negative
	 * @return its nanoseconds, {@link #MAX_NANOS} at most
	 */
	public static long nanos(Duration duration) {
		return (duration.compareTo(MAX) < 0) ? duration.toNanos() : MAX_NANOS;
	}

	/**
	 * Return a wait time in nanoseconds, capped.
	 * @param time the wait time
	 * @return its nanoseconds, 0 if it is negative, {@link #MAX_NANOS} at most
	 */
	public static long waitNanos(Duration time) {
		return time.isNegative() ? 0 : nanos(time);
	}

	/**
	 * Return a wait time in nanoseconds, capped.
	 * @param time the wait time
	 * @param unit its unit
	 * @return its nanoseconds, 0 if it is negative, {@link #MAX_NANOS} at most
	 */
	public static long waitNanos(long time, TimeUnit unit) {
		return Math.min(Math.max(unit.toNanos(time), 0), MAX_NANOS);
	}

	/**
	 * Return whether a time is what is left of one that means <em>for ever</em>.
	 * @param nanos the time in nanoseconds
	 * @return whether it is longer than half of {@link #MAX_NANOS}
	 */
	public static boolean isIndefinite(long nanos) {
		return nanos > MAX_NANOS / 2;
	}

	/**
	 * Return a moment as a number of microseconds.
	 * @param instant the moment
	 * @return the microseconds since 1970, rounded down
	 */
	public static long micros(Instant instant) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
	}

	/**
	 * Return a moment that is given in microseconds.
	 * @param micros the microseconds since 1970
	 * @return the moment
	 */
	public static Instant ofMicros(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	/**
	 * Return a random time within the upper half of a time, so that processes do not
	 * retry in lockstep.
	 * @param nanos the maximum time in nanoseconds, not negative
	 * @return the random time in nanoseconds
	 */
	public static long jitter(long nanos) {
		return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
	}

}
