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
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.TimeSource;

/**
 * Renews held leases, and detects when one has ended.
 * <ol>
 * <li>A lease is registered when it is due soon, or else found when the first of those
 * that were granted since the last search is due: most are released before. From then on
 * the holds are not searched for it.</li>
 * <li>It waits in a {@linkplain RenewalLane lane} with others of similar lease time until
 * it is renewed. Renewals use separate threads.</li>
 * <li>A renewal that fails is retried after a delay until the lease has expired, with
 * fewer and fewer others, so that one that cannot be renewed does not affect the
 * others.</li>
 * <li>A lease that the store does not confirm, or that has expired, is lost.</li>
 * </ol>
 * The calls to the store are made in threads of their own, everything else in the timer
 * thread or at the end of a call. Thread-safe.
 */
final class Renewals {

	private static final Log logger = LogFactory.getLog(Renewals.class);

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int SUSPECTS = -1;

	private final Map<Integer, RenewalLane> lanes = new ConcurrentHashMap<>();

	private final PriorityQueue<KeptLease> deadlines = new PriorityQueue<>(
			(one, other) -> Long.signum(one.deadlineNanos() - other.deadlineNanos()));

	/**
	 * Leases removed from their lanes, to be reinserted.
	 */
	private final Queue<KeptLease> removed = new ArrayDeque<>();

	private final OwnerCheck ownerCheck = new OwnerCheck();

	private final EngineContext context;

	private final LossHandler lossHandler;

	private final RenewalPlan plan;

	private final LocalQueues queues;

	private final Store store;

	private final TimeSource time;

	private RenewalPlan.Basis basis;

	/**
	 * Number of calls that were answered.
	 */
	private int answered;

	Renewals(EngineContext context, LossHandler lossHandler) {
		this.context = context;
		this.lossHandler = lossHandler;
		this.plan = new RenewalPlan(context, this::search, this::run);
		this.queues = context.queues();
		this.store = context.store();
		this.time = context.time();
		this.basis = this.plan.basis();
	}

	/**
	 * Return the plan that determines when leases are due.
	 */
	RenewalPlan plan() {
		return this.plan;
	}

	/**
	 * Return whether a renewal is in progress.
	 */
	boolean isRenewing() {
		return this.lanes.values().stream().anyMatch((lane) -> lane.calls().isCalling());
	}

	/**
	 * Task: search for leases that were not registered.
	 */
	private synchronized void search() {
		this.queues.forEachHolder((hold) -> {
			if (hold.isActive()) {
				keep(hold);
			}
		});
		this.plan.wakeUpAt(this.time.nanoTime());
	}

	/**
	 * Task: cheap if nothing is due.
	 */
	private void run() {
		prepare();
		this.lanes.values().forEach((lane) -> lane.calls().run());
	}

	private synchronized void prepare() {
		for (Lease lease = this.plan.pollRegistered(); lease != null; lease = this.plan.pollRegistered()) {
			find(lease);
		}
		replan();
		lookAtDeadlines();
		this.plan.setOverloaded(isOverloaded());
	}

	private void find(Lease lease) {
		Hold hold = (lease.watch() == null) ? this.queues.holderOf(lease.request()) : null;
		if (hold != null) {
			keep(hold);
		}
	}

	/**
	 * Begin to watch the lease of a hold. The lease is read only once: it may be replaced
	 * meanwhile, and the new one must not be renewed before it is granted.
	 */
	private void keep(Hold hold) {
		Lease lease = hold.lease();
		if (lease.watch() == null && hold.hasLease() && !hold.isBorrowing()) {
			KeptLease kept = new KeptLease(lease, hold, laneOf(hold));
			try {
				watch(kept);
				schedule(kept);
			}
			catch (Throwable ex) {
				lease.setWatch(null);
				this.plan.register(lease);
				throw ex;
			}
		}
	}

	private void watch(KeptLease kept) {
		this.deadlines.add(kept);
		kept.lease().setWatch(kept);
	}

	/**
	 * Find the hold that has a lease. If there is none, the lease is no longer watched.
	 * If it is handed off at the same time, either this method finds the new holder, or
	 * the thread of the new holder finds that the lease is not watched.
	 */
	private @Nullable Hold holder(KeptLease kept) {
		if (kept.lease().watch() != kept) {
			return null;
		}
		Hold hold = kept.holder(this.queues);
		if (hold == null) {
			kept.lease().setWatch(null);
			find(kept.lease());
		}
		return hold;
	}

	private void schedule(KeptLease kept) {
		Hold hold = holder(kept);
		if (hold != null && this.plan.isRenewable(hold)) {
			schedule(kept, hold, this.plan.dueAt(kept.lease()));
		}
	}

	private void retry(KeptLease kept, long dueNanos) {
		Hold hold = holder(kept);
		if (hold != null) {
			schedule(kept, hold, dueNanos);
		}
	}

	private void schedule(KeptLease kept, Hold hold, long dueNanos) {
		int lane = kept.isSuspect() ? SUSPECTS : laneOf(hold);
		KeptLease next = (lane == kept.lane()) ? kept : new KeptLease(kept, lane);
		this.lanes
			.computeIfAbsent(lane,
					(number) -> new RenewalLane(this.context, number == SUSPECTS, this.plan, this::renew))
			.calls()
			.schedule(next, dueNanos);
		if (next != kept) {
			watch(next);
		}
	}

	private static int laneOf(Hold hold) {
		return Long.SIZE - Long.numberOfLeadingZeros(hold.lease().spanNanos(hold.options()));
	}

	private long timeoutNanos(Hold hold) {
		return Math.min(hold.lease().spanNanos(hold.options()) / 3, this.context.answerNanos());
	}

	/**
	 * Reinsert all leases into the lanes if the state that determines when they are due
	 * has changed.
	 */
	private void replan() {
		RenewalPlan.Basis basis = this.plan.basis();
		if (!basis.equals(this.basis)) {
			this.lanes.values().forEach((lane) -> this.removed.addAll(lane.calls().removeWaiting()));
			this.basis = basis;
		}
		for (KeptLease next = this.removed.peek(); next != null; next = this.removed.peek()) {
			schedule(next);
			this.removed.remove();
		}
	}

	/**
	 * Check the leases that may have expired, which reports their loss.
	 */
	private void lookAtDeadlines() {
		long now = this.time.nanoTime();
		for (KeptLease first = this.deadlines.peek(); isOver(first, now); first = this.deadlines.peek()) {
			Hold hold = holder(first);
			this.deadlines.remove(first);
			if (hold != null) {
				first.setDeadline(hold.lease().deadlineNanos());
				this.deadlines.add(first);
			}
		}
		KeptLease next = this.deadlines.peek();
		if (next != null) {
			this.plan.wakeUpAt(next.deadlineNanos());
		}
	}

	private static boolean isOver(@Nullable KeptLease kept, long now) {
		return kept != null && kept.deadlineNanos() - now <= 0;
	}

	private boolean isOverloaded() {
		long now = this.time.nanoTime();
		return this.lanes.values().stream().anyMatch((lane) -> lane.isOverloaded(now));
	}

	private void renew(RenewalLane lane, List<KeptLease> due) {
		Batch batch = newBatch(lane, due);
		if (!batch.leases.isEmpty()) {
			batch.renew();
		}
	}

	private synchronized Batch newBatch(RenewalLane lane, List<KeptLease> due) {
		Batch batch = new Batch(lane);
		due.forEach(batch::add);
		checkOwner(due.get(ThreadLocalRandom.current().nextInt(due.size())));
		return batch;
	}

	/**
	 * Check one owner for each call, because the check of a thread pauses it.
	 */
	private void checkOwner(KeptLease kept) {
		Hold hold = holder(kept);
		if (hold != null) {
			this.ownerCheck.check(hold);
		}
	}

	/**
	 * Batch of leases renewed in one call.
	 */
	private final class Batch {

		private final Map<LeaseRequest, KeptLease> leases = new LinkedHashMap<>();

		private final RenewalLane lane;

		private long timeoutNanos = Long.MAX_VALUE;

		private long pauseNanos = MAX_PAUSE_NANOS;

		Batch(RenewalLane lane) {
			this.lane = lane;
		}

		private void add(KeptLease kept) {
			Hold hold = holder(kept);
			if (hold != null && Renewals.this.plan.isRenewable(hold)) {
				this.leases.put(kept.lease().request(), kept);
				this.timeoutNanos = Math.min(this.timeoutNanos, timeoutNanos(hold));
				this.pauseNanos = Math.min(this.pauseNanos, hold.lease().spanNanos(hold.options()) / 10);
			}
		}

		private void renew() {
			long sentMillis = Renewals.this.time.currentTimeMillis();
			long sentNanos = Renewals.this.time.nanoTime();
			try {
				Renewal renewal = Renewals.this.store.renew(this.leases.keySet(), Duration.ofNanos(this.timeoutNanos));
				renewal.held().forEach((lease) -> renewed(lease, sentNanos, sentMillis));
				renewal.lost().forEach(this::lost);
				notifyFailed((lease) -> renewal.held().contains(lease) || renewal.lost().contains(lease));
				answered(renewal, sentNanos);
			}
			catch (Throwable ex) {
				logger.warn(
						"Could not renew " + this.leases.size() + " leases; they will be retried: " + ex.getMessage());
				notifyFailed((lease) -> false);
				failed(ex instanceof BackendUnavailableException, sentNanos);
			}
		}

		/**
		 * Apply the answer of the store to the current hold of the lease, if any.
		 */
		private void renewed(LeaseRequest lease, long sentNanos, long sentMillis) {
			Hold hold = Renewals.this.queues.holderOf(lease);
			if (hold != null && hold.hasLease()) {
				EngineObservers observers = Renewals.this.context.observers();
				long marginNanos = (observers != null) ? hold.lease().remainingNanos(Renewals.this.time) : 0;
				hold.lease().renewed(hold.options(), Renewals.this.store.leaseNanos(lease), sentNanos, sentMillis);
				if (observers != null) {
					observers.onRenewed(hold, marginNanos);
				}
			}
		}

		/**
		 * Notify observers of the leases for which the store did not respond.
		 */
		private void notifyFailed(Predicate<LeaseRequest> answered) {
			EngineObservers observers = Renewals.this.context.observers();
			if (observers != null) {
				for (LeaseRequest lease : this.leases.keySet()) {
					Hold hold = answered.test(lease) ? null : Renewals.this.queues.holderOf(lease);
					if (hold != null) {
						observers.onRenewalFailed(hold);
					}
				}
			}
		}

		/**
		 * Mark a lease as lost that the store does not have, unless a part of it was
		 * released since the call: then the other part is renewed again.
		 */
		private void lost(LeaseRequest lease) {
			Hold hold = Renewals.this.queues.holderOf(lease);
			if (hold == null || hold.lease().isStill(lease)) {
				Renewals.this.lossHandler.loseUnlessReplaced(lease);
			}
		}

		private void answered(Renewal renewal, long sentNanos) {
			long now = Renewals.this.time.nanoTime();
			synchronized (Renewals.this) {
				boolean alone = isAlone();
				this.lane.succeeded(now, now - sentNanos, this.timeoutNanos);
				Renewals.this.answered++;
				this.leases.forEach((lease, kept) -> {
					if (renewal.held().contains(lease) || renewal.lost().contains(lease)) {
						kept.succeeded();
						schedule(kept);
					}
					else {
						kept.failed(Renewals.this.answered, alone);
						retry(kept, now + this.pauseNanos);
					}
				});
			}
		}

		/**
		 * End a failed call.
		 * @param unavailable whether the store failed for all leases alike
		 */
		private void failed(boolean unavailable, long sentNanos) {
			long now = Renewals.this.time.nanoTime();
			synchronized (Renewals.this) {
				boolean alone = isAlone();
				this.lane.failed((unavailable ? now : sentNanos) + this.pauseNanos);
				this.leases.values().forEach((kept) -> {
					if (!unavailable) {
						kept.failed(Renewals.this.answered, alone);
					}
					retry(kept, now + this.pauseNanos);
				});
			}
		}

		/**
		 * Return whether no other lease waits to be renewed, so that no other call will
		 * show whether the store answers.
		 */
		private boolean isAlone() {
			return Renewals.this.lanes.values().stream().allMatch((lane) -> lane.calls().first() == null);
		}

	}

}
