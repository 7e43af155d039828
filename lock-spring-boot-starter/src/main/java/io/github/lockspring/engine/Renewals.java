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

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;

/**
 * Keeps held leases alive, all in one call to the store, and notices when one is over.
 * <ol>
 * <li>There is no list of leases to renew beside the queues themselves: what is held is
 * renewed, what is released is not.</li>
 * <li>When the first lease is due, all that are due soon are renewed with it.</li>
 * <li>A renewal that fails is tried again, with a pause, until the lease is over.</li>
 * <li>A lease that the store does not confirm, or whose time is over, is lost.</li>
 * </ol>
 */
final class Renewals {

	private static final Log logger = LogFactory.getLog(Renewals.class);

	private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final Endings endings;

	private final RenewalPlan plan;

	private final LocalQueues queues;

	private final Store store;

	private final EngineSettings settings;

	private final Upkeep upkeep;

	private final TimeSource time;

	private final Executor executor;

	private final AtomicBoolean running = new AtomicBoolean();

	private volatile long failedNanos;

	Renewals(Endings endings, RenewalPlan plan, LocalQueues queues, Store store, EngineSettings settings, Upkeep upkeep,
			TimeSource time, Executor executor) {
		this.endings = endings;
		this.plan = plan;
		this.queues = queues;
		this.store = store;
		this.settings = settings;
		this.upkeep = upkeep;
		this.time = time;
		this.executor = executor;
		this.failedNanos = time.nanoTime() - LONGEST_PAUSE_NANOS;
	}

	/**
	 * The chore: looks through all that is held.
	 */
	void run() {
		Due due = new Due();
		for (LocalQueue queue : this.queues.all()) {
			for (Hold hold = queue.holders(); hold != null; hold = hold.next) {
				if (hold.hasLease() && !hold.isBorrowing()) {
					due.look(hold);
				}
			}
		}
		if (!due.overdue || this.running.get()) {
			return;
		}
		long pauseEnd = this.failedNanos + Math.min(due.shortestLease / 10, LONGEST_PAUSE_NANOS);
		if (this.time.nanoTime() - pauseEnd < 0) {
			this.upkeep.runAt(pauseEnd);
			return;
		}
		start(due);
	}

	private void start(Due due) {
		this.running.set(true);
		try {
			this.executor.execute(() -> renew(due));
		}
		catch (Throwable ex) {
			this.running.set(false); // the upkeep will run this again
			throw ex;
		}
	}

	private void renew(Due due) {
		long sentNanos = this.time.nanoTime();
		long sentMillis = this.time.currentTimeMillis();
		try {
			Renewal renewal = this.store.renew(due.leases, timeout(due));
			renewal.held().forEach((lease) -> renewed(lease, sentNanos, sentMillis));
			renewal.lost().forEach(this::lost);
			if (renewal.held().size() + renewal.lost().size() < due.leases.size()) {
				this.failedNanos = this.time.nanoTime();
			}
		}
		catch (Throwable ex) {
			this.failedNanos = this.time.nanoTime();
			logger.warn("Could not renew " + due.leases.size() + " leases, trying again: " + ex.getMessage());
		}
		finally {
			this.running.set(false);
			this.upkeep.runAt(this.time.nanoTime());
		}
	}

	private Duration timeout(Due due) {
		Duration part = Duration.ofNanos(due.shortestLease / 3);
		return (part.compareTo(this.settings.operationTimeout()) < 0) ? part : this.settings.operationTimeout();
	}

	/**
	 * Brings the answer of the store to whoever has the lease now, if anybody still does.
	 */
	private void renewed(LeaseRequest lease, long sentNanos, long sentMillis) {
		Hold hold = this.queues.holderOf(lease);
		if (hold != null && hold.hasLease()) {
			hold.lease().renewed(hold.terms(), this.store.leaseNanos(lease), sentNanos, sentMillis);
		}
	}

	/**
	 * Takes a lease away that the store does not have, unless a part of it was given back
	 * since it was asked for: then the store is asked again, for the rest.
	 */
	private void lost(LeaseRequest lease) {
		Hold hold = this.queues.holderOf(lease);
		if (hold == null || hold.lease().isStill(lease)) {
			this.endings.lose(lease, "the store does not know it any more");
		}
	}

	/**
	 * What must be renewed now, or may be renewed with it.
	 */
	private final class Due {

		private final long now = Renewals.this.time.nanoTime();

		private final Set<LeaseRequest> leases = new LinkedHashSet<>();

		private long shortestLease = Long.MAX_VALUE;

		private boolean overdue;

		private void look(Hold hold) {
			if (!Renewals.this.plan.isRenewable(hold)) {
				Renewals.this.upkeep.runAt(hold.lease().deadlineNanos());
				return;
			}
			long wait = Renewals.this.plan.dueAt(hold) - this.now;
			if (wait <= Renewals.this.plan.intervalOf(hold) / 2) {
				this.leases.add(hold.lease().request());
				this.shortestLease = Math.min(this.shortestLease, hold.lease().spanNanos(hold.terms()));
			}
			this.overdue |= wait <= 0;
			Renewals.this.upkeep.runAt((wait > 0) ? this.now + wait : hold.lease().deadlineNanos());
		}

	}

}
