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

import java.lang.invoke.VarHandle;
import java.time.Duration;

import io.github.lockspring.support.Durations;

/**
 * When leases are due to be renewed, or to be looked after in another way.
 */
final class RenewalPlan {

	private final Store store;

	private final EngineSettings settings;

	private final Upkeep upkeep;

	private final TimeSource time;

	private volatile long trustedNanos;

	RenewalPlan(Store store, EngineSettings settings, Upkeep upkeep, TimeSource time) {
		this.store = store;
		this.settings = settings;
		this.upkeep = upkeep;
		this.time = time;
		this.trustedNanos = time.nanoTime();
	}

	/**
	 * Sees to it that a hold which has just begun is looked after in time. Either the
	 * upkeep finds the hold, or this finds that the upkeep goes to sleep: hence the
	 * fence.
	 */
	void watch(Hold hold) {
		VarHandle.fullFence();
		this.upkeep.runAt(hold.terms().isRenewed() ? dueAt(hold) : hold.lease().deadlineNanos());
	}

	/**
	 * Whether the lease of a hold is to be renewed at all, or ends by itself.
	 */
	boolean isRenewable(Hold hold) {
		AcquireTerms terms = hold.terms();
		return terms.isAutoRenew()
				? this.time.nanoTime() - hold.lease().grantedNanos() < Durations.nanos(this.settings.maxHoldTime())
				: terms.isRenewed() && !hold.lease().lastsAsWanted(terms);
	}

	/**
	 * Has all leases renewed at once that are renewed at all, and none of them trusted
	 * before.
	 */
	void distrust() {
		long now = this.time.nanoTime();
		this.trustedNanos = now;
		this.upkeep.runAt(now);
	}

	/**
	 * Whether the lease of a hold must be renewed before it counts as held.
	 */
	boolean isInDoubt(Hold hold) {
		return hold.lease().sentNanos() - this.trustedNanos < 0 && isRenewable(hold);
	}

	/**
	 * The monotonic time at which the lease of a hold is due: an interval after it was
	 * granted or renewed. One that was granted for a short time only is due after an
	 * eighth of that time, within which most holders have finished, and one that is in
	 * doubt at once.
	 */
	long dueAt(Hold hold) {
		Lease lease = hold.lease();
		long trusted = this.trustedNanos;
		if (lease.sentNanos() - trusted < 0) {
			return trusted;
		}
		long interval = intervalOf(hold);
		long dueAt = lease.deadlineNanos() - this.store.leaseNanos(lease.request()) + interval;
		return (dueAt - lease.grantedNanos() >= 0) ? dueAt
				: lease.grantedNanos() + Math.min(interval, lease.spanNanos(hold.terms()) / 8);
	}

	/**
	 * The time from one renewal of a lease to the next.
	 */
	long intervalOf(Hold hold) {
		Duration interval = this.settings.renewInterval();
		long lease = this.store.leaseNanos(hold.lease().request());
		return (interval != null) ? Math.min(Durations.nanos(interval), lease / 2) : lease / 3;
	}

}
