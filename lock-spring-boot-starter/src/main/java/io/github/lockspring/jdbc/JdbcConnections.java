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
package io.github.lockspring.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * Connection pool for locks. No call waits for a connection longer than its timeout, even
 * if the data source blocks.
 * <ol>
 * <li>A few connections are opened at start and kept open, so that one is available when
 * the pool of the application is exhausted. More are opened in the background while calls
 * wait, and closed when they are not needed.</li>
 * <li>Calls get connections in the order of their arrival. Urgent calls, which renew
 * leases, take precedence, and one connection is reserved for them.</li>
 * <li>An opening that takes too long is aborted and no longer counted, so that another
 * one can be started, which may succeed.</li>
 * <li>A sweep aborts calls that exceed their timeout, closes old and idle connections,
 * checks unused ones, and replaces those that were closed. It is a task of the shared
 * timer. Steps that may block run in threads that end when they are idle.</li>
 * </ol>
 * Thread-safe.
 */
final class JdbcConnections implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(JdbcConnections.class);

	/**
	 * Maximum number of connections that are opened at the same time, besides openings
	 * that take too long.
	 */
	private static final int MAX_OPENING = 2;

	/**
	 * Minimum timeout of an opening, even if the timeout of the call is shorter.
	 */
	private static final Duration OPENING_TIME = Duration.ofSeconds(1);

	private static final Duration MAX_OPENING_TIME = Duration.ofSeconds(30);

	private static final Duration CLOSING_TIME = Duration.ofSeconds(1);

	private static final Duration SWEEP_INTERVAL = Duration.ofMillis(50);

	private static final Duration SLOW_SWEEP_INTERVAL = Duration.ofSeconds(1);

	/**
	 * Time after which an unused connection is checked.
	 */
	private static final Duration UNUSED_TIME = Duration.ofSeconds(15);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/**
	 * Increase of the pause before the next opening with every opening that hangs.
	 */
	private static final Duration PAUSE_PER_HANGING = Duration.ofMillis(250);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

	private final ConnectionSource source;

	private final ConnectionLimits limits;

	private final BooleanSupplier leasesHeld;

	private final Supplier<Runnable> recovery;

	private final Deque<LockConnection> idle = new ArrayDeque<>();

	private final Set<LockConnection> open = new LinkedHashSet<>();

	/**
	 * Connections that are being closed.
	 */
	private final Set<LockConnection> closing = new LinkedHashSet<>();

	private final Set<ConnectionOpening> openings = new LinkedHashSet<>();

	private final Set<ConnectionOpening> hanging = new LinkedHashSet<>();

	private final Deque<ConnectionWaiter> waiters = new ArrayDeque<>();

	private ExecutorService background = newExecutor();

	private final TimerThread.Task sweep = TimerThread.shared().task(this::sweep);

	private Duration openingTime = OPENING_TIME;

	private int ordinaryCalls;

	private long nextOpening = System.nanoTime();

	private @Nullable Throwable lastFailure;

	private boolean started;

	private boolean sweeping;

	private boolean sweepingSlowly;

	private boolean closed;

	/**
	 * Whether a connection has failed since the last one was opened.
	 */
	private boolean failed;

	/**
	 * Create a pool. Opens no connection yet.
	 * @param source the source of the connections, which may block for a long time
	 * @param limits the limits of the number and lifetime of the connections
	 * @param leasesHeld whether there are leases that will have to be renewed
	 * @param recovery asked for a task when the first connection after a failed one is
	 * open, before it is used; the task then runs in the background
	 */
	JdbcConnections(ConnectionSource source, ConnectionLimits limits, BooleanSupplier leasesHeld,
			Supplier<Runnable> recovery) {
		this.source = source;
		this.limits = limits;
		this.leasesHeld = leasesHeld;
		this.recovery = recovery;
	}

	private static ExecutorService newExecutor() {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(),
				DaemonThreads.named("lock-jdbc-connection-"), (task, executor) -> runAfterClose(task));
	}

	/**
	 * Run a task after the executor was shut down: in the calling thread, or in a new one
	 * if that is the thread of the timer.
	 */
	private static void runAfterClose(Runnable task) {
		if (TimerThread.shared().isCurrentThread()) {
			DaemonThreads.create("lock-jdbc-connection-end", task).start();
		}
		else {
			task.run();
		}
	}

	/**
	 * Start to open the reserved connections, in the background. A closed pool can be
	 * started again.
	 */
	synchronized void start() {
		if (this.closed) {
			this.closed = false;
			this.background = newExecutor();
		}
		this.started = true;
		openAsNeeded();
	}

	/**
	 * Take a connection, to be {@linkplain #release released}, {@linkplain #discard
	 * discarded} or {@linkplain #discardAll discarded with all idle ones} after the call.
	 * @param deadline the deadline of the call, by {@link System#nanoTime()}
	 * @param urgent whether the call takes precedence over other calls
	 */
	LockConnection take(long deadline, boolean urgent) {
		LockConnection connection = takeIdle(urgent);
		if (connection == null) {
			connection = await(enqueue(urgent, deadline), deadline);
		}
		connection.begin(deadline);
		return connection;
	}

	private synchronized @Nullable LockConnection takeIdle(boolean urgent) {
		if (this.closed) {
			throw closed();
		}
		endSlowSweep();
		LockConnection connection = isAdmitted(urgent) ? this.idle.pollLast() : null;
		if (connection != null) {
			lend(connection, urgent);
		}
		return connection;
	}

	private static BackendUnavailableException closed() {
		return new BackendUnavailableException("The lock backend 'jdbc' is closed", null);
	}

	private boolean isAdmitted(boolean urgent) {
		return urgent || this.ordinaryCalls < this.limits.ordinary();
	}

	private void lend(LockConnection connection, boolean urgent) {
		connection.lend(urgent);
		this.ordinaryCalls += urgent ? 0 : 1;
	}

	private synchronized ConnectionWaiter enqueue(boolean urgent, long deadline) {
		if (this.closed) {
			throw closed();
		}
		this.openingTime = Durations.min(MAX_OPENING_TIME, Durations.max(OPENING_TIME, Deadline.remaining(deadline)));
		ConnectionWaiter waiter = new ConnectionWaiter(urgent);
		if (urgent) {
			this.waiters.addFirst(waiter);
		}
		else {
			this.waiters.addLast(waiter);
		}
		serve();
		openAsNeeded();
		return waiter;
	}

	/**
	 * Hand idle connections to waiting calls.
	 */
	private void serve() {
		while (!this.idle.isEmpty() && !this.waiters.isEmpty() && isAdmitted(this.waiters.peek().isUrgent())) {
			ConnectionWaiter waiter = this.waiters.remove();
			LockConnection connection = this.idle.removeLast();
			lend(connection, waiter.isUrgent());
			if (!waiter.complete(connection)) {
				returned(connection);
				this.idle.addLast(connection);
			}
		}
	}

	private void returned(LockConnection connection) {
		this.ordinaryCalls -= connection.isUrgent() ? 0 : 1;
	}

	private LockConnection await(ConnectionWaiter waiter, long deadline) {
		long nanos = Deadline.remainingNanos(deadline);
		try {
			return waiter.get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			Throwable reason = (ex.getCause() != null) ? ex.getCause() : ex;
			throw new BackendUnavailableException(
					"The data source did not provide a connection: " + reason.getMessage(), reason);
		}
		catch (TimeoutException ex) {
			return timeOut(waiter, noConnectionWithin(Duration.ofNanos(nanos)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return timeOut(waiter, new BackendUnavailableException("Interrupted while waiting for a connection", ex));
		}
	}

	private LockConnection timeOut(ConnectionWaiter waiter, BackendUnavailableException reason) {
		if (waiter.completeExceptionally(reason) || waiter.isCompletedExceptionally()) {
			forget(waiter);
			throw reason;
		}
		return waiter.join();
	}

	private synchronized void forget(ConnectionWaiter waiter) {
		this.waiters.remove(waiter);
	}

	private synchronized BackendUnavailableException noConnectionWithin(Duration time) {
		String message = reason(time);
		return (this.lastFailure != null) ? new BackendUnavailableException(
				message + ". The last attempt to open one failed: " + this.lastFailure.getMessage(), this.lastFailure)
				: new BackendUnavailableException(message, null);
	}

	private String reason(Duration time) {
		if (this.openings.isEmpty() && this.hanging.isEmpty()) {
			return "No lock connection was free within %d ms: all %d are in use by other calls"
				.formatted(time.toMillis(), this.open.size() + this.closing.size());
		}
		if (this.limits.own() || isAnyConnected(this.openings) || isAnyConnected(this.hanging)) {
			return "No lock connection could be opened within %d ms: the database does not respond"
				.formatted(time.toMillis());
		}
		return "The data source did not provide a connection within %d ms: its pool is exhausted or too small, "
			.formatted(time.toMillis())
				+ "or the caller itself holds the last connection in a transaction, or the database does not respond";
	}

	private static boolean isAnyConnected(Collection<ConnectionOpening> openings) {
		return openings.stream().anyMatch(ConnectionOpening::isConnected);
	}

	private void openAsNeeded() {
		int wanted = wanted();
		while (this.openings.size() < Math.min(wanted, MAX_OPENING) && isThereRoom() && isTimeToOpen()) {
			open(new ConnectionOpening(this.openingTime));
		}
	}

	private int wanted() {
		if (this.waiters.isEmpty()) {
			return isTooFew() ? 1 : 0;
		}
		return (int) this.waiters.stream().filter((waiter) -> isAdmitted(waiter.isUrgent())).count();
	}

	/**
	 * Return whether reserved connections are missing, or one of them must be replaced.
	 */
	private boolean isTooFew() {
		int reserved = this.started ? this.limits.reserved() : 0;
		return this.open.size() < reserved || (this.open.size() <= kept()
				&& this.idle.stream().anyMatch((connection) -> connection.isOlderThan(this.limits.lifetime())));
	}

	private int kept() {
		int reserved = (this.started && !this.closed) ? this.limits.reserved() : 0;
		return (reserved == 0 && this.limits.maxIdle() > 1 && this.leasesHeld.getAsBoolean()) ? 1 : reserved;
	}

	private boolean isThereRoom() {
		return !this.closed && this.open.size() + this.closing.size() + this.openings.size() < this.limits.max();
	}

	/**
	 * Return whether a connection may be opened now. There is no pause while calls wait,
	 * unless earlier openings hang.
	 */
	private boolean isTimeToOpen() {
		return (this.hanging.isEmpty() && !this.waiters.isEmpty()) || Deadline.isOver(this.nextOpening);
	}

	private void open(ConnectionOpening opening) {
		this.openings.add(opening);
		Duration pause = PAUSE_PER_HANGING.multipliedBy(this.hanging.size());
		this.nextOpening = Deadline.after(Durations.min(pause, MAX_PAUSE));
		try {
			this.background.execute(() -> run(opening));
			beginSweep();
		}
		catch (Throwable ex) {
			failed(opening, ex);
		}
	}

	private void beginSweep() {
		endSlowSweep();
		if (!this.sweeping) {
			this.sweep.start();
			this.sweeping = true;
			sweepWithin(SWEEP_INTERVAL);
		}
	}

	private void sweepWithin(Duration time) {
		this.sweep.wakeUpAt(Deadline.after(time));
	}

	private void run(ConnectionOpening opening) {
		try {
			LockConnection connection = this.source.open(opening);
			if (!isUsed(connection, opening)) {
				close(List.of(connection));
			}
		}
		catch (Throwable ex) {
			failed(opening, ex);
		}
	}

	private synchronized boolean isUsed(LockConnection connection, ConnectionOpening opening) {
		this.openings.remove(opening);
		this.hanging.remove(opening);
		this.lastFailure = null;
		this.open.add(connection);
		if (opening.isAborted()) {
			connection.markAborted();
		}
		recover();
		boolean used = !this.closed && !connection.isAborted() && this.open.size() <= this.limits.max()
				&& isKept(connection);
		if (!used) {
			markClosing(connection);
		}
		return used;
	}

	private void recover() {
		if (this.failed && !this.closed) {
			this.failed = false;
			this.background.execute(this.recovery.get());
		}
	}

	/**
	 * Hand a connection to a waiting call, or keep it as an idle one.
	 * @return {@code false} if it is superfluous
	 */
	private boolean isKept(LockConnection connection) {
		this.idle.addLast(connection);
		serve();
		boolean superfluous = this.idle.size() > this.limits.maxIdle() && this.idle.size() > kept();
		return !superfluous || !this.idle.remove(connection);
	}

	private void markClosing(LockConnection connection) {
		connection.closeBy(Deadline.after(CLOSING_TIME));
		this.open.remove(connection);
		this.closing.add(connection);
	}

	/**
	 * Handle the failure of an opening. The failure of one that took too long, and was
	 * aborted, is ignored because it does not reveal the reason.
	 */
	private synchronized void failed(ConnectionOpening opening, Throwable reason) {
		if (this.hanging.remove(opening)) {
			return;
		}
		this.openings.remove(opening);
		this.lastFailure = reason;
		this.nextOpening = Deadline.after(PAUSE);
		if (this.open.isEmpty()) {
			this.waiters.forEach((waiter) -> waiter.completeExceptionally(reason));
			this.waiters.clear();
		}
	}

	/**
	 * Release a working connection.
	 */
	void release(LockConnection connection) {
		connection.end();
		if (!isReused(connection)) {
			close(List.of(connection));
		}
	}

	private synchronized boolean isReused(LockConnection connection) {
		returned(connection);
		boolean works = !this.closed && !connection.isAborted();
		boolean replaced = connection.isOlderThan(this.limits.lifetime()) && this.open.size() > kept();
		boolean reused = works && !replaced && isKept(connection);
		if (!reused) {
			markClosing(connection);
			openAsNeeded();
		}
		return reused;
	}

	/**
	 * Discard a connection that is no longer to be used.
	 */
	void discard(LockConnection connection) {
		close(removed(connection, false));
	}

	/**
	 * Discard a connection that failed, and the idle ones, which may fail likewise.
	 */
	void discardAll(LockConnection connection) {
		close(removed(connection, true));
	}

	private synchronized List<LockConnection> removed(LockConnection connection, boolean idleToo) {
		returned(connection);
		List<LockConnection> connections = new ArrayList<>();
		if (idleToo) {
			this.failed = true;
			connections.addAll(this.idle);
			this.idle.clear();
		}
		connections.add(connection);
		connections.forEach(this::markClosing);
		serve();
		openAsNeeded();
		return connections;
	}

	private void close(Collection<LockConnection> connections) {
		connections.forEach((connection) -> background().execute(() -> closeNow(connection)));
	}

	private synchronized ExecutorService background() {
		return this.background;
	}

	private void closeNow(LockConnection connection) {
		connection.begin(Deadline.after(CLOSING_TIME));
		connection.close();
		removeClosed(connection);
	}

	private synchronized void removeClosed(LockConnection connection) {
		this.closing.remove(connection);
		openAsNeeded();
	}

	/**
	 * Task: sweep, and schedule the next sweep as long as there are connections.
	 */
	private void sweep() {
		if (isSweepNeeded()) {
			try {
				sweepOnce();
			}
			catch (Throwable ex) {
				logger.debug("Could not maintain the lock connections", ex);
			}
			scheduleNext();
		}
	}

	private synchronized boolean isSweepNeeded() {
		this.sweeping = (this.started && !this.closed) || !this.open.isEmpty() || !this.closing.isEmpty()
				|| !this.openings.isEmpty() || !this.waiters.isEmpty();
		if (!this.sweeping) {
			this.sweep.stop();
		}
		return this.sweeping;
	}

	private void sweepOnce() {
		close(removeOld());
		overdue().forEach((connection) -> background().execute(connection::abort));
		overdueOpenings().forEach((opening) -> background().execute(opening::abort));
		removeUnused().forEach((connection) -> background().execute(() -> check(connection)));
		openLater();
	}

	private synchronized List<LockConnection> removeOld() {
		List<LockConnection> old = new ArrayList<>();
		int superfluous = this.open.size() - kept();
		for (LockConnection connection : this.idle) {
			boolean isOld = connection.isUnusedFor(this.limits.idleTime())
					|| connection.isOlderThan(this.limits.lifetime());
			if (isOld && old.size() < superfluous) {
				old.add(connection);
			}
		}
		this.idle.removeAll(old);
		old.forEach(this::markClosing);
		return old;
	}

	/**
	 * Return the connections to abort. Those that take too long to be closed are no
	 * longer counted.
	 */
	private synchronized List<LockConnection> overdue() {
		List<LockConnection> overdue = new ArrayList<>(this.open.stream().filter(LockConnection::isOverdue).toList());
		overdue.forEach(LockConnection::markAborted);
		this.closing.removeIf((connection) -> connection.isOver() && overdue.add(connection));
		return overdue;
	}

	/**
	 * Return the openings to abort. Openings that take too long are no longer counted,
	 * except for those that wait for a pool shared with others.
	 */
	private synchronized List<ConnectionOpening> overdueOpenings() {
		List<ConnectionOpening> overdue = this.openings.stream()
			.filter((opening) -> opening.isOverdue() && (this.limits.own() || opening.isConnected()))
			.toList();
		this.openings.removeAll(overdue);
		this.hanging.addAll(overdue);
		return overdue.stream().filter(ConnectionOpening::markAborted).toList();
	}

	/**
	 * Remove a connection to check, one at a time, so that the others can be used
	 * meanwhile.
	 */
	private synchronized List<LockConnection> removeUnused() {
		LockConnection first = this.idle.peekFirst();
		if (!this.limits.own() || first == null || !first.isUnusedFor(UNUSED_TIME)) {
			return List.of();
		}
		lend(first, true);
		return List.of(this.idle.removeFirst());
	}

	private void check(LockConnection connection) {
		connection.begin(Deadline.after(CLOSING_TIME));
		if (connection.isAlive()) {
			release(connection);
		}
		else {
			discardAll(connection);
		}
	}

	private synchronized void openLater() {
		openAsNeeded();
	}

	private synchronized void scheduleNext() {
		this.sweepingSlowly = this.limits.own() && this.waiters.isEmpty() && this.openings.isEmpty()
				&& this.closing.isEmpty() && this.idle.size() == this.open.size();
		sweepWithin(this.sweepingSlowly ? SLOW_SWEEP_INTERVAL : SWEEP_INTERVAL);
	}

	private void endSlowSweep() {
		if (this.sweepingSlowly) {
			this.sweepingSlowly = false;
			sweepWithin(SWEEP_INTERVAL);
		}
	}

	/**
	 * Close the idle connections; those in use follow when their calls end.
	 */
	@Override
	public void close() {
		ExecutorService background = background();
		close(markClosed());
		background.shutdown();
		try {
			background.awaitTermination(CLOSING_TIME.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized List<LockConnection> markClosed() {
		this.closed = true;
		this.started = false;
		this.waiters.forEach((waiter) -> waiter.completeExceptionally(new IllegalStateException("closed")));
		this.waiters.clear();
		List<LockConnection> connections = new ArrayList<>(this.idle);
		this.idle.clear();
		connections.forEach(this::markClosing);
		endSlowSweep();
		return connections;
	}

	/**
	 * Source of connections.
	 */
	interface ConnectionSource {

		/**
		 * Open a connection. May block for a long time.
		 * @param opening the attempt, which may be aborted meanwhile
		 */
		LockConnection open(ConnectionOpening opening) throws Exception;

	}

}
