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
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;
import io.github.lockspring.support.TimerThread;

/**
 * Handles the loss of leases that expired or were ended by the store.
 * <ol>
 * <li>The lease ends for all holds that share it.</li>
 * <li>The next hold of the key becomes the leader immediately.</li>
 * <li>All registered callbacks are run, once.</li>
 * <li>The lost hold remains visible to its owner, whose reentrant acquisitions are
 * rejected, until the owner releases it. If that does not happen within the maximum hold
 * time, a day at most, after its lease has ended, it is discarded, so that its owner can
 * acquire the key anew.</li>
 * </ol>
 * While the connection to the store is suspended, no hold is reported as held. That is
 * not a loss.
 */
final class LossHandler {

	private static final Log logger = LogFactory.getLog(LossHandler.class);

	private static final long MAX_RETENTION_NANOS = Duration.ofDays(1).toNanos();

	private final EngineContext context;

	private final LocalQueues queues;

	private final ReleaseRetrier releaseRetrier;

	private final EngineListener listener;

	/**
	 * Checks all holds when the first lost one is to be discarded.
	 */
	private final TimerThread.Task task;

	private final long retentionNanos;

	LossHandler(EngineContext context, ReleaseRetrier releaseRetrier, EngineListener listener) {
		this.context = context;
		this.queues = context.queues();
		this.releaseRetrier = releaseRetrier;
		this.listener = listener;
		this.task = context.task(() -> forEachLost(this::discardIfDue));
		this.retentionNanos = Math.min(Durations.nanos(context.settings().limits().maxHoldTime()), MAX_RETENTION_NANOS);
	}

	/**
	 * Mark a lease as lost, because it has ended in the store. A hold for which it is
	 * just being replaced has lost it as well.
	 */
	void lose(LeaseRequest lease, String reason) {
		this.queues.revokeReplaced(lease).forEach((hold) -> lose(hold, reason));
		loseInStore(lease, reason);
	}

	/**
	 * Mark a lease as lost, because the store does not have it. It may have been replaced
	 * just now: the answer to that shows whether its hold has lost it.
	 */
	void loseUnlessReplaced(LeaseRequest lease) {
		this.queues.revokeReplaced(lease);
		loseInStore(lease, "it no longer exists in the store");
	}

	/**
	 * Handle the loss of a lease that the store no longer has. Of one of several keys it
	 * may still have some, which are released.
	 */
	private void loseInStore(LeaseRequest lease, String reason) {
		for (Hold hold : this.queues.revoke(lease, null)) {
			if (lose(hold, reason) && hold.lease() instanceof MultiKeyLease) {
				this.releaseRetrier.release(hold, hold.lease().request());
			}
		}
	}

	/**
	 * Release a lease of this process on behalf of an operator, unless it was handed off
	 * since it had the given token. It can no longer be handed off when it is released in
	 * the store.
	 * @param release releases it in the store
	 * @return whether it was released
	 */
	boolean forceRelease(LeaseRequest lease, long token, BooleanSupplier release) {
		List<Hold> holds = this.queues.revoke(lease, token);
		if (holds.isEmpty() && this.queues.holderOf(lease) != null) {
			return false;
		}
		String reason = "it was released by an operator";
		try {
			return release.getAsBoolean();
		}
		finally {
			this.queues.revokeReplaced(lease).forEach((hold) -> lose(hold, reason));
			holds.forEach((hold) -> loseAndRelease(hold, reason));
		}
	}

	/**
	 * Mark a lease as lost, and release it in the background, because the store may keep
	 * it for as long as it is connected to this process.
	 */
	void loseAndRelease(Hold hold, String reason) {
		if (lose(hold, reason)) {
			this.releaseRetrier.release(hold, hold.lease().request());
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
		if (hold.isRetained()) {
			this.queues.end(hold); // it is no loss to anyone
			return;
		}
		hold.queue().wakeNext();
		this.task.wakeUpAt(discardedAt(hold));
		reportLoss(hold, reason);
	}

	/**
	 * Discard the holds that are lost and not released by their owners.
	 */
	void discardLostHolds() {
		forEachLost(this.queues::end);
	}

	private void forEachLost(Consumer<Hold> action) {
		this.queues.forEachHolder((hold) -> {
			if (hold.isLost()) {
				action.accept(hold);
			}
		});
	}

	private void discardIfDue(Hold hold) {
		long at = discardedAt(hold);
		if (at - this.context.time().nanoTime() > 0) {
			this.task.wakeUpAt(at);
			return;
		}
		logger.warn("Discarding the lost lock on " + KeyFormat.quote(hold.key()) + ", which was never released by "
				+ hold.owner());
		this.queues.end(hold);
	}

	/**
	 * Return the monotonic time at which a lost hold is discarded.
	 */
	private long discardedAt(Hold hold) {
		return hold.lease().deadlineNanos() + this.retentionNanos;
	}

	/**
	 * Report that a hold which has ended had lost its lease before.
	 */
	void reportLossAtRelease(Hold hold) {
		reportLoss(hold, "it had already ended in the store before the release");
	}

	private void reportLoss(Hold hold, String reason) {
		if (hold.isRetained()) {
			return;
		}
		hold.takeLossCallbacks().forEach(this::runCallback);
		run(this.context.threads().events(), () -> this.listener.lost(hold.key(), hold.token()));
		EngineObservers observers = this.context.observers();
		if (observers != null) {
			runCallback(() -> {
				observers.onLost(hold);
				hold.notifyLost();
			});
		}
		logger.warn("Lost the lock on " + KeyFormat.quote(hold.key()) + ": " + reason);
	}

	/**
	 * Run a callback in another thread, so that it cannot block the engine.
	 */
	void runCallback(Runnable callback) {
		EngineThreads threads = this.context.threads();
		run((callback instanceof LossReaction) ? threads.reactions() : threads.callbacks(), callback);
	}

	private static void run(Executor executor, Runnable callback) {
		try {
			executor.execute(() -> runNow(callback));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			runNow(callback); // there is no thread for it
		}
	}

	private static void runNow(Runnable callback) {
		try {
			callback.run();
		}
		catch (Throwable ex) {
			logger.error("A callback for a lost lock failed", ex);
		}
	}

	/**
	 * Report no hold as held until resumed, because the connection to the store is
	 * suspended.
	 */
	void suspend() {
		if (!this.context.isSuspended()) {
			this.context.setSuspended(true);
			logger.warn("Connection to lock backend '" + this.context.store().name()
					+ "' suspended; locks are reported as not held until it is restored");
		}
	}

	/**
	 * Report all holds that are not lost as held again.
	 */
	void resume() {
		if (this.context.isSuspended()) {
			this.context.setSuspended(false);
			logger.info("Connection to lock backend '" + this.context.store().name()
					+ "' restored; locks that were not lost are reported as held again");
		}
	}

}
