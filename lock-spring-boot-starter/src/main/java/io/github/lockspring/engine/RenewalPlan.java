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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Durations;

/**
 * When leases are due to be renewed, or to be looked after in another way, and which of
 * them the upkeep does not know of yet.
 */
final class RenewalPlan {

	/**
	 * Which leases are written down when they are granted.
	 */
	private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

	private final Store store;

	private final EngineSettings settings;

	private final LeaseScheduler leaseScheduler;

	private final TimeSource time;

	private final long origin;

	private final Queue<Lease> written = new ConcurrentLinkedQueue<>();

	/**
	 * When to look through what is held, since the beginning.
	 */
	private final AtomicLong lookAt = new AtomicLong(LeaseScheduler.NEVER);

	private volatile boolean overloaded;

	private volatile long trustedNanos;

	RenewalPlan(Store store, EngineSettings settings, LeaseScheduler leaseScheduler, TimeSource time) {
		this.store = store;
		this.settings = settings;
		this.leaseScheduler = leaseScheduler;
		this.time = time;
		this.origin = time.nanoTime();
		this.trustedNanos = this.origin;
	}

	/**
	 * Sees to it that a hold which has just begun is looked after in time. Either the
	 * upkeep finds the hold, or this finds that the upkeep goes to sleep or does not know
	 * of the lease any more: hence the fence.
	 */
	void watch(Hold hold) {
		VarHandle.fullFence();
		Lease lease = hold.lease();
		if (lease.kept() != null) {
			return;
		}
		long at = hold.terms().isRenewed() ? dueAt(hold) : lease.deadlineNanos();
		if (at - lease.grantedNanos() < SOON_NANOS) {
			this.written.add(lease);
			this.leaseScheduler.wakeUpAt(at);
		}
		else {
			lookAt(at);
		}
	}

	private void lookAt(long nanoTime) {
		long at = nanoTime - this.origin;
		if (at < this.lookAt.get()) {
			this.lookAt.accumulateAndGet(at, Math::min);
		}
		this.leaseScheduler.wakeUpAt(nanoTime);
	}

	/**
	 * The next lease that was written down.
	 */
	@Nullable Lease pollWritten() {
		return this.written.poll();
	}

	/**
	 * Whether it is time to look through what is held for leases that were not written
	 * down. Tells so once, and wakes the upkeep up when it will be.
	 */
	boolean isTimeToLook() {
		long at = this.lookAt.get();
		if (at > this.time.nanoTime() - this.origin) {
			if (at < LeaseScheduler.NEVER) {
				this.leaseScheduler.wakeUpAt(this.origin + at);
			}
			return false;
		}
		this.lookAt.set(LeaseScheduler.NEVER);
		return true;
	}

	/**
	 * What decides when leases are due, beside themselves.
	 */
	Object basis() {
		return List.of(this.trustedNanos, this.store.maxLeaseTime());
	}

	/**
	 * Tells whether the store renews more slowly than is needed.
	 */
	void setOverloaded(boolean overloaded) {
		this.overloaded = overloaded;
	}

	/**
	 * Refuses a lease that would not be renewed in time.
	 */
	void requireCapacity(AcquireOptions terms) {
		if (this.overloaded && terms.isRenewed()) {
			throw new EngineException(EngineException.Reason.LIMIT,
					"This process holds more locks than the backend '" + this.store.name()
							+ "' renews in time: no more are acquired until it has caught up. Hold fewer at once, or"
							+ " longer leases, which are renewed more rarely",
					null);
		}
	}

	/**
	 * Whether the lease of a hold is to be renewed at all, or ends by itself.
	 */
	boolean isRenewable(Hold hold) {
		AcquireOptions terms = hold.terms();
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
		lookAt(now);
	}

	/**
	 * Whether the lease of a hold must be renewed before it counts as held.
	 */
	boolean isInDoubt(Hold hold) {
		return hold.lease().sentNanos() - this.trustedNanos < 0 && isRenewable(hold);
	}

	/**
	 * The monotonic time at which the lease of a hold is due: an interval after it was
	 * granted or renewed. One that was granted for a short time only, or is in doubt, is
	 * due at once.
	 */
	long dueAt(Hold hold) {
		Lease lease = hold.lease();
		long trusted = this.trustedNanos;
		if (lease.sentNanos() - trusted < 0) {
			return trusted;
		}
		long interval = intervalOf(hold);
		long dueAt = lease.deadlineNanos() - this.store.leaseNanos(lease.request()) + interval;
		return (dueAt - lease.grantedNanos() >= 0) ? dueAt : lease.grantedNanos();
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
