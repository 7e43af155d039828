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
 * Policy to yield to other processes on a store without a queue, where a process with a
 * local queue would otherwise retry before them.
 * <ol>
 * <li>After a lease was handed off as long as permitted, the process yields for twice the
 * time that it had the lease.</li>
 * <li>If the next attempt is denied, another process has acquired the lease: yielding was
 * useful.</li>
 * <li>If it is granted, there may be no other process, and the next delays are skipped:
 * one, then three, then seven, at most {@value #MAX_SKIPPED}.</li>
 * </ol>
 * Thread-safe.
 */
final class YieldPolicy {

	private static final int MAX_SKIPPED = 63;

	private final long minNanos;

	private final long maxNanos;

	private long yieldUntil;

	private boolean waiting;

	private int skip;

	private int left;

	/**
	 * Create a policy for one key.
	 * @param now the current time
	 * @param settings the delays between two attempts
	 */
	YieldPolicy(long now, EngineSettings settings) {
		this.yieldUntil = now;
		this.maxNanos = settings.polling().max().toNanos();
		this.minNanos = Math.min(2 * settings.polling().min().toNanos(), this.maxNanos);
	}

	/**
	 * Begin to yield, unless that is of no use.
	 * @param now the current time
	 * @param heldNanos the time for which the process had the lease
	 */
	synchronized void released(long now, long heldNanos) {
		if (this.left > 0) {
			this.left--;
			return;
		}
		this.yieldUntil = now + Math.min(Math.max(2 * heldNanos, this.minNanos), this.maxNanos);
		this.waiting = true;
	}

	/**
	 * Return the time before which no acquisition of this process should retry.
	 */
	synchronized long yieldUntil() {
		return this.yieldUntil;
	}

	/**
	 * Record the answer of the store.
	 * @param denied whether another process has the lease
	 */
	synchronized void answered(boolean denied) {
		if (denied) {
			this.skip = 0;
			this.left = 0;
		}
		else if (this.waiting) {
			this.skip = Math.min(2 * this.skip + 1, MAX_SKIPPED);
			this.left = this.skip;
		}
		this.waiting = false;
	}

}
