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
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Durations;

/**
 * Acquires leases, waiting for them if necessary.
 * <ol>
 * <li>Enter the local queue. The leader contends in the store; the others are woken when
 * a lease is handed off to them or when they become the leader.</li>
 * <li>Granted in time: hold the lease. Granted too late: release it, and treat that as a
 * store failure.</li>
 * <li>Denied: sleep until a notification arrives, or until woken by the {@link Poller},
 * which polls for all sleeping requests because notifications may get lost; then
 * retry.</li>
 * <li>Store failure: retry after a random delay.</li>
 * <li>Rejected by the store: fail immediately.</li>
 * <li>Outcome unknown: release the request in the background, and retry as another
 * owner.</li>
 * <li>At the deadline: try one last time, then leave the local queue and that of the
 * store. An acquisition that needs only a part of the key's capacity does so even if it
 * is not the leader.</li>
 * </ol>
 * One deadline applies to all steps. A call to the store may return slightly after it.
 * <p>
 * Either one thread runs all steps and sleeps in between, or an {@link Acquisition} uses
 * a thread only between two sleeps.
 */
final class Acquirer {

	/**
	 * Time by which a call to the store may exceed the deadline.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

	/**
	 * Result: do not sleep.
	 */
	static final long NOW = 0;

	/**
	 * Result: the wait time is over.
	 */
	static final long OVER = -1;

	private final Store store;

	private final LocalQueues queues;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final Poller poller;

	private final EngineSettings settings;

	private final TimeSource time;

	private final BooleanSupplier closed;

	private final long operationNanos;

	private final AtomicInteger leaving = new AtomicInteger();

	Acquirer(Store store, LocalQueues queues, RenewalPlan plan, ReleaseRetrier releaseRetrier, Poller poller,
			EngineSettings settings, TimeSource time, BooleanSupplier closed) {
		this.store = store;
		this.queues = queues;
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.poller = poller;
		this.settings = settings;
		this.time = time;
		this.closed = closed;
		this.operationNanos = settings.operationTimeout().toNanos();
	}

	/**
	 * Acquire a lease.
	 * @param first the hold to acquire
	 * @param waitNanos the wait time; zero tries once
	 * @param interruptible whether an interrupt ends the waiting
	 * @return the acquired hold, which is another one if the lease of the first expired
	 * before its thread resumed, or {@code null}
	 */
	@Nullable Hold acquire(Hold first, long waitNanos, boolean interruptible) throws InterruptedException {
		Hold hold = first;
		long left = attempt(hold, waitNanos, interruptible);
		while (left > 0) {
			hold = hold.anew();
			left = attempt(hold, left, interruptible);
		}
		return (left == NOW) ? hold : null;
	}

	/**
	 * Acquire a lease, which may expire before the thread resumes.
	 * @return {@link #NOW} if it is held, {@link #OVER} if the wait time is over, or the
	 * remaining time to wait for another lease
	 */
	private long attempt(Hold hold, long waitNanos, boolean interruptible) throws InterruptedException {
		boolean mayWait = waitNanos > 0;
		try {
			LocalQueue.Turn turn = this.queues.join(hold, mayWait);
			if (turn == LocalQueue.Turn.REFUSED) {
				return OVER;
			}
			long now = this.time.nanoTime();
			Object answer = (turn != LocalQueue.Turn.WAIT) ? askFirst(hold, now, waitNanos, mayWait) : null;
			if (hold.state() > Hold.ENDED) {
				requireOpen();
				return NOW;
			}
			RetrySchedule retrySchedule = newSchedule(now, waitNanos);
			if (answer != null) {
				answered(hold, retrySchedule, answer);
			}
			return await(hold, retrySchedule, interruptible) ? begun(hold, retrySchedule) : OVER;
		}
		catch (Throwable ex) {
			cancel(hold, ex);
			throw ex;
		}
	}

	/**
	 * Enter an asynchronous acquisition into the queue of its key.
	 */
	LocalQueue.Turn join(Acquisition acquisition) {
		return this.queues.join(acquisition.hold(), acquisition.mayWait());
	}

	/**
	 * Advance an asynchronous acquisition as far as possible without sleeping.
	 * @return {@link #NOW} if it holds the lease, {@link #OVER} if the wait time is over,
	 * or else how long it sleeps, for which it is already scheduled
	 */
	long advance(Acquisition acquisition) {
		try {
			while (true) {
				long sleep = advanceToGrant(acquisition);
				if (sleep != NOW || begun(acquisition.hold(), acquisition.retrySchedule()) == NOW) {
					return sleep;
				}
				acquisition.joinAnew();
			}
		}
		catch (Throwable ex) {
			wakeUp(acquisition.retrySchedule());
			cancel(acquisition.hold(), ex);
			throw ex;
		}
	}

	private long advanceToGrant(Acquisition acquisition) {
		Hold hold = acquisition.hold();
		while (hold.state() <= Hold.LEADING) {
			requireOpen();
			if (acquisition.isUnwanted()) {
				wakeUp(acquisition.retrySchedule());
				cancel(hold);
				return OVER;
			}
			long now = this.time.nanoTime();
			long sleep = step(acquisition, now);
			if (sleep > 0) {
				acquisition.sleep(now, sleep);
				return sleep;
			}
			if (sleep == OVER && timeOut(hold)) {
				return OVER;
			}
		}
		return NOW;
	}

	/**
	 * An acquisition that is the leader from the beginning tries immediately, like one
	 * with a thread.
	 */
	private long step(Acquisition acquisition, long now) {
		RetrySchedule retrySchedule = acquisition.retrySchedule();
		if (!acquisition.isToAskAtOnce()) {
			return step(acquisition.hold(), retrySchedule, now);
		}
		Object answer = askFirst(acquisition.hold(), now, retrySchedule.remaining(now), acquisition.mayWait());
		answered(acquisition.hold(), retrySchedule, answer);
		return NOW;
	}

	/**
	 * Acquire several keys in one call to the store, if none of them is held or wanted in
	 * this process. Does not wait for a lease.
	 * @param holds the holds to acquire, in the order of the keys
	 * @param waitNanos the available time, which the call may exceed slightly
	 * @return whether they are held; if not, the attempt leaves nothing behind
	 */
	boolean acquireTogether(List<Hold> holds, long waitNanos) {
		try {
			for (Hold hold : holds) {
				if (this.queues.join(hold, false) != LocalQueue.Turn.CONTEND) {
					return false;
				}
			}
			return askTogether(holds, timeout(waitNanos));
		}
		finally {
			for (Hold hold : holds) {
				leaveUnlessHeld(hold);
			}
		}
	}

	private void leaveUnlessHeld(Hold hold) {
		if (hold.state() < Hold.ENDED && !hold.hasBegun()) {
			this.queues.leave(hold);
		}
	}

	/**
	 * Ignore failures, which are reported when the keys are then acquired one after the
	 * other.
	 */
	private boolean askTogether(List<Hold> holds, Duration timeout) {
		List<String> keys = holds.stream().map(Hold::key).toList();
		Lease lease = new MultiKeyLease(this.store.newRequest(keys, holds.get(0).terms()));
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		boolean answered = false;
		try {
			Attempt attempt = this.store.tryAcquire(lease.request(), false, timeout);
			answered = attempt instanceof Denial;
			if (!(attempt instanceof Grant grant)) {
				return false;
			}
			lease.granted(grant, now, nowMillis);
			if (lease.begin(this.time)) {
				beginAll(holds, lease, grant.token());
				answered = true;
			}
			return answered;
		}
		catch (BackendUnavailableException ex) {
			answered = true;
			return false;
		}
		catch (OutcomeUnknownException ex) {
			return false;
		}
		finally {
			if (!answered) {
				this.releaseRetrier.releaseIfGranted(lease.request());
			}
		}
	}

	private void beginAll(List<Hold> holds, Lease lease, long token) {
		try {
			for (Hold hold : holds) {
				begin(hold, lease, token);
			}
		}
		catch (Throwable ex) {
			Hold.releaseAll(holds.stream().filter((hold) -> hold.state() > Hold.ENDED).toList());
			throw ex;
		}
	}

	private void begin(Hold hold, Lease lease, long token) {
		Hold next = hold.queue().grant(hold, lease, token);
		this.plan.watch(hold);
		if (next != null) {
			next.wake();
		}
	}

	/**
	 * Check the lease after waking up: a thread may resume long after a lease was handed
	 * off to it. If the lease has expired by then, the thread continues to wait, unless
	 * its wait time is over as well.
	 * @return {@link #NOW} if the lease is held, or the remaining wait time
	 */
	private long begun(Hold hold, RetrySchedule retrySchedule) {
		requireOpen();
		if (hold.hasLease()) {
			return NOW;
		}
		long left = retrySchedule.remaining(this.time.nanoTime());
		if (left <= 0) {
			throw new EngineException(EngineException.Reason.UNAVAILABLE,
					"The lease expired before the waiting thread resumed", null);
		}
		hold.release();
		return left;
	}

	/**
	 * Create the retry schedule of an acquisition that begins now.
	 */
	RetrySchedule newSchedule(long now, long waitNanos) {
		return new RetrySchedule(now, now + Math.min(waitNanos, Durations.LONGEST_NANOS), this.settings,
				this.store.hasNotifications());
	}

	/**
	 * Record an answer. A denied acquisition may sleep now.
	 */
	private void answered(Hold hold, RetrySchedule retrySchedule, @Nullable Object answer) {
		retrySchedule.answered(answer, this.time.nanoTime());
		if (answer instanceof Denial denial && hold.state() == Hold.LEADING && retrySchedule.maySleep()) {
			retrySchedule.sleep(this.poller.watch(hold, denial));
		}
	}

	private void wakeUp(RetrySchedule retrySchedule) {
		Poller.Sleeper sleeper = retrySchedule.wake();
		if (sleeper != null) {
			this.poller.leaveAlone(sleeper);
		}
	}

	private boolean await(Hold hold, RetrySchedule retrySchedule, boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		try {
			while (hold.state() <= Hold.LEADING) {
				requireOpen();
				interrupted |= Thread.interrupted();
				if (interrupted && interruptible) {
					throw new InterruptedException();
				}
				long sleep = step(hold, retrySchedule, this.time.nanoTime());
				if (sleep == OVER) {
					return !timeOut(hold);
				}
				if (sleep > 0) {
					this.time.parkNanos(hold.queue(), sleep);
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
	 * @return how long to sleep, {@link #NOW} if not at all, {@link #OVER} if the wait
	 * time is over
	 */
	private long step(Hold hold, RetrySchedule retrySchedule, long now) {
		int state = hold.state();
		boolean leading = state == Hold.LEADING || state == Hold.TRYING;
		YieldPolicy yieldPolicy = leading ? hold.queue().yieldPolicy() : null;
		retrySchedule.heed(now);
		if (yieldPolicy != null) {
			retrySchedule.delayUntil(yieldPolicy.yieldUntil());
		}
		if (leading && retrySchedule.isTimeToAsk(now, hold.hasNotification())) {
			wakeUp(retrySchedule);
			boolean queueing = state == Hold.LEADING && (isQueueEnteredAtOnce(hold) || retrySchedule.isLong(now));
			Object answer = ask(hold, now, retrySchedule.remaining(now), queueing);
			answered(hold, retrySchedule, answer);
			if (yieldPolicy != null && !(answer instanceof BackendException)) {
				yieldPolicy.answered(answer != null);
			}
			return NOW;
		}
		if (!retrySchedule.isOver(now, leading)) {
			return retrySchedule.sleep(now, leading);
		}
		boolean goesOn = leading ? takesGrant(hold) : hold.queue().mayAskAtLast(hold);
		return goesOn ? NOW : OVER;
	}

	/**
	 * Accept a grant that the store sent as a notification during the last attempt.
	 */
	private boolean takesGrant(Hold hold) {
		Grant grant = grantSentTo(hold);
		return grant != null && begin(hold, grant) == null;
	}

	private @Nullable Grant grantSentTo(Hold hold) {
		return (hold.pollNotification() instanceof Pushed pushed && pushed.isFor(hold.leaseOrNull())
				&& hold.lease().grantedUnasked(pushed.grant(), pushed.attemptId(), hold.terms(), this.time))
						? pushed.grant() : null;
	}

	private @Nullable Object askFirst(Hold hold, long now, long remaining, boolean mayWait) {
		return ask(hold, now, remaining, mayWait && isQueueEnteredAtOnce(hold));
	}

	private boolean isQueueEnteredAtOnce(Hold hold) {
		return this.store.isQueueEnteredAtOnce(hold.terms());
	}

	/**
	 * Contend in the store once, or accept a grant that it sent as a notification.
	 * @param queueing whether to enter the queue of the store if denied
	 * @return {@code null} if the lease is held, or a {@link Denial}, or a
	 * {@link BackendException}
	 */
	private @Nullable Object ask(Hold hold, long now, long remaining, boolean queueing) {
		try {
			Grant sent = grantSentTo(hold);
			if (sent != null) {
				return begin(hold, sent);
			}
			Lease lease = leaseOf(hold);
			long nowMillis = this.time.currentTimeMillis();
			Attempt attempt = attempt(hold, lease, queueing, timeout(remaining));
			if (attempt instanceof Grant grant) {
				lease.granted(grant, now, nowMillis);
				return begin(hold, grant);
			}
			lease.denied(((Denial) attempt).attemptId(), now, nowMillis);
			hold.queue().setStoreFailure(null);
			return attempt;
		}
		catch (OutcomeUnknownException ex) {
			discardRequest(hold);
			return storeFailure(hold, ex);
		}
		catch (BackendUnavailableException ex) {
			return storeFailure(hold, ex);
		}
	}

	private Attempt attempt(Hold hold, Lease lease, boolean queueing, Duration timeout) {
		boolean queued = lease.isQueued();
		if (queueing && this.store.hasPlacesFor(hold.terms())) {
			lease.setQueued(true);
		}
		try {
			return this.store.tryAcquire(lease.request(), queueing, timeout);
		}
		catch (EngineException ex) {
			if (!queued) {
				hold.setLease(null); // a rejected request leaves nothing in the store
			}
			throw ex;
		}
		catch (BackendUnavailableException ex) {
			lease.setQueued(queued); // the call changed nothing
			throw ex;
		}
	}

	private Lease leaseOf(Hold hold) {
		Lease lease = hold.leaseOrNull();
		if (lease == null) {
			lease = new Lease(this.store.newRequest(hold.key(), hold.terms(), hold.queue().isContended()));
			hold.setLease(lease);
		}
		return lease;
	}

	private Duration timeout(long remaining) {
		return (remaining + GRACE_NANOS >= this.operationNanos) ? this.settings.operationTimeout()
				: Duration.ofNanos(Math.max(remaining, 0) + GRACE_NANOS);
	}

	private @Nullable BackendException begin(Hold hold, Grant grant) {
		Lease lease = hold.lease();
		if (!lease.begin(this.time)) {
			discardRequest(hold);
			return storeFailure(hold, new BackendUnavailableException(
					"The store took longer than the lease time to grant the lease", null));
		}
		begin(hold, lease, grant.token());
		return null;
	}

	private static BackendException storeFailure(Hold hold, BackendException failure) {
		hold.queue().setStoreFailure(failure);
		return failure;
	}

	/**
	 * Has the present request released in the background. The next attempt is made by
	 * another owner.
	 */
	private void discardRequest(Hold hold) {
		Lease lease = hold.leaseOrNull();
		if (lease != null) {
			hold.setLease(null);
			this.releaseRetrier.releaseIfGranted(lease.request());
		}
	}

	/**
	 * Gives up at the deadline.
	 * @return {@code false} if the lease was handed over in the last moment
	 */
	private boolean timeOut(Hold hold) {
		BackendException failure = hold.queue().storeFailure();
		if (!leave(hold)) {
			return false;
		}
		if (failure != null) {
			throw this.store.unavailable(failure);
		}
		return true;
	}

	/**
	 * Leaves the queue here and, if it was put into it, that of the store.
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
	 * Whether some have left the queue here whose place in that of the store may not be
	 * among the {@link ReleaseRetrier} yet.
	 */
	boolean isBeingLeft() {
		return this.leaving.get() > 0;
	}

	/**
	 * Leaves nothing behind when the waiting ended in an exception. First the key is free
	 * for others of this process, whatever fails then.
	 */
	void cancel(Hold hold, Throwable failure) {
		boolean cutOff = !(failure instanceof InterruptedException || failure instanceof EngineException);
		boolean asking = hold.state() == Hold.LEADING || hold.state() == Hold.TRYING;
		Lease asked = hold.leaseOrNull();
		try {
			cancel(hold);
		}
		finally {
			if (cutOff && asking && asked != null) {
				this.releaseRetrier.releaseIfGranted(asked.request()); // a call to the
																		// store
																		// may
																		// have been cut
																		// off
			}
		}
	}

	/**
	 * Leaves nothing behind when the waiting ended in an exception, or is not wanted any
	 * more.
	 */
	private void cancel(Hold hold) {
		if (hold.state() != Hold.ENDED && !leave(hold)) {
			hold.release();
		}
	}

	boolean isClosed() {
		return this.closed.getAsBoolean();
	}

	private void requireOpen() {
		if (isClosed()) {
			throw new EngineException(EngineException.Reason.CLOSED, "The application is shutting down", null);
		}
	}

	/**
	 * A grant that the store made unasked.
	 *
	 * @param request the request that was granted
	 * @param grant the grant
	 * @param attemptId the attempt id of the denial that it follows
	 */
	record Pushed(LeaseRequest request, Grant grant, long attemptId) {

		boolean isFor(@Nullable Lease lease) {
			return lease != null && lease.request().equals(this.request);
		}

	}

}
