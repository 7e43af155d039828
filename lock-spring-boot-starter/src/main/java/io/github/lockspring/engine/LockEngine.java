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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * Engine for all locks of one application on one backend.
 * <p>
 * An owner is the current thread, or an object that represents work not bound to a
 * thread. Locks are reentrant: an owner that holds a key can acquire it again
 * immediately.
 * <p>
 * While the connection of the backend is suspended, no lock is reported as held: no owner
 * can re-enter, and no lease is handed off. That is not a loss.
 * <p>
 * Thread-safe.
 */
public final class LockEngine implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	static {
		StackRoom.initialize(MethodHandles.lookup(), StackRoom.class, Hold.class, Lease.class, MultiKeyLease.class,
				LocalQueue.class, Acquisition.class, RetrySchedule.class, Poller.class, Poller.Sleeper.class,
				EngineException.class, Durations.class, Answer.Held.class, Answer.Denied.class, Answer.Failed.class,
				Acquirer.Step.class, Acquirer.Outcome.Final.class, Acquirer.Outcome.Expired.class);
	}

	/**
	 * Maximum number of keys acquired in one call, so that it does not block the store.
	 */
	private static final int MAX_TOGETHER = 256;

	private final EngineContext context;

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final LocalQueues queues;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final AsyncDispatcher asyncDispatcher;

	private final LossHandler lossHandler;

	private final LeaseReleaser leaseReleaser;

	private final Acquirer acquirer;

	private volatile @Nullable Duration usualLeaseTime;

	private final AtomicBoolean warnedOfShortLeases = new AtomicBoolean();

	private final BackendListener notifications = new Notifications();

	/**
	 * Guards starting and shutting down.
	 */
	private final ReentrantLock lifecycle = new ReentrantLock();

	private boolean shutDown;

	/**
	 * Closes the store, and may take longer than it should.
	 */
	private @Nullable Thread closing;

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
		this.store = this.context.store();
		this.settings = settings;
		this.time = time;
		this.queues = this.context.queues();
		this.releaseRetrier = new ReleaseRetrier(this.context);
		this.asyncDispatcher = new AsyncDispatcher(this.context);
		this.lossHandler = new LossHandler(this.context, this.releaseRetrier, listener);
		this.plan = new Renewals(this.context, this.lossHandler).plan();
		this.leaseReleaser = new LeaseReleaser(this.context, this.plan, this.releaseRetrier, this.lossHandler,
				this.asyncDispatcher);
		this.acquirer = new Acquirer(this.context, this.plan, this.releaseRetrier);
		threads.start();
		this.store.open(this.notifications);
		this.context.startTasks();
	}

	/**
	 * Restart this engine after a shutdown, on the same store and with no lock held. Has
	 * no effect if it is open.
	 * @throws IllegalStateException if the store could not be opened
	 */
	public void start() {
		this.lifecycle.lock();
		try {
			if (this.shutDown) {
				awaitClosingOfStore(this.settings.operationTimeout().toNanos());
				this.store.reopen(this.notifications);
				this.context.threads().start();
				this.context.restartTasks();
				this.shutDown = false;
				this.context.setClosed(false);
			}
		}
		finally {
			this.lifecycle.unlock();
		}
	}

	/**
	 * Acquire a lock for the current thread.
	 * @param key the key
	 * @param terms how to acquire
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another held the key for the whole time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws EngineException if there was no way to acquire
	 */
	public @Nullable Hold acquire(String key, AcquireOptions terms, long waitNanos) throws InterruptedException {
		return acquire(key, terms, Thread.currentThread(), waitNanos);
	}

	/**
	 * Acquire a lock for an owner.
	 * @param key the key
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another held the key for the whole time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws EngineException if there was no way to acquire
	 */
	public @Nullable Hold acquire(String key, AcquireOptions terms, Object owner, long waitNanos)
			throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		return acquire(key, terms, owner, waitNanos, true);
	}

	/**
	 * Acquire a lock for an owner, ignoring interrupts.
	 * @param key the key
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another held the key for the whole time
	 * @throws EngineException if there was no way to acquire
	 */
	public @Nullable Hold acquireUninterruptibly(String key, AcquireOptions terms, Object owner, long waitNanos) {
		try {
			return acquire(key, terms, owner, waitNanos, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt during an uninterruptible acquisition", ex);
		}
	}

	private @Nullable Hold acquire(String key, AcquireOptions terms, Object owner, long waitNanos,
			boolean interruptible) throws InterruptedException {
		Hold again = reenter(key, terms, owner);
		if (again != null) {
			return again;
		}
		StackRoom.requireToUndo();
		requireOpen(terms);
		Hold hold = this.acquirer.acquire(new Hold(this.leaseReleaser, key, capLeaseTime(terms), owner), waitNanos,
				interruptible);
		if (logger.isDebugEnabled()) {
			log(key, hold);
		}
		return hold;
	}

	private static void log(String key, @Nullable Hold hold) {
		try {
			logger.debug(((hold != null) ? "Acquired" : "Did not acquire") + " the lock on " + KeyFormat.quote(key));
		}
		catch (Throwable ex) {
			if (hold != null) {
				hold.release();
			}
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
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if another held the key for the whole time; fails
	 * with an {@link EngineException} if there was no way to acquire
	 */
	public CompletableFuture<@Nullable Hold> acquireAsync(String key, AcquireOptions terms, Object owner,
			long waitNanos) {
		StackRoom.requireToUndo();
		try {
			Hold again = reenter(key, terms, owner);
			if (again != null) {
				return CompletableFuture.completedFuture(again);
			}
			requireOpen(terms);
			Acquisition acquisition = new Acquisition(this.context, this.acquirer, this.asyncDispatcher, waitNanos);
			return acquisition.start(new Hold(this.leaseReleaser, key, capLeaseTime(terms), owner, acquisition));
		}
		catch (EngineException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private @Nullable Hold reenter(String key, AcquireOptions terms, Object owner) {
		Hold held = this.queues.heldBy(key, owner, terms);
		while (held != null && terms.isReentrant()) {
			StackRoom.requireToCountDown();
			Hold again = reenter(held, terms);
			if (again != null) {
				return again;
			}
			held = this.queues.heldBy(key, owner, terms);
		}
		return null;
	}

	/**
	 * Return the options with the lease time capped at the maximum of the store.
	 */
	private AcquireOptions capLeaseTime(AcquireOptions wanted) {
		AcquireOptions terms = wanted.capLeaseTime(this.store.maxLeaseTime());
		if (terms != wanted && !wanted.leaseTime().equals(this.usualLeaseTime)
				&& !this.warnedOfShortLeases.getAndSet(true)) {
			logger.warn("Lock backend '" + backendName() + "' keeps a lease for at most " + terms.leaseTime()
					+ " without contact to this process. Longer lease times, such as " + wanted.leaseTime()
					+ ", are capped at that, and the leases are renewed more often");
		}
		return terms;
	}

	private void requireOpen(AcquireOptions terms) {
		this.context.requireOpen();
		this.plan.requireCapacity(terms);
		if (!terms.isHandOffCapable()) {
			this.store.requireSupport(terms);
		}
	}

	/**
	 * Acquire several keys for the current thread in one call to the store, if the store
	 * supports that, all of them are free, and none of them is wanted in this process.
	 * @param keys the keys, sorted and without duplicates
	 * @param terms how to acquire
	 * @return the holds, which have one lease and one token in common, or nothing if the
	 * keys have to be acquired one after the other
	 * @throws EngineException if there was no way to acquire
	 */
	public List<Hold> acquireTogether(List<String> keys, AcquireOptions terms) {
		return acquireTogether(keys, terms, Thread.currentThread(), Durations.LONGEST_NANOS);
	}

	/**
	 * Acquire several keys for an owner in one call to the store, if that is possible,
	 * without blocking the calling thread. Cancelling or completing the future releases a
	 * lease granted in the meantime.
	 * @param keys the keys, sorted and without duplicates
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos the available time
	 * @return the holds, or nothing if the keys have to be acquired one after the other;
	 * fails with an {@link EngineException} if there was no way to acquire
	 * @see #acquireTogether(List, AcquireOptions)
	 */
	public CompletableFuture<List<Hold>> acquireTogetherAsync(List<String> keys, AcquireOptions terms, Object owner,
			long waitNanos) {
		if (!canAcquireTogether(keys, terms)) {
			return CompletableFuture.completedFuture(List.of());
		}
		CompletableFuture<List<Hold>> future = new CompletableFuture<>();
		this.asyncDispatcher.call(() -> future.isDone() ? List.<Hold>of() : tryTogether(keys, terms, owner, waitNanos))
			.whenComplete((holds, failure) -> {
				boolean wanted = (failure != null) ? future.completeExceptionally(failure) : future.complete(holds);
				if (!wanted && failure == null) {
					Hold.releaseAll(holds);
				}
			});
		return future;
	}

	private boolean canAcquireTogether(List<String> keys, AcquireOptions terms) {
		return keys.size() > 1 && keys.size() <= MAX_TOGETHER && terms.isHandOffCapable() && this.store.hasMultiKey()
				&& !this.context.isClosed();
	}

	/**
	 * Acquire several keys for an owner in one call to the store, if that is possible.
	 * @param keys the keys, sorted and without duplicates
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos the available time, which the call to the store may exceed
	 * slightly
	 * @return the holds, or nothing if the keys have to be acquired one after the other
	 * @throws EngineException if there was no way to acquire
	 * @see #acquireTogether(List, AcquireOptions)
	 */
	public List<Hold> acquireTogether(List<String> keys, AcquireOptions terms, Object owner, long waitNanos) {
		boolean possible = canAcquireTogether(keys, terms) && !Thread.currentThread().isInterrupted();
		return possible ? tryTogether(keys, terms, owner, waitNanos) : List.of();
	}

	private List<Hold> tryTogether(List<String> keys, AcquireOptions wanted, Object owner, long waitNanos) {
		StackRoom.requireToUndo();
		this.plan.requireCapacity(wanted);
		AcquireOptions terms = capLeaseTime(wanted);
		List<Hold> holds = keys.stream().map((key) -> new Hold(this.leaseReleaser, key, terms, owner)).toList();
		if (!this.acquirer.acquireTogether(holds, waitNanos)) {
			return List.of();
		}
		if (this.context.isClosed()) {
			Hold.releaseAll(holds);
			throw EngineContext.closedException();
		}
		return holds;
	}

	/**
	 * Re-enter a lock that the owner holds. A writer that reads has a separate hold for
	 * that.
	 * @return the hold, or {@code null} if it was released in the meantime
	 */
	private @Nullable Hold reenter(Hold held, AcquireOptions terms) {
		if (!held.isHeld()) {
			if (held.isEnded()) {
				return null;
			}
			throw held.hasLease() ? new EngineException(EngineException.Reason.SUSPENDED,
					"The connection to the store is suspended", null)
					: new EngineException(EngineException.Reason.LOST, "The lease was lost", null);
		}
		if (terms.isExclusive() && !held.terms().isExclusive()) {
			throw new EngineException(EngineException.Reason.UPGRADE,
					"Upgrading a read lock to a write lock is not supported", null);
		}
		if (isToBeDowngraded(held, terms)) {
			return held.queue().lend(held, new Hold(this.leaseReleaser, held.key(), capLeaseTime(terms), held.owner()));
		}
		return held.countUp() ? held : reenter(held, terms);
	}

	/**
	 * Return whether a writer reads on a separate hold, which may outlast that of the
	 * writer.
	 */
	private boolean isToBeDowngraded(Hold held, AcquireOptions terms) {
		return !terms.isExclusive() && held.terms().isExclusive() && held.lease().canDowngrade()
				&& !held.terms().hasMinimumHold() && this.store.hasReaders();
	}

	/**
	 * Find the hold of an owner with the given options: an owner that reads and writes
	 * has two.
	 * @param key the key
	 * @param owner the owner
	 * @param terms how it was acquired
	 * @return the hold, which may be lost, or {@code null}
	 */
	public @Nullable Hold heldBy(String key, Object owner, AcquireOptions terms) {
		Hold held = this.queues.heldBy(key, owner, terms);
		boolean upgrade = held != null && terms.isExclusive() && !held.terms().isExclusive();
		return (held == null || upgrade || isToBeDowngraded(held, terms)) ? null : held;
	}

	/**
	 * Return the deadline of a time that begins now.
	 * @param waitNanos the time
	 * @return a deadline for {@link #nanosUntil(long)}
	 */
	public long deadlineAfter(long waitNanos) {
		return this.time.nanoTime() + Math.min(waitNanos, Durations.LONGEST_NANOS);
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
		return this.time.nanoTime() - deadline > this.settings.operationTimeout().toNanos();
	}

	/**
	 * Return the name of the backend.
	 * @return the name
	 */
	public String backendName() {
		return this.store.name();
	}

	/**
	 * Log the lock backend, the lease time, and the known warnings.
	 * @param usualLeaseTime the default lease time; that the store caps it is logged
	 * here, and not warned about later
	 */
	public void announce(Duration usualLeaseTime) {
		this.usualLeaseTime = usualLeaseTime;
		Duration longest = this.store.maxLeaseTime();
		String capped = (usualLeaseTime.compareTo(longest) > 0) ? ", capped at " + longest + " by the store" : "";
		List<String> warnings = warnings();
		logger.info("Lock backend " + this.store.description() + ", lease time " + usualLeaseTime + capped
				+ (warnings.isEmpty() ? "" : "; warnings: " + String.join("; ", warnings)));
	}

	/**
	 * Return the warnings about the configuration of the store that weakens the locks.
	 * @return the warnings, as sentences for display
	 */
	public List<String> warnings() {
		return this.store.warnings();
	}

	/**
	 * Check the store by the operations that a lock needs, with a
	 * {@linkplain EngineSettings#probeKey() key} that is used for nothing else.
	 * @return the time that the store took to answer an attempt to acquire
	 * @throws EngineException if the store failed
	 */
	public Duration probe() {
		try {
			return this.store.probe(this.settings.probeKey(), this.settings.operationTimeout());
		}
		catch (BackendException ex) {
			throw this.store.unavailable(ex);
		}
	}

	/**
	 * Return the number of keys that are held or waited for.
	 * @return the number of keys
	 */
	public int size() {
		return this.queues.size();
	}

	/**
	 * Shut down gracefully: reject new acquisitions and end those that wait, let holders
	 * finish, and then release the locks that they still hold, which are lost to them,
	 * all in parallel. Takes no longer than the grace period and the timeouts of two
	 * calls to the store, whatever the store does. Has no effect if shut down already.
	 * @param grace the grace period for holders
	 * @see #start()
	 */
	public void shutdown(Duration grace) {
		this.context.setClosed(true);
		this.lifecycle.lock();
		try {
			if (!this.shutDown) {
				shutDown(Durations.nanos(grace), this.settings.operationTimeout().toNanos());
				this.shutDown = true;
			}
		}
		finally {
			this.lifecycle.unlock();
		}
	}

	private void shutDown(long graceNanos, long operationNanos) {
		this.queues.all().forEach(LocalQueue::wakeAll);
		awaitUntil(System.nanoTime() + graceNanos, () -> this.queues.size() == 0);
		long end = System.nanoTime() + operationNanos;
		remainingHolds().forEach(this.lossHandler::shutDown);
		awaitUntil(end, this::hasNoWaiter);
		this.releaseRetrier.flush(end);
		awaitUntil(end, () -> this.releaseRetrier.isAnswered() && !this.asyncDispatcher.isCalling());
		this.context.stopTasks();
		this.context.threads().stop();
		this.lossHandler.resume();
		this.closing = DaemonThreads.create("lock-" + backendName() + "-close", this::closeStore);
		this.closing.start();
		awaitClosingOfStore(end + operationNanos - System.nanoTime());
	}

	private void closeStore() {
		try {
			this.store.close();
		}
		catch (RuntimeException ex) {
			logger.warn("The lock backend '" + backendName() + "' was not closed cleanly", ex);
		}
	}

	private void awaitClosingOfStore(long nanos) {
		Thread closing = this.closing;
		if (closing != null) {
			awaitUntil(System.nanoTime() + nanos, () -> !closing.isAlive());
			if (closing.isAlive()) {
				logger.warn("The lock backend '" + backendName()
						+ "' did not close in time; closing continues in the background");
			}
		}
	}

	/**
	 * Wait for other threads, and therefore by the clock of the machine.
	 */
	private void awaitUntil(long deadline, BooleanSupplier condition) {
		while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0
				&& !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, Duration.ofMillis(1).toNanos());
		}
	}

	private boolean hasNoWaiter() {
		return this.queues.all().stream().noneMatch(LocalQueue::isWaitedFor) && !this.acquirer.isAnyLeaving();
	}

	private List<Hold> remainingHolds() {
		List<Hold> holds = new ArrayList<>();
		for (LocalQueue queue : this.queues.all()) {
			for (Hold hold = queue.holders(); hold != null; hold = hold.next) {
				holds.add(hold);
			}
		}
		return holds;
	}

	/**
	 * Shut down without waiting for holders. Has no effect if shut down already.
	 */
	@Override
	public void close() {
		shutdown(Duration.ZERO);
	}

	/**
	 * Listener for notifications from the store.
	 */
	private final class Notifications implements BackendListener {

		@Override
		public void onRetryHint(LeaseRequest request) {
			LockEngine.this.queues.signal(request, Notification.Hint.RETRY);
		}

		@Override
		public boolean onGranted(LeaseRequest request, Grant grant, long attemptId) {
			return LockEngine.this.queues.signal(request, new Notification.Granted(request, grant, attemptId))
					|| LockEngine.this.queues.holderOf(request) != null;
		}

		@Override
		public void onLost(LeaseRequest lease) {
			LockEngine.this.lossHandler.lose(lease, "it was ended by the store");
		}

		@Override
		public void onSuspended() {
			LockEngine.this.lossHandler.suspend();
		}

		@Override
		public void onResumed() {
			LockEngine.this.lossHandler.resume();
		}

		@Override
		public void onFailedOver() {
			LockEngine.this.plan.distrust();
			logger.info("Lock backend '" + backendName() + "' failed over to another server; renewing all locks there");
		}

	}

}
