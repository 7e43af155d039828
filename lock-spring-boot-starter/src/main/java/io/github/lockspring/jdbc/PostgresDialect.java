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
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * PostgreSQL from version 13 on.
 * <p>
 * The settings of the session are not changed: settings that differ from the defaults are
 * set by each statement for itself. Connections may therefore be those of a pooler that
 * changes the session between two statements, such as PgBouncer.
 */
final class PostgresDialect extends JdbcDialect {

	private static final String UNLOGGED = "u";

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

	PostgresDialect() {
		super("PostgreSQL 13 and later", "schema-postgresql.sql", new PostgresValueDialect(), Map.of(Failure.CONTENDED,
				Set.of(LOCK_NOT_AVAILABLE), Failure.UNKNOWN, UNKNOWN, Failure.END_OF_SESSION, END_OF_SESSION));
	}

	@Override
	boolean supports(String product, String version, int majorVersion) {
		return product.equals("PostgreSQL") && majorVersion >= 13;
	}

	@Override
	String now() {
		return PostgresStatements.NOW;
	}

	@Override
	String timestamp() {
		return "clock_timestamp()";
	}

	@Override
	String template(SqlStatement statement) {
		return switch (statement) {
			case ACQUIRE -> PostgresStatements.ACQUIRE;
			case REACQUIRE -> PostgresStatements.REACQUIRE;
			case TRY_ACQUIRE -> PostgresStatements.TRY;
			case CONTEND -> PostgresStatements.CONTEND;
			case RECALL -> PostgresStatements.RECALL;
			case DECLINE_RECALL -> PostgresStatements.DECLINE;
			case MARK -> PostgresStatements.MARK_ONE;
			case MARK_ALL -> PostgresStatements.MARK_ALL;
			case RELEASE -> statement.template().replace("SET\n", "SET\n" + PostgresStatements.REMOVE_MARK)
					+ PostgresStatements.NOTIFY_OF_REMOVED_MARK;
			case INSERT -> statement.template() + " ON CONFLICT (lock_key) DO NOTHING\n";
			case INSERT_VALUE -> statement.template() + " ON CONFLICT (value_key) DO NOTHING\n";
			default -> super.template(statement);
		};
	}

	@Override
	String awaited() {
		return PostgresStatements.AWAITED;
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
		return PostgresStatements.NOTIFY;
	}

	@Override
	boolean isReleaseDurable() {
		return false;
	}

	@Override
	Update updateAndNotify(PreparedStatement statement) throws SQLException {
		int changed = 0;
		boolean notified = false;
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				changed++;
				notified |= rows.getString(1) != null;
			}
		}
		return new Update(changed, notified);
	}

	/**
	 * Lock the row first: an update that waits for a row would write values computed
	 * before the wait.
	 */
	@Override
	String whereUnchanged() {
		return PostgresStatements.LOCKED_ROW;
	}

	@Override
	String renderOwn(String template) {
		return PostgresStatements.render(template);
	}

	@Override
	String readOnly() {
		return PostgresStatements.READ_ONLY_SERVER;
	}

	@Override
	Optional<String> storageProblem(Connection connection, TableName table) throws SQLException {
		return firstRow(connection, PostgresStatements.PERSISTENCE.formatted(table), (row) -> row.getString(1))
			.filter(UNLOGGED::equals)
			.map((unlogged) -> "It must not be UNLOGGED: a crash of the server would empty it.");
	}

	@Override
	Optional<String> growthWarning(Connection connection, TableName table) throws SQLException {
		return firstRow(connection, PostgresStatements.VERSIONS.formatted(table),
				(row) -> row.getLong(1) > MANY_VERSIONS + row.getLong(2))
			.filter(Boolean::booleanValue)
			.map((many) -> manyVersions(table));
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
	SessionChange readCommitted(Connection connection) throws SQLException {
		PostgresSession session = PostgresSession.ofKnown(connection);
		return session.isIsolationToBeSet() ? setReadCommitted(connection, session.level()) : SessionChange.NONE;
	}

	@Override
	SessionChange configure(Connection connection) {
		return SessionChange.NONE;
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofLocks(new JdbcColumn("lock_key", Types.BINARY, 0, "BYTEA"),
				new JdbcColumn("held_since", Types.TIMESTAMP, 0, "TIMESTAMPTZ"),
				new JdbcColumn("entries", Types.VARCHAR, 65_535, "TEXT"), JdbcColumn.bigint("awaited_until"));
	}

}
