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

import java.sql.Types;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Values in PostgreSQL. Changes of watched rows are notified on the channel of the lock
 * table.
 */
final class PostgresValueDialect extends ValueDialect {

	private static final String BEGIN = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint)";

	private static final String UPDATE = """
			UPDATE @@values@@ SET
			  updates = LEFT(CAST(? AS text) || lpad(CAST(COALESCE(number, 0) AS text), 20) || ' '
			      || lpad(CAST(@@version-before@@ AS text), 19) || ' ' || lpad(CAST(@@next-version@@ AS text), 19) || '\n'
			      || COALESCE(overlay(updates PLACING '' FROM @@own@@ FOR @@length@@), updates), @@max-length@@),
			  version = @@next-version@@,
			  expires_at = @@expiry@@,
			  number = @@number@@
			WHERE @@condition@@ AND @@short-wait@@
			RETURNING LEFT(updates, @@length@@),
			  CASE WHEN watched_until > 0 AND watched_until > @@now@@ THEN @@notify@@ END
			""";

	/**
	 * Inserts in the order of the keys, so that processes lock rows in the same order.
	 * Watches that are lost in a crash are renewed soon.
	 */
	private static final String WATCH = """
			INSERT INTO @@values@@ (value_key, version, format, updates, watched_until)
			SELECT watched_key, @@begin@@, @@format@@, '', @@now@@ + @@watch-time@@
			FROM (
			  SELECT DISTINCT watched_key
			  FROM unnest(CAST(ARRAY[@@placeholders@@] AS bytea[])) AS watched_key ORDER BY watched_key
			) AS wanted
			WHERE @@short-wait@@ AND @@no-flush@@
			ON CONFLICT (value_key) DO UPDATE SET watched_until = excluded.watched_until
			RETURNING value_key, CASE WHEN @@alive@@ THEN number END, version, format
			""";

	/**
	 * Time for which a row is watched, in microseconds. A watch is renewed when half of
	 * it is over.
	 */
	private static final long WATCH_TIME = TimeUnit.SECONDS.toMicros(20);

	@Override
	String begin() {
		return BEGIN;
	}

	@Override
	String ownPosition() {
		return "NULLIF(strpos(updates, CAST(? AS text)), 0)";
	}

	@Override
	String update() {
		return UPDATE.replace("@@notify@@", PostgresStatements.notification("value_key"));
	}

	@Override
	String watched() {
		return "watched_until >= @@now@@ + " + WATCH_TIME / 2;
	}

	@Override
	String watch() {
		return WATCH.replace("@@watch-time@@", String.valueOf(WATCH_TIME));
	}

	@Override
	String old() {
		return super.old() + " AND watched_until <= @@now@@";
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofValues(new JdbcColumn("value_key", Types.BINARY, 0, "BYTEA"),
				new JdbcColumn("updates", Types.VARCHAR, 65_535, "TEXT"), JdbcColumn.bigint("watched_until"));
	}

}
