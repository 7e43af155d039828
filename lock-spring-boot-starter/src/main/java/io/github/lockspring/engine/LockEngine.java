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
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * All locks of one application on one backend.
 * <p>
 * An owner is whoever acquires: the current thread, or an object that stands for work
 * that is not bound to a thread. An owner that holds a key acquires it again at once.
 * <p>
 * While the backend says that its store is out of reach, nothing counts as held: no owner
 * acquires again, and no lease is passed on. That is not a loss.
 * <p>
 * Safe for use by many threads.
 */
public final class LockEngine implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	static {
		StackRoom.initialize(MethodHandles.lookup(), StackRoom.class, Hold.class, Lease.class, MultiKeyLease.class,
				LocalQueue.class, Acquisition.class, RetrySchedule.class, Poller.class, Poller.Sleeper.class,
				EngineException.class, Durations.class);
	}

	/**
	 * How many keys are acquired in one call, so that it does not hold up the store.
	 */
	private static final int MAX_TOGETHER = 256;

	private final Store store;

	private final EngineSettings settings;

	private final TimeSource time;

	private final LocalQueues queues;

	private final EngineThreads threads;

	private final LeaseScheduler leaseScheduler;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final AsyncDispatcher asyncDispatcher;

	private final LeaseReleaser leaseReleaser;

	private final Acquirer acquirer;

	private volatile @Nullable Duration usualLeaseTime;

	private final AtomicBoolean warnedOfShortLeases = new AtomicBoolean();

	private final News news = new News();

	/**
	 * Guards starting and shutting down.
	 */
	private final ReentrantLock lifecycle = new ReentrantLock();

	/**
	 * Whether acquisitions are refused.
	 */
	private volatile boolean closed;

	private boolean shutDown;

	/**
	 * Closes the store, and may take longer than it should.
	 */
	private @Nullable Thread closing;

	/**
	 * Creates an engine and starts its upkeep.
	 * @param backend the backend, which belongs to the engine from now on
	 * @param settings the numbers
	 * @param listener what is told of losses
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
		this.store = new Store(backend);
		this.settings = settings;
		this.time = time;
		this.queues = new LocalQueues(settings.maxKeys());
		this.threads = threads;
		this.leaseScheduler = new LeaseScheduler(backend.name(), time);
		this.plan = new RenewalPlan(this.store, settings, this.leaseScheduler, time);
		this.releaseRetrier = new ReleaseRetrier(this.store, settings.operationTimeout(), this.leaseScheduler, time,
				threads.releases(), this::isSuspended);
		this.asyncDispatcher = new AsyncDispatcher(this.leaseScheduler, time, threads.steps());
		LostHolds lostHolds = new LostHolds(this.queues, settings, this.leaseScheduler, time);
		this.leaseReleaser = new LeaseReleaser(this.store, this.queues, this.plan, this.releaseRetrier, settings,
				threads.tellingOf(listener), time, threads.callbacks(), this.asyncDispatcher, lostHolds,
				this::isClosed);
		Poller poller = new Poller(this.store, settings, this.leaseScheduler, time, threads.polls());
		this.acquirer = new Acquirer(this.store, this.queues, this.plan, this.releaseRetrier, poller, settings, time,
				this::isClosed);
		Renewals renewals = new Renewals(this.leaseReleaser, this.plan, this.queues, this.store, settings,
				this.leaseScheduler, time, threads.renewals());
		threads.start();
		this.store.open(this.news);
		this.leaseScheduler.start(renewals::run, this.releaseRetrier::run, this.asyncDispatcher::run, lostHolds::run,
				poller::run);
	}

	/**
	 * Opens this again after it was shut down, on the same store and with nothing held.
	 * Does nothing if it is open.
	 * @throws IllegalStateException if the store could not be opened
	 */
	public void start() {
		this.lifecycle.lock();
		try {
			if (this.shutDown) {
				awaitClosingOfStore(this.settings.operationTimeout().toNanos());
				this.store.reopen(this.news);
				this.threads.start();
				this.leaseScheduler.start();
				this.shutDown = false;
				this.closed = false;
			}
		}
		finally {
			this.lifecycle.unlock();
		}
	}

	/**
	 * Acquires for the current thread.
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
	 * Acquires for an owner.
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
	 * Acquires for an owner, whether the thread is interrupted or not.
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
			throw new IllegalStateException("Interrupted though it cannot be", ex);
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
		Hold hold = this.acquirer.acquire(new Hold(this.leaseReleaser, key, cut(terms), owner), waitNanos,
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
	 * Acquires for an owner without holding up the calling thread, nor any other while
	 * another holds the key. Acquires at once what the owner holds already. Whether the
	 * calling thread is interrupted does not matter.
	 * <p>
	 * Cancelling the future, or completing it, ends the acquisition, and gives back what
	 * may have been granted in the meantime. Whatever depends on the future may run in a
	 * thread of this engine.
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
			long now = this.time.nanoTime();
			Acquisition acquisition = new Acquisition(this.acquirer, this.asyncDispatcher, now, waitNanos);
			return acquisition.start(new Hold(this.leaseReleaser, key, cut(terms), owner, acquisition), now);
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
	 * What can be asked of the store instead.
	 */
	private AcquireOptions cut(AcquireOptions wanted) {
		AcquireOptions terms = wanted.capLeaseTime(this.store.maxLeaseTime());
		if (terms != wanted && !wanted.leaseTime().equals(this.usualLeaseTime)
				&& !this.warnedOfShortLeases.getAndSet(true)) {
			logger.warn("The backend '" + backendName() + "' keeps a lock for " + terms.leaseTime()
					+ " if it does not hear from this process. Longer lease times, such as " + wanted.leaseTime()
					+ ", are cut to that, and the leases are renewed more often");
		}
		return terms;
	}

	private void requireOpen(AcquireOptions terms) {
		if (this.closed) {
			throw new EngineException(EngineException.Reason.CLOSED, "The application is shutting down", null);
		}
		this.plan.requireCapacity(terms);
		if (!terms.isHandOffCapable()) {
			this.store.requireSupport(terms);
		}
	}

	/**
	 * Acquires several keys for the current thread in one call to the store, if the store
	 * can do that, all of them are free, and nobody in this process wants one of them.
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
	 * Acquires several keys for an owner in one call to the store, if that is possible,
	 * without holding up the calling thread. Cancelling the future, or completing it,
	 * gives back what may have been granted in the meantime.
	 * @param keys the keys, sorted and without duplicates
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos how much time there is
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
		this.leaseReleaser
			.callAsync(() -> future.isDone() ? List.<Hold>of() : tryTogether(keys, terms, owner, waitNanos))
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
				&& !this.closed;
	}

	/**
	 * Acquires several keys for an owner in one call to the store, if that is possible.
	 * @param keys the keys, sorted and without duplicates
	 * @param terms how to acquire
	 * @param owner who will hold
	 * @param waitNanos how much time there is, after which the call to the store may go
	 * on for a little
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
		AcquireOptions terms = cut(wanted);
		List<Hold> holds = keys.stream().map((key) -> new Hold(this.leaseReleaser, key, terms, owner)).toList();
		if (!this.acquirer.acquireTogether(holds, waitNanos)) {
			return List.of();
		}
		if (this.closed) {
			Hold.releaseAll(holds);
			throw new EngineException(EngineException.Reason.CLOSED, "The application is shutting down", null);
		}
		return holds;
	}

	/**
	 * Acquires again what the owner holds. A writer that reads has a hold of its own for
	 * that.
	 * @return {@code null} if it has given it back in the meantime
	 */
	private @Nullable Hold reenter(Hold held, AcquireOptions terms) {
		if (!held.isHeld()) {
			if (held.state() == Hold.ENDED) {
				return null;
			}
			throw held.hasLease() ? new EngineException(EngineException.Reason.SUSPENDED, "The store is away", null)
					: new EngineException(EngineException.Reason.LOST, "The lease was lost", null);
		}
		if (terms.isExclusive() && !held.terms().isExclusive()) {
			throw new EngineException(EngineException.Reason.UPGRADE, "Upgrade not supported", null);
		}
		if (isToBeDowngraded(held, terms)) {
			return held.queue().lend(held, new Hold(this.leaseReleaser, held.key(), cut(terms), held.owner()));
		}
		return held.countUp() ? held : reenter(held, terms);
	}

	/**
	 * Whether a writer reads on a hold of its own, which may outlast that of the writer.
	 */
	private boolean isToBeDowngraded(Hold held, AcquireOptions terms) {
		return !terms.isExclusive() && held.terms().isExclusive() && held.lease().canDowngrade()
				&& !held.terms().hasMinimumHold() && this.store.hasReaders();
	}

	/**
	 * Finds what an owner holds on given terms: one that reads and writes holds twice.
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
	 * When a time that begins now is over.
	 * @param waitNanos the time
	 * @return a moment for {@link #nanosUntil(long)}
	 */
	public long deadlineAfter(long waitNanos) {
		return this.time.nanoTime() + Math.min(waitNanos, Durations.LONGEST_NANOS);
	}

	/**
	 * How long it is until a moment.
	 * @param deadline the moment
	 * @return the time, not negative
	 */
	public long nanosUntil(long deadline) {
		return Math.max(0, deadline - this.time.nanoTime());
	}

	/**
	 * Whether a moment has passed longer ago than a call to the store may take.
	 * @param deadline the moment
	 * @return whether nothing more may be asked of the store
	 */
	public boolean isLongOver(long deadline) {
		return this.time.nanoTime() - deadline > this.settings.operationTimeout().toNanos();
	}

	/**
	 * The name of the backend.
	 * @return the name
	 */
	public String backendName() {
		return this.store.name();
	}

	/**
	 * Log where locks are kept, for how long, and what is known to weaken them.
	 * @param usualLeaseTime the lease time of those who choose none; that the store cuts
	 * it is said here, and not warned of later
	 */
	public void announce(Duration usualLeaseTime) {
		this.usualLeaseTime = usualLeaseTime;
		Duration longest = this.store.maxLeaseTime();
		String cut = (usualLeaseTime.compareTo(longest) > 0) ? ", cut to " + longest + " by the store" : "";
		List<String> warnings = warnings();
		logger.info("Lock backend " + this.store.description() + ", lease time " + usualLeaseTime + cut
				+ (warnings.isEmpty() ? "" : "; weakened: " + String.join("; ", warnings)));
	}

	/**
	 * What is known to weaken the locks in the way the store is set up.
	 * @return sentences for people to read
	 */
	public List<String> warnings() {
		return this.store.warnings();
	}

	/**
	 * Does what a lock does, with a {@linkplain EngineSettings#probeKey() key} that is
	 * used for nothing else.
	 * @return how long the store took to answer an attempt to acquire
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
	 * How many keys are held or waited for.
	 * @return the number
	 */
	public int size() {
		return this.queues.size();
	}

	/**
	 * Refuses new acquisitions and ends those that wait, lets holders finish, and then
	 * gives back what they still hold, which is lost to them, all at the same time. Takes
	 * no longer than two calls to the store may take, beside the grace, whatever the
	 * store does. Does nothing if shut down already.
	 * @param grace how long holders may take
	 * @see #start()
	 */
	public void shutdown(Duration grace) {
		this.closed = true;
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
		leftOver().forEach(this.leaseReleaser::takeBack);
		awaitUntil(end, this::isNobodyWaiting);
		this.releaseRetrier.flush(end, this.threads.steps());
		awaitUntil(end, this.leaseReleaser::isAnswered);
		this.leaseScheduler.stop();
		this.threads.stop();
		this.leaseReleaser.resume();
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
				logger.warn("The lock backend '" + backendName() + "' takes long to close; not waiting for it");
			}
		}
	}

	/**
	 * Waits for other threads, and therefore by the clock of the machine.
	 */
	private void awaitUntil(long deadline, BooleanSupplier condition) {
		while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0
				&& !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, Duration.ofMillis(1).toNanos());
		}
	}

	private boolean isNobodyWaiting() {
		return this.queues.all().stream().noneMatch(LocalQueue::isWaitedFor) && !this.acquirer.isBeingLeft();
	}

	private List<Hold> leftOver() {
		List<Hold> holds = new ArrayList<>();
		for (LocalQueue queue : this.queues.all()) {
			for (Hold hold = queue.holders(); hold != null; hold = hold.next) {
				holds.add(hold);
			}
		}
		return holds;
	}

	private boolean isSuspended() {
		return this.leaseReleaser.isSuspended();
	}

	private boolean isClosed() {
		return this.closed;
	}

	/**
	 * Shuts down without waiting for holders. Does nothing if shut down already.
	 */
	@Override
	public void close() {
		shutdown(Duration.ZERO);
	}

	/**
	 * What the store says unasked.
	 */
	private final class News implements BackendListener {

		@Override
		public void onRetryHint(LeaseRequest request) {
			LockEngine.this.queues.signal(request, request);
		}

		@Override
		public boolean onGranted(LeaseRequest request, Grant grant, long stamp) {
			return LockEngine.this.queues.signal(request, new Acquirer.Pushed(request, grant, stamp))
					|| LockEngine.this.queues.holderOf(request) != null;
		}

		@Override
		public void onLost(LeaseRequest lease) {
			LockEngine.this.leaseReleaser.lose(lease, "the store took it away");
		}

		@Override
		public void onSuspended() {
			LockEngine.this.leaseReleaser.suspend();
		}

		@Override
		public void onResumed() {
			LockEngine.this.leaseReleaser.resume();
		}

		@Override
		public void onFailedOver() {
			LockEngine.this.leaseReleaser.failOver();
		}

	}

}
