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

/**
 * Lets other processes have their turn on a store without a queue, where a process with a
 * line of its own would ask again before they do.
 * <ol>
 * <li>After a lease was passed on as long as it may, the process keeps quiet for twice
 * the time that it had the lease.</li>
 * <li>If the next attempt is denied, somebody else came in: quiet was worth it.</li>
 * <li>If it is granted, nobody may be there, and the next pauses are left out: one, then
 * three, then seven, at most {@value #MOST_LEFT_OUT}.</li>
 * </ol>
 * Safe for use by many threads.
 */
final class YieldPolicy {

	private static final int MOST_LEFT_OUT = 63;

	private final long shortestNanos;

	private final long longestNanos;

	private long yieldUntil;

	private boolean waiting;

	private int leaveOut;

	private int left;

	/**
	 * Creates it for one key.
	 * @param now the present time
	 * @param settings the pauses between two attempts
	 */
	YieldPolicy(long now, EngineSettings settings) {
		this.yieldUntil = now;
		this.longestNanos = settings.maxPoll().toNanos();
		this.shortestNanos = Math.min(2 * settings.minPoll().toNanos(), this.longestNanos);
	}

	/**
	 * Begins to keep quiet, unless it is of no use.
	 * @param now the present time
	 * @param heldNanos how long the process had the lease
	 */
	synchronized void released(long now, long heldNanos) {
		if (this.left > 0) {
			this.left--;
			return;
		}
		this.yieldUntil = now + Math.min(Math.max(2 * heldNanos, this.shortestNanos), this.longestNanos);
		this.waiting = true;
	}

	/**
	 * The time before which nobody here should ask.
	 */
	synchronized long yieldUntil() {
		return this.yieldUntil;
	}

	/**
	 * Tells what the store answered.
	 * @param denied whether somebody else has the lease
	 */
	synchronized void answered(boolean denied) {
		if (denied) {
			this.leaveOut = 0;
			this.left = 0;
		}
		else if (this.waiting) {
			this.leaveOut = Math.min(2 * this.leaveOut + 1, MOST_LEFT_OUT);
			this.left = this.leaveOut;
		}
		this.waiting = false;
	}

}
