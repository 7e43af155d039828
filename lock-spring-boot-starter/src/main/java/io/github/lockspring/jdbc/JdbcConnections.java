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

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.lockspring.jdbc.ConnectionQueue.Waiter;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;
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
 * timer.</li>
 * </ol>
 * What is to be done is decided by the {@linkplain ConnectionPool state of the pool}; it
 * is done here, in the background if it may block. Thread-safe.
 */
final class JdbcConnections implements AutoCloseable {

	private final LockConnection.Opener opener;

	private final ConnectionLimits limits;

	private final ConnectionPool pool;

	private final Supplier<Runnable> recovery;

	private final Map<TimedConnection, LockConnection> sessions = new ConcurrentHashMap<>();

	/**
	 * Threads that end when they are idle.
	 */
	private final Executor background = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>(), DaemonThreads.named("lock-jdbc-connection-"));

	private final TimerThread.Task sweep = TimerThread.shared().task(this::sweep);

	/**
	 * Create a pool. Opens no connection yet.
	 * @param opener opens connections, which may block for a long time
	 * @param limits the limits of the number and lifetime of the connections
	 * @param leasesHeld whether there are leases that will have to be renewed
	 * @param recovery asked for a task when the first connection after a failed one is
	 * open, before it is used; the task then runs in the background
	 */
	JdbcConnections(LockConnection.Opener opener, ConnectionLimits limits, BooleanSupplier leasesHeld,
			Supplier<Runnable> recovery) {
		this.opener = opener;
		this.limits = limits;
		this.pool = new ConnectionPool(limits, leasesHeld);
		this.recovery = recovery;
	}

	/**
	 * Start to open the reserved connections, in the background. A closed pool can be
	 * started again.
	 */
	void start() {
		this.pool.start();
		openAsNeeded();
	}

	/**
	 * Take a connection, to be {@linkplain #putBack put back} after the call.
	 * @param deadline the deadline of the call, by {@link System#nanoTime()}
	 * @param urgent whether the call takes precedence over other calls
	 */
	LockConnection take(long deadline, boolean urgent) {
		TimedConnection connection = this.pool.poll(urgent, deadline);
		if (connection == null) {
			Waiter waiter = this.pool.enqueue(urgent, deadline);
			openAsNeeded();
			connection = await(waiter, deadline);
		}
		sweepSoon();
		connection.begin();
		return session(connection);
	}

	private LockConnection session(TimedConnection connection) {
		return Objects.requireNonNull(this.sessions.get(connection), "session");
	}

	private TimedConnection await(Waiter waiter, long deadline) {
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
			return cancel(waiter, noConnectionWithin(TimeUnit.NANOSECONDS.toMillis(nanos)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return cancel(waiter, new BackendUnavailableException("Interrupted while waiting for a connection", ex));
		}
	}

	private TimedConnection cancel(Waiter waiter, BackendUnavailableException reason) {
		if (waiter.completeExceptionally(reason) || waiter.isCompletedExceptionally()) {
			this.pool.remove(waiter);
			throw reason;
		}
		return waiter.join();
	}

	private BackendUnavailableException noConnectionWithin(long millis) {
		Throwable failure = this.pool.lastFailure();
		List<TimedConnection> openings = this.pool.openings();
		String message = (failure != null && openings.isEmpty())
				? "No lock connection could be opened within " + millis + " ms" : reason(openings).formatted(millis);
		return new BackendUnavailableException((failure != null)
				? message + ". The last attempt to open one failed: " + failure.getMessage() : message, failure);
	}

	private String reason(List<TimedConnection> openings) {
		if (openings.isEmpty()) {
			return "No lock connection was free within %d ms: all are in use by other calls";
		}
		if (this.limits.own() || openings.stream().anyMatch(TimedConnection::isConnected)) {
			return "No lock connection could be opened within %d ms: the database does not respond";
		}
		return "The data source did not provide a connection within %d ms: its pool is exhausted or too small, "
				+ "or the caller itself holds the last connection in a transaction, or the database does not respond";
	}

	private void openAsNeeded() {
		for (TimedConnection opening = this.pool.beginOpening(); opening != null; opening = this.pool.beginOpening()) {
			TimedConnection connection = opening;
			try {
				this.background.execute(() -> open(connection));
			}
			catch (Throwable ex) {
				this.pool.endOpening(connection, ex);
				break;
			}
			this.sweep.start();
			sweepSoon();
		}
	}

	private void open(TimedConnection connection) {
		try {
			this.sessions.put(connection, this.opener.open(connection));
			connection.opened();
		}
		catch (Throwable ex) {
			this.pool.endOpening(connection, ex);
			return;
		}
		if (this.pool.isRecovered()) {
			this.background.execute(this.recovery.get());
		}
		if (!this.pool.isKept(connection)) {
			close(List.of(connection));
		}
	}

	/**
	 * Put back a connection after a call.
	 */
	void putBack(LockConnection connection, Condition condition) {
		if (condition == Condition.WORKING) {
			release(connection.timed());
		}
		else {
			discard(connection.timed(), condition == Condition.BROKEN);
		}
	}

	private void release(TimedConnection connection) {
		connection.end();
		if (!this.pool.isReused(connection)) {
			close(List.of(connection));
			openAsNeeded();
		}
	}

	private void discard(TimedConnection connection, boolean failed) {
		close(this.pool.remove(connection, failed));
		openAsNeeded();
	}

	private void close(Collection<TimedConnection> connections) {
		connections.forEach((connection) -> this.background.execute(() -> close(connection)));
	}

	private void close(TimedConnection connection) {
		connection.begin();
		session(connection).close();
		this.sessions.remove(connection);
		this.pool.closed(connection);
		openAsNeeded();
	}

	/**
	 * Task: sweep, and schedule the next sweep as long as there are connections.
	 */
	private void sweep() {
		close(this.pool.removeOld());
		this.pool.removeOverdue().forEach((connection) -> this.background.execute(connection::abort));
		this.pool.lendUnused().forEach((connection) -> this.background.execute(() -> check(connection)));
		openAsNeeded();
		this.pool.schedule(this.sweep);
	}

	private void sweepSoon() {
		this.sweep.wakeUpAt(Deadline.after(ConnectionPool.SWEEP_INTERVAL));
	}

	private void check(TimedConnection connection) {
		connection.begin();
		if (connection.isAlive()) {
			release(connection);
		}
		else {
			discard(connection, true);
		}
	}

	/**
	 * Close the idle connections; those in use follow when their calls end.
	 */
	@Override
	public void close() {
		close(this.pool.close());
		sweepSoon();
		try {
			this.pool.awaitClosed();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What a call reveals of its connection.
	 */
	enum Condition {

		/**
		 * The connection can be reused.
		 */
		WORKING,

		/**
		 * The database responds, but the session may be in an unexpected state. A newly
		 * opened one is not.
		 */
		DOUBTFUL,

		/**
		 * The connection is broken, and idle ones to the same server may be broken as
		 * well.
		 */
		BROKEN

	}

}
