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
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.dialect.JdbcDialect;
import io.github.lockspring.jdbc.dialect.JdbcDialect.SessionChange;
import io.github.lockspring.jdbc.dialect.JdbcDialects;
import io.github.lockspring.jdbc.dialect.LockSql;
import io.github.lockspring.jdbc.dialect.TableName;
import io.github.lockspring.jdbc.dialect.ValueSql;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.support.Deadline;

/**
 * Connection of the data source, configured for the statements of locks and restored
 * before it is released. Used by one thread at a time.
 */
final class LockConnection {

	private static final Log logger = LogFactory.getLog(LockConnection.class);

	private static final Duration OPENING_TIME = Duration.ofSeconds(30);

	/**
	 * Time for which a newly opened connection is assumed to work.
	 */
	private static final Duration FRESH_TIME = Duration.ofSeconds(1);

	private final Connection connection;

	private final JdbcDialect dialect;

	private final LockSql sql;

	private final ValueSql valueSql;

	private String processName = ProcessName.current("").toString();

	private final long since = System.nanoTime();

	private final Deque<SessionChange> restorations = new ArrayDeque<>();

	private final Map<String, PreparedStatement> statements = new HashMap<>();

	private final boolean own;

	private int uses;

	private long begun;

	private volatile long lastUsed = this.since;

	private boolean urgent;

	private volatile long deadline;

	private volatile boolean busy;

	private volatile boolean aborted;

	private LockConnection(Connection connection, JdbcDialect dialect, TableName table, boolean own) {
		this.connection = connection;
		this.dialect = dialect;
		this.own = own;
		this.sql = new LockSql(dialect, table);
		this.valueSql = new ValueSql(dialect, table);
	}

	/**
	 * Take a connection from the data source. May block for a long time.
	 */
	static LockConnection open(DataSource dataSource, TableName table) throws SQLException {
		return open(dataSource, table, false, new ConnectionOpening(OPENING_TIME));
	}

	/**
	 * Take a connection from the data source. The data source may block for a long time;
	 * everything afterwards is limited by the attempt.
	 * @param own whether the connection is not used by others afterwards, so that nothing
	 * has to be restored
	 * @param opening the attempt to open it
	 */
	static LockConnection open(DataSource dataSource, TableName table, boolean own, ConnectionOpening opening)
			throws SQLException {
		Connection connection = opening.connect(dataSource);
		try {
			return new LockConnection(connection, JdbcDialects.of(connection), table, own)
				.configured(opening.formerNetworkTimeout());
		}
		catch (SQLException | RuntimeException ex) {
			succeeds(connection::close);
			throw ex;
		}
	}

	private LockConnection configured(int networkTimeout) throws SQLException {
		this.restorations.push((connection) -> connection.setNetworkTimeout(Runnable::run, networkTimeout));
		try {
			configure();
			return this;
		}
		catch (SQLException ex) {
			closeIfReadOnly(ex);
			close();
			throw ex;
		}
		catch (RuntimeException ex) {
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
			abort();
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

	JdbcDialect dialect() {
		return this.dialect;
	}

	Connection connection() {
		return this.connection;
	}

	LockSql sql() {
		return this.sql;
	}

	ValueSql valueSql() {
		return this.valueSql;
	}

	/**
	 * Return the name of this process.
	 */
	String processName() {
		return this.processName;
	}

	LockConnection withProcessName(String processName) {
		this.processName = processName;
		return this;
	}

	PreparedStatement prepare(String sql) throws SQLException {
		PreparedStatement statement = this.statements.get(sql);
		if (statement == null) {
			statement = this.connection.prepareStatement(sql);
			this.statements.put(sql, statement);
		}
		return statement;
	}

	/**
	 * Prepare a statement that acquires and returns a token.
	 */
	PreparedStatement prepareAcquire(String sql) throws SQLException {
		PreparedStatement statement = this.statements.get(sql);
		if (statement == null) {
			statement = this.dialect.prepareAcquire(this.connection, sql);
			this.statements.put(sql, statement);
		}
		return statement;
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
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery(this.dialect.readOnly())) {
			rows.next();
			JdbcDialect.requireWritable(rows);
		}
	}

	/**
	 * Record the purpose for which the connection is lent.
	 * @param urgent whether the call takes precedence over other calls
	 */
	void lend(boolean urgent) {
		this.urgent = urgent;
	}

	boolean isUrgent() {
		return this.urgent;
	}

	void begin(long deadline) {
		this.uses++;
		this.begun = System.nanoTime();
		this.deadline = deadline;
		this.busy = true;
		succeeds(() -> ConnectionOpening.limitReads(this.connection, deadline - this.begun));
	}

	/**
	 * Set the deadline for closing the connection.
	 */
	void closeBy(long deadline) {
		this.deadline = deadline;
	}

	void end() {
		this.lastUsed = System.nanoTime();
		this.busy = false;
	}

	/**
	 * Return whether the connection was opened before the current call, so that it may
	 * have been broken while it was idle.
	 */
	boolean isUsedAgain() {
		return this.uses > 1 || this.begun - this.since > FRESH_TIME.toNanos();
	}

	/**
	 * Return whether the connection was opened a moment ago, and works.
	 */
	boolean isFresh() {
		return !isOlderThan(FRESH_TIME) && !isClosed();
	}

	private boolean isClosed() {
		try {
			return this.connection.isClosed();
		}
		catch (SQLException | RuntimeException ex) {
			return true;
		}
	}

	boolean isOlderThan(Duration age) {
		return System.nanoTime() - this.since >= age.toNanos();
	}

	boolean isUnusedFor(Duration time) {
		return System.nanoTime() - this.lastUsed >= time.toNanos();
	}

	/**
	 * Check whether the server responds. Makes one round trip, within the time of the
	 * current call.
	 */
	boolean isAlive() {
		try {
			return this.connection.isValid(1);
		}
		catch (SQLException | RuntimeException ex) {
			return false;
		}
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

	boolean isOverdue() {
		return this.busy && !this.aborted && isOver();
	}

	/**
	 * Return whether the time of the current call is over.
	 */
	boolean isOver() {
		return Deadline.isOver(this.deadline);
	}

	boolean isAborted() {
		return this.aborted;
	}

	/**
	 * Mark the connection, which is aborted soon, so that it is not used for another call
	 * if the current one ends before.
	 */
	void markAborted() {
		this.aborted = true;
	}

	/**
	 * Abort the connection, and a statement that takes too long, if the driver supports
	 * that.
	 */
	void abort() {
		markAborted();
		succeeds(() -> this.connection.abort(Runnable::run));
	}

	/**
	 * Return the connection to the data source, restored, or close it if it is a
	 * dedicated one.
	 */
	void close() {
		if (!this.own) {
			returnToPool();
		}
		succeeds(this.connection::close);
	}

	private void returnToPool() {
		succeeds(this::closeStatements);
		if (!succeeds(this::restore) || this.aborted) {
			abort(); // it may only be marked so far
			// its failure lets a pool detect that the connection is closed
			succeeds(() -> JdbcDialect.execute(this.connection, "SELECT 1"));
		}
	}

	private static boolean succeeds(Step step) {
		try {
			step.run();
			return true;
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Could not clean up a connection", ex);
			return false;
		}
	}

	private void closeStatements() throws SQLException {
		for (PreparedStatement statement : this.statements.values()) {
			statement.close();
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

	private interface Step {

		void run() throws SQLException;

	}

}
