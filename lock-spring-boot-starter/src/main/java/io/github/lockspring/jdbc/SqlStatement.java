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

import io.github.lockspring.spi.state.KeyState;

/**
 * Statements on the lock table and the value table, as templates. A
 * {@linkplain JdbcDialect#template dialect} has those without a template here, and may
 * have others.
 */
enum SqlStatement {

	/**
	 * Makes the request the holder if the key is free, expired or held by the same owner.
	 * Its parameters are key, owner, lease time in microseconds, number of tokens and the
	 * name of the process; its result is the last token of the block, or no row if
	 * another owner holds the key.
	 */
	ACQUIRE,

	/**
	 * Makes the request the holder if there is a row for the key and it is free. Its
	 * parameters are number of tokens, owner, name of the process, lease time in
	 * microseconds and key; its result is that of {@link #ACQUIRE}. A dialect in which
	 * that one is as fast does not have it.
	 */
	REACQUIRE,

	/**
	 * {@link #CONTEND} for a request that does not wait if it is denied, with the key as
	 * one more parameter. Only dialects with recalls have it.
	 */
	TRY_ACQUIRE,

	/**
	 * {@link #ACQUIRE} for a request that waits if it is denied, with the key as two more
	 * parameters. Only dialects with notifications of releases have it.
	 */
	CONTEND,

	/**
	 * Recalls the leases of keys, with a row for each that is recallable. Only dialects
	 * with recalls have it.
	 */
	RECALL,

	/**
	 * Makes a lease one that is not recallable, and notifies waiting requests. Its
	 * parameters are key and owner. Only dialects with recalls have it.
	 */
	DECLINE_RECALL,

	/**
	 * Leaves a mark in a row, with which waiting requests will be notified of its
	 * release, unless the row has been written since it was read. Its parameters are key
	 * and version. Only dialects with notifications of releases have it.
	 */
	MARK,

	/**
	 * Leaves such marks in the rows of several keys. It skips rows that are locked by
	 * other sessions. Its results are keys and versions. Only dialects with notifications
	 * of releases have it.
	 */
	MARK_ALL,

	/**
	 * Hands the key off to the first waiting request, or releases it if there is none.
	 * The next owner must acquire the key before the reservation ends. The column of the
	 * waiting requests is assigned last because some databases assign from left to right.
	 * An empty text is computed, because an empty literal is {@code NULL} in some modes
	 * of some databases.
	 */
	RELEASE("""
			UPDATE @@table@@ SET
			  owner = CASE WHEN @@handing-off@@ THEN SUBSTRING(waiting, 1, POSITION(' ' IN waiting) - 1) END,
			  expires_at = CASE WHEN @@handing-off@@ THEN @@now@@ + @@reservation@@ ELSE 0 END,
			  holder = NULL, held_since = NULL, version = version + 1,
			  waiting = CASE WHEN @@handing-off@@
			      THEN NULLIF(SUBSTRING(waiting, POSITION(' ' IN waiting) + 1), LEFT(waiting, 0)) ELSE waiting END
			WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@
			  AND @@short-wait@@ AND @@no-flush@@
			""".replace("@@reservation@@", String.valueOf(TimeUnit.MICROSECONDS.convert(KeyState.RESERVATION_TIME)))),

	/**
	 * Replaces the owner by a placeholder owner, which no process uses. Notifies waiting
	 * requests, because the key will be free earlier than they know.
	 */
	RELEASE_WITH_DELAY(
			"""
					UPDATE @@table@@ SET owner = ?, expires_at = @@now@@ + ?, holder = TRIM(TRAILING '!' FROM holder), version = version + 1
					WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@ AND @@short-wait@@
					@@notifying@@"""),

	RENEW("""
			UPDATE @@table@@ SET expires_at = @@now@@ + ?, version = version + 1
			WHERE lock_key IN (@@placeholders@@) AND owner IN (@@placeholders@@) AND expires_at > @@now@@ AND @@short-wait@@
			"""),

	HELD("""
			SELECT owner FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND owner IN (@@placeholders@@) AND expires_at > @@now@@
			"""),

	/**
	 * Reads rows, and the clock, for keys without a row as well.
	 */
	READ("""
			SELECT now_micros, lock_key, version, owner, token, expires_at, holder, shared_until, entries, @@awaited@@, waiting
			FROM (SELECT @@now@@ AS now_micros) AS present
			LEFT JOIN @@table@@ ON lock_key IN (@@placeholders@@)
			"""),

	/**
	 * Writes a row unless it has been written since it was read. Its parameters are the
	 * owner, the end of the exclusive lease as computed when the row was read, the time
	 * from the reading to that end or {@code null} if there is no such lease, and the
	 * other columns.
	 * <p>
	 * Compares the owner before it is assigned, because some databases assign from left
	 * to right. A new end counts from the time at which the row is locked, which may be
	 * later than that at which it was read.
	 */
	WRITE("""
			UPDATE @@table@@ SET
			  held_since = CASE WHEN owner = ? THEN held_since ELSE @@timestamp@@ END,
			  expires_at = CASE WHEN expires_at = ? THEN expires_at ELSE COALESCE(@@now@@ + ?, 0) END,
			  owner = ?, token = ?, holder = ?, shared_until = ?, entries = ?, waiting = ?, version = version + 1
			@@where-unchanged@@
			"""),

	/**
	 * {@link #WRITE} for a change after which waiting requests may be admitted. It
	 * notifies them if the database supports that.
	 */
	WRITE_AND_NOTIFY(WRITE.template + "@@notifying@@"),

	/**
	 * {@link #WRITE_AND_NOTIFY} for a release, which need not be flushed to disk.
	 */
	WRITE_RELEASED(WRITE.template.stripTrailing() + " AND @@no-flush@@\n@@notifying@@"),

	/**
	 * Inserts a row unless it exists.
	 */
	INSERT("""
			INSERT INTO @@table@@
			  (held_since, expires_at, owner, token, holder, shared_until, entries, waiting, lock_key, version)
			VALUES (@@timestamp@@, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			"""),

	/**
	 * Removes a row unless it has been written since it was read.
	 */
	DELETE("""
			DELETE FROM @@table@@ WHERE lock_key = ? AND version = ? AND @@short-wait@@
			"""),

	/**
	 * Finds the last key of a page after a key. Its parameters are that key and the
	 * number of rows to skip.
	 */
	LAST_OF_PAGE("""
			SELECT lock_key FROM @@table@@ WHERE lock_key > ? ORDER BY lock_key LIMIT 1 OFFSET ?
			"""),

	/**
	 * Reads the rows between two keys whose token, lease and last shared lease are older
	 * than the last parameter.
	 */
	OLD_ROWS("""
			SELECT lock_key, version, token, shared_until, entries, now_micros
			FROM (SELECT @@now@@ AS now_micros) AS present, @@table@@
			WHERE lock_key > ? AND lock_key <= ? AND GREATEST(token, expires_at, shared_until) <= now_micros - ?
			"""),

	/**
	 * Removes rows that have no entries and whose token, lease and last shared lease are
	 * older than the last parameter. An acquisition in the meantime makes a row young.
	 */
	DELETE_OLD("""
			DELETE FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND GREATEST(token, expires_at, shared_until) <= @@now@@ - ?
			  AND entries IS NULL AND @@short-wait@@
			"""),

	/**
	 * Changes the row of a value if a condition is met, and records the update.
	 * <p>
	 * Its parameters are the {@linkplain ValueEntry#beginning beginning} of the new
	 * entry, the process, the expected number and version if the dialect
	 * {@linkplain ValueDialect#isValueCompared() compares} them, two factors and a
	 * summand of the end of the time to live, the factor and the summand of the number,
	 * the key, the minimum and the maximum of the number and of the version, the process,
	 * and the {@linkplain ValueEntry#sequence number} of the update.
	 */
	UPDATE_VALUE,

	/**
	 * Reads the row of a value, and the clock.
	 */
	READ_VALUE("""
			SELECT now_micros, number, version, format, updates, expires_at
			FROM (SELECT @@now@@ AS now_micros) AS present
			LEFT JOIN @@values@@ ON value_key = ?
			"""),

	/**
	 * Reads rows of values without their entries, and whether changes of them will be
	 * notified for a while.
	 */
	READ_VALUES("""
			SELECT value_key, CASE WHEN @@alive@@ THEN number END, version, format, @@watched@@
			FROM @@values@@ WHERE value_key IN (@@placeholders@@)
			"""),

	/**
	 * Enables notifications of changes of rows for a while, and reads them as
	 * {@link #READ_VALUES} does. Missing rows are inserted, as rows of deleted values.
	 * Only dialects with notifications have it.
	 */
	WATCH_VALUES,

	/**
	 * Inserts the row of a value unless it exists.
	 */
	INSERT_VALUE("""
			INSERT INTO @@values@@ (value_key, number, version, format, updates) VALUES (?, ?, ?, @@format@@, ?)
			"""),

	/**
	 * Deletes a value whose time to live is over, unless its row was changed meanwhile.
	 * Its parameters are key and version.
	 */
	END_VALUE("""
			UPDATE @@values@@ SET number = NULL, expires_at = 0, version = @@next-version@@
			WHERE value_key = ? AND version = ? AND format = @@format@@ AND @@short-wait@@
			"""),

	/**
	 * {@link #LAST_OF_PAGE} for values.
	 */
	LAST_OF_VALUE_PAGE("""
			SELECT value_key FROM @@values@@ WHERE value_key > ? ORDER BY value_key LIMIT 1 OFFSET ?
			"""),

	/**
	 * Reads the keys of deleted values between two keys that are older than the last
	 * parameter.
	 */
	OLD_VALUES("""
			SELECT value_key FROM @@values@@
			WHERE value_key > ? AND value_key <= ? AND @@old@@
			"""),

	DELETE_OLD_VALUES("""
			DELETE FROM @@values@@ WHERE value_key IN (@@placeholders@@) AND @@old@@ AND @@short-wait@@
			""");

	private final String template;

	SqlStatement() {
		this("");
	}

	SqlStatement(String template) {
		this.template = template;
	}

	/**
	 * Return the template, which is empty if only dialects have one.
	 */
	String template() {
		return this.template;
	}

}
