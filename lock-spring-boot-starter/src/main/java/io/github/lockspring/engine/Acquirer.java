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
 * Waits for leases.
 * <ol>
 * <li>Join the local queue. Whoever may speak asks the store; the others are woken when a
 * lease is handed to them or when it is their turn to speak.</li>
 * <li>Granted in time: hold. Granted too late: give back, and count it as a failure.</li>
 * <li>Denied: sleep until news come, or until the {@link Poller}, who asks for all that
 * sleep because news get lost, says that it is time; then ask again.</li>
 * <li>The store failed: ask again after a random pause.</li>
 * <li>Refused by the store: give up at once.</li>
 * <li>Outcome unknown: have it released in the background, and ask again as another
 * owner.</li>
 * <li>At the deadline ask one last time, then leave the queues, here and in the store.
 * Who needs only a part of the key does so even if it is not its turn.</li>
 * </ol>
 * One deadline counts for all of it. A call to the store may end a little after it.
 * <p>
 * Either a thread goes all the way and sleeps in between, or an {@link Acquisition} has a
 * thread only between two sleeps.
 */
final class Acquirer {

	/**
	 * How long a call to the store may go on after the deadline.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(250).toNanos();

	/**
	 * No need to sleep.
	 */
	static final long NOW = 0;

	/**
	 * Nothing left to wait for.
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
	 * Acquires.
	 * @param first what will be held
	 * @param waitNanos how long to wait; zero tries once
	 * @param interruptible whether an interrupt ends the waiting
	 * @return what is held, another one if the lease of the first was over before its
	 * thread woke up, or {@code null}
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
	 * Acquires, or is late.
	 * @return {@link #NOW} if it is held, {@link #OVER} if there is nothing left to wait
	 * for, or how long there is left to wait for another lease
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
			RetrySchedule retrySchedule = patience(now, waitNanos);
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
	 * Lets an acquisition without a thread into the queue of its key.
	 */
	LocalQueue.Turn join(Acquisition acquisition) {
		return this.queues.join(acquisition.hold(), acquisition.mayWait());
	}

	/**
	 * Takes an acquisition without a thread as far as it gets without sleeping.
	 * @return {@link #NOW} if it holds, {@link #OVER} if there is nothing left to wait
	 * for, or else how long it sleeps, which it was told as well
	 */
	long advance(Acquisition acquisition) {
		try {
			while (true) {
				long sleep = advanceToGrant(acquisition);
				if (sleep != NOW || begun(acquisition.hold(), acquisition.patience()) == NOW) {
					return sleep;
				}
				acquisition.joinAnew();
			}
		}
		catch (Throwable ex) {
			wakeUp(acquisition.patience());
			cancel(acquisition.hold(), ex);
			throw ex;
		}
	}

	private long advanceToGrant(Acquisition acquisition) {
		Hold hold = acquisition.hold();
		while (hold.state() <= Hold.LEADING) {
			requireOpen();
			if (acquisition.isUnwanted()) {
				wakeUp(acquisition.patience());
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
	 * One that speaks from the beginning asks at once, as one with a thread does.
	 */
	private long step(Acquisition acquisition, long now) {
		RetrySchedule retrySchedule = acquisition.patience();
		if (!acquisition.isToAskAtOnce()) {
			return step(acquisition.hold(), retrySchedule, now);
		}
		Object answer = askFirst(acquisition.hold(), now, retrySchedule.remaining(now), acquisition.mayWait());
		answered(acquisition.hold(), retrySchedule, answer);
		return NOW;
	}

	/**
	 * Acquires several keys in one call to the store, if nobody in this process holds or
	 * wants one of them. Does not wait.
	 * @param holds what will be held, in the order of the keys
	 * @param waitNanos how much time there is, after which the call may go on for a
	 * little
	 * @return whether they are held; if not, nothing is left of the attempt
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
	 * Leaves failures to those who then ask for one key after the other.
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
	 * A thread may wake up long after a lease was handed to it. If that is over by then,
	 * it goes on waiting, unless its time is over as well.
	 * @return {@link #NOW} if the lease is held, or how long there is left to wait
	 */
	private long begun(Hold hold, RetrySchedule retrySchedule) {
		requireOpen();
		if (hold.hasLease()) {
			return NOW;
		}
		long left = retrySchedule.remaining(this.time.nanoTime());
		if (left <= 0) {
			throw new EngineException(EngineException.Reason.UNAVAILABLE,
					"The lease was over before the thread that waited for it woke up", null);
		}
		hold.release();
		return left;
	}

	/**
	 * When an acquisition that begins now asks.
	 */
	RetrySchedule patience(long now, long waitNanos) {
		return new RetrySchedule(now, now + Math.min(waitNanos, Durations.LONGEST_NANOS), this.settings,
				this.store.hasNotifications());
	}

	/**
	 * Takes note of an answer. One that was denied may sleep now.
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
	 * Asks, if it is time to.
	 * @return how long to sleep, {@link #NOW} if not at all, {@link #OVER} if there is
	 * nothing left to wait for
	 */
	private long step(Hold hold, RetrySchedule retrySchedule, long now) {
		int state = hold.state();
		boolean speaking = state == Hold.LEADING || state == Hold.TRYING;
		YieldPolicy yieldPolicy = speaking ? hold.queue().yieldPolicy() : null;
		retrySchedule.heed(now);
		if (yieldPolicy != null) {
			retrySchedule.delayUntil(yieldPolicy.yieldUntil());
		}
		if (speaking && retrySchedule.isTimeToAsk(now, hold.hasNotification())) {
			wakeUp(retrySchedule);
			boolean queueing = state == Hold.LEADING && (isQueueEnteredAtOnce(hold) || retrySchedule.isLong(now));
			Object answer = ask(hold, now, retrySchedule.remaining(now), queueing);
			answered(hold, retrySchedule, answer);
			if (yieldPolicy != null && !(answer instanceof BackendException)) {
				yieldPolicy.answered(answer != null);
			}
			return NOW;
		}
		if (!retrySchedule.isOver(now, speaking)) {
			return retrySchedule.sleep(now, speaking);
		}
		boolean goesOn = speaking ? takesGrant(hold) : hold.queue().mayAskAtLast(hold);
		return goesOn ? NOW : OVER;
	}

	/**
	 * Takes what the store sent unasked while it was asked for the last time.
	 */
	private boolean takesGrant(Hold hold) {
		Grant grant = grantSentTo(hold);
		return grant != null && begin(hold, grant) == null;
	}

	private @Nullable Grant grantSentTo(Hold hold) {
		return (hold.pollNotification() instanceof Pushed pushed && pushed.isFor(hold.leaseOrNull())
				&& hold.lease().grantedUnasked(pushed.grant(), pushed.stamp(), hold.terms(), this.time))
						? pushed.grant() : null;
	}

	private @Nullable Object askFirst(Hold hold, long now, long remaining, boolean mayWait) {
		return ask(hold, now, remaining, mayWait && isQueueEnteredAtOnce(hold));
	}

	private boolean isQueueEnteredAtOnce(Hold hold) {
		return this.store.isQueueEnteredAtOnce(hold.terms());
	}

	/**
	 * Asks the store once, or takes what it sent unasked.
	 * @param queueing whether it enters the queue of the store if it is denied
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
			lease.denied(((Denial) attempt).stamp(), now, nowMillis);
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
				hold.setLease(null); // the store has nothing of a request that it refused
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
					"The store took longer to grant the lease than the lease lasts", null));
		}
		begin(hold, lease, grant.token());
		return null;
	}

	private static BackendException storeFailure(Hold hold, BackendException trouble) {
		hold.queue().setStoreFailure(trouble);
		return trouble;
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
		BackendException trouble = hold.queue().storeFailure();
		if (!leave(hold)) {
			return false;
		}
		if (trouble != null) {
			throw this.store.unavailable(trouble);
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
	 * @param stamp the stamp of the denial that it follows
	 */
	record Pushed(LeaseRequest request, Grant grant, long stamp) {

		boolean isFor(@Nullable Lease lease) {
			return lease != null && lease.request().equals(this.request);
		}

	}

}
