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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Leases that wait to be renewed, the most urgent first. What one lane has to wait for
 * holds up no other.
 * <ol>
 * <li>One call to the store at a time is made for a lane. When the first lease is due,
 * others that are due soon are renewed with it.</li>
 * <li>A call that fails makes the next ones smaller, one that is quick makes them
 * larger.</li>
 * <li>After a call the store is left to others for as long as the call took, unless
 * renewals are late.</li>
 * <li>In the lane of suspects, which a call has failed for, those that fail again go on
 * with fewer others each time, and behind them.</li>
 * </ol>
 * Belongs to the upkeep.
 */
final class RenewalLane {

	private static final Comparator<KeptLease> BY_URGENCY = (one, other) -> Long
		.signum(one.dueNanos() - other.dueNanos());

	private static final Comparator<KeptLease> BY_SUSPICION = Comparator.comparingInt(KeptLease::failures)
		.thenComparing(BY_URGENCY);

	private final PriorityQueue<KeptLease> waiting;

	private final boolean suspects;

	private final int largest;

	private int size;

	private boolean busy;

	private boolean failed;

	private long pauseEnd;

	private long succeededNanos;

	/**
	 * Creates a lane.
	 * @param suspects whether it is for leases that could not be renewed in another
	 * @param largest how many keys a call may have
	 * @param now the present time
	 */
	RenewalLane(boolean suspects, int largest, long now) {
		this.suspects = suspects;
		this.waiting = new PriorityQueue<>(suspects ? BY_SUSPICION : BY_URGENCY);
		this.largest = largest;
		this.size = largest;
		this.pauseEnd = now;
		this.succeededNanos = now;
	}

	void add(KeptLease kept) {
		this.waiting.add(kept);
	}

	List<KeptLease> removeAll() {
		List<KeptLease> all = List.copyOf(this.waiting);
		this.waiting.clear();
		return all;
	}

	/**
	 * How long it is until the next call is to be made.
	 * @return the time, or {@link LeaseScheduler#NEVER} if one is under way or none is
	 * needed
	 */
	long waitNanos(long now) {
		KeptLease first = this.waiting.peek();
		if (first == null || this.busy) {
			return LeaseScheduler.NEVER;
		}
		long pause = (this.failed || !first.isLate(now, 4)) ? this.pauseEnd - now : 0;
		return Math.max(0, Math.max(pause, first.dueNanos() - now));
	}

	/**
	 * Whether there is more to renew than the store can do: more than fits in one call,
	 * and a lease has waited for half the time from one renewal to the next, though the
	 * store has answered since it was due. A store that is away or stands still is not
	 * overloaded.
	 */
	boolean isOverloaded(long now) {
		KeptLease first = this.waiting.peek();
		return first != null && !this.suspects && !this.failed && this.waiting.size() > this.size
				&& first.isLate(now, 2) && this.succeededNanos - first.dueNanos() > 0;
	}

	/**
	 * Takes out what the next call renews, after which the lane is busy.
	 */
	List<KeptLease> next(long now) {
		this.busy = true;
		List<KeptLease> next = new ArrayList<>();
		int keys = 0;
		for (KeptLease first = this.waiting.peek(); first != null
				&& first.isDueSoon(now); first = this.waiting.peek()) {
			keys += first.keys();
			if (keys > limit(first) && !next.isEmpty()) {
				break;
			}
			next.add(this.waiting.remove());
		}
		return next;
	}

	private int limit(KeptLease last) {
		return this.suspects ? this.largest >> Math.min(30, 3 * last.failures()) : this.size;
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	/**
	 * Ends a call that was answered.
	 * @param nanos how long it took
	 * @param timeoutNanos how long it might have taken
	 */
	void succeeded(long now, long nanos, long timeoutNanos) {
		this.busy = false;
		this.failed = false;
		this.succeededNanos = now;
		this.pauseEnd = now + nanos;
		if (nanos < timeoutNanos / 2) {
			this.size = Math.min(2 * this.size, this.largest);
		}
	}

	/**
	 * Ends a call that failed.
	 * @param again when another makes sense
	 */
	void failed(long again) {
		this.busy = false;
		this.failed = true;
		this.pauseEnd = again;
		this.size = Math.max(1, this.size / 4);
	}

	/**
	 * Ends a call that was not made.
	 */
	void free() {
		this.busy = false;
	}

}
