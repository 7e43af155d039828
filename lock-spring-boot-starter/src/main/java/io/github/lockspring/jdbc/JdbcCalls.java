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

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.lockspring.jdbc.JdbcConnections.Condition;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Runs calls on connections within their timeout, and distinguishes failures by their
 * outcome.
 * <ol>
 * <li>A call that fails on a kept connection is retried once: the connection may have
 * been broken while it was idle, and every call may be sent twice.</li>
 * <li>A call that conflicts with another session on the same row is retried after a short
 * pause, unless it handles the conflict itself.</li>
 * <li>A failure has an unknown outcome unless the database responded with an error.</li>
 * </ol>
 */
final class JdbcCalls implements AutoCloseable {

	/**
	 * Average pause between two attempts, which is random so that the same sessions do
	 * not conflict again.
	 */
	private static final Duration PAUSE = Duration.ofMillis(1);

	private final JdbcConnections connections;

	JdbcCalls(JdbcConnections connections) {
		this.connections = connections;
	}

	/**
	 * Open connections for the first calls.
	 */
	void start() {
		this.connections.start();
	}

	/**
	 * Run a call.
	 * @param timeout the timeout of the call
	 * @param call the call
	 * @return its result
	 * @throws BackendException if it failed
	 */
	<T> T run(Duration timeout, Call<T> call) {
		return run(timeout, call, false);
	}

	/**
	 * Run a call that takes precedence over other calls.
	 * @see #run(Duration, Call)
	 */
	<T> T runUrgently(Duration timeout, Call<T> call) {
		return run(timeout, call, true);
	}

	private <T> T run(Duration timeout, Call<T> call, boolean urgent) {
		long deadline = Deadline.after(timeout);
		LockConnection connection = this.connections.take(deadline, urgent);
		boolean wasKept = connection.timed().isUsedAgain();
		try {
			return attempt(call, connection, deadline, false);
		}
		catch (BackendException ex) {
			if (!wasKept || Deadline.isOver(deadline)) {
				throw ex;
			}
			return attemptAgain(call, deadline, ex, urgent);
		}
	}

	private <T> T attemptAgain(Call<T> call, long deadline, BackendException first, boolean urgent) {
		boolean mayBeDone = first instanceof OutcomeUnknownException;
		try {
			return attempt(call, this.connections.take(deadline, urgent), deadline, mayBeDone);
		}
		catch (BackendException second) {
			second.addSuppressed(first);
			if (mayBeDone && second instanceof BackendUnavailableException) {
				throw new OutcomeUnknownException("The first of two attempts failed with unknown outcome", second);
			}
			throw second;
		}
	}

	private <T> T attempt(Call<T> call, LockConnection connection, long deadline, boolean mayBeDone) {
		Condition condition = Condition.BROKEN;
		try {
			T result = retryWhileContended(call, connection, deadline, mayBeDone);
			condition = Condition.WORKING;
			return result;
		}
		catch (BackendException | IllegalArgumentException ex) {
			condition = Condition.WORKING; // the database has responded
			throw ex;
		}
		catch (SQLException ex) {
			boolean rejected = isRejected(ex, connection);
			condition = condition(ex, connection, rejected);
			BackendException translated = translate(ex, connection, rejected, isNearlyOver(deadline));
			connection.closeIfReadOnly(ex);
			throw translated;
		}
		catch (InterruptedException ex) {
			condition = Condition.WORKING; // the database has responded
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for a row locked by another session", ex);
		}
		finally {
			this.connections.putBack(connection, condition);
		}
	}

	private <T> T retryWhileContended(Call<T> call, LockConnection connection, long deadline, boolean mayBeDone)
			throws SQLException, InterruptedException {
		while (true) {
			try {
				return call.run(connection, mayBeDone);
			}
			catch (SQLException ex) {
				if (!connection.dialect().isContended(ex) || isNearlyOver(deadline)) {
					throw ex;
				}
				TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(2 * PAUSE.toNanos()));
			}
		}
	}

	private static boolean isNearlyOver(long deadline) {
		return Deadline.isOver(deadline - PAUSE.toNanos());
	}

	/**
	 * Return whether the database responded with an error. An error of a connection that
	 * this process has aborted reveals nothing.
	 */
	private static boolean isRejected(SQLException failure, LockConnection connection) {
		JdbcDialect dialect = connection.dialect();
		return dialect.isContended(failure) || (!connection.timed().isAborted() && dialect.isRejected(failure));
	}

	private static Condition condition(SQLException failure, LockConnection connection, boolean rejected) {
		JdbcDialect dialect = connection.dialect();
		if (connection.timed().isAborted() || !rejected || dialect.isEndOfSession(failure)
				|| dialect.isReadOnly(failure)) {
			return Condition.BROKEN;
		}
		return (dialect.isContended(failure) || connection.timed().isFresh()) ? Condition.WORKING : Condition.DOUBTFUL;
	}

	private static BackendException translate(SQLException failure, LockConnection connection, boolean rejected,
			boolean timedOut) {
		JdbcDialect dialect = connection.dialect();
		if (timedOut && dialect.isContended(failure)) {
			return new BackendUnavailableException("Other sessions locked or changed the row until the timeout",
					failure);
		}
		String message = "%s (SQLSTATE %s)".formatted(failure.getMessage(), failure.getSQLState());
		if (rejected) {
			String remedy = dialect.remedy(failure, connection.connection())
				.map((sentence) -> ". " + sentence)
				.orElse("");
			return new BackendUnavailableException(
					"The database rejected a statement on the lock tables: " + message + remedy, failure);
		}
		return new OutcomeUnknownException("The database did not respond to a statement on the lock tables: " + message,
				failure);
	}

	@Override
	public void close() {
		this.connections.close();
	}

	/**
	 * Call on a connection.
	 *
	 * @param <T> the type of the result
	 */
	interface Call<T> {

		/**
		 * Run the call.
		 * @param connection the connection
		 * @param mayBeDone whether an attempt before this one may have done it already
		 */
		T run(LockConnection connection, boolean mayBeDone) throws SQLException;

	}

}
