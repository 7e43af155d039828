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

package io.github.lockspring.jdbc.dialect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * SQL dialect of one database product. Everything that is common to all products is
 * implemented elsewhere.
 * <p>
 * In the statements {@code @@table@@} is the table, {@code @@values@@} that of values,
 * {@code @@now@@} is the clock, {@code @@timestamp@@} the clock for people, and {@code
 * @@placeholders@@} is a list of question marks.
 */
public abstract class JdbcDialect {

	/**
	 * How long the key is kept for a request to which it was handed off: longer than the
	 * longest delay between two of its attempts.
	 */
	public static final Duration RESERVATION_TIME = Duration.ofMillis(500);

	/**
	 * The first two digits of the SQLSTATEs with which a database refuses a statement
	 * that it has understood: nothing was changed.
	 */
	private static final Set<String> REJECTED_STATES = Set.of("0A", "21", "22", "23", "25", "28", "40", "42", "44");

	/**
	 * Deadlocks, and transactions that are not serializable.
	 */
	private static final String ROLLED_BACK = "40";

	/**
	 * A transaction that may not write, and what we answer for a server like that.
	 */
	public static final String READ_ONLY = "25006";

	private static final String SCHEMA_DIRECTORY = "/io/github/lockspring/jdbc/";

	private static final String END_OF_STATEMENT = ";\\R";

	private static final String FORBIDDEN = "42501";

	/**
	 * Hands the key off to the first waiting request, or frees it if none waits. The next
	 * owner must acquire it soon. The names of the waiting requests come last because
	 * some databases assign from left to right.
	 */
	private static final String RELEASE = """
			UPDATE @@table@@ SET
			  owner = CASE WHEN @@handing-off@@ THEN SUBSTRING(waiting, 1, POSITION(' ' IN waiting) - 1) END,
			  expires_at = CASE WHEN @@handing-off@@ THEN @@now@@ + @@reservation@@ ELSE 0 END,
			  holder = NULL, held_since = NULL, version = version + 1,
			  waiting = CASE WHEN @@handing-off@@ THEN NULLIF(SUBSTRING(waiting, POSITION(' ' IN waiting) + 1), '')
			      ELSE waiting END
			WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@
			""";

	/**
	 * Fair requests have a queue of their own.
	 */
	private static final String HANDING_OFF = "waiting IS NOT NULL AND entries IS NULL";

	/**
	 * The former owner is a placeholder that no process uses.
	 */
	private static final String RELEASE_WITH_DELAY = """
			UPDATE @@table@@ SET owner = ?, expires_at = @@now@@ + ?, version = version + 1
			WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@
			""";

	private static final String RENEW = """
			UPDATE @@table@@ SET expires_at = @@now@@ + ?, version = version + 1
			WHERE lock_key IN (@@placeholders@@) AND owner IN (@@placeholders@@) AND expires_at > @@now@@
			""";

	private static final String HELD = """
			SELECT owner FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND owner IN (@@placeholders@@) AND expires_at > @@now@@
			""";

	/**
	 * Returns the time of the database for keys without a row as well.
	 */
	private static final String READ = """
			SELECT now_micros, lock_key, version, owner, token, expires_at, holder, shared_until, entries, @@awaited@@, waiting
			FROM (SELECT @@now@@ AS now_micros) AS present
			LEFT JOIN @@table@@ ON lock_key IN (@@placeholders@@)
			""";

	/**
	 * The owner is there twice because some databases assign from left to right. An end
	 * that is new counts from the moment at which the row is locked, which may be later
	 * than the one at which it was read.
	 */
	private static final String WRITE = """
			UPDATE @@table@@ SET
			  held_since = CASE WHEN owner = ? THEN held_since ELSE @@timestamp@@ END,
			  expires_at = CASE WHEN expires_at = ? THEN expires_at ELSE COALESCE(@@now@@ + ?, 0) END,
			  owner = ?, token = ?, holder = ?, shared_until = ?, entries = ?, waiting = ?, version = version + 1
			WHERE lock_key = ? AND version = ?
			""";

	/**
	 * Removes a row unless it has been written since it was read.
	 */
	private static final String DELETE = """
			DELETE FROM @@table@@ WHERE lock_key = ? AND version = ?
			""";

	/**
	 * Removes rows that have no entries and have become old. An acquisition in the
	 * meantime makes a row young.
	 */
	private static final String DELETE_OLD = """
			DELETE FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND token <= @@now@@ - ? AND expires_at <= @@now@@ - ?
			  AND shared_until <= @@now@@ - ? AND entries IS NULL
			""";

	private static final String INSERT = """
			INSERT INTO @@table@@
			  (held_since, expires_at, owner, token, holder, shared_until, entries, waiting, lock_key, version)
			VALUES (@@timestamp@@, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			""";

	/**
	 * The databases of this dialect, for messages.
	 */
	abstract String databases();

	abstract boolean supports(String product, String version, int majorVersion);

	/**
	 * The clock of the database in microseconds since 1970, whatever the time zone.
	 */
	public abstract String now();

	/**
	 * The clock of the database as people read it.
	 */
	String timestamp() {
		return "CURRENT_TIMESTAMP";
	}

	/**
	 * One statement that makes the request the holder if the key is free, expired or the
	 * request's own. Its parameters are key, owner, lease time in microseconds, number of
	 * tokens and a readable name of the process; its result is the last token of the
	 * block, or nothing if another owner holds the key.
	 */
	abstract String acquire();

	/**
	 * Prepare the statement {@link #acquire()} or {@link #reacquire()}.
	 */
	public PreparedStatement prepareAcquire(Connection connection, String sql) throws SQLException {
		return connection.prepareStatement(sql);
	}

	/**
	 * Runs the statement {@link #acquire()}.
	 * @return the last token of the block, or {@code null} if another owner holds the key
	 */
	public @Nullable Long acquire(PreparedStatement statement) throws SQLException {
		try (ResultSet result = statement.executeQuery()) {
			return (result.next()) ? result.getLong(1) : null;
		}
	}

	/**
	 * The statement {@link #acquire()} for one that waits if it is denied, with the key
	 * as two more parameters, if the database supports notifications of releases.
	 */
	@Nullable String contend() {
		return null;
	}

	/**
	 * One statement that makes the request the holder if there is a row for the key and
	 * it is free, if that is faster than {@link #acquire()}. Its parameters are number of
	 * tokens, owner, readable name of the process, lease time in microseconds and key;
	 * its result is that of {@link #acquire()}.
	 * @return the statement, or {@code null} if it is of no use
	 */
	@Nullable String reacquire() {
		return null;
	}

	/**
	 * Whether there is a mark in the row that will last for a while, so that waiting
	 * requests will be notified of its release.
	 */
	String awaited() {
		return "FALSE";
	}

	/**
	 * The statement that leaves such a mark unless the row has been written since it was
	 * read, if the database supports notifications of releases. Its parameters are key
	 * and version.
	 */
	@Nullable String mark() {
		return null;
	}

	/**
	 * The statement that leaves such marks in the rows of several keys, if the database
	 * supports notifications of releases. It does not wait for rows that others are at
	 * work on, and leaves them out of its result, which are keys and versions.
	 */
	@Nullable String markAll() {
		return null;
	}

	String release() {
		return RELEASE.replace("@@handing-off@@", handingOff())
			.replace("@@reservation@@", String.valueOf(TimeUnit.MICROSECONDS.convert(RESERVATION_TIME)));
	}

	/**
	 * The condition on which a release hands the key off to a waiting request.
	 */
	String handingOff() {
		return HANDING_OFF;
	}

	/**
	 * Run one of the statements that notify of a release.
	 * @return how many rows were changed
	 */
	public int updateAndNotify(PreparedStatement statement) throws SQLException {
		return statement.executeUpdate();
	}

	String releaseWithDelay() {
		return RELEASE_WITH_DELAY;
	}

	String renew() {
		return RENEW;
	}

	String held() {
		return HELD;
	}

	/**
	 * Reads rows, and the clock.
	 */
	String read() {
		return READ;
	}

	/**
	 * Writes a row unless it has been written since it was read. Its parameters are the
	 * owner, the end of the exclusive lease as computed when the row was read, the time
	 * from the reading to that end or {@code null} if there is no such lease, and the
	 * other columns.
	 */
	String write() {
		return WRITE;
	}

	/**
	 * The statement {@link #write()} for a change that may let others in, who are
	 * notified if the database supports that.
	 */
	String writeAndNotify() {
		return write();
	}

	/**
	 * Inserts a row unless it is there.
	 */
	String insert() {
		return INSERT;
	}

	/**
	 * Removes a row unless it has been written since it was read.
	 */
	String delete() {
		return DELETE;
	}

	/**
	 * Removes rows whose token, lease and last shared lease are older than the last three
	 * parameters.
	 */
	String deleteOld() {
		return DELETE_OLD;
	}

	/**
	 * Return a query whose first result is whether the server is read-only, such as a
	 * replica.
	 */
	public abstract String readOnly();

	/**
	 * Reads the answer to {@link #readOnly()}.
	 * @throws SQLException if the server is not to be written to
	 */
	public static void requireWritable(ResultSet answer) throws SQLException {
		if (answer.getBoolean(1)) {
			throw new SQLException("The database is read-only, as replicas are and servers during a failover: "
					+ "locks need the primary", READ_ONLY);
		}
	}

	/**
	 * Whether a statement failed because the server or the transaction is read-only.
	 */
	public boolean isReadOnly(SQLException failure) {
		return READ_ONLY.equals(failure.getSQLState());
	}

	/**
	 * Return a sentence that says why the table cannot be used although its columns are
	 * correct: because of its storage, or the settings of the session.
	 */
	public Optional<String> storageProblem(Connection connection, TableName table) throws SQLException {
		return Optional.empty();
	}

	/**
	 * Has the transactions of a session read what is committed, also after they have
	 * waited for a row.
	 * @return what makes the session as it was before
	 */
	public SessionChange readCommitted(Connection connection) throws SQLException {
		int isolation = connection.getTransactionIsolation();
		if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
			return SessionChange.NONE;
		}
		return setReadCommitted(connection, isolation);
	}

	static SessionChange setReadCommitted(Connection connection, int isolation) throws SQLException {
		connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		return (changed) -> changed.setTransactionIsolation(isolation);
	}

	/**
	 * Return how long a statement waits for a row that another session has locked.
	 * @return the time, at most
	 */
	public Duration lockTimeout() {
		return Duration.ofMillis(100);
	}

	/**
	 * Makes the session fit for our statements.
	 * @return what makes it as it was before
	 */
	public abstract SessionChange configure(Connection connection) throws SQLException;

	/**
	 * Whether a statement failed only because another session was at work on the same
	 * row: it changed nothing and may be tried again soon.
	 */
	public boolean isContended(SQLException failure) {
		String state = failure.getSQLState();
		return state != null && state.startsWith(ROLLED_BACK);
	}

	/**
	 * Whether the database refused the statement, so that it is certain that nothing was
	 * changed.
	 */
	public boolean isRejected(SQLException failure) {
		String state = failure.getSQLState();
		return isContended(failure)
				|| (state != null && state.length() == 5 && REJECTED_STATES.contains(state.substring(0, 2)));
	}

	/**
	 * Whether the user may not do what the statement does.
	 */
	boolean isForbidden(SQLException failure) {
		return FORBIDDEN.equals(failure.getSQLState());
	}

	/**
	 * Return a sentence that says what is missing if a statement was refused.
	 */
	public Optional<String> remedy(SQLException rejection) {
		if (isReadOnly(rejection)) {
			return Optional.of("Locks need the primary server and a session that is not read-only.");
		}
		return isForbidden(rejection) ? Optional
			.of("Locks need the SELECT, INSERT, UPDATE and DELETE privileges on the lock table and the value table.")
				: Optional.empty();
	}

	/**
	 * The statements that create the tables if they are not there, as one script.
	 */
	public String schema(TableName table) {
		String name = schemaResource();
		try (InputStream resource = JdbcDialect.class.getResourceAsStream(SCHEMA_DIRECTORY + name)) {
			if (resource == null) {
				throw new IllegalStateException("Missing resource " + name);
			}
			return render(new String(resource.readAllBytes(), StandardCharsets.UTF_8), table, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The statements that create the tables if they are not there, one by one.
	 */
	public List<String> schemaStatements(TableName table) {
		return List.of(schema(table).split(END_OF_STATEMENT));
	}

	abstract String schemaResource();

	/**
	 * The columns that the table must have.
	 */
	public abstract List<JdbcColumn> columns();

	/**
	 * The statements on values.
	 */
	abstract ValueDialect values();

	/**
	 * The columns that the table of values must have.
	 */
	public List<JdbcColumn> valueColumns() {
		return values().columns();
	}

	String render(String template, TableName table, int placeholders) {
		return template.replace("@@awaited@@", awaited())
			.replace("@@table@@", table.value())
			.replace("@@values@@", table.ofValues().value())
			.replace("@@now@@", now())
			.replace("@@timestamp@@", timestamp())
			.replace("@@placeholders@@", String.join(", ", Collections.nCopies(placeholders, "?")));
	}

	/**
	 * Something to do with a connection.
	 */
	public interface SessionChange {

		/**
		 * Changes nothing.
		 */
		SessionChange NONE = (connection) -> {
		};

		void apply(Connection connection) throws SQLException;

	}

}
