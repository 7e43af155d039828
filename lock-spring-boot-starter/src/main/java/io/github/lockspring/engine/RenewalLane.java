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

import io.github.lockspring.support.TimerThread;

/**
 * Queue of leases to be renewed, most urgent first. Each lane has its own calls, so that
 * a slow lane does not delay the others.
 * <ol>
 * <li>One call to the store at a time is made for a lane. When the first lease is due,
 * others that are due soon are renewed with it.</li>
 * <li>A failed call makes the next ones smaller, a fast one makes them larger.</li>
 * <li>After a call the lane pauses for as long as the call took, unless renewals are
 * late.</li>
 * <li>In the lane of suspects, which are leases whose renewal has failed, a lease that
 * fails again is renewed in smaller calls each time, and after the others.</li>
 * </ol>
 * Confined to the timed task.
 */
final class RenewalLane {

	private static final Comparator<KeptLease> BY_URGENCY = (one, other) -> Long
		.signum(one.dueNanos() - other.dueNanos());

	private static final Comparator<KeptLease> BY_SUSPICION = Comparator.comparingInt(KeptLease::failures)
		.thenComparing(BY_URGENCY);

	private final PriorityQueue<KeptLease> waiting;

	private final boolean suspects;

	private final int maxSize;

	private int size;

	private boolean busy;

	private boolean failed;

	private long pauseEnd;

	private long succeededNanos;

	/**
	 * Duration of the last call that was answered.
	 */
	private long callNanos;

	/**
	 * Create a lane.
	 * @param suspects whether it is for leases that could not be renewed in another lane
	 * @param maxSize the maximum number of keys of a call
	 * @param now the current time
	 */
	RenewalLane(boolean suspects, int maxSize, long now) {
		this.suspects = suspects;
		this.waiting = new PriorityQueue<>(suspects ? BY_SUSPICION : BY_URGENCY);
		this.maxSize = maxSize;
		this.size = maxSize;
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
	 * Return the time until the next call is due.
	 * @return the time, or {@link TimerThread#NEVER} if one is in progress or none is
	 * needed
	 */
	long waitNanos(long now) {
		KeptLease first = this.waiting.peek();
		if (first == null || this.busy) {
			return TimerThread.NEVER;
		}
		long pause = (this.failed || !first.isLate(now, 4)) ? this.pauseEnd - now : 0;
		return Math.max(0, Math.max(pause, first.dueNanos() - now));
	}

	/**
	 * Return whether there is more to renew than the store can handle: more than fits in
	 * one call, and a lease has waited for half the renewal interval, although the store
	 * has answered since it was due, and more calls as long as the last one would take as
	 * long again. A store that is unavailable or does not respond is not overloaded, nor
	 * is one that catches up after that.
	 */
	boolean isOverloaded(long now) {
		KeptLease first = this.waiting.peek();
		return first != null && !this.suspects && !this.failed && this.waiting.size() > this.size
				&& first.isLate(now, 2) && this.succeededNanos - first.dueNanos() > 0
				&& this.waiting.size() / this.size * this.callNanos > first.intervalNanos() / 2;
	}

	/**
	 * Remove the leases to renew in the next call, after which the lane is busy.
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
		return this.suspects ? this.maxSize >> Math.min(30, 3 * last.failures()) : this.size;
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	/**
	 * End a call that was answered.
	 * @param nanos the duration of the call
	 * @param timeoutNanos the timeout of the call
	 */
	void succeeded(long now, long nanos, long timeoutNanos) {
		this.busy = false;
		this.failed = false;
		this.succeededNanos = now;
		this.callNanos = nanos;
		this.pauseEnd = now + nanos;
		if (nanos < timeoutNanos / 2) {
			this.size = Math.min(2 * this.size, this.maxSize);
		}
	}

	/**
	 * End a call that failed.
	 * @param again the time of the retry
	 */
	void failed(long again) {
		this.busy = false;
		this.failed = true;
		this.pauseEnd = again;
		this.size = Math.max(1, this.size / 4);
	}

	/**
	 * Cancel a call for which no lease is left.
	 */
	void cancel() {
		this.busy = false;
	}

}
