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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * PostgreSQL from version 13 on.
 * <p>
 * The settings of the session are not changed: settings that differ from the defaults are
 * set by each statement for itself. Connections may therefore be those of a pooler that
 * changes the session between two statements, such as PgBouncer.
 */
final class PostgresDialect extends JdbcDialect {

	/**
	 * Checks first whether another owner holds the key, because the insert would lock the
	 * row of the holder, and write, before it detects that. Times are computed after the
	 * row was locked, which may take a moment; only differences of times that were
	 * computed before are used.
	 */
	private static final String ACQUIRE = """
			INSERT INTO @@table@@ AS held
			  (lock_key, owner, token, expires_at, holder, held_since, shared_until, version)
			SELECT lock_key, owner, now_micros + tokens - 1, now_micros + lease_time, holder, @@timestamp@@, 0, now_micros
			FROM (
			  SELECT CAST(? AS bytea) AS lock_key, CAST(? AS varchar) AS owner, CAST(? AS bigint) AS lease_time,
			      CAST(? AS bigint) AS tokens, CAST(? AS varchar) AS holder, @@now@@ AS now_micros
			  OFFSET 0
			) AS wanted
			WHERE @@short-wait@@ AND NOT EXISTS (
			  SELECT 1 FROM @@table@@ AS other
			  WHERE other.lock_key = wanted.lock_key AND (other.shared_until > wanted.now_micros
			      OR (other.expires_at > wanted.now_micros AND other.owner <> wanted.owner)))
			ON CONFLICT (lock_key) DO UPDATE SET
			  token = CASE
			      WHEN held.owner = excluded.owner AND held.expires_at > @@now@@ AND held.holder IS NOT NULL THEN held.token
			      ELSE GREATEST(held.token + 1, @@now@@) + excluded.token - excluded.version END,
			  owner = excluded.owner,
			  expires_at = @@now@@ + excluded.expires_at - excluded.version,
			  holder = excluded.holder,
			  held_since = excluded.held_since,
			  shared_until = 0,
			  version = held.version + 1
			WHERE held.owner = excluded.owner OR (held.expires_at <= @@now@@ AND held.shared_until <= @@now@@)
			RETURNING token
			""";

	/**
	 * Omits the steps for a row that is held: the check before the row is locked, and the
	 * token for a request that has the key already.
	 */
	private static final String REACQUIRE = """
			INSERT INTO @@table@@ AS held
			  (lock_key, owner, token, expires_at, holder, held_since, version)
			SELECT lock_key, owner, now_micros + tokens - 1, now_micros + lease_time, holder, @@timestamp@@, now_micros
			FROM (
			  SELECT CAST(? AS bigint) AS tokens, CAST(? AS varchar) AS owner, CAST(? AS varchar) AS holder,
			      CAST(? AS bigint) AS lease_time, CAST(? AS bytea) AS lock_key, @@now@@ AS now_micros
			  OFFSET 0
			) AS wanted
			WHERE @@short-wait@@
			ON CONFLICT (lock_key) DO UPDATE SET
			  token = GREATEST(held.token + 1, @@now@@) + excluded.token - excluded.version,
			  owner = excluded.owner,
			  expires_at = @@now@@ + excluded.expires_at - excluded.version,
			  holder = excluded.holder,
			  held_since = excluded.held_since,
			  shared_until = 0,
			  version = held.version + 1
			WHERE held.expires_at <= @@now@@ AND held.shared_until <= @@now@@
			RETURNING token
			""";

	/**
	 * Acquires, or else leaves a mark in the row, unless there is one that lasts, with
	 * which the release sends a notification. The result is a row with the token if
	 * granted, a row without a token but with the time until the key will be free if
	 * there is a mark, or no row.
	 */
	private static final String CONTEND = """
			WITH attempt AS (
			@@acquire@@
			), mark AS (
			  UPDATE @@table@@ SET awaited_until = @@now@@ + @@mark@@
			  WHERE lock_key = ? AND (expires_at > @@now@@ OR shared_until > @@now@@)
			      AND awaited_until < @@now@@ + @@half-mark@@ AND NOT EXISTS (SELECT 1 FROM attempt)
			  RETURNING GREATEST(expires_at, shared_until) - @@now@@ AS remaining
			)
			SELECT token, CAST(0 AS bigint) FROM attempt
			UNION ALL
			SELECT NULL, remaining FROM mark
			UNION ALL
			SELECT NULL, GREATEST(expires_at, shared_until) - @@now@@ FROM @@table@@
			WHERE lock_key = ? AND (expires_at > @@now@@ OR shared_until > @@now@@)
			    AND awaited_until >= @@now@@ + @@half-mark@@ AND NOT EXISTS (SELECT 1 FROM attempt)
			""";

	/**
	 * Leaves the mark for a request that read the row and was denied. The version of the
	 * row is not changed: a session that has read the row before can release it, and
	 * detects the mark nevertheless.
	 */
	private static final String MARK_ONE = """
			UPDATE @@table@@ SET awaited_until = @@now@@ + @@mark@@
			WHERE lock_key = ? AND version = ? AND @@short-wait@@
			""";

	/**
	 * Leaves marks in several rows. They need not be flushed to disk: no notifications
	 * are sent after a crash.
	 */
	private static final String MARK_ALL = """
			UPDATE @@table@@ SET awaited_until = @@now@@ + @@mark@@
			WHERE lock_key IN (
			  SELECT lock_key FROM @@table@@ WHERE lock_key IN (@@placeholders@@) FOR NO KEY UPDATE SKIP LOCKED)
			AND @@no-flush@@
			RETURNING lock_key, version
			""";

	/**
	 * Lifetime of a mark, in microseconds. A mark is renewed when half of it is over.
	 */
	private static final long MARK = TimeUnit.SECONDS.toMicros(20);

	private static final String AWAITED = "awaited_until >= now_micros + @@half-mark@@";

	/**
	 * Name of the channel for releases in this table. Any session may listen and send on
	 * it, so a message does not reveal the key.
	 */
	private static final String CHANNEL = "'lock_spring_' || CAST(CAST('@@table@@' AS regclass) AS oid)";

	private static final String NOTIFY = """
			RETURNING CASE WHEN awaited_until > @@now@@ THEN @@notification@@ END
			""".replace("@@notification@@", notification("lock_key"));

	private static final String NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)";

	/**
	 * Sets the lock timeout for the transaction, which is the statement, so that it does
	 * not wait for a row that is locked for longer.
	 */
	private static final String SHORT_WAIT = "set_config('lock_timeout', '100ms', true) IS NOT NULL";

	/**
	 * Disables the flush to disk for the transaction, which is the statement: a release
	 * is answered before it is on disk. A later acquisition waits for the flush of both.
	 */
	private static final String NO_FLUSH = "set_config('synchronous_commit', 'off', true) IS NOT NULL";

	private static final String LOCKED_ROW = """
			FROM (
			  SELECT lock_key AS locked_key FROM @@table@@
			  WHERE lock_key = ? AND version = ? AND @@short-wait@@
			  FOR NO KEY UPDATE
			) AS locked
			WHERE lock_key = locked_key""";

	private static final String READ_ONLY_SERVER = """
			SELECT pg_is_in_recovery() OR CAST(current_setting('transaction_read_only') AS boolean)
			""";

	private static final String PERSISTENCE = "SELECT relpersistence FROM pg_class WHERE oid = to_regclass(?)";

	private static final String UNLOGGED = "u";

	private static final String VERSIONS = """
			SELECT n_dead_tup, n_live_tup FROM pg_stat_all_tables WHERE relid = to_regclass(?)
			""";

	/**
	 * Number of old row versions from which on calls are noticeably slower. Usually, they
	 * are removed at once by the next statement that reads their page.
	 */
	private static final long MANY_VERSIONS = 10_000;

	private static final String LOCK_NOT_AVAILABLE = "55P03";

	/**
	 * SQLSTATEs of sessions that the server closes after it has rolled back: it is shut
	 * down or starting, the database is dropped, or the session was idle for too long.
	 */
	private static final Set<String> END_OF_SESSION = Set.of("57P01", "57P03", "57P04", "57P05", "25P03", "25P04");

	/**
	 * SQLSTATEs with an unknown outcome: a crash of the server, and errors of the driver.
	 */
	private static final Set<String> UNKNOWN = Set.of("57P02", "58030", "60000", "99999");

	private final ValueDialect values = new PostgresValueDialect();

	@Override
	String databases() {
		return "PostgreSQL 13 and later";
	}

	@Override
	boolean supports(String product, String version, int majorVersion) {
		return product.equals("PostgreSQL") && majorVersion >= 13;
	}

	@Override
	public String now() {
		return NOW;
	}

	@Override
	String timestamp() {
		return "clock_timestamp()";
	}

	@Override
	String acquire() {
		return ACQUIRE;
	}

	@Override
	String reacquire() {
		return REACQUIRE;
	}

	@Override
	String contend() {
		return CONTEND.replace("@@acquire@@", ACQUIRE);
	}

	@Override
	String awaited() {
		return AWAITED;
	}

	@Override
	String mark() {
		return MARK_ONE;
	}

	@Override
	String markAll() {
		return MARK_ALL;
	}

	/**
	 * A key with a mark is not handed off: listening processes are notified, and retry
	 * immediately.
	 */
	@Override
	String handingOff() {
		return super.handingOff() + " AND awaited_until <= @@now@@";
	}

	@Override
	String notifying() {
		return NOTIFY;
	}

	@Override
	public boolean isReleaseDurable() {
		return false;
	}

	@Override
	public int updateAndNotify(PreparedStatement statement) throws SQLException {
		int changed = 0;
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				changed++;
			}
		}
		return changed;
	}

	/**
	 * Return the expression that notifies of a change of a key.
	 * @param column the column of the key
	 */
	static String notification(String column) {
		return "CAST(pg_notify(%s, encode(substr(sha256(%s), 1, 8), 'hex')) AS text)".formatted(CHANNEL, column);
	}

	/**
	 * Return the query for the name of the {@link ReleaseChannel} of a table.
	 */
	static String channel(TableName table) {
		return "SELECT " + CHANNEL.replace("@@table@@", table.value());
	}

	/**
	 * Lock the row first: an update that waits for a row would write values computed
	 * before the wait.
	 */
	@Override
	String whereUnchanged() {
		return LOCKED_ROW;
	}

	@Override
	String unlessPresent(String insert, String key) {
		return insert + " ON CONFLICT (" + key + ") DO NOTHING\n";
	}

	@Override
	String renderOwn(String template) {
		return template.replace("@@short-wait@@", SHORT_WAIT)
			.replace("@@no-flush@@", NO_FLUSH)
			.replace("@@mark@@", String.valueOf(MARK))
			.replace("@@half-mark@@", String.valueOf(MARK / 2));
	}

	@Override
	public String readOnly() {
		return READ_ONLY_SERVER;
	}

	@Override
	public Optional<String> storageProblem(Connection connection, TableName table) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PERSISTENCE)) {
			statement.setString(1, table.value());
			try (ResultSet rows = statement.executeQuery()) {
				return (rows.next() && UNLOGGED.equals(rows.getString(1)))
						? Optional.of("It must not be UNLOGGED: a crash of the server would empty it.")
						: Optional.empty();
			}
		}
	}

	@Override
	public Optional<String> growthWarning(Connection connection, TableName table) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(VERSIONS)) {
			statement.setString(1, table.value());
			try (ResultSet rows = statement.executeQuery()) {
				return (rows.next() && rows.getLong(1) > MANY_VERSIONS + rows.getLong(2))
						? Optional.of(manyVersions(table)) : Optional.empty();
			}
		}
	}

	private static String manyVersions(TableName table) {
		return "The lock table '" + table + "' has more than " + MANY_VERSIONS
				+ " old row versions, which make locks slow: PostgreSQL cannot remove them as long as there is an old "
				+ "transaction, prepared transaction or replication slot (backend_xmin in pg_stat_activity, "
				+ "pg_prepared_xacts, pg_replication_slots)";
	}

	/**
	 * Set the isolation, except for the session of a pooler. If its isolation is
	 * stricter, statements that conflict with another one on the same row fail, and are
	 * retried.
	 */
	@Override
	public SessionChange readCommitted(Connection connection) throws SQLException {
		PostgresSession session = PostgresSession.ofKnown(connection);
		return session.isIsolationToBeSet() ? setReadCommitted(connection, session.level()) : SessionChange.NONE;
	}

	@Override
	public SessionChange configure(Connection connection) {
		return SessionChange.NONE;
	}

	@Override
	public boolean isContended(SQLException failure) {
		return super.isContended(failure) || LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
	}

	@Override
	public boolean isEndOfSession(SQLException failure) {
		return failure.getSQLState() != null && END_OF_SESSION.contains(failure.getSQLState());
	}

	@Override
	boolean isError(SQLException failure) {
		return super.isError(failure) && !UNKNOWN.contains(failure.getSQLState());
	}

	@Override
	ValueDialect values() {
		return this.values;
	}

	@Override
	String schemaResource() {
		return "schema-postgresql.sql";
	}

	@Override
	public List<JdbcColumn> columns() {
		return JdbcColumn.ofLocks(new JdbcColumn("lock_key", Types.BINARY, 0, "BYTEA"),
				new JdbcColumn("held_since", Types.TIMESTAMP, 0, "TIMESTAMPTZ"),
				new JdbcColumn("entries", Types.VARCHAR, 65_535, "TEXT"), JdbcColumn.bigint("awaited_until"));
	}

}
