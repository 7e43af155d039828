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

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.state.KeyState;

/**
 * Statements for one table in one dialect.
 */
final class LockSql {

	/**
	 * Ends the name of the process whose lease is recallable. It is no character of
	 * names.
	 */
	static final String RECALLABLE = "!";

	/**
	 * Hands the key off to the first waiting request, or releases it if there is none.
	 * The next owner must acquire the key before the reservation ends. The column of the
	 * waiting requests is assigned last because some databases assign from left to right.
	 */
	private static final String RELEASE = """
			UPDATE @@table@@ SET
			  owner = CASE WHEN @@handing-off@@ THEN SUBSTRING(waiting, 1, POSITION(' ' IN waiting) - 1) END,
			  expires_at = CASE WHEN @@handing-off@@ THEN @@now@@ + @@reservation@@ ELSE 0 END,
			  holder = NULL, held_since = NULL, version = version + 1,
			  waiting = CASE WHEN @@handing-off@@ THEN NULLIF(SUBSTRING(waiting, POSITION(' ' IN waiting) + 1), '')
			      ELSE waiting END
			WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@
			  AND @@short-wait@@ AND @@no-flush@@
			""";

	/**
	 * Replaces the owner by a placeholder owner, which no process uses. Notifies waiting
	 * requests, because the key will be free earlier than they know.
	 */
	private static final String RELEASE_WITH_DELAY = """
			UPDATE @@table@@ SET owner = ?, expires_at = @@now@@ + ?, holder = TRIM(TRAILING '!' FROM holder), version = version + 1
			WHERE lock_key IN (@@placeholders@@) AND owner = ? AND expires_at > @@now@@ AND @@short-wait@@
			""";

	private static final String RENEW = """
			UPDATE @@table@@ SET expires_at = @@now@@ + ?, version = version + 1
			WHERE lock_key IN (@@placeholders@@) AND owner IN (@@placeholders@@) AND expires_at > @@now@@ AND @@short-wait@@
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
	 * Compares the owner before it is assigned, because some databases assign from left
	 * to right. A new end counts from the time at which the row is locked, which may be
	 * later than that at which it was read.
	 */
	private static final String WRITE = """
			UPDATE @@table@@ SET
			  held_since = CASE WHEN owner = ? THEN held_since ELSE @@timestamp@@ END,
			  expires_at = CASE WHEN expires_at = ? THEN expires_at ELSE COALESCE(@@now@@ + ?, 0) END,
			  owner = ?, token = ?, holder = ?, shared_until = ?, entries = ?, waiting = ?, version = version + 1
			@@where-unchanged@@
			""";

	/**
	 * Removes a row unless it has been written since it was read.
	 */
	private static final String DELETE = """
			DELETE FROM @@table@@ WHERE lock_key = ? AND version = ? AND @@short-wait@@
			""";

	/**
	 * Removes rows that have no entries and have become old. An acquisition in the
	 * meantime makes a row young.
	 */
	private static final String DELETE_OLD = """
			DELETE FROM @@table@@
			WHERE lock_key IN (@@placeholders@@) AND token <= @@now@@ - ? AND expires_at <= @@now@@ - ?
			  AND shared_until <= @@now@@ - ? AND entries IS NULL AND @@short-wait@@
			""";

	private static final String INSERT = """
			INSERT INTO @@table@@
			  (held_since, expires_at, owner, token, holder, shared_until, entries, waiting, lock_key, version)
			VALUES (@@timestamp@@, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			""";

	private static final String LAST_OF_PAGE = """
			SELECT lock_key FROM @@table@@ WHERE lock_key > ? ORDER BY lock_key LIMIT 1 OFFSET %d
			""";

	private static final String OLD_ROWS = """
			SELECT lock_key, version, token, shared_until, entries, now_micros
			FROM (SELECT @@now@@ AS now_micros) AS present, @@table@@
			WHERE lock_key > ? AND lock_key <= ? AND token <= now_micros - ? AND expires_at <= now_micros - ?
			  AND shared_until <= now_micros - ?
			""";

	private final JdbcDialect dialect;

	private final TableName table;

	private final String acquire;

	private final @Nullable String reacquire;

	private final @Nullable String contend;

	private final String release;

	private final String releaseOne;

	private final String releaseWithDelay;

	private final String readOne;

	private final String write;

	private final String writeAndNotify;

	private final String writeReleased;

	private final @Nullable String mark;

	private final @Nullable String tryAcquire;

	LockSql(JdbcDialect dialect, TableName table) {
		this.dialect = dialect;
		this.table = table;
		this.acquire = dialect.render(dialect.acquire(), table, 0);
		String reacquire = dialect.reacquire();
		this.reacquire = (reacquire != null) ? dialect.render(reacquire, table, 0) : null;
		String contend = dialect.contend();
		this.contend = (contend != null) ? dialect.render(contend, table, 0) : null;
		this.release = dialect.releasing(RELEASE.replace("@@handing-off@@", dialect.handingOff())
			.replace("@@reservation@@", String.valueOf(TimeUnit.MICROSECONDS.convert(KeyState.RESERVATION_TIME))));
		this.releaseOne = dialect.render(this.release, table, 1);
		this.releaseWithDelay = RELEASE_WITH_DELAY + dialect.notifying();
		this.readOne = dialect.render(READ, table, 1);
		String write = WRITE.replace("@@where-unchanged@@", dialect.whereUnchanged());
		this.write = dialect.render(write, table, 0);
		this.writeAndNotify = dialect.render(write + dialect.notifying(), table, 0);
		this.writeReleased = dialect.render(write.stripTrailing() + " AND @@no-flush@@\n" + dialect.notifying(), table,
				0);
		String mark = dialect.mark();
		this.mark = (mark != null) ? dialect.render(mark, table, 0) : null;
		String tryAcquire = dialect.tryAcquire();
		this.tryAcquire = (tryAcquire != null) ? dialect.render(tryAcquire, table, 0) : null;
	}

	String acquire() {
		return this.acquire;
	}

	@Nullable String reacquire() {
		return this.reacquire;
	}

	@Nullable String contend() {
		return this.contend;
	}

	@Nullable String tryAcquire() {
		return this.tryAcquire;
	}

	/**
	 * Return the statement that recalls the leases of keys, with a row for each that is
	 * recallable.
	 */
	String recall(int placeholders) {
		return render(Objects.requireNonNull(this.dialect.recall()), placeholders);
	}

	/**
	 * Return the statement that makes a lease one that is not recallable. Its parameters
	 * are key and owner.
	 */
	String declineRecall() {
		return render(Objects.requireNonNull(this.dialect.declineRecall()), 0);
	}

	String release(int placeholders) {
		return (placeholders == 1) ? this.releaseOne : render(this.release, placeholders);
	}

	String releaseWithDelay(int placeholders) {
		return render(this.releaseWithDelay, placeholders);
	}

	String renew(int placeholders) {
		return render(RENEW, placeholders);
	}

	String held(int placeholders) {
		return render(HELD, placeholders);
	}

	/**
	 * Return the statement that reads rows, and the clock.
	 */
	String read(int placeholders) {
		return (placeholders == 1) ? this.readOne : render(READ, placeholders);
	}

	/**
	 * Return the statement that writes a row unless it has been written since it was
	 * read. Its parameters are the owner, the end of the exclusive lease as computed when
	 * the row was read, the time from the reading to that end or {@code null} if there is
	 * no such lease, and the other columns.
	 */
	String write() {
		return this.write;
	}

	/**
	 * Return the statement {@link #write()} for a change after which waiting requests may
	 * be admitted. It notifies them if the database supports that.
	 */
	String writeAndNotify() {
		return this.writeAndNotify;
	}

	/**
	 * Return the statement {@link #writeAndNotify()} for a release, which need not be
	 * flushed to disk.
	 */
	String writeReleased() {
		return this.writeReleased;
	}

	@Nullable String mark() {
		return this.mark;
	}

	boolean isMarking() {
		return this.mark != null;
	}

	String markAll(int placeholders) {
		return render(Objects.requireNonNull(this.dialect.markAll()), placeholders);
	}

	/**
	 * Return the statement that inserts a row unless it exists.
	 */
	String insert() {
		return render(this.dialect.unlessPresent(INSERT, "lock_key"), 0);
	}

	String delete() {
		return render(DELETE, 0);
	}

	/**
	 * Return the statement that removes rows whose token, lease and last shared lease are
	 * older than the last three parameters.
	 */
	String deleteOld(int placeholders) {
		return render(DELETE_OLD, placeholders);
	}

	/**
	 * Return the statement that finds the last key of a page after a key.
	 * @param size the number of rows of a page
	 */
	String lastOfPage(int size) {
		return render(LAST_OF_PAGE.formatted(size - 1), 0);
	}

	/**
	 * Return the statement that reads the rows between two keys whose token, lease and
	 * last shared lease are older than the last three parameters.
	 */
	String oldRows() {
		return render(OLD_ROWS, 0);
	}

	private String render(String template, int placeholders) {
		return this.dialect.render(template, this.table, placeholders);
	}

}
