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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.TimerThread;

/**
 * Connection pool for locks. No call waits for a connection longer than its timeout,
 * whatever the data source does.
 * <ol>
 * <li>A few are opened at start and stay open, so that there is one when the pool of the
 * application has none left. More are opened in the background while calls wait, and
 * closed when they are not needed.</li>
 * <li>Calls get connections in the order in which they come. Urgent ones, which renew
 * leases, go first, and one connection is left for them.</li>
 * <li>An opening that takes too long is aborted and not counted any more, so that another
 * may be tried: what it hangs at need not be what the next one meets.</li>
 * <li>A sweep ends calls that outlast their time, closes what is old or idle, looks
 * whether unused connections still lead anywhere, and replaces what is gone. It is a task
 * of the shared timer, and hands what may block to threads that end when they have
 * nothing to do.</li>
 * </ol>
 * Thread-safe.
 */
final class JdbcConnections implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(JdbcConnections.class);

	/**
	 * How many are opened at the same time, beside those that take too long.
	 */
	private static final int MAX_OPENING = 2;

	/**
	 * How long an opening may take at least, however short of time a call is.
	 */
	private static final Duration OPENING_TIME = Duration.ofSeconds(1);

	private static final Duration MAX_OPENING_TIME = Duration.ofSeconds(30);

	private static final Duration CLOSING_TIME = Duration.ofSeconds(1);

	private static final Duration SWEEP_INTERVAL = Duration.ofMillis(50);

	private static final Duration SLOW_SWEEP_INTERVAL = Duration.ofSeconds(1);

	/**
	 * How long a connection may be unused before it is asked for a sign of life.
	 */
	private static final Duration UNUSED_TIME = Duration.ofSeconds(15);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/**
	 * By how much the pause before the next opening grows with every one that hangs.
	 */
	private static final Duration PAUSE_PER_HANGING = Duration.ofMillis(250);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

	private final ConnectionSource source;

	private final ConnectionLimits limits;

	private final BooleanSupplier leasesHeld;

	private final Deque<LockConnection> idle = new ArrayDeque<>();

	private final Set<LockConnection> open = new LinkedHashSet<>();

	/**
	 * Those that are being closed.
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
	 * Takes no connection yet.
	 * @param source where connections come from; may block for long
	 * @param limits how many connections are open, and for how long
	 * @param leasesHeld whether there are leases that will have to be renewed
	 */
	JdbcConnections(ConnectionSource source, ConnectionLimits limits, BooleanSupplier leasesHeld) {
		this.source = source;
		this.limits = limits;
		this.leasesHeld = leasesHeld;
	}

	private static ExecutorService newExecutor() {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(),
				DaemonThreads.named("lock-jdbc-connection-"), (task, executor) -> runAfterClose(task));
	}

	/**
	 * Leaves what comes after the end to the caller, who must not be the timer.
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
	 * Begin to open the connections that are reserved, in the background. They may be
	 * started again after they were closed.
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
	 * Takes a connection, to be {@linkplain #release released}, {@linkplain #discard
	 * discarded} or {@linkplain #discardAll discarded with all idle ones} after the call.
	 * @param deadline when the call must have ended, by {@link System#nanoTime()}
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
		this.openingTime = Duration.ofNanos(Math.min(MAX_OPENING_TIME.toNanos(),
				Math.max(OPENING_TIME.toNanos(), Deadline.remainingNanos(deadline))));
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
			return "No lock connection could be opened within %d ms: the database does not answer"
				.formatted(time.toMillis());
		}
		return "The data source did not provide a connection within %d ms: its pool is exhausted or too small, "
			.formatted(time.toMillis())
				+ "or the caller itself holds the last connection in a transaction, or the database does not answer";
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
	 * Whether those that are reserved are not there, or one of them is to be replaced.
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
	 * Those who wait are not kept from trying, unless attempts before theirs hang.
	 */
	private boolean isTimeToOpen() {
		return (this.hanging.isEmpty() && !this.waiters.isEmpty()) || Deadline.isOver(this.nextOpening);
	}

	private void open(ConnectionOpening opening) {
		this.openings.add(opening);
		this.nextOpening = System.nanoTime()
				+ Math.min(this.hanging.size() * PAUSE_PER_HANGING.toNanos(), MAX_PAUSE.toNanos());
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
		boolean used = !this.closed && this.open.size() <= this.limits.max() && isKept(connection);
		if (!used) {
			markClosing(connection);
		}
		return used;
	}

	/**
	 * Whether an idle connection is given to one who waits, or stays open without use.
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
	 * One that took too long was aborted, which says nothing about the reason.
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
	 * Is repeated as long as there are connections.
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
	 * Those that take too long to be closed do not count any more.
	 */
	private synchronized List<LockConnection> overdue() {
		List<LockConnection> overdue = new ArrayList<>(this.open.stream().filter(LockConnection::isOverdue).toList());
		this.closing.removeIf((connection) -> connection.isOver() && overdue.add(connection));
		return overdue;
	}

	/**
	 * A pool that others use is waited for as long as it takes to give a connection.
	 */
	private synchronized List<ConnectionOpening> overdueOpenings() {
		List<ConnectionOpening> overdue = this.openings.stream()
			.filter((opening) -> opening.isOverdue() && (this.limits.own() || opening.isConnected()))
			.toList();
		this.openings.removeAll(overdue);
		this.hanging.addAll(overdue);
		return overdue;
	}

	/**
	 * One at a time, so that the others can be used meanwhile.
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
	 * Where connections come from.
	 */
	interface ConnectionSource {

		/**
		 * Open a connection. May block for long.
		 * @param opening this attempt, which may be aborted meanwhile
		 */
		LockConnection open(ConnectionOpening opening) throws Exception;

	}

}
