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

import java.util.concurrent.TimeUnit;

/**
 * Statements of PostgreSQL.
 */
final class PostgresStatements {

	/**
	 * Checks first whether another owner holds the key, because the insert would lock the
	 * row of the holder, and write, before it detects that. Times are computed after the
	 * row was locked, which may take a moment; only differences of times that were
	 * computed before are used. A lease for which others wait is not recallable.
	 */
	static final String ACQUIRE = """
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
			  holder = CASE
			      WHEN held.owner = excluded.owner AND held.expires_at > @@now@@ AND held.holder IS NOT NULL THEN held.holder
			      WHEN ABS(held.awaited_until) > @@now@@ THEN TRIM(TRAILING '!' FROM excluded.holder)
			      ELSE excluded.holder END,
			  held_since = excluded.held_since,
			  shared_until = 0,
			  version = held.version + 1
			WHERE held.owner = excluded.owner OR (held.expires_at <= @@now@@ AND held.shared_until <= @@now@@)
			RETURNING token, holder LIKE '%!' AS recallable
			""";

	/**
	 * Omits the steps for a row that is held: the check before the row is locked, and the
	 * token for a request that has the key already.
	 */
	static final String REACQUIRE = """
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
	 * which the release sends a notification, and recalls the lease if it is recallable.
	 * The result is a row with the token, and whether the lease is recallable, if
	 * granted, a row without a token but with the time until the key will be free, and
	 * whether the lease is recalled, now or when the mark was left, if there is a mark,
	 * or no row.
	 */
	static final String CONTEND = """
			WITH attempt AS (
			@@acquire@@
			), mark AS (
			  UPDATE @@table@@ SET awaited_until = @@now@@ + @@mark@@
			  WHERE lock_key = ? AND (expires_at > @@now@@ OR shared_until > @@now@@)
			      AND awaited_until < @@now@@ + @@half-mark@@ AND NOT EXISTS (SELECT 1 FROM attempt)
			  RETURNING GREATEST(expires_at, shared_until) - @@now@@ AS remaining, @@recall@@ AS recalled
			)
			SELECT token, CAST(0 AS bigint), recallable FROM attempt
			UNION ALL
			SELECT NULL, remaining, recalled FROM mark
			UNION ALL
			SELECT NULL, GREATEST(expires_at, shared_until) - @@now@@, COALESCE(holder LIKE '%!', FALSE) FROM @@table@@
			WHERE lock_key = ? AND (expires_at > @@now@@ OR shared_until > @@now@@)
			    AND awaited_until >= @@now@@ + @@half-mark@@ AND NOT EXISTS (SELECT 1 FROM attempt)
			""".replace("@@acquire@@", ACQUIRE);

	/**
	 * Acquires, or else recalls the lease if it is recallable, and no other request waits
	 * for it. The result is that of {@link #CONTEND}, or no row if there is no recall.
	 */
	static final String TRY = """
			WITH attempt AS (
			@@acquire@@
			)
			SELECT token, CAST(0 AS bigint), recallable FROM attempt
			UNION ALL
			SELECT NULL, expires_at - @@now@@, @@recall@@ FROM @@table@@
			WHERE lock_key = ? AND expires_at > @@now@@ AND holder LIKE '%!' AND awaited_until <= @@now@@
			    AND NOT EXISTS (SELECT 1 FROM attempt)
			""".replace("@@acquire@@", ACQUIRE);

	static final String RECALL = """
			SELECT @@recall@@ FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND expires_at > @@now@@ AND holder LIKE '%!'
			""";

	static final String DECLINE = """
			UPDATE @@table@@ SET holder = TRIM(TRAILING '!' FROM holder), version = version + 1
			WHERE lock_key = ? AND owner = ? AND expires_at > @@now@@ AND holder LIKE '%!' AND @@short-wait@@
			@@notifying@@""";

	/**
	 * Leaves the mark for a request that read the row and was denied. The version of the
	 * row is not changed: a session that has read the row before can release it, and
	 * detects the mark nevertheless.
	 */
	static final String MARK_ONE = """
			UPDATE @@table@@ SET awaited_until = @@now@@ + @@mark@@
			WHERE lock_key = ? AND version = ? AND @@short-wait@@
			""";

	/**
	 * Leaves marks in several rows. They need not be flushed to disk: no notifications
	 * are sent after a crash.
	 */
	static final String MARK_ALL = """
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

	static final String AWAITED = "awaited_until >= now_micros + @@half-mark@@";

	/**
	 * Name of the channel for releases in this table. Any session may listen and send on
	 * it, so a message does not reveal the key.
	 */
	private static final String CHANNEL = "'lock_spring_' || CAST(CAST('@@table@@' AS regclass) AS oid)";

	static final String NOTIFY = """
			RETURNING CASE WHEN awaited_until > @@now@@ THEN @@notification@@ END
			""".replace("@@notification@@", notification("lock_key"));

	/**
	 * Negates a mark, so that those that left it are notified once, and the next lease is
	 * not recallable for as long as the mark would have lasted. The number is odd for the
	 * release that negates it.
	 */
	static final String REMOVE_MARK = """
			  awaited_until = CASE WHEN awaited_until > @@now@@ THEN -(awaited_until | 1)
			      ELSE -ABS(awaited_until) & -2 END,
			""";

	static final String NOTIFY_OF_REMOVED_MARK = NOTIFY.replace("awaited_until > @@now@@", "awaited_until % 2 = -1");

	/**
	 * Begins the message that recalls a lease, before the name of the key.
	 */
	static final String RECALL_PREFIX = "r";

	/**
	 * Sends a message to the holder, if its lease is recallable, and returns whether it
	 * is.
	 */
	private static final String RECALL_MESSAGE = "CASE WHEN holder LIKE '%!' THEN "
			+ notification("'" + RECALL_PREFIX + "'", "lock_key") + " IS NOT NULL ELSE FALSE END";

	static final String NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)";

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

	static final String LOCKED_ROW = """
			FROM (
			  SELECT lock_key AS locked_key FROM @@table@@
			  WHERE lock_key = ? AND version = ? AND @@short-wait@@
			  FOR NO KEY UPDATE
			) AS locked
			WHERE lock_key = locked_key""";

	static final String READ_ONLY_SERVER = """
			SELECT pg_is_in_recovery() OR CAST(current_setting('transaction_read_only') AS boolean)
			""";

	static final String PERSISTENCE = "SELECT relpersistence FROM pg_class WHERE oid = to_regclass('%s')";

	static final String VERSIONS = """
			SELECT n_dead_tup, n_live_tup FROM pg_stat_all_tables WHERE relid = to_regclass('%s')
			""";

	private PostgresStatements() {
	}

	/**
	 * Replace the placeholders that only PostgreSQL has.
	 */
	static String render(String template) {
		return template.replace("@@recall@@", RECALL_MESSAGE)
			.replace("@@short-wait@@", SHORT_WAIT)
			.replace("@@no-flush@@", NO_FLUSH)
			.replace("@@mark@@", String.valueOf(MARK))
			.replace("@@half-mark@@", String.valueOf(MARK / 2));
	}

	/**
	 * Return the expression that notifies of a change of a key.
	 * @param column the column of the key
	 */
	static String notification(String column) {
		return notification("''", column);
	}

	private static String notification(String prefix, String column) {
		return "CAST(pg_notify(%s, %s || encode(substr(sha256(%s), 1, 8), 'hex')) AS text)".formatted(CHANNEL, prefix,
				column);
	}

	/**
	 * Return the query for the name of the {@link ReleaseChannel} of a table.
	 */
	static String channel(TableName table) {
		return "SELECT " + CHANNEL.replace("@@table@@", table.value());
	}

}
