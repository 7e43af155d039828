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

import io.github.lockspring.jdbc.dialect.JdbcDialect;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Runs calls on connections within their timeout, and distinguishes failures by their
 * outcome.
 * <ol>
 * <li>A call that fails on a connection that was kept is tried once more: the connection
 * may have broken while it was idle, and every call may be sent twice.
 * <li>A call that meets another session at work on its row is repeated after a moment,
 * unless it has its own answer to that.
 * <li>A failure is an unknown outcome unless the database refused the statement.
 * </ol>
 */
final class JdbcCalls implements AutoCloseable {

	/**
	 * How long the pauses between two attempts are on average: at random, so that
	 * sessions which met do not meet again.
	 */
	private static final Duration PAUSE = Duration.ofMillis(1);

	private final JdbcConnections connections;

	JdbcCalls(JdbcConnections connections) {
		this.connections = connections;
	}

	/**
	 * Have connections ready for the first calls.
	 */
	void start() {
		this.connections.start();
	}

	/**
	 * Runs a call.
	 * @param timeout the time after which it must have ended
	 * @param call what to do
	 * @return its result
	 * @throws BackendException if it failed
	 */
	<T> T run(Duration timeout, Call<T> call) {
		return run(timeout, call, false);
	}

	/**
	 * Runs a call that must not wait for others, as {@link #run(Duration, Call)} does.
	 */
	<T> T runUrgently(Duration timeout, Call<T> call) {
		return run(timeout, call, true);
	}

	private <T> T run(Duration timeout, Call<T> call, boolean urgent) {
		long deadline = Deadline.after(timeout);
		LockConnection connection = this.connections.take(deadline, urgent);
		boolean wasKept = connection.isUsedAgain();
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
		State state = State.BROKEN;
		try {
			T result = retryWhileContended(call, connection, deadline, mayBeDone);
			state = State.WORKING;
			return result;
		}
		catch (BackendException | IllegalArgumentException ex) {
			state = State.WORKING; // it is an answer to what was read
			throw ex;
		}
		catch (SQLException ex) {
			connection.closeIfReadOnly(ex);
			state = State.after(ex, connection);
			throw translate(ex, connection.dialect(), isNearlyOver(deadline));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for a row locked by another session", ex);
		}
		finally {
			state.leave(connection, this.connections);
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

	private static BackendException translate(SQLException failure, JdbcDialect dialect, boolean timedOut) {
		if (timedOut && dialect.isContended(failure)) {
			return new BackendUnavailableException("Other sessions locked or changed the row until the timeout",
					failure);
		}
		String message = "%s (SQLSTATE %s)".formatted(failure.getMessage(), failure.getSQLState());
		if (dialect.isRejected(failure)) {
			String remedy = dialect.remedy(failure).map((sentence) -> ". " + sentence).orElse("");
			return new BackendUnavailableException(
					"The database refused a statement on the lock tables: " + message + remedy, failure);
		}
		return new OutcomeUnknownException("The database did not answer to a statement on the lock tables: " + message,
				failure);
	}

	@Override
	public void close() {
		this.connections.close();
	}

	/**
	 * What is known of a connection after a call.
	 */
	private enum State {

		/**
		 * It can be used again.
		 */
		WORKING {

			@Override
			void leave(LockConnection connection, JdbcConnections connections) {
				connections.release(connection);
			}

		},

		/**
		 * The database answers, but the session may be in a state that others are not in.
		 */
		DOUBTFUL {

			@Override
			void leave(LockConnection connection, JdbcConnections connections) {
				connections.discard(connection);
			}

		},

		/**
		 * Others that lead to the same server may be broken likewise.
		 */
		BROKEN {

			@Override
			void leave(LockConnection connection, JdbcConnections connections) {
				connections.discardAll(connection);
			}

		};

		static State after(SQLException failure, LockConnection connection) {
			if (connection.isAborted() || !connection.dialect().isRejected(failure)) {
				return BROKEN;
			}
			return connection.dialect().isContended(failure) ? WORKING : DOUBTFUL;
		}

		abstract void leave(LockConnection connection, JdbcConnections connections);

	}

	/**
	 * Something to do with a connection.
	 *
	 * @param <T> what comes out of it
	 */
	interface Call<T> {

		/**
		 * Does it.
		 * @param connection the connection
		 * @param mayBeDone whether an attempt before this one may have done it already
		 */
		T run(LockConnection connection, boolean mayBeDone) throws SQLException;

	}

}
