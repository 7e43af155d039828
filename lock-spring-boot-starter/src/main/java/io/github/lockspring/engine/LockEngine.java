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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

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
		StackRoom.initialize(MethodHandles.lookup(), StackRoom.class, Hold.class, Lease.class, MultiKeyLease.class,
				SharedLease.class, LocalQueue.class, Acquisition.class, RetrySchedule.class, Poller.class,
				Poller.Sleeper.class, EngineException.class, Durations.class, Answer.Held.class, Answer.Denied.class,
				Answer.Failed.class, Acquirer.Step.class, LocalQueue.LastAnswer.class, Acquirer.LastFailure.class,
				ObservedHoldListener.class, EngineObservers.class, LockKind.class, AcquireOutcome.class);
	}

	private final EngineContext context;

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final LocalQueues queues;

	private final Renewals renewals;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final AsyncDispatcher asyncDispatcher;

	private final AsyncDispatcher callDispatcher;

	private final EngineListener listener;

	private final LossHandler lossHandler;

	private final LeaseReleaser leaseReleaser;

	private final Acquirer acquirer;

	private final MultiKeyAcquirer multiKeyAcquirer;

	private final PermitLimits permitLimits;

	private final Values values;

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
		this.asyncDispatcher = new AsyncDispatcher(this.context, threads.steps());
		this.callDispatcher = new AsyncDispatcher(this.context, threads.calls());
		this.listener = listener;
		this.lossHandler = new LossHandler(this.context, this.releaseRetrier, listener);
		this.renewals = new Renewals(this.context, this.lossHandler);
		this.plan = this.renewals.plan();
		this.values = new Values(this.context, this.asyncDispatcher, this.callDispatcher);
		this.permitLimits = new PermitLimits(this.context, this.values);
		this.leaseReleaser = new LeaseReleaser(this.context, this.plan, this.releaseRetrier, this.lossHandler,
				this.permitLimits, this.asyncDispatcher);
		this.acquirer = new Acquirer(this.context, this.plan, this.releaseRetrier, this.permitLimits);
		this.multiKeyAcquirer = new MultiKeyAcquirer(this.context, this.acquirer, this.releaseRetrier);
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
		Hold again = reenter(key, options, owner);
		if (again != null) {
			return again;
		}
		StackRoom.requireToUndo();
		AcquireOptions capped = capLeaseTime(options);
		EngineObservers observers = this.context.observers();
		if (observers != null) {
			return acquireObserved(new Hold(ObservedHoldListener.of(this.leaseReleaser, observers, key, options.kind()),
					key, capped, owner), options, waitNanos, interruptible);
		}
		requireOpen(options);
		Hold hold = this.acquirer.acquire(new Hold(this.leaseReleaser, key, capped, owner), waitNanos, interruptible);
		if (logger.isDebugEnabled()) {
			log(key, hold);
		}
		return hold;
	}

	/**
	 * Return the listener of a hold that will be acquired.
	 */
	private Hold.Listener listenerFor(String key, AcquireOptions options) {
		EngineObservers observers = this.context.observers();
		return (observers != null) ? ObservedHoldListener.of(this.leaseReleaser, observers, key, options.kind())
				: this.leaseReleaser;
	}

	private @Nullable Hold acquireObserved(Hold pending, AcquireOptions options, long waitNanos, boolean interruptible)
			throws InterruptedException {
		Hold hold = null;
		try {
			requireOpen(options);
			hold = this.acquirer.acquire(pending, waitNanos, interruptible);
			if (logger.isDebugEnabled()) {
				log(pending.key(), hold);
			}
			if (hold != null) {
				hold.notifyAcquired();
			}
			else {
				pending.notifyNotAcquired(AcquireOutcome.notAcquiredWithin(waitNanos), null);
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
			Hold again = reenter(key, options, owner);
			if (again != null) {
				return CompletableFuture.completedFuture(again);
			}
			Acquisition acquisition = new Acquisition(this.context, this.acquirer, this.asyncDispatcher, waitNanos);
			return start(acquisition,
					new Hold(listenerFor(key, options), key, capLeaseTime(options), owner, acquisition), options);
		}
		catch (EngineException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<@Nullable Hold> start(Acquisition acquisition, Hold pending, AcquireOptions options) {
		try {
			requireOpen(options);
			return acquisition.start(pending);
		}
		catch (Throwable ex) {
			pending.notifyNotAcquired(AcquireOutcome.of(ex), ex);
			throw ex;
		}
	}

	private @Nullable Hold reenter(String key, AcquireOptions options, Object owner) {
		Hold held = options.isReentrant() ? this.queues.heldBy(key, owner, options) : null;
		while (held != null) {
			StackRoom.requireToCountDown();
			Hold again = reenter(held, options);
			if (again != null) {
				return again;
			}
			held = this.queues.heldBy(key, owner, options);
		}
		return null;
	}

	/**
	 * Return the options with the lease time capped at the maximum of the store.
	 */
	private AcquireOptions capLeaseTime(AcquireOptions wanted) {
		AcquireOptions options = wanted.capLeaseTime(this.store.maxLeaseTime());
		if (options != wanted && !wanted.leaseTime().equals(this.usualLeaseTime)
				&& !this.warnedOfShortLeases.getAndSet(true)) {
			logger.warn("Lock backend '" + backendName() + "' keeps a lease for at most " + options.leaseTime()
					+ " without contact to this process. Longer lease times, such as " + wanted.leaseTime()
					+ ", are capped at that, and the leases are renewed more often");
		}
		return options;
	}

	private void requireOpen(AcquireOptions options) {
		this.context.requireOpen();
		if (!options.isPlain()) {
			this.store.requireSupport(options);
		}
	}

	/**
	 * Acquire several keys for the current thread in one call to the store, if the store
	 * supports that, all of them are free, and none of them is wanted in this process.
	 * @param keys the keys, sorted and without duplicates
	 * @param options the options
	 * @return the holds, of which each few hundred have one lease and one token in
	 * common, or nothing if the keys have to be acquired one after the other
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public List<Hold> acquireTogether(List<String> keys, AcquireOptions options) {
		List<Hold> holds = acquireTogether(keys, options, Thread.currentThread(), Durations.MAX_NANOS);
		return (holds != null) ? holds : List.of();
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
	 * @see #acquireTogether(List, AcquireOptions)
	 */
	public CompletableFuture<@Nullable List<Hold>> acquireTogetherAsync(List<String> keys, AcquireOptions options,
			Object owner, long waitNanos) {
		if (!this.multiKeyAcquirer.canAcquire(keys, options)) {
			return CompletableFuture.completedFuture(List.of());
		}
		CompletableFuture<@Nullable List<Hold>> future = new CompletableFuture<>();
		this.asyncDispatcher
			.<@Nullable List<Hold>>call(
					() -> future.isDone() ? List.<Hold>of() : tryTogether(keys, options, owner, waitNanos))
			.whenComplete((holds, failure) -> {
				boolean wanted = (failure != null) ? future.completeExceptionally(failure) : future.complete(holds);
				if (!wanted && holds != null) {
					Hold.releaseAll(holds);
				}
			});
		return future;
	}

	/**
	 * Acquire several keys for an owner in one call to the store, if that is possible.
	 * @param keys the keys, sorted and without duplicates
	 * @param options the options
	 * @param owner the owner of the lock
	 * @param waitNanos the available time, which the call to the store may exceed
	 * @return the holds, nothing if the keys have to be acquired one after the other, or
	 * {@code null} if another owner holds one of them and no time is left
	 * @throws EngineException if the acquisition failed for another reason
	 * @see #acquireTogether(List, AcquireOptions)
	 */
	public @Nullable List<Hold> acquireTogether(List<String> keys, AcquireOptions options, Object owner,
			long waitNanos) {
		boolean possible = this.multiKeyAcquirer.canAcquire(keys, options) && !Thread.currentThread().isInterrupted();
		return possible ? tryTogether(keys, options, owner, waitNanos) : List.of();
	}

	private @Nullable List<Hold> tryTogether(List<String> keys, AcquireOptions wanted, Object owner, long waitNanos) {
		StackRoom.requireToUndo();
		if (this.plan.isOverloaded(wanted)) {
			return List.of();
		}
		AcquireOptions options = capLeaseTime(wanted);
		EngineObservers observers = this.context.observers();
		List<Hold> holds = keys.stream()
			.map((key) -> new Hold(
					(observers != null) ? new ObservedHoldListener(this.leaseReleaser, observers) : this.leaseReleaser,
					key, options, owner))
			.toList();
		try {
			MultiKeyAcquirer.Outcome outcome = this.multiKeyAcquirer.acquire(holds, waitNanos);
			if (outcome == MultiKeyAcquirer.Outcome.DENIED) {
				Hold.Listener listener = listenerFor(keys.get(0), options);
				listener.onContended();
				listener.onNotAcquired(AcquireOutcome.notAcquiredWithin(waitNanos), null);
				return null;
			}
			return (outcome == MultiKeyAcquirer.Outcome.HELD) ? holds : List.of();
		}
		catch (EngineException ex) {
			listenerFor(keys.get(0), options).onNotAcquired(AcquireOutcome.of(ex), ex);
			throw ex;
		}
	}

	/**
	 * Reenter a lock that the owner holds. A writer that reads has a separate hold for
	 * that.
	 * @return the hold, or {@code null} if it was released in the meantime
	 */
	private @Nullable Hold reenter(Hold held, AcquireOptions options) {
		if (!held.isHeld()) {
			if (held.isEnded()) {
				return null;
			}
			throw held.hasLease() ? new EngineException(EngineException.Reason.SUSPENDED,
					"The connection to the store is suspended", null)
					: new EngineException(EngineException.Reason.LOST, "The lease was lost", null);
		}
		if (options.isExclusive() && !held.options().isExclusive()) {
			throw new EngineException(EngineException.Reason.UPGRADE,
					"Upgrading a read lock to a write lock is not supported", null);
		}
		if (isToBeDowngraded(held, options)) {
			return held.queue()
				.lend(held, new Hold(this.leaseReleaser, held.key(), capLeaseTime(options), held.owner()));
		}
		return held.countUp() ? held : reenter(held, options);
	}

	/**
	 * Return whether a writer reads on a separate hold, which may outlast that of the
	 * writer.
	 */
	private boolean isToBeDowngraded(Hold held, AcquireOptions options) {
		return !options.isExclusive() && held.options().isExclusive() && held.lease().canDowngrade()
				&& !held.options().hasMinimumHold() && this.store.hasReaders();
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
		Hold held = this.queues.heldBy(key, owner, options);
		boolean upgrade = held != null && options.isExclusive() && !held.options().isExclusive();
		return (held == null || upgrade || isToBeDowngraded(held, options)) ? null : held;
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
		return this.time.nanoTime() - deadline > this.settings.operationTimeout().toNanos();
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
		return this.store.supports(options);
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
	 * Add a listener that is called when this engine is shut down or restarted, and when
	 * the connection of the backend is suspended or restored: before a shutdown waits for
	 * holders.
	 * @param listener the listener, which must return immediately
	 */
	public void addStateListener(Runnable listener) {
		this.context.stateListeners().add(listener);
	}

	/**
	 * Remove a listener. Has no effect if it was not added.
	 * @param listener the listener
	 */
	public void removeStateListener(Runnable listener) {
		this.context.stateListeners().remove(listener);
	}

	/**
	 * Run an action once after a delay. An engine that is shut down by then runs it when
	 * it is restarted.
	 * @param delay the delay
	 * @param action what to run; may wait for the store
	 */
	public void runAfter(Duration delay, Runnable action) {
		this.asyncDispatcher.wakeUpAt(this.time.nanoTime() + Durations.nanos(delay),
				() -> this.asyncDispatcher.execute(action));
	}

	/**
	 * Return the name of the backend.
	 * @return the name
	 */
	public String backendName() {
		return this.store.name();
	}

	/**
	 * Log the lock backend, the lease time, the identifier and name of this process as
	 * recorded in the store, and the known warnings.
	 * @param usualLeaseTime the default lease time; that the store caps it is logged
	 * here, and not warned about later
	 */
	public void announce(Duration usualLeaseTime) {
		this.usualLeaseTime = usualLeaseTime;
		Duration max = this.store.maxLeaseTime();
		String capped = (usualLeaseTime.compareTo(max) > 0) ? ", capped at " + max + " by the store" : "";
		List<String> warnings = warnings();
		logger.info("Lock backend " + this.store.description() + ", lease time " + usualLeaseTime + capped
				+ ", process " + this.store.processName() + " (" + this.store.instance() + ")"
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
		return this.store
			.orUnavailable(() -> this.store.probe(this.settings.probeKey(), this.settings.operationTimeout()));
	}

	EngineContext context() {
		return this.context;
	}

	PermitLimits permitLimits() {
		return this.permitLimits;
	}

	/**
	 * Return the holders of a key, as recorded in the store. Those of this process have
	 * their own fencing token instead of the last one of their lease.
	 * @param key the key
	 * @return the holders, of all processes
	 * @throws EngineException if the store failed
	 */
	public List<LeaseHolder> holders(String key) {
		Map<String, Long> tokens = this.queues.tokensOf(key);
		return inspect(key).stream()
			.map((holder) -> new LeaseHolder(holder.owner(), holder.process(), holder.mode(),
					tokens.getOrDefault(holder.owner(), holder.token()), holder.remaining()))
			.toList();
	}

	List<LeaseHolder> inspect(String key) {
		this.context.requireOpen();
		return this.store.orUnavailable(() -> this.store.inspect(key, this.settings.operationTimeout()));
	}

	/**
	 * Return the holders of a key like {@link #holders(String)}, without blocking the
	 * calling thread.
	 * @param key the key
	 * @return the holders, of all processes; fails with an {@link EngineException} if the
	 * store failed
	 */
	public CompletableFuture<List<LeaseHolder>> holdersAsync(String key) {
		return callAsync(() -> holders(key));
	}

	private <T> CompletableFuture<T> callAsync(Supplier<T> action) {
		return isClosed() ? CompletableFuture.failedFuture(EngineContext.closedException())
				: this.callDispatcher.call(action);
	}

	/**
	 * Return the owners that wait for a key, as recorded in the store, without blocking
	 * the calling thread. The owners of one process wait behind a single one.
	 * @param key the key
	 * @return the waiting owners of all processes, in the order of the store, if it
	 * records them; fails with an {@link EngineException} if the store failed
	 */
	public CompletableFuture<List<LeaseWaiter>> queueAsync(String key) {
		return callAsync(() -> queue(key));
	}

	/**
	 * Return the owners that wait for a key, like {@link #queueAsync(String)}.
	 * @param key the key
	 * @return the waiting owners of all processes, in the order of the store
	 * @throws EngineException if the store failed
	 */
	public List<LeaseWaiter> queue(String key) {
		this.context.requireOpen();
		return this.store.orUnavailable(() -> this.store.inspectQueue(key, this.settings.operationTimeout()));
	}

	/**
	 * Release a key for its holder, in any process, without blocking the calling thread.
	 * A holder in this process loses its lock immediately, one in another process as soon
	 * as it is notified, or with its next renewal. Owners that wait for the key acquire
	 * it as after a release. A successor of the holder is not released, unless another
	 * process has handed off the lease to it inside that process.
	 * @param key the key
	 * @param holder the holder, as returned by {@link #holders(String)}
	 * @return whether the holder held the key until now; fails with an
	 * {@link EngineException} if the store failed, in which case it is unknown
	 */
	public CompletableFuture<Boolean> forceReleaseAsync(String key, LeaseHolder holder) {
		return callAsync(() -> forceRelease(key, holder));
	}

	private boolean forceRelease(String key, LeaseHolder holder) {
		this.context.requireOpen();
		if (!holder.isOf(this.store.instance()) || holder.isReleased()) {
			return forceReleaseInStore(key, holder);
		}
		LeaseTerms terms = new LeaseTerms(holder.mode(), false, holder.remaining(), 1);
		return this.lossHandler.forceRelease(new LeaseRequest(List.of(key), terms, OwnerId.parse(holder.owner())),
				holder.token(), () -> forceReleaseInStore(key, holder));
	}

	private boolean forceReleaseInStore(String key, LeaseHolder holder) {
		boolean released = this.store
			.orUnavailable(() -> this.store.forceRelease(key, holder, this.settings.operationTimeout()));
		if (released) {
			logger.warn("Released the lock on " + KeyFormat.quote(key) + " for its holder " + holder.owner()
					+ ((holder.process() != null) ? " of " + holder.process() : "") + ", on behalf of an operator");
		}
		return released;
	}

	/**
	 * Return what this process holds and waits for. Does not access the store.
	 * @return a snapshot
	 */
	public EngineSnapshot snapshot() {
		return new SnapshotReader(this.context, this.plan).read();
	}

	/**
	 * Return the identifier of this process, with which the owners of all its leases
	 * begin.
	 * @return the identifier
	 */
	public String instance() {
		return this.store.instance();
	}

	/**
	 * Return the name of this process, as recorded in the store.
	 * @return the name
	 */
	public ProcessName processName() {
		return this.store.processName();
	}

	/**
	 * Return the values of the store.
	 * @return the values, each of whose methods throws if the backend has none
	 */
	public Values values() {
		return this.values;
	}

	/**
	 * Return the number of acquisitions of this process that wait for a key or contend
	 * for it in the store.
	 * @param key the key
	 * @return the number, which may have changed when this returns
	 */
	public int waitingCount(String key) {
		return this.queues.waitingCount(key);
	}

	/**
	 * Return whether an acquisition that parks its thread waits for a key.
	 * @param blocker the object that was passed to
	 * {@link TimeSource#parkNanos(Object, long)}
	 * @param key the key
	 * @return whether the thread waits for that key
	 */
	public boolean isWaitingFor(Object blocker, String key) {
		return this.queues.isQueueOf(blocker, key);
	}

	/**
	 * Return whether everything that was due has been done: no timed task is due, and no
	 * renewal is in progress. A test that moves the clock waits for it.
	 * @return whether nothing happens before the clock advances, except for what threads
	 * of the application do
	 */
	public boolean isSettled() {
		return this.context.isSettled(this.renewals::isRenewing);
	}

	/**
	 * Return the time until something is due, such as a renewal.
	 * @return the time in nanoseconds, not positive if a task is due
	 */
	public long nanosToNextTask() {
		return this.context.nanosToNextTask();
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
	 * calls to the store, even if the store does not respond. Has no effect if shut down
	 * already.
	 * @param grace the grace period for holders
	 * @see #start()
	 */
	public void shutdown(Duration grace) {
		this.context.setClosed(true);
		this.lifecycle.lock();
		try {
			this.context.setClosed(true); // a start may have been in progress
			if (!this.shutDown) {
				shutDown(Durations.nanos(grace), this.settings.operationTimeout().toNanos());
				this.shutDown = true;
			}
		}
		finally {
			this.lifecycle.unlock();
		}
	}

	/**
	 * Discard the holds that are lost and not released by their owners, who can acquire
	 * the keys anew.
	 */
	public void discardLostHolds() {
		this.lossHandler.discardLostHolds();
	}

	private void shutDown(long graceNanos, long operationNanos) {
		this.queues.all().forEach(LocalQueue::wakeAll);
		this.values.wakeAll();
		awaitUntil(System.nanoTime() + graceNanos, () -> this.queues.all().stream().noneMatch(LocalQueue::isInUse));
		long end = System.nanoTime() + operationNanos;
		List<Hold> remaining = new ArrayList<>();
		this.queues.forEachHolder(remaining::add);
		remaining.forEach(this.lossHandler::shutDown);
		awaitUntil(end, this::hasNoWaiter);
		this.releaseRetrier.flush(end);
		awaitUntil(end, () -> !this.asyncDispatcher.isCalling() && !this.callDispatcher.isCalling());
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
		public void onValueChanged(String key) {
			LockEngine.this.values.onChanged(key);
		}

		@Override
		public void onFailedOver() {
			LockEngine.this.plan.renewAll();
			LockEngine.this.context.stateChanged();
			logger.info("Lock backend '" + backendName() + "' failed over to another server; renewing all locks there");
		}

	}

}
