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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Schedule of the renewal and expiry checks of leases, including leases that the timed
 * task, which makes the checks, has not found yet.
 */
final class RenewalPlan {

	/**
	 * Time until the first check below which a lease is registered when it is granted.
	 */
	private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

	private final EngineContext context;

	private final Store store;

	private final @Nullable Duration renewInterval;

	private final TimeSource time;

	/**
	 * Searches all holds for leases that were not registered.
	 */
	private final TimerThread.Task search;

	private final TimerThread.Task task;

	private final Queue<Lease> registered = new ConcurrentLinkedQueue<>();

	private volatile boolean overloaded;

	/**
	 * Time of the last {@link #renewAll()}: leases granted or renewed before are in doubt
	 * until they are renewed.
	 */
	private volatile long renewAllNanos;

	/**
	 * Create a plan.
	 * @param context the context of the engine
	 * @param search searches all holds for leases that were not registered
	 * @param task renews and checks the leases that are due
	 */
	RenewalPlan(EngineContext context, Runnable search, Runnable task) {
		this.context = context;
		this.store = context.store();
		this.renewInterval = context.settings().renewInterval();
		this.time = context.time();
		this.search = context.task(search);
		this.task = context.task(task);
		this.renewAllNanos = this.time.nanoTime();
	}

	/**
	 * Schedule the first check of a hold that has just begun. The fence ensures that
	 * either a search finds the hold, or this method sees that it is over and requests
	 * another one.
	 */
	void watch(Hold hold) {
		VarHandle.fullFence();
		Lease lease = hold.lease();
		if (lease.watch() != null) {
			return;
		}
		try {
			long at = hold.options().isRenewed() ? dueAt(lease) : lease.deadlineNanos();
			if (at - lease.grantedNanos() < SOON_NANOS) {
				this.registered.add(lease);
				this.task.wakeUpAt(at);
			}
			else {
				this.search.wakeUpAt(at);
			}
		}
		catch (Throwable ex) {
			this.search.wakeUpAt(lease.grantedNanos()); // repeated until it succeeds
		}
	}

	/**
	 * Register a lease that is to be watched by the next run of the task.
	 */
	void register(Lease lease) {
		this.registered.add(lease);
	}

	/**
	 * Request a run of the task at a time of the monotonic clock, or earlier.
	 */
	void wakeUpAt(long nanoTime) {
		this.task.wakeUpAt(nanoTime);
	}

	/**
	 * Return the next registered lease.
	 */
	@Nullable Lease pollRegistered() {
		return this.registered.poll();
	}

	/**
	 * Return the state that determines when leases are due, apart from the leases
	 * themselves.
	 */
	Basis basis() {
		return new Basis(this.renewAllNanos, this.store.maxLeaseTime());
	}

	/**
	 * Set whether the store renews more slowly than required.
	 */
	void setOverloaded(boolean overloaded) {
		this.overloaded = overloaded;
	}

	/**
	 * Return whether one more lease would not be renewed in time.
	 */
	boolean isOverloaded(AcquireOptions options) {
		return this.overloaded && options.isRenewed();
	}

	/**
	 * Return whether the lease of a hold is to be renewed at all, or expires.
	 */
	boolean isRenewable(Hold hold) {
		AcquireOptions options = hold.options();
		return options.isAutoRenew()
				? this.time.nanoTime() - hold.lease().grantedNanos() < Durations
					.nanos(this.context.settings().limits().maxHoldTime())
				: options.isRenewed() && !hold.lease().lastsAsWanted(options);
	}

	/**
	 * Renew all renewable leases immediately. Until it is renewed, each of them is in
	 * doubt.
	 */
	void renewAll() {
		long now = this.time.nanoTime();
		this.renewAllNanos = now;
		this.search.wakeUpAt(now);
	}

	/**
	 * Return whether it is currently unknown if the lease of a hold still exists: the
	 * connection to the store is suspended, or the lease must be renewed first.
	 */
	boolean isInDoubt(Hold hold) {
		return this.context.isSuspended() || hold.lease().sentNanos() - this.renewAllNanos < 0 && isRenewable(hold);
	}

	/**
	 * Return the monotonic time at which a lease is due: an interval after it was granted
	 * or renewed. A lease that was granted for a short time only, or is in doubt, is due
	 * immediately.
	 */
	long dueAt(Lease lease) {
		long renewAll = this.renewAllNanos;
		if (lease.sentNanos() - renewAll < 0) {
			return renewAll;
		}
		long granted = lease.grantedNanos();
		long leaseNanos = this.store.leaseNanos(lease.request());
		return Math.max(lease.deadlineNanos() - leaseNanos + intervalOf(leaseNanos) - granted, 0) + granted;
	}

	/**
	 * Return the renewal interval of a lease.
	 */
	long intervalOf(Lease lease) {
		return intervalOf(this.store.leaseNanos(lease.request()));
	}

	private long intervalOf(long leaseNanos) {
		Duration interval = this.renewInterval;
		return (interval != null) ? Math.min(Durations.nanos(interval), leaseNanos / 2) : leaseNanos / 3;
	}

	/**
	 * State that determines when leases are due, apart from the leases themselves.
	 *
	 * @param renewAllNanos the time of the last {@link #renewAll()}
	 * @param maxLeaseTime the maximum lease time that the store supports
	 */
	record Basis(long renewAllNanos, Duration maxLeaseTime) {
	}

}
