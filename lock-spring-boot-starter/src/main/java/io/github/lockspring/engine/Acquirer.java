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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Acquires leases, waiting for them if necessary.
 * <ol>
 * <li>A reader shares the lease of another one of this process, if there is one and none
 * waits.</li>
 * <li>Enter the local queue. The leader contends in the store; the others are woken when
 * a lease is handed off to them or when they become the leader.</li>
 * <li>Granted in time: hold the lease. Granted too late: release it, and treat that as a
 * store failure.</li>
 * <li>Denied: sleep until a notification arrives, or until woken by the {@link Poller},
 * which polls for all sleeping requests because notifications may get lost; then
 * retry.</li>
 * <li>Store failure: retry after a random delay. A store that cannot renew more leases in
 * time has failed, too.</li>
 * <li>Rejected by the store, or for permits whose limit was changed: fail
 * immediately.</li>
 * <li>Outcome unknown: release the request in the background, and retry as another
 * owner.</li>
 * <li>At the deadline: try one last time, then leave the local queue and that of the
 * store. An acquisition that needs only a part of the key's capacity does so even if it
 * is not the leader; any other waits for the answer to the leader.</li>
 * </ol>
 * One deadline applies to all steps. The last call to the store may outlast it by its
 * timeout: the wait time is that for other owners, not for the store.
 * <p>
 * Either one thread runs all steps and sleeps in between, or an {@link Acquisition} uses
 * a thread only between two sleeps.
 */
final class Acquirer {

	private static final Log logger = LogFactory.getLog(Acquirer.class);

	private final EngineContext context;

	private final Store store;

	private final LocalQueues queues;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final LossHandler lossHandler;

	private final PermitLimits permitLimits;

	private final Poller poller;

	private final TimeSource time;

	private final Duration operationTimeout;

	private final AtomicInteger leaving = new AtomicInteger();

	/**
	 * The last store failure, of whatever key.
	 */
	private volatile WaitingList.@Nullable LastAnswer lastFailure;

	private final BiPredicate<Hold, AcquireOptions> suitable = this::isSuitable;

	Acquirer(EngineContext context, RenewalPlan plan, ReleaseRetrier releaseRetrier, LossHandler lossHandler,
			PermitLimits permitLimits) {
		this.context = context;
		this.store = context.store();
		this.queues = context.queues();
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.lossHandler = lossHandler;
		this.permitLimits = permitLimits;
		this.poller = new Poller(context);
		this.time = context.time();
		this.operationTimeout = context.settings().operationTimeout();
	}

	/**
	 * Acquire a lease.
	 * @param first the hold to acquire
	 * @param waitNanos the wait time; zero tries once
	 * @param interruptible whether an interrupt ends the waiting
	 * @return the acquired hold, which is another one if the lease of the first expired
	 * before its thread resumed, or {@code null}
	 */
	@Nullable Hold acquire(Hold hold, long waitNanos, boolean interruptible) throws InterruptedException {
		try {
			AcquireOptions options = hold.options();
			if (options.isShareable() && share(hold)) {
				return hold.hasLease() ? hold : acquireAnew(hold, waitNanos, interruptible);
			}
			long now = this.time.nanoTime();
			hold.waitFrom(now);
			LocalQueue.Turn turn = join(hold, waitNanos > 0);
			if (turn == LocalQueue.Turn.REJECTED) {
				return null;
			}
			if (turn == LocalQueue.Turn.HELD) {
				this.context.requireOpen();
				return hold;
			}
			boolean leading = turn != LocalQueue.Turn.WAIT;
			Denial denial = leading ? attempt(hold, now, waitNanos, timeout(waitNanos),
					waitNanos > 0 && this.store.isQueueEnteredImmediately(options)) : null;
			if (hold.isActive()) {
				this.context.requireOpen();
				return hold;
			}
			RetrySchedule retrySchedule = newSchedule(now, waitNanos);
			if (leading) {
				answeredFirst(hold, retrySchedule, denial);
			}
			return awaitLease(hold, retrySchedule, interruptible);
		}
		catch (Throwable ex) {
			cancel(hold, ex);
			throw ex;
		}
	}

	private @Nullable Hold acquireAnew(Hold expired, long waitNanos, boolean interruptible)
			throws InterruptedException {
		expired.release();
		return acquire(expired.anew(), waitNanos, interruptible);
	}

	private @Nullable Hold awaitLease(Hold hold, RetrySchedule retrySchedule, boolean interruptible)
			throws InterruptedException {
		if (!await(hold, retrySchedule, interruptible)) {
			return null;
		}
		return hasLease(hold, retrySchedule) ? hold
				: acquireAnew(hold, retrySchedule.remaining(this.time.nanoTime()), interruptible);
	}

	/**
	 * Let a reader share the lease of another one, if possible.
	 * @return whether it has a lease, which may have ended in the meantime
	 */
	boolean share(Hold hold) {
		if (!this.queues.share(hold, this.suitable)) {
			return false;
		}
		this.plan.watch(hold);
		this.context.requireOpen();
		return true;
	}

	private boolean isSuitable(Hold holder, AcquireOptions options) {
		return !this.context.isClosed() && !this.plan.isInDoubt(holder)
				&& holder.lease().canHandOff(options, this.context.settings(), this.time);
	}

	/**
	 * Add a hold to the queue of its key. It may take over a lease that this process
	 * retains, or waits until that is released.
	 */
	LocalQueue.Turn join(Hold hold, boolean mayWait) {
		LocalQueue.Turn turn = this.queues.join(hold, mayWait, this.suitable);
		if (turn == LocalQueue.Turn.HELD) {
			this.plan.watch(hold);
			EngineObservers observers = this.context.observers();
			if (observers != null) {
				observers.onHandOff(hold);
			}
		}
		else if (turn == LocalQueue.Turn.RECALL) {
			Hold retained = hold.queue().retained();
			if (retained != null) {
				retained.releaseRetained();
			}
			return LocalQueue.Turn.WAIT;
		}
		else if (turn == LocalQueue.Turn.WAIT || turn == LocalQueue.Turn.REJECTED) {
			hold.notifyContended();
		}
		return turn;
	}

	/**
	 * Check the lease after waking up: a thread may resume long after a lease was handed
	 * off to it.
	 * @return {@code false} if the lease has expired by then, and another hold is to
	 * continue
	 * @throws EngineException if the wait time is over as well
	 */
	boolean hasLease(Hold hold, RetrySchedule retrySchedule) {
		this.context.requireOpen();
		if (hold.hasLease()) {
			return true;
		}
		if (retrySchedule.remaining(this.time.nanoTime()) <= 0) {
			throw new EngineException(EngineException.Reason.UNAVAILABLE,
					"The lease expired before the waiting thread resumed", null);
		}
		return false;
	}

	/**
	 * Create the retry schedule of an acquisition that begins now.
	 */
	RetrySchedule newSchedule(long now, long waitNanos) {
		return new RetrySchedule(now, now + Math.min(waitNanos, Durations.MAX_NANOS), this.context.settings(),
				this.store.hasNotifications());
	}

	/**
	 * Record an answer. A denied acquisition may sleep now. One that leaves is replaced
	 * by one that awaits the answer. That a lease is recalled answers no other.
	 */
	private void answered(Hold hold, RetrySchedule retrySchedule, @Nullable Denial denial) {
		if (denial == null && isCutOff(hold, retrySchedule.deadline())) {
			return;
		}
		if (hold.isLeader()) {
			retrySchedule.leaderAnswered(denial, this.time.nanoTime());
		}
		else {
			retrySchedule.answered(denial, this.time.nanoTime());
		}
		boolean postponed = denial != null && denial.postponed();
		if (hold.isLeader() && !postponed && !retrySchedule.isLastTried() && !retrySchedule.isRecalling()) {
			hold.queue().setAsking(false);
			hold.queue().wakeAwaiting();
		}
		if (denial != null && !postponed && hold.isLeader() && retrySchedule.maySleep()) {
			retrySchedule.sleep(this.poller.watch(hold, denial));
		}
	}

	/**
	 * Return whether the last call for this thread may have failed because the thread was
	 * interrupted, which is neither an answer nor a failure of the store as long as there
	 * is time for another call.
	 */
	private boolean isCutOff(Hold hold, long deadline) {
		return hold.isPending() && hold.waiter() == Thread.currentThread() && Thread.currentThread().isInterrupted()
				&& this.time.nanoTime() - deadline < this.context.answerNanos();
	}

	/**
	 * End the sleep of an acquisition, if any.
	 */
	void wakeUp(RetrySchedule retrySchedule) {
		Poller.Sleeper sleeper = retrySchedule.wake();
		if (sleeper != null) {
			this.poller.remove(sleeper);
		}
	}

	private boolean await(Hold hold, RetrySchedule retrySchedule, boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		try {
			while (hold.isPending()) {
				this.context.requireOpen();
				if (Thread.interrupted()) {
					interrupted = true;
					if (interruptible) {
						throw new InterruptedException();
					}
					retrySchedule.tryAgain();
				}
				long now = this.time.nanoTime();
				Step step = step(hold, retrySchedule, now);
				if (step == Step.TIMED_OUT) {
					return !timeOut(hold);
				}
				if (step == Step.SLEEP) {
					long nanos = retrySchedule.sleepNanos(now, hold.isContending());
					if (nanos > 0) {
						this.time.parkNanos(hold.queue(), nanos);
					}
				}
			}
			return true;
		}
		finally {
			wakeUp(retrySchedule);
			if (interrupted && !interruptible) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Contend in the store if an attempt is due.
	 */
	Step step(Hold hold, RetrySchedule retrySchedule, long now) {
		this.permitLimits.requireCurrent(hold);
		boolean leading = hold.isContending();
		YieldPolicy yieldPolicy = leading ? hold.queue().yieldPolicy() : null;
		retrySchedule.onSignal(now);
		if (leading && hold.options().isExclusive() && hold.queue().isAnsweredSince(retrySchedule.deadline())) {
			retrySchedule.end(); // by the answer to another acquisition
		}
		if (yieldPolicy != null) {
			retrySchedule.delayUntil(yieldPolicy.yieldUntil());
		}
		if (leading && retrySchedule.isTimeToTry(now, hold.hasNotification())) {
			wakeUp(retrySchedule);
			boolean queueing = hold.isLeader() && retrySchedule.mayWait()
					&& (this.store.isQueueEnteredImmediately(hold.options()) || retrySchedule.isLong(now));
			long remaining = retrySchedule.remaining(now);
			Duration timeout = retrySchedule.isRecalling() ? this.context.timeoutUntil(retrySchedule.deadline())
					: timeout(remaining);
			Denial denial = attempt(hold, now, remaining, timeout, queueing);
			answered(hold, retrySchedule, denial);
			if (yieldPolicy != null && (denial != null || !hold.isPending())) {
				yieldPolicy.answered(denial != null);
			}
			return Step.PROCEED;
		}
		if (!retrySchedule.isOver(now, leading)) {
			return (retrySchedule.sleepNanos(now, leading) > 0) ? Step.SLEEP : Step.PROCEED;
		}
		if (leading ? acceptGrant(hold) : hold.queue().mayTryAtLast(hold)) {
			return Step.PROCEED;
		}
		return (!leading && awaitAnswer(hold, retrySchedule, now)) ? Step.SLEEP : Step.TIMED_OUT;
	}

	/**
	 * Return whether the answer to the leader is to be awaited, because the key may be
	 * free, or the store unavailable.
	 */
	private boolean awaitAnswer(Hold hold, RetrySchedule retrySchedule, long now) {
		boolean pending = hold.queue().awaitAnswer(retrySchedule.deadline());
		if (pending && retrySchedule.remainingForCalls(now) <= 0) {
			throw this.store.notAnswered();
		}
		return pending;
	}

	/**
	 * Accept a grant that the store sent as a notification during the last attempt.
	 */
	private boolean acceptGrant(Hold hold) {
		Grant grant = grantSentTo(hold);
		return grant != null && begin(hold, hold.lease(), grant);
	}

	private @Nullable Grant grantSentTo(Hold hold) {
		return (hold.pollNotification() instanceof Notification.Granted sent && hold.hasRequested(sent.request())
				&& hold.lease().grantedByNotification(sent, hold.options(), this.time)) ? sent.grant() : null;
	}

	/**
	 * Make the first attempt, for a hold that need not wait for others of this process.
	 */
	void attemptFirst(Hold hold, RetrySchedule retrySchedule, long now, boolean mayWait) {
		long remaining = retrySchedule.remaining(now);
		answeredFirst(hold, retrySchedule, attempt(hold, now, remaining, timeout(remaining),
				mayWait && this.store.isQueueEnteredImmediately(hold.options())));
	}

	private void answeredFirst(Hold hold, RetrySchedule retrySchedule, @Nullable Denial denial) {
		if (denial != null) {
			hold.notifyContended();
		}
		answered(hold, retrySchedule, denial);
	}

	private Duration timeout(long remaining) {
		return (remaining >= 0) ? this.operationTimeout : this.context.timeoutAfterDeadline(remaining);
	}

	/**
	 * Try once to acquire the lease in the store, or accept a grant that it sent as a
	 * notification.
	 * @param queueing whether to enter the queue of the store if denied
	 * @return the denial, or {@code null} if the lease is held or the store failed
	 */
	private @Nullable Denial attempt(Hold hold, long now, long remaining, Duration timeout, boolean queueing) {
		try {
			Grant sent = hold.hasNotification() ? grantSentTo(hold) : null;
			BackendException failure = (remaining < 0) ? failureSince(hold, now + remaining, remaining) : null;
			if (sent != null) {
				begin(hold, hold.lease(), sent);
			}
			else if (failure != null) {
				storeFailure(hold, failure);
			}
			else {
				return attemptInStore(hold, now, queueing, timeout);
			}
		}
		catch (BackendException ex) {
			if (ex instanceof OutcomeUnknownException) {
				discardRequest(hold);
			}
			if (!isCutOff(hold, now + Math.min(remaining, Durations.MAX_NANOS))) {
				storeFailure(hold, ex, remaining);
			}
		}
		return null;
	}

	private @Nullable Denial attemptInStore(Hold hold, long now, boolean queueing, Duration timeout) {
		AcquireOptions options = hold.options();
		if (this.plan.isOverloaded(options)) {
			throw new BackendUnavailableException("This process holds more locks than can be renewed in time; no"
					+ " more are acquired until the store has caught up. Hold fewer locks at once, or use longer"
					+ " lease times, which are renewed less often", null);
		}
		LocalQueue queue = hold.queue();
		Lease lease = leaseOf(hold, options, queue);
		boolean queued = lease.isQueued();
		if (queueing && this.store.hasQueueEntriesFor(options)) {
			lease.setQueued(true);
		}
		if (hold.isLeader()) {
			queue.setAsking(true);
		}
		long nowMillis = this.time.currentTimeMillis();
		Attempt attempt;
		try {
			attempt = this.store.tryAcquire(lease.request(), queueing, timeout);
		}
		catch (EngineException | BackendUnavailableException ex) {
			lease.setQueued(queued); // the call changed nothing
			throw ex;
		}
		return attempted(hold, lease, attempt, now, nowMillis);
	}

	private @Nullable Denial attempted(Hold hold, Lease lease, Attempt attempt, long now, long nowMillis) {
		if (attempt instanceof Denial denial) {
			lease.denied(denial.attemptId(), now, nowMillis);
			if (!denial.recalled() && !denial.postponed()) {
				hold.queue().answered(now, null);
			}
			return denial;
		}
		Grant grant = (Grant) attempt;
		lease.granted(grant, now, nowMillis);
		begin(hold, lease, grant);
		return null;
	}

	private Lease leaseOf(Hold hold, AcquireOptions options, LocalQueue queue) {
		Lease lease = hold.leaseOrNull();
		if (lease == null) {
			LeaseRequest request = this.store.newRequest(hold.key(), options, queue.isContended());
			lease = options.isShareable() ? new SharedLease(request) : new Lease(request);
			hold.setLease(lease);
		}
		return lease;
	}

	private boolean begin(Hold hold, Lease lease, Grant grant) {
		if (lease.begin(this.time)) {
			begin(hold, lease, grant.token());
			return true;
		}
		discardRequest(hold);
		storeFailure(hold,
				new BackendUnavailableException("The store took longer than the lease time to grant the lease", null));
		return false;
	}

	/**
	 * Hold under a lease that was granted and has begun.
	 */
	void begin(Hold hold, Lease lease, long token) {
		LocalQueue queue = hold.queue();
		Hold next = queue.grant(hold, lease, token);
		this.plan.watch(hold);
		if (hold.next != null) {
			queue.excludedBy(hold)
				.forEach((excluded) -> this.lossHandler.loseAndRelease(excluded,
						"the store has granted the key to another owner"));
		}
		if (next != null) {
			next.wakeUp();
		}
		if (lease.isShareable()) {
			queue.admit(hold, this.suitable).forEach(this::wakeUp);
		}
		queue.wakeAwaiting();
	}

	private void wakeUp(Hold admitted) {
		if (admitted.isActive()) {
			this.plan.watch(admitted);
		}
		admitted.wakeUp();
	}

	/**
	 * Record a store failure. It is thrown at the deadline, but an acquisition that waits
	 * indefinitely has none: then the first failure is logged.
	 */
	private void storeFailure(Hold hold, BackendException failure, long remaining) {
		if (Durations.isIndefinite(remaining) && hold.queue().storeFailure() == null) {
			logger.warn("The lock backend " + this.store.description() + " failed; acquiring the lock on "
					+ KeyFormat.quote(hold.key()) + " is retried until it is available: " + failure.getMessage());
		}
		storeFailure(hold, failure);
	}

	private void storeFailure(Hold hold, BackendException failure) {
		long now = this.time.nanoTime();
		hold.queue().answered(now, failure);
		this.lastFailure = new WaitingList.LastAnswer(now, failure);
	}

	/**
	 * Return the failure of an attempt that begins later than it may end, because it
	 * waited for other calls which failed meanwhile.
	 */
	private @Nullable BackendException failureSince(Hold hold, long deadline, long remaining) {
		if (remaining > -this.context.answerNanos()) {
			return null;
		}
		WaitingList.LastAnswer last = this.lastFailure;
		return (last != null && last.nanos() - deadline >= 0) ? last.failure() : hold.queue().failureSince(deadline);
	}

	/**
	 * Release the current request in the background. The next attempt is made by another
	 * owner.
	 */
	private void discardRequest(Hold hold) {
		Lease lease = hold.leaseOrNull();
		if (lease != null) {
			hold.setLease(null);
			this.releaseRetrier.releaseIfGranted(lease.request());
		}
	}

	/**
	 * Time out at the deadline.
	 * @return {@code false} if the lease was handed off at the last moment
	 */
	boolean timeOut(Hold hold) {
		BackendException failure = hold.queue().storeFailure();
		boolean left = leave(hold);
		if (left && failure != null) {
			throw this.store.unavailable(failure);
		}
		return left;
	}

	/**
	 * Leave the local queue and, if entered, that of the store.
	 */
	private boolean leave(Hold hold) {
		this.leaving.incrementAndGet();
		try {
			if (!this.queues.leave(hold)) {
				return false;
			}
			Lease lease = hold.leaseOrNull();
			if (lease != null && lease.isQueued()) {
				this.releaseRetrier.release(lease.request());
			}
			return true;
		}
		finally {
			this.leaving.decrementAndGet();
		}
	}

	/**
	 * Return whether a hold has left the local queue whose entry in the queue of the
	 * store may not be registered with the {@link ReleaseRetrier} yet.
	 */
	boolean isAnyLeaving() {
		return this.leaving.get() > 0;
	}

	/**
	 * Undo an acquisition that ended in an exception. The key is first made available to
	 * other owners in this process, even if a later step fails.
	 */
	void cancel(Hold hold, Throwable failure) {
		boolean cutOff = !(failure instanceof InterruptedException || failure instanceof EngineException);
		boolean contending = hold.isContending();
		Lease lease = hold.leaseOrNull();
		try {
			cancel(hold);
		}
		finally {
			if (cutOff && contending && lease != null) {
				// a call to the store may have been cut off
				this.releaseRetrier.releaseIfGranted(lease.request());
			}
		}
	}

	/**
	 * Undo an acquisition.
	 */
	void cancel(Hold hold) {
		if (!hold.isEnded() && !leave(hold)) {
			hold.release();
		}
	}

	/**
	 * Next step of an acquisition.
	 */
	enum Step {

		/**
		 * Make the next step, unless the lease is held.
		 */
		PROCEED,

		/**
		 * Sleep for the time of the retry schedule, then make the next step.
		 */
		SLEEP,

		/**
		 * Leave the queue, because the wait time is over.
		 */
		TIMED_OUT

	}

}
