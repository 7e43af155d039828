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

package io.github.lockspring.simulator.history;

import java.time.Duration;

/**
 * Times to which a history is held.
 *
 * @param lease the lease time of locks
 * @param longestLease the longest time for which the store may keep a lease
 * @param operationTimeout the longest time of one call to the store
 * @param poll the longest time between two looks of one that waits
 * @param slack the time that processes need for themselves, and the precision of the
 * times in the history
 * @param reservation the longest time for which a released key is kept for a request that
 * waited, which may have ended without notice
 */
public record Bounds(Duration lease, Duration longestLease, Duration operationTimeout, Duration poll, Duration slack,
		Duration reservation) {

	/**
	 * Return how long a request may take beyond its wait time.
	 * @return nanoseconds
	 */
	long lateness() {
		return nanos(this.operationTimeout.plus(this.slack));
	}

	/**
	 * Return how long a key that is free may remain without an owner while a request
	 * waits.
	 * @return nanoseconds
	 */
	long handOff() {
		return nanos(this.poll.plus(this.operationTimeout).plus(this.slack));
	}

	/**
	 * Return how long after a fault leases may be in the store that nobody owns, or be
	 * owned without being in the store.
	 * @return nanoseconds
	 */
	long afterFault() {
		return nanos(this.longestLease.plus(this.slack));
	}

	/**
	 * Return how long faults may last within one lease time without a loss.
	 * @return nanoseconds
	 */
	long forgiven() {
		return nanos(this.lease) / 2;
	}

	long leaseTime() {
		return nanos(this.longestLease);
	}

	long reservationTime() {
		return nanos(this.reservation);
	}

	long callTime() {
		return nanos(this.operationTimeout);
	}

	long slackTime() {
		return nanos(this.slack);
	}

	private static long nanos(Duration duration) {
		return duration.toNanos();
	}

}
