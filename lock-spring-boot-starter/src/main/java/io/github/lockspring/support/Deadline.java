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

/**
 * Deadlines, which are times of {@link System#nanoTime()}: plain numbers, so that none
 * has to be allocated for every call.
 */
public final class Deadline {

	private Deadline() {
	}

	/**
	 * Return the deadline after a duration.
	 * @param time the duration from now, {@linkplain Durations#cap capped}
	 * @return the deadline
	 */
	public static long after(Duration time) {
		return System.nanoTime() + Durations.nanos(time);
	}

	/**
	 * Return whether a deadline has passed.
	 * @param deadline the deadline
	 * @return whether no time remains
	 */
	public static boolean isOver(long deadline) {
		return System.nanoTime() - deadline >= 0;
	}

	/**
	 * Return the time until a deadline in nanoseconds.
	 * @param deadline the deadline
	 * @return the remaining time, 0 if it has passed
	 */
	public static long remainingNanos(long deadline) {
		return Math.max(0, deadline - System.nanoTime());
	}

	/**
	 * Return the time until a deadline.
	 * @param deadline the deadline
	 * @return the remaining time, zero if it has passed
	 */
	public static Duration remaining(long deadline) {
		return Duration.ofNanos(remainingNanos(deadline));
	}

}
