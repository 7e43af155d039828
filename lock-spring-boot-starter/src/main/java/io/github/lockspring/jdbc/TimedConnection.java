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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Deadline;

/**
 * Connection of the data source, from the beginning of its opening to its end. Opening
 * it, each call and closing it have a deadline, after which it can be aborted by another
 * thread. Used by one thread at a time; its state is guarded by the pool.
 */
final class TimedConnection {

	private static final Log logger = LogFactory.getLog(TimedConnection.class);

	/**
	 * Time for closing, or checking, a connection.
	 */
	static final Duration CLOSING_TIME = Duration.ofSeconds(1);

	/**
	 * Time for which a newly opened connection is assumed to work.
	 */
	private static final Duration FRESH_TIME = Duration.ofSeconds(1);

	private State state = State.OPENING;

	private boolean urgent;

	private int uses;

	private long begun = System.nanoTime();

	private long opened = this.begun;

	private volatile long lastUsed = this.begun;

	private volatile long deadline;

	private volatile boolean aborted;

	private volatile @Nullable Connection target;

	/**
	 * Create a connection that is to be {@linkplain #open opened}.
	 * @param time the maximum time for opening it, without the time that the data source
	 * takes
	 */
	TimedConnection(Duration time) {
		this.deadline = Deadline.after(time);
	}

	/**
	 * Take a connection from the data source, which may block for a long time, and limit
	 * the time of everything that follows.
	 * @return its network timeout, in milliseconds
	 */
	int connect(DataSource dataSource) throws SQLException {
		long nanos = this.deadline - this.begun;
		Connection target = dataSource.getConnection();
		this.target = target;
		try {
			return target.getNetworkTimeout();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Could not get the network timeout of a connection", ex);
			return 0;
		}
		finally {
			limitReads(nanos);
		}
	}

	/**
	 * Limit the time for which a call waits for a server that does not respond. Some
	 * drivers need another connection to the same server to abort one.
	 */
	private void limitReads(long nanos) {
		long millis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)) + 1;
		try {
			target().setNetworkTimeout(Runnable::run, (int) Math.min(millis, Integer.MAX_VALUE));
		}
		catch (Throwable ex) {
			logger.debug("Could not set the network timeout of a connection", ex);
		}
	}

	void opened() {
		this.opened = System.nanoTime();
		this.lastUsed = this.opened;
	}

	/**
	 * Return whether the connection is not ready yet.
	 */
	boolean isOpening() {
		return this.state == State.OPENING || this.state == State.HANGING;
	}

	/**
	 * Return whether the data source has provided a connection, which may not be ready
	 * yet.
	 */
	boolean isConnected() {
		return this.target != null;
	}

	Connection target() {
		return Objects.requireNonNull(this.target, "Not connected");
	}

	State state() {
		return this.state;
	}

	void moveTo(State state) {
		this.state = state;
	}

	/**
	 * Lend the connection to a call.
	 * @param urgent whether the call takes precedence over other calls
	 * @param deadline the deadline of the call
	 */
	void lend(boolean urgent, long deadline) {
		this.state = State.LENT;
		this.urgent = urgent;
		this.deadline = deadline;
	}

	/**
	 * Limit the time for closing the connection from now on.
	 */
	void markClosing() {
		this.state = State.CLOSING;
		this.deadline = Deadline.after(CLOSING_TIME);
	}

	boolean isUrgent() {
		return this.urgent;
	}

	/**
	 * Begin a call, or the closing, whose deadline is set.
	 */
	void begin() {
		this.uses++;
		this.begun = System.nanoTime();
		limitReads(this.deadline - this.begun);
	}

	void end() {
		this.lastUsed = System.nanoTime();
	}

	/**
	 * Return whether the connection was opened before the current call, so that it may
	 * have been broken while it was idle.
	 */
	boolean isUsedAgain() {
		return this.uses > 1 || this.begun - this.opened > FRESH_TIME.toNanos();
	}

	/**
	 * Return whether the connection was opened a moment ago, and works.
	 */
	boolean isFresh() {
		return !isOlderThan(FRESH_TIME) && isTrue(() -> !target().isClosed());
	}

	boolean isOlderThan(Duration age) {
		return System.nanoTime() - this.opened >= age.toNanos();
	}

	boolean isUnusedFor(Duration time) {
		return System.nanoTime() - this.lastUsed >= time.toNanos();
	}

	/**
	 * Check whether the server responds. Makes one round trip, within the time of the
	 * current call.
	 */
	boolean isAlive() {
		return isTrue(() -> target().isValid(1));
	}

	/**
	 * Return whether the time of the current call is over, or will be soon.
	 * @param soon the maximum time of the next step
	 */
	boolean isOverIn(Duration soon) {
		return Deadline.isOver(this.deadline - soon.toNanos());
	}

	/**
	 * Return whether the current call has been running for at least a time.
	 */
	boolean isBusyFor(Duration time) {
		return System.nanoTime() - this.begun >= time.toNanos();
	}

	/**
	 * Return whether less than half of the time of the current call is left.
	 */
	boolean isHalfOver() {
		return Deadline.isOver(this.begun + (this.deadline - this.begun) / 2);
	}

	/**
	 * Return whether a step takes too long, and was not aborted.
	 */
	boolean isOverdue() {
		return switch (this.state) {
			case IDLE, HANGING -> false;
			case LENT -> !this.aborted && Deadline.isOver(this.deadline);
			case OPENING, CLOSING -> Deadline.isOver(this.deadline);
		};
	}

	boolean isAborted() {
		return this.aborted;
	}

	/**
	 * Mark the connection, which is aborted soon, so that it is not used for another call
	 * if the current one ends before. One that the data source has not provided yet
	 * cannot be aborted, and can be used later.
	 */
	void markAborted() {
		this.aborted = isConnected();
	}

	/**
	 * Abort the connection, and a statement that takes too long, if the driver supports
	 * that.
	 */
	void abort() {
		markAborted();
		if (this.aborted) {
			succeeds(() -> target().abort(Runnable::run));
		}
	}

	static boolean succeeds(Step step) {
		return isTrue(() -> {
			step.run();
			return true;
		});
	}

	private static boolean isTrue(Check check) {
		try {
			return check.run();
		}
		catch (Throwable ex) {
			logger.debug("Could not check or clean up a connection", ex);
			return false;
		}
	}

	/**
	 * What a connection of the pool does.
	 */
	enum State {

		/**
		 * It is being opened.
		 */
		OPENING,

		/**
		 * Its opening takes too long, so that it is not counted.
		 */
		HANGING,

		/**
		 * It can be lent.
		 */
		IDLE,

		/**
		 * It is lent to a call, or being checked.
		 */
		LENT,

		/**
		 * It is being closed.
		 */
		CLOSING

	}

	/**
	 * Step that may fail.
	 */
	interface Step {

		void run() throws SQLException;

	}

	private interface Check {

		boolean run() throws SQLException;

	}

}
