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

import java.util.List;
import java.util.function.BiConsumer;

/**
 * Leases to be renewed, most urgent first. Each lane has its own calls, so that a slow
 * lane does not delay the others.
 * <ol>
 * <li>When the first lease is due, others that are due soon are renewed with it.</li>
 * <li>A failed call makes the next ones smaller, a fast one makes them larger.</li>
 * <li>After a call the lane pauses for as long as the call took, unless renewals are
 * late.</li>
 * <li>In the lane of suspects, which are leases whose renewal has failed, a lease that
 * fails again is renewed in smaller calls each time, and after the others.</li>
 * </ol>
 * The outcome of a call is recorded before the next one. Thread-safe.
 */
final class RenewalLane implements DueCalls.Work<KeptLease> {

	/**
	 * Delay after a call that could not be started.
	 */
	private static final long PAUSE_NANOS = 100_000_000;

	private final boolean suspects;

	private final int maxSize;

	private final RenewalPlan plan;

	private final BiConsumer<RenewalLane, List<KeptLease>> renewal;

	private final DueCalls<KeptLease> calls;

	private volatile Outcome last;

	/**
	 * Create a lane.
	 * @param context the context
	 * @param suspects whether it is for leases that could not be renewed in another lane
	 * @param plan the plan by whose task this is run
	 * @param renewal renews leases of this lane in one call
	 */
	RenewalLane(EngineContext context, boolean suspects, RenewalPlan plan,
			BiConsumer<RenewalLane, List<KeptLease>> renewal) {
		long now = context.time().nanoTime();
		this.suspects = suspects;
		this.maxSize = context.store().renewalBatchSize();
		this.plan = plan;
		this.renewal = renewal;
		this.last = new Outcome(false, now, now, 0, this.maxSize);
		this.calls = new DueCalls<>(context, context.threads().renewals(), this, plan::wakeUpAt);
	}

	DueCalls<KeptLease> calls() {
		return this.calls;
	}

	/**
	 * Return whether there is more to renew than the store can handle: more than fits in
	 * one call, and a lease has waited for half the renewal interval, although the store
	 * has answered since it was due, and more calls as long as the last one would take as
	 * long again. A store that is unavailable or does not respond is not overloaded, nor
	 * is one that catches up after that.
	 */
	boolean isOverloaded(long now) {
		Outcome last = this.last;
		KeptLease first = this.calls.first();
		int waiting = this.calls.size();
		return first != null && !this.suspects && !last.failed && waiting > last.batchSize
				&& now - first.dueNanos() > intervalOf(first) / 2 && last.succeededNanos - first.dueNanos() > 0
				&& waiting / last.batchSize * last.callNanos > intervalOf(first) / 2;
	}

	/**
	 * Record that a call was answered.
	 * @param nanos the duration of the call
	 * @param timeoutNanos the timeout of the call
	 */
	void succeeded(long now, long nanos, long timeoutNanos) {
		int batchSize = this.last.batchSize;
		this.last = new Outcome(false, now + nanos, now, nanos,
				(nanos < timeoutNanos / 2) ? Math.min(2 * batchSize, this.maxSize) : batchSize);
	}

	/**
	 * Record that a call failed.
	 * @param again the time of the retry
	 */
	void failed(long again) {
		Outcome last = this.last;
		this.last = new Outcome(true, again, last.succeededNanos, last.callNanos, Math.max(1, last.batchSize / 4));
	}

	@Override
	public void call(List<KeptLease> due) {
		this.renewal.accept(this, due);
	}

	@Override
	public long readyAt(KeptLease first) {
		Outcome last = this.last;
		long pause = last.pauseEnd - first.dueNanos();
		return first.dueNanos() + Math.max(0, last.failed ? pause : Math.min(pause, intervalOf(first) / 4));
	}

	@Override
	public long soonNanos(KeptLease kept) {
		return intervalOf(kept) / 2;
	}

	/**
	 * Return the time from one renewal of a lease to the next.
	 */
	private long intervalOf(KeptLease kept) {
		return this.plan.intervalOf(kept.lease());
	}

	@Override
	public int limit(KeptLease kept, int batchSize) {
		return this.suspects ? this.maxSize >> Math.min(30, 3 * kept.rank()) : Math.min(batchSize, this.maxSize);
	}

	@Override
	public int nextBatchSize(boolean failed, int batchSize, int called) {
		return this.last.batchSize;
	}

	@Override
	public long pauseAfterFailure() {
		return PAUSE_NANOS;
	}

	/**
	 * Outcome of the last call.
	 *
	 * @param failed whether it failed
	 * @param pauseEnd the end of the pause after it
	 * @param succeededNanos the time of the last answer
	 * @param callNanos the duration of the last call that was answered
	 * @param batchSize the maximum number of keys of the next call
	 */
	private record Outcome(boolean failed, long pauseEnd, long succeededNanos, long callNanos, int batchSize) {
	}

}
