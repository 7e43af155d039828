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

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;

/**
 * Engine for all locks of one application on one backend.
 * <p>
 * An owner is the current thread, or an object that represents work not bound to a
 * thread. Locks are reentrant: an owner that holds a key can acquire it again
 * immediately.
 * <p>
 * While the connection of the backend is suspended, no lock is reported as held: no owner
 * can reenter, and no lease is handed off. That is not a loss.
 * <p>
 * Thread-safe.
 */
public final class LockEngine implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	static {
		StackRoom.initialize(MethodHandles.lookup(), StackRoom.class, Hold.class, Hold.OwnedWaiter.class, Lease.class,
				MultiKeyLease.class, SharedLease.class, LocalQueue.class, WaitingList.class, Acquisition.class,
				RetrySchedule.class, Poller.class, Poller.Sleeper.class, EngineException.class, Durations.class,
				Acquirer.Step.class, WaitingList.LastAnswer.class, ObservedHoldListener.class, EngineObservers.class,
				LockKind.class, AcquireOutcome.class);
	}

	private final EngineContext context;

	private final LocalQueues queues;

	private final TimeSource time;

	private final EngineListener listener;

	private final LossHandler lossHandler;

	private final LeaseReleaser leaseReleaser;

	private final Reentrancy reentrancy;

	private final Acquirer acquirer;

	private final MultiKeyAcquirer multiKeyAcquirer;

	private final PermitLimits permitLimits;

	private final Values values;

	private final Dispatchers dispatchers;

	private final StoreNotifications notifications;

	private final EngineLifecycle lifecycle;

	private final EngineInspection inspection;

	/**
	 * Create an engine and start its threads.
	 * @param backend the backend, which is owned by the engine from now on
	 * @param settings the settings
	 * @param listener the listener for losses
	 * @param time the clocks
	 */
	public LockEngine(LockBackend backend, EngineSettings settings, EngineListener listener, TimeSource time) {
		this(backend, settings, listener, time, EngineThreads.of(backend.name()));
	}

	LockEngine(LockBackend backend, EngineSettings settings, EngineListener listener, TimeSource time,
			ExecutorService executor) {
		this(backend, settings, listener, time, EngineThreads.of(executor));
	}

	private LockEngine(LockBackend backend, EngineSettings settings, EngineListener listener, TimeSource time,
			EngineThreads threads) {
		this.context = new EngineContext(backend, settings, time, threads);
		this.queues = this.context.queues();
		this.time = time;
		this.listener = listener;
		ReleaseRetrier releaseRetrier = new ReleaseRetrier(this.context);
		this.lossHandler = new LossHandler(this.context, releaseRetrier, listener);
		Renewals renewals = new Renewals(this.context, this.lossHandler);
		RenewalPlan plan = renewals.plan();
		this.dispatchers = Dispatchers.of(this.context);
		this.values = new Values(this.context, this.dispatchers);
		this.permitLimits = new PermitLimits(this.context, this.values);
		RetainedLeases retainedLeases = new RetainedLeases(this.context, plan, this.dispatchers.steps());
		this.leaseReleaser = new LeaseReleaser(this.context, plan, releaseRetrier, this.lossHandler, this.permitLimits,
				retainedLeases, this.dispatchers.steps());
		this.reentrancy = new Reentrancy(this.context, this.leaseReleaser);
		this.acquirer = new Acquirer(this.context, plan, releaseRetrier, this.lossHandler, this.permitLimits);
		this.multiKeyAcquirer = new MultiKeyAcquirer(this.context, this.acquirer, plan, releaseRetrier,
				this.leaseReleaser, this.dispatchers.steps());
		this.inspection = new EngineInspection(this.context, plan, this.lossHandler, this.dispatchers.calls(),
				renewals::isRenewing, retainedLeases);
		this.notifications = new StoreNotifications(this.context, plan, this.lossHandler, this.values, retainedLeases);
		this.lifecycle = new EngineLifecycle(this.context, this.dispatchers, this.values, this.lossHandler,
				releaseRetrier, this.acquirer, retainedLeases);
		this.lifecycle.open(this.notifications);
	}

	/**
	 * Restart this engine after a shutdown, on the same store and with no lock held. Has
	 * no effect if it is open.
	 * @throws IllegalStateException if the store could not be opened
	 */
	public void start() {
		this.lifecycle.start(this.notifications);
	}

	/**
	 * Acquire a lock for the current thread.
	 * @param key the key
	 * @param options the options
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another owner held the key for the whole wait
	 * time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public @Nullable Hold acquire(String key, AcquireOptions options, long waitNanos) throws InterruptedException {
		return acquire(key, options, Thread.currentThread(), waitNanos);
	}

	/**
	 * Acquire a lock for an owner.
	 * @param key the key
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another owner held the key for the whole wait
	 * time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public @Nullable Hold acquire(String key, AcquireOptions options, Object owner, long waitNanos)
			throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		return acquire(key, options, owner, waitNanos, true);
	}

	/**
	 * Acquire a lock for an owner, ignoring interrupts.
	 * @param key the key
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another owner held the key for the whole wait
	 * time
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public @Nullable Hold acquireUninterruptibly(String key, AcquireOptions options, Object owner, long waitNanos) {
		try {
			return acquire(key, options, owner, waitNanos, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt during an uninterruptible acquisition", ex);
		}
	}

	private @Nullable Hold acquire(String key, AcquireOptions options, Object owner, long waitNanos,
			boolean interruptible) throws InterruptedException {
		Hold held = options.isReentrant() ? this.queues.heldBy(key, owner, options) : null;
		Hold again = (held != null) ? this.reentrancy.reenter(held, options) : null;
		if (again != null) {
			return again;
		}
		StackRoom.requireToUndo();
		EngineObservers observers = this.context.observers();
		Hold pending = new Hold((observers != null)
				? ObservedHoldListener.of(this.leaseReleaser, observers, key, options) : this.leaseReleaser, key,
				this.context.capLeaseTime(options), owner);
		Hold hold = null;
		try {
			this.context.requireOpen(options);
			hold = this.acquirer.acquire(pending, waitNanos, interruptible);
			if (logger.isDebugEnabled()) {
				Acquisition.log(key, hold);
			}
			if (hold == null) {
				pending.notifyNotAcquired(AcquireOutcome.notAcquiredWithin(waitNanos), null);
			}
			else if (observers != null) {
				hold.notifyAcquired();
			}
			return hold;
		}
		catch (Throwable ex) {
			if (hold != null) {
				hold.release();
			}
			pending.notifyNotAcquired(AcquireOutcome.of(ex), ex);
			throw ex;
		}
	}

	/**
	 * Acquire a lock for an owner without blocking the calling thread, or any other while
	 * another owner holds the key. A lock that the owner holds already is acquired
	 * immediately. The interrupt status of the calling thread is ignored.
	 * <p>
	 * Cancelling or completing the future ends the acquisition, and releases a lease
	 * granted in the meantime. Dependents of the future may run in a thread of this
	 * engine.
	 * @param key the key
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another owner held the key for the whole wait
	 * time; fails with an {@link EngineException} if the acquisition failed for another
	 * reason
	 */
	public CompletableFuture<@Nullable Hold> acquireAsync(String key, AcquireOptions options, Object owner,
			long waitNanos) {
		StackRoom.requireToUndo();
		try {
			Hold held = options.isReentrant() ? this.queues.heldBy(key, owner, options) : null;
			Hold again = (held != null) ? this.reentrancy.reenter(held, options) : null;
			if (again != null) {
				return CompletableFuture.completedFuture(again);
			}
			Hold.Listener listener = ObservedHoldListener.of(this.leaseReleaser, this.context.observers(), key,
					options);
			AcquireOptions capped = this.context.capLeaseTime(options);
			return new Acquisition(this.context, this.acquirer, this.dispatchers.steps(), waitNanos,
					(waiter) -> new Hold(listener, key, capped, owner, waiter))
				.start(options);
		}
		catch (EngineException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Acquire several keys for an owner in one call to the store, if the store supports
	 * that, all of them are free, and none of them is wanted in this process.
	 * @param keys the keys, sorted and without duplicates
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos the available time, which the call to the store may exceed
	 * @return the holds, of which each few hundred have one lease and one token in
	 * common, nothing if the keys have to be acquired one after the other, or
	 * {@code null} if another owner holds one of them and no time is left
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public @Nullable List<Hold> acquireTogether(List<String> keys, AcquireOptions options, Object owner,
			long waitNanos) {
		return this.multiKeyAcquirer.acquire(keys, options, owner, waitNanos);
	}

	/**
	 * Acquire several keys for an owner in one call to the store, if that is possible,
	 * without blocking the calling thread. Cancelling or completing the future releases a
	 * lease granted in the meantime.
	 * @param keys the keys, sorted and without duplicates
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos the available time
	 * @return the holds, nothing if the keys have to be acquired one after the other, or
	 * {@code null} if another owner holds one of them and no time is left; fails with an
	 * {@link EngineException} if the acquisition failed for another reason
	 * @see #acquireTogether(List, AcquireOptions, Object, long)
	 */
	public CompletableFuture<@Nullable List<Hold>> acquireTogetherAsync(List<String> keys, AcquireOptions options,
			Object owner, long waitNanos) {
		return this.multiKeyAcquirer.acquireAsync(keys, options, owner, waitNanos);
	}

	/**
	 * Find the hold of an owner with the given options: an owner that reads and writes
	 * has two.
	 * @param key the key
	 * @param owner the owner
	 * @param options the options of the acquisition
	 * @return the hold, which may be lost, or {@code null}
	 */
	public @Nullable Hold heldBy(String key, Object owner, AcquireOptions options) {
		return this.reentrancy.heldBy(key, owner, options);
	}

	/**
	 * Return the deadline of a time that begins now.
	 * @param waitNanos the time
	 * @return a deadline for {@link #nanosUntil(long)}
	 */
	public long deadlineAfter(long waitNanos) {
		return this.time.nanoTime() + Math.min(waitNanos, Durations.MAX_NANOS);
	}

	/**
	 * Return the remaining time until a deadline.
	 * @param deadline the deadline
	 * @return the time, not negative
	 */
	public long nanosUntil(long deadline) {
		return Math.max(0, deadline - this.time.nanoTime());
	}

	/**
	 * Return whether a deadline has passed by more than the timeout of a call to the
	 * store.
	 * @param deadline the deadline
	 * @return whether no further call to the store may be made
	 */
	public boolean isLongOver(long deadline) {
		return this.time.nanoTime() - deadline > this.context.answerNanos();
	}

	/**
	 * Return whether acquisitions are rejected, because the engine is shut down or shuts
	 * down.
	 * @return whether it is closed
	 */
	public boolean isClosed() {
		return this.context.isClosed();
	}

	/**
	 * Return whether the backend supports a lease.
	 * @param options the options
	 * @return whether an acquisition with these options is not rejected as unsupported
	 */
	public boolean supports(AcquireOptions options) {
		return this.context.store().supports(options);
	}

	/**
	 * Return the listener for events, which must be called by a separate thread.
	 * @return the listener
	 */
	public EngineListener listener() {
		return this.listener;
	}

	/**
	 * Add an observer of the acquisitions that begin from now on, and of the losses,
	 * hand-offs and renewals of all holds. An engine without observers does nothing for
	 * them.
	 * @param observer the observer
	 */
	public void addObserver(EngineObserver observer) {
		this.context.addObserver(observer);
	}

	/**
	 * Return the listeners that are called when this engine is shut down or restarted,
	 * and when the connection of the backend is suspended or restored: before a shutdown
	 * waits for holders. They must return immediately.
	 * @return the listeners, to which others can be added at any time
	 */
	public Set<Runnable> stateListeners() {
		return this.context.stateListeners();
	}

	/**
	 * Require room on the stack of the current thread for a change that must not be cut
	 * off.
	 * @throws StackOverflowError if there is not enough, before anything is changed
	 */
	public static void requireStackRoom() {
		StackRoom.requireToUndo();
	}

	/**
	 * Run an action once after a delay. An engine that is shut down by then runs it when
	 * it is restarted.
	 * @param delay the delay
	 * @param action what to run; may wait for the store
	 * @return what to run if the action is no longer needed
	 */
	public Runnable runAfter(Duration delay, Runnable action) {
		AsyncDispatcher steps = steps();
		AsyncDispatcher.Timer timer = steps.wakeUpAt(this.time.nanoTime() + Durations.nanos(delay),
				() -> steps.execute(action));
		return () -> steps.cancel(timer);
	}

	/**
	 * Return the name of the backend.
	 * @return the name
	 */
	public String backendName() {
		return this.context.store().name();
	}

	/**
	 * Log the lock backend, the lease time, and the identifier and name of this process
	 * as recorded in the store. Does not access the store.
	 * @param usualLeaseTime the default lease time; that the store caps it is logged
	 * here, and not warned about later
	 */
	public void announce(Duration usualLeaseTime) {
		this.context.announce(usualLeaseTime);
	}

	/**
	 * Return the name of the backend and the address of its store, for display.
	 * @return the description
	 */
	public String description() {
		return this.context.store().description();
	}

	/**
	 * Return what operators and tests see of this engine and its store.
	 * @return the inspection
	 */
	public EngineInspection inspection() {
		return this.inspection;
	}

	/**
	 * Return the values of the store.
	 * @return the values, each of whose methods throws if the backend has none
	 */
	public Values values() {
		return this.values;
	}

	/**
	 * Return the number of keys that are held or waited for.
	 * @return the number of keys
	 */
	public int size() {
		return this.queues.size();
	}

	EngineContext context() {
		return this.context;
	}

	AsyncDispatcher steps() {
		return this.dispatchers.steps();
	}

	PermitLimits permitLimits() {
		return this.permitLimits;
	}

	/**
	 * Shut down gracefully: reject new acquisitions and end those that wait, let holders
	 * finish, and then release the locks that they still hold, which are lost to them,
	 * all in parallel. Takes no longer than the grace period and the timeouts of two
	 * calls to the store, even if the store does not respond. Has no effect if shut down
	 * already.
	 * @param grace the grace period for holders
	 * @see #start()
	 */
	public void shutdown(Duration grace) {
		this.lifecycle.shutdown(Durations.nanos(grace));
	}

	/**
	 * Discard the holds that are lost and not released by their owners, who can acquire
	 * the keys anew.
	 */
	public void discardLostHolds() {
		this.lossHandler.discardLostHolds();
	}

	/**
	 * Shut down without waiting for holders. Has no effect if shut down already.
	 */
	@Override
	public void close() {
		shutdown(Duration.ZERO);
	}

}
