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

/**
 * Statements of MySQL and MariaDB.
 */
final class MySqlStatements {

	/**
	 * Checks first whether another owner holds the key, because the insert would lock the
	 * row of the holder before it detects that.
	 * <p>
	 * Assignments are made from left to right. The first determines by the clock, after
	 * the row was locked, whether the row is free, and sets the end to -1 in that case;
	 * the others depend on it. The result of the insert is the argument of the last call
	 * of {@code LAST_INSERT_ID}: the token, or 0.
	 */
	static final String ACQUIRE = """
			INSERT INTO @@table@@
			  (lock_key, owner, token, expires_at, holder, held_since, shared_until, version)
			SELECT wanted.lock_key, wanted.owner, LAST_INSERT_ID(wanted.now_micros + wanted.tokens - 1),
			  wanted.now_micros + wanted.lease_time, wanted.holder, @@timestamp@@, 0, wanted.now_micros
			FROM (
			  SELECT CAST(? AS BINARY) AS lock_key, CAST(? AS CHAR(64) CHARACTER SET utf8mb4) AS owner,
			      CAST(? AS SIGNED) AS lease_time, CAST(? AS SIGNED) AS tokens,
			      CAST(? AS CHAR(255) CHARACTER SET utf8mb4) AS holder, @@now@@ AS now_micros
			) AS wanted
			WHERE NOT EXISTS (
			  SELECT 1 FROM @@table@@ AS other
			  WHERE other.lock_key = wanted.lock_key AND (other.shared_until > wanted.now_micros
			      OR (other.expires_at > wanted.now_micros AND other.owner <> wanted.owner)))
			ON DUPLICATE KEY UPDATE
			  expires_at = IF((@@table@@.expires_at <= @@now@@ AND @@table@@.shared_until <= @@now@@)
			      OR (@@table@@.owner = wanted.owner AND @@table@@.holder IS NULL), -1, @@table@@.expires_at),
			  token = IF(@@table@@.expires_at = -1,
			      LAST_INSERT_ID(GREATEST(@@table@@.token + 1, @@now@@) + wanted.tokens - 1),
			      IF(@@table@@.owner = wanted.owner,
			          LAST_INSERT_ID(@@table@@.token), @@table@@.token + LAST_INSERT_ID(0))),
			  owner = IF(@@table@@.expires_at = -1, wanted.owner, @@table@@.owner),
			  holder = IF(@@table@@.expires_at = -1, wanted.holder, @@table@@.holder),
			  held_since = IF(@@table@@.expires_at = -1, @@timestamp@@, @@table@@.held_since),
			  shared_until = IF(@@table@@.expires_at = -1, 0, @@table@@.shared_until),
			  version = @@table@@.version + IF(@@table@@.owner = wanted.owner, 1, 0),
			  expires_at = IF(@@table@@.owner = wanted.owner, @@now@@ + wanted.lease_time, @@table@@.expires_at)
			""";

	/**
	 * Avoids the temporary table of the insert, and most readings of the moving clock,
	 * which are expensive to parse. The time at which the statement began is used to
	 * check the end of a lease: a row may appear to be held slightly longer than it is,
	 * but never shorter. Only the lease time must count from the time at which the row is
	 * locked.
	 */
	static final String REACQUIRE = """
			UPDATE @@table@@ SET
			  token = LAST_INSERT_ID(GREATEST(token + 1, @@begin@@) + ? - 1),
			  owner = ?,
			  holder = ?,
			  held_since = @@timestamp@@,
			  shared_until = 0,
			  version = version + 1,
			  expires_at = @@now@@ + ?
			WHERE lock_key = ? AND GREATEST(expires_at, shared_until) <= @@begin@@
			""";

	/**
	 * Expression for the time at which the statement began.
	 */
	static final String BEGIN = "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

	/**
	 * Expression for the current time. Only SYSDATE advances while a statement waits for
	 * a row, but it is a local time, which repeats an hour once a year. It is therefore
	 * only used to compute how long the statement has been running, modulo a quarter of
	 * an hour, because local time is changed by multiples of that.
	 */
	static final String NOW = "(" + BEGIN
			+ " + GREATEST(0, TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))) % 900000000)";

	/**
	 * Query for settings with which no lock can be acquired. Its result does not contain
	 * settings that the version does not have.
	 */
	static final String UNFIT_SETTINGS = """
			SHOW VARIABLES WHERE (variable_name = 'sql_mode' AND value LIKE '%ORACLE%')
			  OR (variable_name = 'binlog_format' AND value = 'STATEMENT' AND @@log_bin)
			""";

	/**
	 * Query for whether the server is read-only, a setting with more than two values in
	 * some versions of MariaDB, and for the settings of the session that are changed.
	 */
	static final String SETTINGS = """
			SELECT @@global.read_only NOT IN ('0', 'OFF') OR @@global.innodb_read_only, @@innodb_lock_wait_timeout,
			  @@autocommit
			""";

	/**
	 * Template of the statement that changes these settings.
	 */
	static final String SET = "SET SESSION innodb_lock_wait_timeout = %d, SESSION autocommit = %d";

	static final String ENGINE = """
			SELECT engine FROM information_schema.tables
			WHERE table_schema = COALESCE(NULLIF('%s', ''), DATABASE()) AND LOWER(table_name) = LOWER('%s')
			""";

	private MySqlStatements() {
	}

}
