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

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Statements on values for one table in one dialect.
 */
final class ValueSql {

	private static final String READ_ONE = """
			SELECT now_micros, number, version, format, updates, expires_at
			FROM (SELECT @@now@@ AS now_micros) AS present
			LEFT JOIN @@values@@ ON value_key = ?
			""";

	private static final String READ = """
			SELECT value_key, CASE WHEN @@alive@@ THEN number END, version, format, @@watched@@
			FROM @@values@@ WHERE value_key IN (@@placeholders@@)
			""";

	private static final String INSERT = """
			INSERT INTO @@values@@ (value_key, number, version, format, updates) VALUES (?, ?, ?, @@format@@, ?)
			""";

	private static final String END = """
			UPDATE @@values@@ SET number = NULL, expires_at = 0, version = @@next-version@@
			WHERE value_key = ? AND version = ? AND format = @@format@@ AND @@short-wait@@
			""";

	private static final String OLD_KEYS = """
			SELECT value_key FROM @@values@@
			WHERE value_key > ? AND value_key <= ? AND @@old@@
			""";

	private static final String DELETE_OLD = """
			DELETE FROM @@values@@ WHERE value_key IN (@@placeholders@@) AND @@old@@ AND @@short-wait@@
			""";

	private static final String LAST_OF_PAGE = """
			SELECT value_key FROM @@values@@ WHERE value_key > ? ORDER BY value_key LIMIT 1 OFFSET %d
			""";

	private final JdbcDialect dialect;

	private final ValueDialect values;

	private final TableName lockTable;

	private final String update;

	private final String readOne;

	/**
	 * Create the statements.
	 * @param dialect the dialect
	 * @param lockTable the lock table, next to which the value table is
	 */
	ValueSql(JdbcDialect dialect, TableName lockTable) {
		this.dialect = dialect;
		this.values = dialect.values();
		this.lockTable = lockTable;
		this.update = render(this.values.update(), 0);
		this.readOne = render(READ_ONE, 0);
	}

	/**
	 * Return the statement that changes a row if a condition is met, and records the
	 * update.
	 * <p>
	 * Its parameters are the {@linkplain ValueEntry#beginning beginning} of the new
	 * entry, the process, the expected number and version if {@link #isValueCompared()},
	 * two factors and a summand of the end of the time to live, the factor and the
	 * summand of the number, the key, the minimum and the maximum of the number and of
	 * the version, the process, and the {@linkplain ValueEntry#sequence number} of the
	 * update.
	 */
	String update() {
		return this.update;
	}

	/**
	 * Return whether {@link #update()} compares the value before the change with an
	 * expected one.
	 */
	boolean isValueCompared() {
		return this.values.isValueCompared();
	}

	/**
	 * Run the statement {@link #update()}.
	 * @return the answer, or {@code null} if no row was changed
	 */
	ValueDialect.@Nullable UpdatedRow update(PreparedStatement statement) throws SQLException {
		return this.values.update(statement);
	}

	/**
	 * Return the statement that reads a row, and the clock.
	 */
	String readOne() {
		return this.readOne;
	}

	/**
	 * Return the statement that reads rows without their entries, and whether changes of
	 * them will be notified for a while.
	 */
	String read(int placeholders) {
		return render(READ, placeholders);
	}

	/**
	 * Return whether rows can be watched.
	 */
	boolean isWatching() {
		return this.values.watch() != null;
	}

	String watch(int placeholders) {
		return render(Objects.requireNonNull(this.values.watch()), placeholders);
	}

	/**
	 * Return the statement that inserts a row unless it exists.
	 */
	String insert() {
		return render(this.dialect.unlessPresent(INSERT, "value_key"), 0);
	}

	/**
	 * Return the statement that deletes a value whose time to live is over, unless its
	 * row was changed meanwhile. Its parameters are key and version.
	 */
	String end() {
		return render(END, 0);
	}

	/**
	 * Return the statement that finds the last key of a page after a key.
	 * @param size the number of rows of a page
	 */
	String lastOfPage(int size) {
		return render(LAST_OF_PAGE.formatted(size - 1), 0);
	}

	/**
	 * Return the statement that reads the keys of deleted values in a range.
	 */
	String oldKeys() {
		return render(OLD_KEYS, 0);
	}

	String deleteOld(int placeholders) {
		return render(DELETE_OLD, placeholders);
	}

	private String render(String template, int placeholders) {
		return this.dialect.render(this.values.render(template), this.lockTable, placeholders);
	}

	/**
	 * Return whether rows of a format can be read and written.
	 */
	static boolean isKnown(int format) {
		return format == ValueDialect.FORMAT;
	}

}
