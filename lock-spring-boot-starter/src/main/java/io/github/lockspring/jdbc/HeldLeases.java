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

package io.github.lockspring.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Deadline;

/**
 * Leases of this process that were granted, and neither released nor expired.
 * Thread-safe.
 */
final class HeldLeases {

	/**
	 * Time by which leases that end later may share one object.
	 */
	private static final long ROUNDING_NANOS = 1_000_000_000;

	private final Map<LeaseRequest, Long> ends = new ConcurrentHashMap<>();

	private volatile Long lastEnd = System.nanoTime();

	/**
	 * Record that a lease was granted or renewed.
	 */
	void add(LeaseRequest lease) {
		long end = Deadline.after(lease.terms().leaseTime());
		Long rounded = this.lastEnd;
		if (rounded - end < 0 || rounded - end > ROUNDING_NANOS) {
			rounded = end + ROUNDING_NANOS;
			this.lastEnd = rounded;
		}
		this.ends.put(lease, rounded);
	}

	void remove(LeaseRequest lease) {
		this.ends.remove(lease);
	}

	boolean contain(LeaseRequest lease) {
		return this.ends.containsKey(lease);
	}

	/**
	 * Return whether there is any. Removes expired ones.
	 */
	boolean exist() {
		long now = System.nanoTime();
		for (Map.Entry<LeaseRequest, Long> lease : this.ends.entrySet()) {
			if (lease.getValue() - now > 0) {
				return true;
			}
			this.ends.remove(lease.getKey(), lease.getValue());
		}
		return false;
	}

}
