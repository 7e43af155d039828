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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.KeyFormat;

/**
 * Releases the leases of holds that have ended, or hands them off.
 * <ol>
 * <li>Released while another acquisition waits in this process: the lease is handed off,
 * if it suits the next one.</li>
 * <li>Released with options that retain the lease: this process keeps it for the next
 * acquisition.</li>
 * <li>Otherwise released: the lease is released in the store, or retried in the
 * background if the store does not respond. Until then the key is treated as held in this
 * process.</li>
 * <li>Released by one of several readers that share a lease: the others keep it.</li>
 * <li>Released by a writer whose owner reads as well: the lease is downgraded for the
 * reader. If that reader was released before, the writer still has the lease.</li>
 * <li>Released after the lease was lost: the {@link LossHandler} reports the loss.</li>
 * </ol>
 */
final class LeaseReleaser implements Hold.Engine {

	private static final Log logger = LogFactory.getLog(LeaseReleaser.class);

	private final EngineContext context;

	private final Store store;

	private final LocalQueues queues;

	private final EngineSettings settings;

	private final Duration timeout;

	private final TimeSource time;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final LossHandler lossHandler;

	private final PermitLimits permitLimits;

	private final RetainedLeases retainedLeases;

	private final AsyncDispatcher asyncDispatcher;

	private final LockDowngrader downgrader;

	private final LeaseExtender extender;

	private final AtomicBoolean warnedOfForeignThread = new AtomicBoolean();

	LeaseReleaser(EngineContext context, RenewalPlan plan, ReleaseRetrier releaseRetrier, LossHandler lossHandler,
			PermitLimits permitLimits, RetainedLeases retainedLeases, AsyncDispatcher asyncDispatcher) {
		this.context = context;
		this.store = context.store();
		this.queues = context.queues();
		this.settings = context.settings();
		this.timeout = context.settings().operationTimeout();
		this.time = context.time();
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.lossHandler = lossHandler;
		this.permitLimits = permitLimits;
		this.retainedLeases = retainedLeases;
		this.asyncDispatcher = asyncDispatcher;
		this.downgrader = new LockDowngrader(context, plan, releaseRetrier, lossHandler, this::releaseInStore);
		this.extender = new LeaseExtender(context, plan, lossHandler);
	}

	/**
	 * Log a warning, once.
	 */
	@Override
	public void onForeignThread(Hold hold, Thread owner) {
		if (!this.warnedOfForeignThread.getAndSet(true)) {
			logger.warn("The lock on " + KeyFormat.quote(hold.key()) + " belongs to the thread '" + owner.getName()
					+ "', which acquired it, but was released by the thread '" + Thread.currentThread().getName()
					+ "'. Until the release, other code in that thread, such as the next task of its pool, acquires"
					+ " the lock reentrantly and is not excluded" + (hold.isReentered() ? ", which happened here" : "")
					+ ". Acquire with acquireAsync, or with a template that is ownedBy an object of the task."
					+ " This warning is logged only once");
		}
	}

	@Override
	public boolean onExtended(Hold hold, AcquireOptions options) {
		return this.extender.extend(hold, options);
	}

	@Override
	public boolean onReleased(Hold hold) {
		try {
			return releaseNow(hold);
		}
		catch (Throwable ex) {
			releaseInBackground(hold);
			throw ex;
		}
	}

	/**
	 * Release a hold whose release was interrupted by an error, unless its lease was
	 * already handed off or released. The key is first made available to other owners in
	 * this process, even if a later step fails.
	 */
	private void releaseInBackground(Hold hold) {
		if (hold.queue().isHolder(hold) && !leaveShared(hold)) {
			try {
				loseBorrower(hold);
			}
			finally {
				endInBackground(hold);
			}
		}
	}

	private void loseBorrower(Hold writer) {
		Hold reader = writer.options().isExclusive() ? writer.queue().borrowerOf(writer) : null;
		if (reader != null) {
			this.lossHandler.lose(reader, "the lease could not be downgraded");
		}
	}

	private void endInBackground(Hold hold) {
		try {
			this.queues.end(hold);
		}
		finally {
			this.releaseRetrier.release(hold, hold.lease().leave(hold.key()));
		}
	}

	private boolean releaseNow(Hold hold) {
		if (logger.isDebugEnabled()) {
			logger.debug("Releasing the lock on " + KeyFormat.quote(hold.key()));
		}
		if (hold.options().isExclusive()) {
			Hold reader = hold.queue().borrowerOf(hold);
			return (reader != null) ? this.downgrader.downgrade(hold, reader) || reportLossAtRelease(hold)
					: releaseOwnLease(hold);
		}
		if (leaveShared(hold)) {
			return isKept(hold);
		}
		return (hold.isBorrowing() && hold.queue().hasBorrowed(hold)) ? releaseBorrowedLease(hold)
				: releaseOwnLease(hold);
	}

	/**
	 * Leave a lease to the readers that share it.
	 * @return {@code false} if there are none, and the lease must be released
	 */
	private static boolean leaveShared(Hold hold) {
		return hold.lease().isShareable() && hold.queue().leaveShared(hold);
	}

	private boolean isKept(Hold hold) {
		return !hold.lease().isExpired(this.time) || reportLossAtRelease(hold);
	}

	/**
	 * Hand off the lease or leave it to others immediately, or release it to the store in
	 * another thread.
	 */
	@Override
	public CompletionStage<Boolean> onReleasedAsync(Hold hold) {
		try {
			if (leaveShared(hold)) {
				return CompletableFuture.completedStage(isKept(hold));
			}
			return (!isLent(hold) && (handOff(hold) || hold.options().isRetained() && retain(hold)))
					? CompletableFuture.completedStage(true) : callAsync(() -> onReleased(hold));
		}
		catch (Throwable ex) {
			releaseInBackground(hold);
			throw ex;
		}
	}

	private boolean releaseBorrowedLease(Hold reader) {
		boolean lost = reader.lease().isExpired(this.time);
		this.queues.end(reader);
		return !lost || reportLossAtRelease(reader);
	}

	@Override
	public boolean onReduced(Hold hold, LeaseMode.Permits fewer) {
		return this.downgrader.reduce(hold, fewer);
	}

	private boolean releaseOwnLease(Hold hold) {
		if (handOff(hold) || hold.options().isRetained() && retain(hold)) {
			return true;
		}
		boolean held;
		try {
			held = releaseInStore(hold, hold.lease().leave(hold.key()));
		}
		finally {
			endInQueue(hold);
		}
		return held || reportLossAtRelease(hold);
	}

	/**
	 * Hand off a lease to the first waiting hold, if there is one that it suits.
	 */
	private boolean handOff(Hold hold) {
		Hold next = (hold.queue().hasWaiting() && !isInDoubt(hold)) ? hold.queue().handOff(hold, this::isSuitable)
				: null;
		if (next == null) {
			return false;
		}
		this.plan.watch(next);
		next.wakeUp();
		hold.queue().wakeAwaiting(); // for the end of this release
		EngineObservers observers = this.context.observers();
		if (observers != null) {
			observers.onHandOff(next);
		}
		return true;
	}

	/**
	 * Retain a lease for the next acquisition of this process, as its options want, if
	 * that is possible.
	 */
	private boolean retain(Hold hold) {
		return hold.lease().isRetainable() && !isInDoubt(hold) && this.retainedLeases.retain(hold);
	}

	private boolean reportLossAtRelease(Hold hold) {
		this.lossHandler.reportLossAtRelease(hold);
		return false;
	}

	/**
	 * Release the lease of a hold that has ended, now or in the background. If its
	 * minimum hold time is not over, the store keeps the key locked until then.
	 * @param hold the hold
	 * @param request the request to release, which may be a part of its lease
	 * @return {@code false} if the lease turned out to be lost
	 */
	private boolean releaseInStore(Hold hold, LeaseRequest request) {
		try {
			return this.store.release(request, hold.remainingMinimumNanos(this.time), this.timeout);
		}
		catch (BackendException ex) {
			this.releaseRetrier.retry(hold, request, ex);
			if (!Thread.currentThread().isInterrupted()) {
				// for those who await this release
				hold.queue().answered(this.time.nanoTime(), ex);
			}
			return !hold.lease().isPast(this.time);
		}
		catch (Throwable ex) {
			this.releaseRetrier.release(hold, request);
			throw ex;
		}
	}

	private void endInQueue(Hold hold) {
		if (!this.store.keepsTurns() && hold.queue().hasWaiting()) {
			yieldToOthers(hold);
		}
		this.queues.end(hold);
	}

	/**
	 * Release several holds that have ended, those of one lease in one call to the store.
	 * If one fails, the others are released nevertheless. Those that remain after the
	 * timeout of a call to the store are released in the background.
	 */
	@Override
	public List<Hold> onAllReleased(List<Hold> holds) {
		Map<Lease, List<Hold>> leases = new LinkedHashMap<>();
		holds.forEach((hold) -> leases.computeIfAbsent(hold.lease(), (lease) -> new ArrayList<>(1)).add(hold));
		List<Hold> lost = new ArrayList<>();
		long deadline = this.time.nanoTime() + this.timeout.toNanos();
		releaseAll(leases.entrySet().iterator(), deadline, lost);
		return lost;
	}

	private void releaseAll(Iterator<Map.Entry<Lease, List<Hold>>> leases, long deadline, List<Hold> lost) {
		while (leases.hasNext()) {
			Map.Entry<Lease, List<Hold>> next = leases.next();
			List<Hold> ended = next.getValue();
			try {
				if (!release(next.getKey(), ended, this.time.nanoTime() - deadline >= 0)) {
					lost.addAll(ended);
				}
			}
			catch (Throwable ex) {
				ended.forEach(this::releaseInBackground);
				releaseAll(leases, deadline, lost);
				throw ex;
			}
		}
	}

	private boolean release(Lease lease, List<Hold> ended, boolean late) {
		Hold first = ended.get(0);
		if (late && !isLent(first)) {
			return releaseInBackground(lease, ended);
		}
		return (ended.size() > 1) ? releaseTogether(lease, ended) : onReleased(first);
	}

	private boolean isLent(Hold hold) {
		return hold.options().isExclusive() ? hold.queue().borrowerOf(hold) != null : hold.isBorrowing();
	}

	private boolean releaseInBackground(Lease lease, List<Hold> ended) {
		Hold first = ended.get(0);
		boolean held = !lease.isExpired(this.time);
		if (!leaveShared(first) && !handOff(first)) {
			this.releaseRetrier.release(first, lease.leaveAll(keys(ended)));
			ended.forEach(this::endInQueue);
		}
		if (!held) {
			ended.forEach(this::reportLossAtRelease);
		}
		return held;
	}

	private static List<String> keys(List<Hold> holds) {
		return holds.stream().map(Hold::key).toList();
	}

	private boolean releaseTogether(Lease lease, List<Hold> ended) {
		logger.debug("Releasing the locks on " + ended.size() + " keys together");
		try {
			boolean held = releaseInStore(ended.get(0), lease.leaveAll(keys(ended)));
			if (!held) {
				ended.forEach(this::reportLossAtRelease);
			}
			return held;
		}
		finally {
			ended.forEach(this::endInQueue);
		}
	}

	/**
	 * Delay the next attempt of the waiting acquisitions of this process.
	 */
	private void yieldToOthers(Hold hold) {
		long now = this.time.nanoTime();
		if (hold.lease().isHandOffBudgetSpent(now, this.settings)) {
			hold.queue().yieldPolicy(now, this.settings).released(now, now - hold.lease().grantedNanos());
		}
	}

	private boolean isSuitable(Lease lease, AcquireOptions options) {
		return !this.context.isClosed() && !this.context.isSuspended()
				&& lease.canHandOff(options, this.settings, this.time)
				&& this.permitLimits.newerThan(lease.request().key(), options.mode()) == null;
	}

	@Override
	public boolean isInDoubt(Hold hold) {
		return this.plan.isInDoubt(hold);
	}

	@Override
	public void onExpired(Hold hold) {
		this.lossHandler.loseAndRelease(hold, "its lease expired");
	}

	@Override
	public void onLostReleased(Hold hold) {
		this.queues.end(hold);
	}

	@Override
	public void runCallback(Runnable callback) {
		this.lossHandler.runCallback(callback);
	}

	@Override
	public <T> CompletableFuture<T> callAsync(Supplier<T> action) {
		return this.asyncDispatcher.call(action);
	}

	@Override
	public String backendName() {
		return this.store.name();
	}

	@Override
	public TimeSource time() {
		return this.time;
	}

}
