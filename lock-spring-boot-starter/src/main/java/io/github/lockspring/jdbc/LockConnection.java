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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.JdbcDialect.SessionChange;
import io.github.lockspring.spi.ProcessName;

/**
 * Connection of the data source, configured for the statements of locks and restored
 * before it is released. Used by one thread at a time.
 */
final class LockConnection implements AutoCloseable {

	private static final Duration OPENING_TIME = Duration.ofSeconds(30);

	private final TimedConnection timed;

	private final Connection connection;

	private final JdbcDialect dialect;

	private final TableName table;

	private final String processName;

	private final boolean own;

	private final Deque<SessionChange> restorations = new ArrayDeque<>();

	private final Map<SqlStatement, Map<Integer, PreparedStatement>> statements = new EnumMap<>(SqlStatement.class);

	private LockConnection(TimedConnection timed, JdbcDialect dialect, TableName table, boolean own,
			String processName) {
		this.timed = timed;
		this.connection = timed.target();
		this.dialect = dialect;
		this.table = table;
		this.own = own;
		this.processName = processName;
	}

	/**
	 * Take a connection from the data source. May block for a long time.
	 */
	static LockConnection open(DataSource dataSource, TableName table) throws SQLException {
		return opener(dataSource, table).open(new TimedConnection(OPENING_TIME));
	}

	/**
	 * Return an opener of connections that are used by others afterwards.
	 */
	static Opener opener(DataSource dataSource, TableName table) {
		return (timed) -> open(timed, dataSource, table, false, ProcessName.current("").toString());
	}

	/**
	 * Take a connection from the data source. The data source may block for a long time;
	 * everything afterwards is limited.
	 * @param own whether the connection is not used by others afterwards, so that nothing
	 * has to be restored
	 * @param processName the name of this process
	 */
	static LockConnection open(TimedConnection timed, DataSource dataSource, TableName table, boolean own,
			String processName) throws SQLException {
		try {
			int networkTimeout = timed.connect(dataSource);
			return new LockConnection(timed, JdbcDialects.of(timed.target()), table, own, processName)
				.configured(networkTimeout);
		}
		catch (Throwable ex) {
			if (timed.isConnected()) {
				TimedConnection.succeeds(timed.target()::close);
			}
			throw ex;
		}
	}

	private LockConnection configured(int networkTimeout) throws SQLException {
		this.restorations.push((connection) -> connection.setNetworkTimeout(Runnable::run, networkTimeout));
		try {
			configure();
			return this;
		}
		catch (Throwable ex) {
			if (ex instanceof SQLException failure) {
				closeIfReadOnly(failure);
			}
			close();
			throw ex;
		}
	}

	/**
	 * Close the connection after a failure if the server has become read-only: the next
	 * connection of the pool may lead to the new primary.
	 */
	void closeIfReadOnly(SQLException failure) {
		if (this.dialect.isReadOnly(failure)) {
			this.timed.abort();
		}
	}

	private void configure() throws SQLException {
		if (!this.connection.getAutoCommit()) {
			this.connection.setAutoCommit(true);
			this.restorations.push((connection) -> connection.setAutoCommit(false));
		}
		if (this.connection.isReadOnly()) {
			this.connection.setReadOnly(false);
			this.restorations.push((connection) -> connection.setReadOnly(true));
		}
		this.restorations.push(this.dialect.readCommitted(this.connection));
		this.restorations.push(this.dialect.configure(this.connection));
	}

	/**
	 * Return the connection with the time of its current call.
	 */
	TimedConnection timed() {
		return this.timed;
	}

	JdbcDialect dialect() {
		return this.dialect;
	}

	Connection connection() {
		return this.connection;
	}

	/**
	 * Return the name of this process.
	 */
	String processName() {
		return this.processName;
	}

	PreparedStatement prepare(SqlStatement statement) throws SQLException {
		return prepare(statement, 1);
	}

	PreparedStatement prepare(SqlStatement statement, int placeholders) throws SQLException {
		Map<Integer, PreparedStatement> known = this.statements.computeIfAbsent(statement, (first) -> new HashMap<>());
		PreparedStatement prepared = known.get(placeholders);
		if (prepared == null) {
			String text = this.dialect.text(statement, this.table, placeholders);
			prepared = this.dialect.prepare(this.connection, statement, text);
			known.put(placeholders, prepared);
		}
		return prepared;
	}

	/**
	 * Run a query whose parameters are keys.
	 * @param reader the reader of each row
	 * @return the number of rows
	 */
	int query(SqlStatement statement, Collection<String> keys, RowReader reader) throws SQLException {
		SqlParameters parameters = SqlParameters.ofKeys(keys);
		PreparedStatement prepared = prepare(statement, parameters.placeholders());
		parameters.bind(prepared, 1);
		int count = 0;
		try (ResultSet rows = prepared.executeQuery()) {
			while (rows.next()) {
				reader.read(rows);
				count++;
			}
		}
		return count;
	}

	/**
	 * Run statements in a separate transaction.
	 * @return the result, or {@code null} if the body rolled back
	 */
	<T> @Nullable T inTransaction(Body<T> body) throws SQLException {
		this.connection.setAutoCommit(false);
		try {
			T result = body.run();
			if (result != null) {
				this.connection.commit();
				this.connection.setAutoCommit(true);
				return result;
			}
		}
		catch (Throwable ex) {
			rollback();
			throw ex;
		}
		rollback();
		return null;
	}

	private void rollback() throws SQLException {
		this.connection.rollback();
		this.connection.setAutoCommit(true);
	}

	/**
	 * Run statements.
	 * @return the result, or {@code null} after a conflict with another session, so that
	 * nothing was changed
	 */
	<T> @Nullable T unlessContended(Body<T> body) throws SQLException {
		try {
			return body.run();
		}
		catch (SQLException ex) {
			if (!this.dialect.isContended(ex)) {
				throw ex;
			}
			return null;
		}
	}

	/**
	 * Make one round trip, and fail if the server is read-only.
	 */
	void requireWritable() throws SQLException {
		JdbcDialect.firstRow(this.connection, this.dialect.readOnly(), (row) -> {
			JdbcDialect.requireWritable(row);
			return true;
		});
	}

	/**
	 * Return the connection to the data source, restored, or close it if it is a
	 * dedicated one.
	 */
	@Override
	public void close() {
		if (!this.own) {
			returnToPool();
		}
		TimedConnection.succeeds(this.connection::close);
	}

	private void returnToPool() {
		TimedConnection.succeeds(() -> {
			for (Map<Integer, PreparedStatement> prepared : this.statements.values()) {
				for (PreparedStatement statement : prepared.values()) {
					statement.close();
				}
			}
		});
		if (!TimedConnection.succeeds(this::restore) || this.timed.isAborted()) {
			this.timed.abort(); // it may only be marked so far
			// its failure lets a pool detect that the connection is closed
			TimedConnection.succeeds(() -> JdbcDialect.execute(this.connection, "SELECT 1"));
		}
	}

	private void restore() throws SQLException {
		while (!this.restorations.isEmpty()) {
			this.restorations.pop().apply(this.connection);
		}
	}

	/**
	 * Statements on a connection.
	 *
	 * @param <T> the type of the result
	 */
	interface Body<T> {

		/**
		 * Run the statements.
		 * @return the result, or {@code null} to roll a transaction back
		 */
		@Nullable T run() throws SQLException;

	}

	/**
	 * Reader of a row.
	 */
	interface RowReader {

		void read(ResultSet row) throws SQLException;

	}

	/**
	 * Opens connections.
	 */
	interface Opener {

		/**
		 * Open a connection. May block for a long time.
		 */
		LockConnection open(TimedConnection timed) throws SQLException;

	}

}
