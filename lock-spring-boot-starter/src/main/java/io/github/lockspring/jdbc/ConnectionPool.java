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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.ConnectionQueue.Waiter;
import io.github.lockspring.jdbc.TimedConnection.State;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.TimerThread;

/**
 * State of a connection pool: decides which connections are opened, lent, checked,
 * aborted and closed, and never blocks. Thread-safe.
 */
final class ConnectionPool {

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

	static final Duration SWEEP_INTERVAL = Duration.ofMillis(50);

	private static final Duration SLOW_SWEEP_INTERVAL = Duration.ofSeconds(1);

	/**
	 * Time after which an unused connection is checked.
	 */
	private static final Duration UNUSED_TIME = Duration.ofSeconds(15);

	/**
	 * Time from the beginning of a failed opening until the next one. HikariCP does not
	 * check connections that were used within half a second: without a pause, it offers a
	 * closed one forever.
	 */
	private static final Duration PAUSE = Duration.ofMillis(600);

	/**
	 * Increase of the pause before the next opening with every opening that hangs.
	 */
	private static final Duration PAUSE_PER_HANGING = Duration.ofMillis(250);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

	private final ConnectionLimits limits;

	private final BooleanSupplier leasesHeld;

	private final ConnectionQueue queue;

	private final Set<TimedConnection> connections = new LinkedHashSet<>();

	private Duration openingTime = OPENING_TIME;

	private long lastOpening;

	private long nextOpening = System.nanoTime();

	private @Nullable Throwable lastFailure;

	/**
	 * Number of openings that failed since the last one that did not.
	 */
	private int failures;

	private boolean started;

	private boolean closed;

	/**
	 * Whether a connection has failed since the last one was opened.
	 */
	private boolean failed;

	ConnectionPool(ConnectionLimits limits, BooleanSupplier leasesHeld) {
		this.limits = limits;
		this.leasesHeld = leasesHeld;
		this.queue = new ConnectionQueue(limits.ordinary());
	}

	synchronized void start() {
		this.closed = false;
		this.started = true;
	}

	/**
	 * Lend an idle connection.
	 * @return the connection, or {@code null} if the call has to wait
	 */
	synchronized @Nullable TimedConnection poll(boolean urgent, long deadline) {
		if (this.closed) {
			throw new BackendUnavailableException("The lock backend 'jdbc' is closed", null);
		}
		return this.queue.poll(urgent, deadline);
	}

	/**
	 * Let a call wait for a connection, unless the pool was closed in the meantime.
	 */
	synchronized Waiter enqueue(boolean urgent, long deadline) {
		this.openingTime = Durations.min(MAX_OPENING_TIME, Durations.max(OPENING_TIME, Deadline.remaining(deadline)));
		Waiter waiter = this.queue.enqueue(urgent, deadline);
		if (this.closed) {
			this.queue.fail(new IllegalStateException("closed"));
		}
		return waiter;
	}

	synchronized void remove(Waiter waiter) {
		this.queue.remove(waiter);
	}

	/**
	 * Return the connections that are not ready yet.
	 */
	synchronized List<TimedConnection> openings() {
		return this.connections.stream().filter(TimedConnection::isOpening).toList();
	}

	synchronized @Nullable Throwable lastFailure() {
		return this.lastFailure;
	}

	/**
	 * Begin to open a connection if one is needed. There is no pause while calls wait,
	 * unless earlier openings hang, or the last two failed.
	 * @return the connection to open, or {@code null} if none is needed
	 */
	synchronized @Nullable TimedConnection beginOpening() {
		int hanging = count(State.HANGING);
		boolean needed = !this.closed && count(State.OPENING) < Math.min(wanted(), MAX_OPENING)
				&& counted() < this.limits.max();
		boolean urgent = hanging == 0 && this.failures < 2 && this.queue.isAnyoneWaiting();
		boolean pausing = !urgent && !Deadline.isOver(this.nextOpening);
		if (!needed || pausing) {
			return null;
		}
		TimedConnection connection = new TimedConnection(this.openingTime);
		this.connections.add(connection);
		this.lastOpening = System.nanoTime();
		this.nextOpening = Deadline.after(Durations.min(PAUSE_PER_HANGING.multipliedBy(hanging), MAX_PAUSE));
		return connection;
	}

	/**
	 * Return the number of connections for waiting calls, or to reserve or replace.
	 */
	private int wanted() {
		if (this.queue.isAnyoneWaiting()) {
			return this.queue.admitted();
		}
		boolean replaceable = open() <= kept() && this.queue.isAnyIdle(this::isOld);
		return ((this.started && open() < this.limits.reserved()) || replaceable) ? 1 : 0;
	}

	private boolean isOld(TimedConnection connection) {
		return connection.isOlderThan(this.limits.lifetime());
	}

	private int kept() {
		int reserved = (this.started && !this.closed) ? this.limits.reserved() : 0;
		return (reserved == 0 && this.limits.maxIdle() > 1 && this.leasesHeld.getAsBoolean()) ? 1 : reserved;
	}

	private int counted() {
		return this.connections.size() - count(State.HANGING);
	}

	private int open() {
		return count(State.IDLE) + count(State.LENT);
	}

	private int count(State state) {
		return (int) this.connections.stream().filter((connection) -> connection.state() == state).count();
	}

	/**
	 * Note that a connection could not be opened. The failure of an opening that took too
	 * long, and was aborted, is ignored because it does not reveal the reason.
	 */
	synchronized void endOpening(TimedConnection connection, Throwable reason) {
		closed(connection);
		if (connection.state() == State.OPENING) {
			this.lastFailure = reason;
			this.failures++;
			this.nextOpening = this.lastOpening + PAUSE.toNanos();
			if (open() == 0) {
				this.queue.fail(reason);
			}
		}
	}

	/**
	 * Return whether a connection that was opened is the first one after a failure.
	 */
	synchronized boolean isRecovered() {
		boolean recovered = this.failed && !this.closed;
		this.failed &= !recovered;
		return recovered;
	}

	/**
	 * Lend a newly opened connection to a waiting call, or keep it as an idle one.
	 * @return {@code false} if it is to be closed
	 */
	synchronized boolean isKept(TimedConnection connection) {
		this.lastFailure = null;
		this.failures = 0;
		return isAdded(connection, open() < this.limits.max());
	}

	/**
	 * Add a connection to the queue, or mark it as being closed.
	 */
	private boolean isAdded(TimedConnection connection, boolean wanted) {
		if (wanted && !this.closed && !connection.isAborted()) {
			this.queue.add(connection);
			boolean superfluous = this.queue.idle() > this.limits.maxIdle() && this.queue.idle() > kept();
			if (!superfluous || this.queue.removeIdle(1, (idle) -> idle == connection).isEmpty()) {
				return true;
			}
		}
		connection.markClosing();
		return false;
	}

	/**
	 * Take back a working connection.
	 * @return {@code false} if it is to be closed
	 */
	synchronized boolean isReused(TimedConnection connection) {
		this.queue.takeBack(connection);
		return isAdded(connection, !(isOld(connection) && open() > kept()));
	}

	/**
	 * Take back a connection that is no longer to be used.
	 * @param failed whether it failed, so that the idle ones may fail as well
	 * @return the connections to close
	 */
	synchronized List<TimedConnection> remove(TimedConnection connection, boolean failed) {
		this.queue.takeBack(connection);
		this.failed |= failed;
		List<TimedConnection> removed = this.queue.removeIdle(failed ? Integer.MAX_VALUE : 0, (idle) -> true);
		removed.add(connection);
		removed.forEach(TimedConnection::markClosing);
		this.queue.serve();
		return removed;
	}

	synchronized void closed(TimedConnection connection) {
		this.connections.remove(connection);
		notifyAll();
	}

	/**
	 * Remove idle connections that are old or not needed.
	 * @return the connections to close
	 */
	synchronized List<TimedConnection> removeOld() {
		List<TimedConnection> old = this.queue.removeIdle(open() - kept(),
				(connection) -> isOld(connection) || connection.isUnusedFor(this.limits.idleTime()));
		old.forEach(TimedConnection::markClosing);
		return old;
	}

	/**
	 * Cancel what takes too long. Openings, and connections that are being closed, are no
	 * longer counted, except for openings that wait for a pool shared with others.
	 * @return the connections to abort
	 */
	synchronized List<TimedConnection> removeOverdue() {
		List<TimedConnection> overdue = this.connections.stream()
			.filter((connection) -> connection.isOverdue() && (this.limits.own() || connection.isConnected()))
			.toList();
		for (TimedConnection connection : overdue) {
			connection.markAborted();
			if (connection.state() == State.OPENING) {
				connection.moveTo(State.HANGING);
			}
			else if (connection.state() == State.CLOSING) {
				closed(connection);
			}
		}
		return overdue;
	}

	/**
	 * Lend a connection to check, one at a time, so that the others can be used
	 * meanwhile.
	 * @return the connections to check
	 */
	synchronized List<TimedConnection> lendUnused() {
		if (!this.limits.own()) {
			return List.of();
		}
		List<TimedConnection> unused = this.queue.removeIdle(1, (connection) -> connection.isUnusedFor(UNUSED_TIME));
		unused.forEach((connection) -> connection.lend(true, Deadline.after(TimedConnection.CLOSING_TIME)));
		return unused;
	}

	/**
	 * Schedule the next sweep. There is none without connections, and few if all are
	 * idle.
	 */
	synchronized void schedule(TimerThread.Task sweep) {
		boolean quiet = !this.queue.isAnyoneWaiting() && counted() == this.queue.idle();
		if (quiet && this.queue.idle() == 0 && (!this.started || this.closed)) {
			sweep.stop();
		}
		else {
			sweep.wakeUpAt(Deadline.after((quiet && this.limits.own()) ? SLOW_SWEEP_INTERVAL : SWEEP_INTERVAL));
		}
	}

	/**
	 * Reject further calls.
	 * @return the idle connections, to be closed
	 */
	synchronized List<TimedConnection> close() {
		this.closed = true;
		this.started = false;
		this.queue.fail(new IllegalStateException("closed"));
		List<TimedConnection> idle = this.queue.removeIdle(Integer.MAX_VALUE, (connection) -> true);
		idle.forEach(TimedConnection::markClosing);
		return idle;
	}

	/**
	 * Wait until no connection is being opened or closed, at most for a second.
	 */
	synchronized void awaitClosed() throws InterruptedException {
		long deadline = Deadline.after(TimedConnection.CLOSING_TIME);
		while (this.connections.size() > count(State.LENT) && !Deadline.isOver(deadline)) {
			TimeUnit.NANOSECONDS.timedWait(this, Deadline.remainingNanos(deadline));
		}
	}

}
