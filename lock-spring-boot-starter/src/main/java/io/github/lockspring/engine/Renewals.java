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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.TimerThread;

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
 * All work but the calls to the store is done by tasks of the timer thread.
 */
final class Renewals {

	private static final Log logger = LogFactory.getLog(Renewals.class);

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int SUSPECTS = -1;

	private final Map<Integer, RenewalLane> lanes = new HashMap<>();

	private final PriorityQueue<KeptLease> deadlines = new PriorityQueue<>(
			(one, other) -> Long.signum(one.deadlineNanos() - other.deadlineNanos()));

	/**
	 * Number of calls whose answers have not been queued yet.
	 */
	private final AtomicInteger calls = new AtomicInteger();

	private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();

	private final OwnerCheck ownerCheck = new OwnerCheck();

	private final EngineContext context;

	private final LossHandler lossHandler;

	private final RenewalPlan plan;

	private final LocalQueues queues;

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final Executor executor;

	private RenewalPlan.Basis basis;

	/**
	 * Number of calls that were answered.
	 */
	private long answered;

	Renewals(EngineContext context, LossHandler lossHandler) {
		this.context = context;
		this.lossHandler = lossHandler;
		this.plan = new RenewalPlan(context, this::search, this::run);
		this.queues = context.queues();
		this.store = context.store();
		this.settings = context.settings();
		this.time = context.time();
		this.executor = context.threads().renewals();
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
		return this.calls.get() > 0;
	}

	/**
	 * Task: search for leases that were not registered.
	 */
	private void search() {
		this.queues.forEachHolder(this::keepActive);
		this.plan.wakeUpAt(this.time.nanoTime());
	}

	private void keepActive(Hold hold) {
		if (hold.isActive()) {
			keep(hold);
		}
	}

	/**
	 * Task: cheap if nothing is due.
	 */
	private void run() {
		for (Runnable answer = this.answers.poll(); answer != null; answer = this.answers.poll()) {
			answer.run();
		}
		for (Lease lease = this.plan.pollRegistered(); lease != null; lease = this.plan.pollRegistered()) {
			find(lease);
		}
		replan();
		lookAtDeadlines();
		this.plan.setOverloaded(isOverloaded());
		List.copyOf(this.lanes.values()).forEach(this::renew);
		wakeUpInTime();
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
			KeptLease kept = new KeptLease(lease, hold);
			lease.setWatch(kept);
			this.deadlines.add(kept);
			putInLane(kept);
		}
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

	private void putInLane(KeptLease kept) {
		Hold hold = holder(kept);
		if (hold != null && this.plan.isRenewable(hold)) {
			putInLane(kept, hold, this.plan.dueAt(hold));
		}
	}

	private void putInLaneAgain(KeptLease kept, long dueNanos) {
		Hold hold = holder(kept);
		if (hold != null) {
			putInLane(kept, hold, dueNanos);
		}
	}

	private void putInLane(KeptLease kept, Hold hold, long dueNanos) {
		kept.setDue(dueNanos, this.plan.intervalOf(hold));
		int lane = kept.isSuspect() ? SUSPECTS
				: Long.SIZE - Long.numberOfLeadingZeros(hold.lease().spanNanos(hold.options()));
		this.lanes.computeIfAbsent(lane, this::newLane).add(kept);
	}

	private RenewalLane newLane(int number) {
		return new RenewalLane(number == SUSPECTS, this.store.renewalBatchSize(), this.time.nanoTime());
	}

	private long timeoutNanos(Hold hold) {
		return Math.min(hold.lease().spanNanos(hold.options()) / 3, this.settings.operationTimeout().toNanos());
	}

	/**
	 * Reinsert all leases into the lanes if the state that determines when they are due
	 * has changed.
	 */
	private void replan() {
		RenewalPlan.Basis basis = this.plan.basis();
		if (!basis.equals(this.basis)) {
			this.basis = basis;
			List<KeptLease> all = new ArrayList<>();
			this.lanes.values().forEach((lane) -> all.addAll(lane.removeAll()));
			all.forEach(this::putInLane);
		}
	}

	/**
	 * Check the leases that may have expired, which reports their loss.
	 */
	private void lookAtDeadlines() {
		long now = this.time.nanoTime();
		for (KeptLease first = this.deadlines.peek(); isOver(first, now); first = this.deadlines.peek()) {
			this.deadlines.remove();
			Hold hold = holder(first);
			if (hold != null) {
				first.setDeadline(hold.lease().deadlineNanos());
				this.deadlines.add(first);
			}
		}
	}

	private static boolean isOver(@Nullable KeptLease kept, long now) {
		return kept != null && kept.deadlineNanos() - now <= 0;
	}

	private boolean isOverloaded() {
		long now = this.time.nanoTime();
		return this.lanes.values().stream().anyMatch((lane) -> lane.isOverloaded(now));
	}

	private void renew(RenewalLane lane) {
		long now = this.time.nanoTime();
		if (lane.waitNanos(now) > 0) {
			return;
		}
		Batch batch = new Batch(lane);
		List<KeptLease> next = lane.next(now);
		next.forEach(batch::add);
		if (batch.isEmpty()) {
			lane.cancel();
			return;
		}
		this.calls.incrementAndGet();
		try {
			this.executor.execute(batch::renew);
		}
		catch (Throwable ex) {
			this.calls.decrementAndGet();
			batch.failed(true, now);
			throw ex; // the timer will run this again
		}
		checkOwner(next.get(ThreadLocalRandom.current().nextInt(next.size())));
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

	private void wakeUpInTime() {
		long now = this.time.nanoTime();
		long wait = this.lanes.values()
			.stream()
			.mapToLong((lane) -> lane.waitNanos(now))
			.min()
			.orElse(TimerThread.NEVER);
		KeptLease first = this.deadlines.peek();
		wait = (first != null) ? Math.min(wait, first.deadlineNanos() - now) : wait;
		if (wait < TimerThread.NEVER) {
			this.plan.wakeUpAt(now + wait);
		}
	}

	/**
	 * Batch of leases renewed in one call. Created by the timed task, used by the thread
	 * that makes the call, and then returned.
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

		private boolean isEmpty() {
			return this.leases.isEmpty();
		}

		private void renew() {
			try {
				call();
			}
			finally {
				Renewals.this.calls.decrementAndGet();
			}
		}

		private void call() {
			long sentMillis = Renewals.this.time.currentTimeMillis();
			long sentNanos = Renewals.this.time.nanoTime();
			try {
				Renewal renewal = Renewals.this.store.renew(this.leases.keySet(), Duration.ofNanos(this.timeoutNanos));
				renewal.held().forEach((lease) -> renewed(lease, sentNanos, sentMillis));
				renewal.lost().forEach(this::lost);
				notifyFailed((lease) -> renewal.held().contains(lease) || renewal.lost().contains(lease));
				answer(() -> answered(renewal, sentNanos));
			}
			catch (Throwable ex) {
				logger.warn(
						"Could not renew " + this.leases.size() + " leases; they will be retried: " + ex.getMessage());
				notifyFailed((lease) -> false);
				answer(() -> failed(ex instanceof BackendUnavailableException, sentNanos));
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
				Renewals.this.lossHandler.loseUnlessReplaced(lease, "it no longer exists in the store");
			}
		}

		private void answer(Runnable answer) {
			Renewals.this.answers.add(answer);
			Renewals.this.plan.wakeUpAt(Renewals.this.time.nanoTime());
		}

		private void answered(Renewal renewal, long sentNanos) {
			long now = Renewals.this.time.nanoTime();
			this.lane.succeeded(now, now - sentNanos, this.timeoutNanos);
			Renewals.this.answered++;
			this.leases.forEach((lease, kept) -> {
				if (renewal.held().contains(lease) || renewal.lost().contains(lease)) {
					kept.succeeded();
					putInLane(kept);
				}
				else {
					kept.failed(Renewals.this.answered, isAlone());
					putInLaneAgain(kept, now + this.pauseNanos);
				}
			});
		}

		/**
		 * End a failed call.
		 * @param unavailable whether the store failed for all leases alike
		 */
		private void failed(boolean unavailable, long sentNanos) {
			long now = Renewals.this.time.nanoTime();
			boolean alone = isAlone();
			this.lane.failed((unavailable ? now : sentNanos) + this.pauseNanos);
			this.leases.values().forEach((kept) -> {
				if (!unavailable) {
					kept.failed(Renewals.this.answered, alone);
				}
				putInLaneAgain(kept, now + this.pauseNanos);
			});
		}

		/**
		 * Return whether no other lease waits to be renewed, so that no other call will
		 * show whether the store answers.
		 */
		private boolean isAlone() {
			return Renewals.this.lanes.values().stream().allMatch(RenewalLane::isEmpty);
		}

	}

}
