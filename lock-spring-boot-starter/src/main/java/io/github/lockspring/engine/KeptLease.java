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
 * A lease that is looked after. Belongs to the upkeep, which lends it to the thread that
 * renews it.
 */
final class KeptLease {

	private final Lease lease;

	private Hold hold;

	/**
	 * When the lease is to be renewed.
	 */
	private long dueNanos;

	/**
	 * The time from one renewal to the next.
	 */
	private long intervalNanos;

	/**
	 * The moment at which somebody looks whether the lease is over.
	 */
	private long deadlineNanos;

	private int failures;

	/**
	 * How many calls were answered until the last that failed for this.
	 */
	private long answers;

	KeptLease(Lease lease, Hold hold) {
		this.lease = lease;
		this.hold = hold;
		this.deadlineNanos = lease.deadlineNanos();
	}

	Lease lease() {
		return this.lease;
	}

	int keys() {
		return this.lease.request().hasMultipleKeys() ? this.lease.request().keys().size() : 1;
	}

	/**
	 * Whoever has the lease now.
	 * @return {@code null} if nobody does any more
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

	void setDue(long dueNanos, long intervalNanos) {
		this.dueNanos = dueNanos;
		this.intervalNanos = intervalNanos;
	}

	long dueNanos() {
		return this.dueNanos;
	}

	/**
	 * Whether the lease may be renewed together with others that are due now.
	 */
	boolean isDueSoon(long now) {
		return this.dueNanos - now <= this.intervalNanos / 2;
	}

	/**
	 * Whether the renewal is late, by a part of the time from one to the next.
	 */
	boolean isLate(long now, int part) {
		return now - this.dueNanos > this.intervalNanos / part;
	}

	void setDeadline(long deadlineNanos) {
		this.deadlineNanos = deadlineNanos;
	}

	long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Whether the last call that was to renew it left open what became of it.
	 */
	boolean isSuspect() {
		return this.failures > 0;
	}

	int failures() {
		return this.failures;
	}

	/**
	 * Takes note of a call that failed for this. It counts if that may be for the sake of
	 * this lease: if it is the first, or the store has answered to other calls since.
	 * @param answers how many calls were answered until now
	 * @param alone whether nobody else may be to blame
	 */
	void failed(long answers, boolean alone) {
		if (this.failures == 0 || alone || answers > this.answers) {
			this.failures++;
		}
		this.answers = answers;
	}

	void succeeded() {
		this.failures = 0;
	}

}
