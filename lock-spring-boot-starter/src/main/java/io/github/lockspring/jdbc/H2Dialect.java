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
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Dialect of H2 from version 2 on, in memory, in a file or over its server.
 * <p>
 * The clock of H2 does not advance while a statement waits for a row. Statements
 * therefore wait for one millisecond only, the minimum of H2 (0 means its default of two
 * seconds).
 */
final class H2Dialect extends JdbcDialect {

	/**
	 * Checks first whether another owner holds the key, because the merge would lock the
	 * row of the holder before it detects that. A cast to a length would truncate a
	 * longer key instead of rejecting it.
	 */
	private static final String ACQUIRE = """
			SELECT token FROM FINAL TABLE (
			  MERGE INTO @@table@@ AS held
			  USING (
			    SELECT * FROM (
			      SELECT CAST(? AS VARBINARY) AS lock_key, CAST(? AS VARCHAR) AS owner,
			          CAST(? AS BIGINT) AS lease_time, CAST(? AS BIGINT) AS tokens,
			          CAST(? AS VARCHAR) AS holder, @@now@@ AS now_micros
			    ) AS wanted
			    WHERE NOT EXISTS (
			      SELECT 1 FROM @@table@@ AS other
			      WHERE other.lock_key = wanted.lock_key AND (other.shared_until > wanted.now_micros
			          OR (other.expires_at > wanted.now_micros AND other.owner <> wanted.owner)))
			  ) AS wish
			  ON held.lock_key = wish.lock_key
			  WHEN MATCHED AND (held.owner = wish.owner
			      OR (held.expires_at <= wish.now_micros AND held.shared_until <= wish.now_micros)) THEN UPDATE SET
			    token = CASE
			        WHEN held.expires_at > wish.now_micros AND held.holder IS NOT NULL THEN held.token
			        ELSE GREATEST(held.token + 1, wish.now_micros) + wish.tokens - 1 END,
			    owner = wish.owner,
			    expires_at = wish.now_micros + wish.lease_time,
			    holder = wish.holder,
			    held_since = CURRENT_TIMESTAMP,
			    shared_until = 0,
			    version = held.version + 1
			  WHEN NOT MATCHED THEN
			    INSERT (lock_key, owner, token, expires_at, holder, held_since, shared_until, version) VALUES (
			      wish.lock_key, wish.owner, wish.now_micros + wish.tokens - 1, wish.now_micros + wish.lease_time,
			      wish.holder, CURRENT_TIMESTAMP, 0, wish.now_micros)
			)
			""";

	/**
	 * Expression for the clock. Both times are in UTC, because the function ignores the
	 * offset of the time zone. It is several times faster than the extraction of the
	 * epoch as a decimal number.
	 */
	private static final String NOW = "DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00Z', "
			+ "CURRENT_TIMESTAMP AT TIME ZONE 'Z')";

	/**
	 * Error codes for concurrent update, lock timeout, deadlock, and a duplicate key,
	 * which can only be the same key inserted by two sessions at the same time.
	 */
	private static final Set<String> CONTENDED = Set.of("90131", "50200", "40001", "23505");

	/**
	 * Error codes for a broken connection or file, a closed database, a lack of memory,
	 * and internal errors.
	 */
	private static final Set<String> UNKNOWN = Set.of("90028", "90031", "90067", "90098", "90108", "90121", "50000");

	private static final String NO_SCHEMA = "90079";

	private static final String DATABASE_IS_READ_ONLY = "90097";

	private static final String NOT_ENOUGH_RIGHTS = "90096";

	H2Dialect() {
		super("H2 2.x", "schema-h2.sql", new H2ValueDialect(),
				Map.of(Failure.CONTENDED, CONTENDED, Failure.UNKNOWN, UNKNOWN, Failure.READ_ONLY,
						Set.of(DATABASE_IS_READ_ONLY), Failure.SCHEMA_MISSING, Set.of(NO_SCHEMA), Failure.FORBIDDEN,
						Set.of(NOT_ENOUGH_RIGHTS)));
	}

	@Override
	boolean supports(String product, String version, int majorVersion) {
		return product.equals("H2") && majorVersion >= 2;
	}

	@Override
	String now() {
		return NOW;
	}

	@Override
	String template(SqlStatement statement) {
		return (statement == SqlStatement.ACQUIRE) ? ACQUIRE : super.template(statement);
	}

	@Override
	String readOnly() {
		return "CALL READONLY()";
	}

	@Override
	SessionChange configure(Connection connection) throws SQLException {
		int lockTimeout = firstRow(connection, "SELECT LOCK_TIMEOUT()", (row) -> row.getInt(1)).orElseThrow();
		setLockTimeout(connection, 1);
		return (configured) -> setLockTimeout(configured, lockTimeout);
	}

	private static void setLockTimeout(Connection connection, int millis) throws SQLException {
		execute(connection, "SET LOCK_TIMEOUT " + millis);
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofLocks(new JdbcColumn("lock_key", Types.VARBINARY, 1024, "VARBINARY(1024)"),
				new JdbcColumn("held_since", Types.TIMESTAMP_WITH_TIMEZONE, 0, "TIMESTAMP(6) WITH TIME ZONE"),
				new JdbcColumn("entries", Types.VARCHAR, 65_535, "VARCHAR(1000000)"));
	}

}
