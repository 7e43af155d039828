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

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Owner of a hold by which this process retains a lease for its next acquisition. It
 * never waits.
 */
final class Retention implements Waiter {

	private final AtomicInteger count;

	private final long sinceNanos;

	/**
	 * Create an owner of one hold.
	 * @param count the number of all such holds
	 * @param sinceNanos the monotonic time at which the last owner released the lease
	 */
	Retention(AtomicInteger count, long sinceNanos) {
		this.count = count;
		this.sinceNanos = sinceNanos;
	}

	long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Record that the hold was added to a queue.
	 */
	void begin() {
		this.count.incrementAndGet();
	}

	/**
	 * Record that the hold was removed from its queue.
	 */
	void end() {
		this.count.decrementAndGet();
	}

	@Override
	public void wakeUp() {
	}

}
