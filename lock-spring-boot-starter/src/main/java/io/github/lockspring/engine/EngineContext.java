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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Shared context of the components of an engine: the store, the local queues, the
 * settings, the clocks, the threads, the timed tasks, and the state of the engine.
 * <p>
 * All engines that use the system clocks share one timer thread. The tasks of an engine
 * are started and stopped together.
 * <p>
 * Thread-safe.
 */
final class EngineContext {

	private static final Log logger = LogFactory.getLog(EngineContext.class);

	/**
	 * Time of a call that begins when even the time for the last one is over, unless any
	 * call has less.
	 */
	private static final long LATE_CALL_NANOS = Duration.ofMillis(250).toNanos();

	private final Store store;

	private final LocalQueues queues;

	private final EngineSettings settings;

	private final TimeSource time;

	private final EngineThreads threads;

	private final TimerThread timer;

	private final List<TimerThread.Task> tasks = new CopyOnWriteArrayList<>();

	private final Set<Runnable> stateListeners = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warnedOfShortLeases = new AtomicBoolean();

	private volatile @Nullable Duration usualLeaseTime;

	private volatile @Nullable EngineObservers observers;

	private volatile boolean closed;

	private volatile boolean suspended;

	EngineContext(LockBackend backend, EngineSettings settings, TimeSource time, EngineThreads threads) {
		this.store = new Store(backend, settings.names().application());
		this.queues = new LocalQueues(settings.limits().maxKeys());
		this.settings = settings;
		this.time = time;
		this.threads = threads;
		this.timer = (time == TimeSource.SYSTEM) ? TimerThread.shared()
				: new TimerThread("lock-timer-" + backend.name(), time::nanoTime, time::parkNanos);
	}

	Store store() {
		return this.store;
	}

	LocalQueues queues() {
		return this.queues;
	}

	EngineSettings settings() {
		return this.settings;
	}

	TimeSource time() {
		return this.time;
	}

	EngineThreads threads() {
		return this.threads;
	}

	/**
	 * Return the observers, or {@code null} if there are none.
	 */
	@Nullable EngineObservers observers() {
		return this.observers;
	}

	synchronized void addObserver(EngineObserver observer) {
		EngineObservers present = this.observers;
		List<EngineObserver> observers = new ArrayList<>((present != null) ? present.observers() : List.of());
		observers.add(observer);
		this.observers = new EngineObservers(List.copyOf(observers));
	}

	/**
	 * Add a task, which one thread runs in turn with the other tasks.
	 * @param action what to run at the requested times; must not block
	 * @return the task
	 */
	TimerThread.Task task(Runnable action) {
		TimerThread.Task task = this.timer.task(action);
		this.tasks.add(task);
		return task;
	}

	void startTasks() {
		this.tasks.forEach(TimerThread.Task::start);
	}

	/**
	 * Start the tasks again, and run them once: they may have been stopped before they
	 * requested their next run.
	 */
	void restartTasks() {
		startTasks();
		this.tasks.forEach((task) -> task.wakeUpAt(this.time.nanoTime()));
	}

	/**
	 * Return whether all timed tasks that were due have run, and did not start work that
	 * is still in progress.
	 * @param isWorking whether such work is in progress
	 */
	boolean isSettled(BooleanSupplier isWorking) {
		long runs = runs();
		return isIdle() && !isWorking.getAsBoolean() && isIdle() && runs() == runs;
	}

	private boolean isIdle() {
		return this.tasks.stream().allMatch(TimerThread.Task::isIdle);
	}

	private long runs() {
		return this.tasks.stream().mapToLong(TimerThread.Task::runs).sum();
	}

	/**
	 * Return the time until the next timed task, not positive if it is due.
	 */
	long nanosToNextTask() {
		return this.tasks.stream()
			.filter((task) -> !task.isStopped())
			.mapToLong(TimerThread.Task::nanosToNextRun)
			.min()
			.orElse(TimerThread.NEVER);
	}

	void stopTasks() {
		this.tasks.forEach(TimerThread.Task::stop);
	}

	/**
	 * Return for how long after its deadline a wait may wait for an answer of the store:
	 * the time to answer is that of any call.
	 */
	long answerNanos() {
		return this.settings.operationTimeout().toNanos();
	}

	/**
	 * Return the timeout of a call to the store that must be answered by a time of the
	 * monotonic clock.
	 */
	Duration timeoutUntil(long nanoTime) {
		Duration remaining = Duration.ofNanos(Math.max(1, nanoTime - this.time.nanoTime()));
		return Durations.min(remaining, this.settings.operationTimeout());
	}

	/**
	 * Return the timeout of an attempt that begins after its deadline: it has the rest of
	 * the time of a call. If none is left, because this process was paused, it has enough
	 * to look once more.
	 * @param remaining the time until the deadline, which is negative
	 */
	Duration timeoutAfterDeadline(long remaining) {
		long rest = answerNanos() + remaining;
		return Duration.ofNanos((rest > 0) ? rest : Math.min(answerNanos(), LATE_CALL_NANOS));
	}

	/**
	 * Return whether acquisitions are rejected.
	 */
	boolean isClosed() {
		return this.closed;
	}

	void setClosed(boolean closed) {
		if (this.closed != closed) {
			this.closed = closed;
			stateChanged();
		}
	}

	/**
	 * Reject an acquisition if the engine is closed.
	 */
	void requireOpen() {
		if (this.closed) {
			throw closedException();
		}
	}

	/**
	 * Reject an acquisition if the engine is closed or its backend does not support it.
	 */
	void requireOpen(AcquireOptions options) {
		requireOpen();
		if (!options.isPlain()) {
			this.store.requireSupport(options);
		}
	}

	/**
	 * Return options with the lease time capped at the maximum of the store.
	 */
	AcquireOptions capLeaseTime(AcquireOptions wanted) {
		Duration max = this.store.maxLeaseTime();
		AcquireOptions options = (max == LockBackend.UNLIMITED) ? wanted : wanted.capLeaseTime(max);
		if (options != wanted && !wanted.leaseTime().equals(this.usualLeaseTime)
				&& !this.warnedOfShortLeases.getAndSet(true)) {
			logger.warn("Lock backend '" + this.store.name() + "' keeps a lease for at most " + options.leaseTime()
					+ " without contact to this process. Longer lease times, such as " + wanted.leaseTime()
					+ ", are capped at that, and the leases are renewed more often");
		}
		return options;
	}

	/**
	 * Log the backend, and the usual lease time, of which is not warned later.
	 */
	void announce(Duration usualLeaseTime) {
		this.usualLeaseTime = usualLeaseTime;
		Duration max = this.store.maxLeaseTime();
		String capped = (usualLeaseTime.compareTo(max) > 0) ? ", capped at " + max + " by the store" : "";
		logger.info("Lock backend %s, lease time %s%s, process %s (%s)".formatted(this.store.description(),
				usualLeaseTime, capped, this.store.processName(), this.store.instance()));
	}

	static EngineException closedException() {
		return new EngineException(EngineException.Reason.CLOSED, "The application is shutting down", null);
	}

	/**
	 * Return whether the connection to the store is suspended, so that no hold is
	 * reported as held.
	 */
	boolean isSuspended() {
		return this.suspended;
	}

	void setSuspended(boolean suspended) {
		this.suspended = suspended;
		stateChanged();
	}

	Set<Runnable> stateListeners() {
		return this.stateListeners;
	}

	/**
	 * Notify the listeners that holds may be reported as held, or no longer, or that
	 * acquisitions may be rejected, or no longer.
	 */
	void stateChanged() {
		this.stateListeners.forEach(Runnable::run);
	}

}
