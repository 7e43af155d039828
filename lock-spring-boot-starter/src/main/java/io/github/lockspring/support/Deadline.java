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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

	/**
	 * Wait for a future. An interrupt does not shorten the wait, because it would not
	 * undo the call whose answer is waited for. The interrupt status is preserved.
	 * @param <T> the type of the result
	 * @param future the future
	 * @param deadline the deadline
	 * @return the result of the future
	 * @throws ExecutionException if the future fails
	 * @throws TimeoutException if the future is not completed by the deadline
	 */
	public static <T> T await(Future<T> future, long deadline) throws ExecutionException, TimeoutException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
