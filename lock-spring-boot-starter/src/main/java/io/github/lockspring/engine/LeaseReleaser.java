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

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Ends holds: releases their leases, hands them off, or reports their loss.
 * <ol>
 * <li>Released while another acquisition waits in this process: the lease is handed off,
 * if it suits the next one.</li>
 * <li>Otherwise released: the lease is released in the store, or retried in the
 * background if the store does not answer. Until then the key is treated as held in this
 * process.</li>
 * <li>Released by a writer whose owner reads as well: the lease is downgraded for the
 * reader. If that reader was released before, the writer still has the lease.</li>
 * <li>Lost, because it expired or the store reports so: the next one becomes the leader
 * immediately, and all registered callbacks are run once.</li>
 * </ol>
 */
final class LeaseReleaser {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private final Store store;

	private final LocalQueues queues;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final EngineSettings settings;

	private final EngineListener listener;

	private final TimeSource time;

	private final Executor executor;

	private final BooleanSupplier closed;

	private final LockDowngrader downgrader;

	private final LostHolds lostHolds;

	private final AsyncDispatcher asyncDispatcher;

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicBoolean warnedOfForeignThread = new AtomicBoolean();

	private volatile boolean suspended;

	LeaseReleaser(Store store, LocalQueues queues, RenewalPlan plan, ReleaseRetrier releaseRetrier,
			EngineSettings settings, EngineListener listener, TimeSource time, Executor executor,
			AsyncDispatcher asyncDispatcher, LostHolds lostHolds, BooleanSupplier closed) {
		this.store = store;
		this.queues = queues;
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.settings = settings;
		this.listener = listener;
		this.time = time;
		this.executor = executor;
		this.closed = closed;
		this.asyncDispatcher = asyncDispatcher;
		this.lostHolds = lostHolds;
		this.downgrader = new LockDowngrader(this, store, queues, plan, releaseRetrier, settings, time);
	}

	/**
	 * Log a warning, once, about a hold that is released by another thread than its
	 * owner.
	 */
	void warnOfForeignThread(Hold hold, Thread owner) {
		if (!this.warnedOfForeignThread.getAndSet(true)) {
			logger.warn("The lock on " + KeyFormat.quote(hold.key()) + " belongs to the thread '" + owner.getName()
					+ "', which acquired it, but was released by the thread '" + Thread.currentThread().getName()
					+ "'. Until the release, other code in that thread, such as the next task of its pool, acquires"
					+ " the lock reentrantly and is not excluded" + ((hold.state() > 1) ? ", which happened here" : "")
					+ ". Acquire with acquireAsync, or with a template that is ownedBy an object of the task."
					+ " This warning is logged only once");
		}
	}

	/**
	 * Hand off the lease of a hold that ended, or release it to the store.
	 * @return {@code false} if the lease turned out to be lost
	 */
	boolean release(Hold hold) {
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
	 * already handed off or released. The key is first freed for others of this process,
	 * whatever fails afterwards.
	 */
	private void releaseInBackground(Hold hold) {
		if (hold.queue().isHolder(hold)) {
			try {
				this.queues.end(hold);
			}
			finally {
				this.releaseRetrier.release(hold.lease().leave(hold), remainingMinimum(hold));
			}
		}
	}

	private boolean releaseNow(Hold hold) {
		if (logger.isDebugEnabled()) {
			logger.debug("Releasing the lock on " + KeyFormat.quote(hold.key()));
		}
		if (hold.terms().isExclusive()) {
			Hold reader = hold.queue().borrowerOf(hold);
			return (reader != null) ? downgrade(hold, reader) : releaseOwnLease(hold);
		}
		return (hold.isBorrowing() && hold.queue().hasBorrowed(hold)) ? releaseBorrowedLease(hold)
				: releaseOwnLease(hold);
	}

	/**
	 * Hand off the lease of a hold that ended immediately, or release it to the store in
	 * another thread.
	 */
	CompletionStage<Boolean> releaseAsynchronously(Hold hold) {
		try {
			boolean passedOn = hold.terms().isExclusive() && hold.queue().borrowerOf(hold) == null && handOff(hold);
			return passedOn ? CompletableFuture.completedStage(true) : callAsync(() -> release(hold));
		}
		catch (Throwable ex) {
			releaseInBackground(hold);
			throw ex;
		}
	}

	/**
	 * Run an action that may wait for the store in another thread. A shutdown waits for
	 * it.
	 */
	<T> CompletableFuture<T> callAsync(Supplier<T> action) {
		CompletableFuture<T> future = new CompletableFuture<>();
		this.unanswered.incrementAndGet();
		this.asyncDispatcher.execute(() -> {
			Runnable outcome = outcome(future, action);
			this.unanswered.decrementAndGet();
			outcome.run();
		});
		return future;
	}

	private static <T> Runnable outcome(CompletableFuture<T> future, Supplier<T> action) {
		try {
			T result = action.get();
			return () -> future.complete(result);
		}
		catch (Throwable ex) {
			return () -> future.completeExceptionally(ex);
		}
	}

	private boolean releaseBorrowedLease(Hold reader) {
		boolean lost = reader.lease().isExpired(this.time);
		this.queues.end(reader);
		return !lost || reportLossAtRelease(reader);
	}

	private boolean downgrade(Hold writer, Hold reader) {
		return this.downgrader.downgrade(writer, reader) || reportLossAtRelease(writer);
	}

	private boolean releaseOwnLease(Hold hold) {
		return handOff(hold) || releaseInStore(hold) || reportLossAtRelease(hold);
	}

	/**
	 * Hand off a lease to the first waiting hold, if there is one that it suits.
	 */
	private boolean handOff(Hold hold) {
		Hold next = hold.queue().hasWaiting() && !isInDoubt(hold) ? hold.queue().handOff(hold, this::isSuitable) : null;
		if (next == null) {
			return false;
		}
		this.plan.watch(next);
		next.wake();
		return true;
	}

	private boolean reportLossAtRelease(Hold hold) {
		reportLoss(hold, "it had already ended in the store before the release");
		return false;
	}

	private boolean releaseInStore(Hold hold) {
		try {
			return releaseInStore(hold, hold.lease().leave(hold));
		}
		finally {
			endInQueue(hold);
		}
	}

	private boolean releaseInStore(Hold hold, LeaseRequest given) {
		return this.settings.asyncRelease() ? releaseAsync(hold, given) : releaseLease(hold, given);
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
	 * @return the holds whose lease turned out to be lost
	 */
	List<Hold> releaseAll(List<Hold> holds) {
		Map<Lease, List<Hold>> leases = new LinkedHashMap<>();
		holds.forEach((hold) -> leases.computeIfAbsent(hold.lease(), (lease) -> new ArrayList<>(1)).add(hold));
		List<Hold> lost = new ArrayList<>();
		long deadline = this.time.nanoTime() + this.settings.operationTimeout().toNanos();
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
			catch (RuntimeException | Error ex) {
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
		return (ended.size() > 1) ? releaseTogether(lease, ended) : release(first);
	}

	private boolean isLent(Hold hold) {
		return hold.terms().isExclusive() ? hold.queue().borrowerOf(hold) != null : hold.isBorrowing();
	}

	private boolean releaseInBackground(Lease lease, List<Hold> ended) {
		Hold first = ended.get(0);
		boolean kept = !lease.isExpired(this.time);
		if (!handOff(first)) {
			this.releaseRetrier.release(lease.leave(ended), remainingMinimum(first));
			ended.forEach(this::endInQueue);
		}
		if (!kept) {
			ended.forEach(this::reportLossAtRelease);
		}
		return kept;
	}

	private boolean releaseTogether(Lease lease, List<Hold> ended) {
		logger.debug("Releasing the locks on " + ended.size() + " keys together");
		try {
			boolean kept = releaseInStore(ended.get(0), lease.leave(ended));
			if (!kept) {
				ended.forEach(this::reportLossAtRelease);
			}
			return kept;
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

	private boolean isSuitable(Lease lease, AcquireOptions terms) {
		return !this.closed.getAsBoolean() && !this.suspended && lease.canHandOff(terms, this.settings, this.time);
	}

	/**
	 * Release a lease to the store without waiting for the answer. A loss is reported
	 * when the answer has arrived.
	 */
	private boolean releaseAsync(Hold hold, LeaseRequest lease) {
		this.unanswered.incrementAndGet();
		this.store.releaseAsync(lease, remainingMinimum(hold), this.settings.operationTimeout())
			.whenComplete((held, failure) -> {
				if (failure != null) {
					releaseLater(hold, lease, failure);
				}
				else if (!held) {
					reportLossAtRelease(hold);
				}
				this.unanswered.decrementAndGet();
			});
		return true;
	}

	/**
	 * Return whether all asynchronous releases are answered.
	 */
	boolean isAnswered() {
		return this.unanswered.get() == 0;
	}

	private void releaseLater(Hold hold, LeaseRequest lease, Throwable failure) {
		logger.warn("Could not release the lock on " + KeyFormat.quote(lease.key())
				+ "; it will be retried in the background: " + failure.getMessage());
		this.releaseRetrier.release(lease, remainingMinimum(hold));
	}

	/**
	 * Return the remaining minimum hold time. It is counted from the arrival of the
	 * grant, which is the same for all holds with such options, because their leases are
	 * not handed off.
	 */
	private long remainingMinimum(Hold hold) {
		long minimum = hold.terms().minimumHoldNanos();
		return (minimum > 0) ? minimum - (this.time.nanoTime() - hold.lease().grantedNanos()) : 0;
	}

	/**
	 * Release the lease of a hold to the store, now or in the background. If its minimum
	 * hold time is not over, the store keeps the key locked until then.
	 * @return {@code false} if it turned out to be lost
	 */
	boolean releaseLease(Hold hold) {
		return releaseLease(hold, hold.lease().request());
	}

	boolean releaseLease(Hold hold, LeaseRequest lease) {
		try {
			return this.store.release(lease, remainingMinimum(hold), this.settings.operationTimeout());
		}
		catch (BackendException ex) {
			releaseLater(hold, lease, ex);
			return !hold.lease().isExpired(this.time);
		}
		catch (Throwable ex) {
			this.releaseRetrier.release(lease, remainingMinimum(hold));
			throw ex;
		}
	}

	/**
	 * Mark a lease as lost, because it has ended in the store.
	 */
	void lose(LeaseRequest lease, String reason) {
		for (Hold hold : this.queues.revoke(lease)) {
			lose(hold, reason);
		}
	}

	/**
	 * Mark a lease as lost, because it expired. The store may keep it for as long as it
	 * has contact to this process, so it is released in the background.
	 */
	void expire(Hold hold) {
		if (lose(hold, "its lease expired")) {
			this.releaseRetrier.release(hold.lease().request(), remainingMinimum(hold));
		}
	}

	/**
	 * Mark a lease as lost, because the application is shutting down, and release it in
	 * the background.
	 */
	void takeBack(Hold hold) {
		if (lose(hold, "the application shuts down")) {
			this.releaseRetrier.release(hold.lease().request(), remainingMinimum(hold));
		}
	}

	/**
	 * Mark a lease as lost, once, for its holder and all other holds that share it: the
	 * one that borrows it or lent it, and the holders of its other keys. The lease has
	 * ended for all of them before any callback is run, so that none continues under a
	 * lease that another one treats as lost.
	 * @return whether it was held until now
	 */
	boolean lose(Hold hold, String reason) {
		if (!hold.markLost()) {
			return false;
		}
		hold.lease().end();
		afterLoss(hold, reason);
		for (Hold other : this.queues.holdersOf(hold.lease())) {
			if (other.markLost()) {
				afterLoss(other, reason);
			}
		}
		return true;
	}

	private void afterLoss(Hold hold, String reason) {
		Hold next = hold.queue().promote();
		if (next != null) {
			next.wake();
		}
		this.lostHolds.watch(hold);
		reportLoss(hold, reason);
	}

	private void reportLoss(Hold hold, String reason) {
		logger.warn("Lost the lock on " + KeyFormat.quote(hold.key()) + ": " + reason);
		hold.takeLossCallbacks().forEach(this::callBack);
		callBack(() -> this.listener.lost(hold.key(), hold.token()));
	}

	/**
	 * Run a callback in another thread, so that it cannot block the engine.
	 */
	void callBack(Runnable callback) {
		try {
			this.executor.execute(() -> runCallback(callback));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			runCallback(callback); // there is no thread for it
		}
	}

	private static void runCallback(Runnable callback) {
		try {
			callback.run();
		}
		catch (Throwable ex) {
			logger.error("A callback for a lost lock failed", ex);
		}
	}

	/**
	 * Remove a lost hold whose owner has released it.
	 */
	void remove(Hold hold) {
		this.queues.end(hold);
	}

	/**
	 * Report no hold as held until resumed, because the connection to the store is
	 * suspended.
	 */
	void suspend() {
		if (!this.suspended) {
			this.suspended = true;
			logger.warn("Connection to lock backend '" + backendName()
					+ "' suspended; locks are reported as not held until it is restored");
		}
	}

	/**
	 * Report all holds that are not lost as held again.
	 */
	void resume() {
		if (this.suspended) {
			this.suspended = false;
			logger.info("Connection to lock backend '" + backendName()
					+ "' restored; locks that were not lost are reported as held again");
		}
	}

	boolean isSuspended() {
		return this.suspended;
	}

	/**
	 * Report no hold as held until the store has confirmed its lease from now on.
	 */
	void failOver() {
		this.plan.distrust();
		logger.info("Lock backend '" + backendName() + "' failed over to another server; renewing all locks there");
	}

	/**
	 * Return whether it is currently unknown if the lease of a hold still exists.
	 */
	boolean isInDoubt(Hold hold) {
		return this.suspended || this.plan.isInDoubt(hold);
	}

	String backendName() {
		return this.store.name();
	}

	TimeSource time() {
		return this.time;
	}

}
