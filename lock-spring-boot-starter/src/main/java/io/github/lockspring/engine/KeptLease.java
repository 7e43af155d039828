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

import org.jspecify.annotations.Nullable;

/**
 * Lease that is watched and renewed. Guarded by the monitor of the {@link Renewals}. One
 * that moves to another lane is replaced, so that it is part of one lane only.
 */
final class KeptLease extends DueCalls.Item implements Lease.Watch {

	private final Lease lease;

	/**
	 * Number of the lane in which it waits to be renewed.
	 */
	private final int lane;

	private Hold hold;

	/**
	 * The time of the next check whether the lease has expired.
	 */
	private long deadlineNanos;

	private int failures;

	/**
	 * Number of calls that were answered before the last one that failed for this lease.
	 */
	private int answers;

	KeptLease(Lease lease, Hold hold, int lane) {
		this.lease = lease;
		this.hold = hold;
		this.lane = lane;
		this.deadlineNanos = lease.deadlineNanos();
	}

	/**
	 * Create a replacement in another lane.
	 */
	KeptLease(KeptLease former, int lane) {
		this(former.lease, former.hold, lane);
		this.failures = former.failures;
		this.answers = former.answers;
	}

	int lane() {
		return this.lane;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Return the number of keys.
	 */
	@Override
	int size() {
		return this.lease.request().hasMultipleKeys() ? this.lease.request().keys().size() : 1;
	}

	/**
	 * Return the current hold of the lease.
	 * @return the hold, or {@code null} if there is none
	 */
	@Nullable Hold holder(LocalQueues queues) {
		if (!has(this.hold)) {
			Hold next = queues.holderOf(this.lease.request());
			if (next == null || !has(next)) {
				return null;
			}
			this.hold = next;
		}
		return this.hold;
	}

	private boolean has(Hold hold) {
		return hold.leaseOrNull() == this.lease && hold.hasLease() && !hold.isBorrowing();
	}

	void setDeadline(long deadlineNanos) {
		this.deadlineNanos = deadlineNanos;
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Return whether the outcome of the last renewal call is unknown for this lease.
	 */
	boolean isSuspect() {
		return this.failures > 0;
	}

	/**
	 * Return how many times it has failed: the next call for it is smaller each time, and
	 * made after the others.
	 */
	@Override
	int rank() {
		return this.failures;
	}

	/**
	 * Record a failed call for this lease. It counts if this lease may be the cause: if
	 * it is the first failure, or the store has answered other calls since.
	 * @param answers the number of calls answered until now
	 * @param alone whether no other lease may be the cause
	 */
	void failed(int answers, boolean alone) {
		if (this.failures == 0 || alone || answers - this.answers > 0) {
			this.failures++;
		}
		this.answers = answers;
	}

	void succeeded() {
		this.failures = 0;
	}

}
