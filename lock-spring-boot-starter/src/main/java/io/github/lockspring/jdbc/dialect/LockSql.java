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

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Statements for one table in one dialect.
 */
public final class LockSql {

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

	private final String releaseOne;

	private final String readOne;

	private final String write;

	private final String writeAndNotify;

	private final @Nullable String mark;

	public LockSql(JdbcDialect dialect, TableName table) {
		this.dialect = dialect;
		this.table = table;
		this.acquire = dialect.render(dialect.acquire(), table, 0);
		String reacquire = dialect.reacquire();
		this.reacquire = (reacquire != null) ? dialect.render(reacquire, table, 0) : null;
		String contend = dialect.contend();
		this.contend = (contend != null) ? dialect.render(contend, table, 0) : null;
		this.releaseOne = dialect.render(dialect.release(), table, 1);
		this.readOne = dialect.render(dialect.read(), table, 1);
		this.write = dialect.render(dialect.write(), table, 0);
		this.writeAndNotify = dialect.render(dialect.writeAndNotify(), table, 0);
		String mark = dialect.mark();
		this.mark = (mark != null) ? dialect.render(mark, table, 0) : null;
	}

	public String acquire() {
		return this.acquire;
	}

	public @Nullable String reacquire() {
		return this.reacquire;
	}

	public @Nullable String contend() {
		return this.contend;
	}

	public String release(int placeholders) {
		return (placeholders == 1) ? this.releaseOne : render(this.dialect.release(), placeholders);
	}

	public String releaseWithDelay(int placeholders) {
		return render(this.dialect.releaseWithDelay(), placeholders);
	}

	public String renew(int placeholders) {
		return render(this.dialect.renew(), placeholders);
	}

	public String held(int placeholders) {
		return render(this.dialect.held(), placeholders);
	}

	public String read(int placeholders) {
		return (placeholders == 1) ? this.readOne : render(this.dialect.read(), placeholders);
	}

	public String write() {
		return this.write;
	}

	public String writeAndNotify() {
		return this.writeAndNotify;
	}

	public @Nullable String mark() {
		return this.mark;
	}

	public boolean isMarking() {
		return this.mark != null;
	}

	public String markAll(int placeholders) {
		return render(Objects.requireNonNull(this.dialect.markAll()), placeholders);
	}

	public String insert() {
		return render(this.dialect.insert(), 0);
	}

	public String delete() {
		return render(this.dialect.delete(), 0);
	}

	public String deleteOld(int placeholders) {
		return render(this.dialect.deleteOld(), placeholders);
	}

	/**
	 * Return the statement that finds the last key of a page after a key.
	 * @param size the number of rows of a page
	 */
	public String lastOfPage(int size) {
		return render(LAST_OF_PAGE.formatted(size - 1), 0);
	}

	/**
	 * Return the statement that reads the rows between two keys whose token, lease and
	 * last shared lease are older than the last three parameters.
	 */
	public String oldRows() {
		return render(OLD_ROWS, 0);
	}

	private String render(String template, int placeholders) {
		return this.dialect.render(template, this.table, placeholders);
	}

}
