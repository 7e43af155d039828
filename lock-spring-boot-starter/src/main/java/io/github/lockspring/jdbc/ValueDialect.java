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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Statements on values in the dialect of one database product.
 * <p>
 * In the statements, {@code @@values@@} is the value table, {@code @@begin@@} the clock
 * at the beginning of the statement, {@code @@length@@} the length of an entry,
 * {@code @@max-length@@} the maximum length of all entries of a row, and
 * {@code @@sequence@@} the position of the number of the update in an entry. The others
 * are those of {@link JdbcDialect}.
 */
abstract class ValueDialect {

	/**
	 * Format version of the rows. The statements do not change rows with another one.
	 */
	static final int FORMAT = 1;

	/**
	 * Expression for the version before the change, 0 if the value is absent.
	 */
	static final String VERSION_BEFORE = "CASE WHEN number IS NULL THEN 0 ELSE version END";

	/**
	 * Expression for the next version, which is a time, so that versions increase even if
	 * the last changes are lost by a failover, or the row is removed.
	 */
	static final String NEXT_VERSION = "GREATEST(version + 1, @@begin@@)";

	/**
	 * Condition for an update. A process makes one update of a value at a time. An update
	 * whose number is not greater than that of the last one is a repetition, or late.
	 */
	private static final String CONDITION = """
			value_key = ? AND format = @@format@@ AND COALESCE(number, 0) BETWEEN ? AND ?
			  AND @@version-before@@ BETWEEN ? AND ?
			  AND @@alive@@ AND COALESCE(SUBSTRING(updates, @@own@@ + @@sequence@@, @@sequence-length@@) < ?, TRUE)""";

	/**
	 * Condition that the time to live of a value is not over.
	 */
	private static final String ALIVE = "(expires_at = 0 OR expires_at > @@now@@)";

	/**
	 * Expression for the end of the time to live: none, kept or set. Its parameters are
	 * the minimum of the number for the value to remain, a factor of the former one, a
	 * factor of the clock, and a summand.
	 */
	private static final String EXPIRY = "CASE WHEN @@deleted@@ THEN 0 ELSE expires_at * CAST(? AS @@bigint@@)"
			+ " + @@begin@@ * CAST(? AS @@bigint@@) + CAST(? AS @@bigint@@) END";

	/**
	 * Expression for the number. Its parameters are the minimum of the former one for the
	 * value to remain, a factor of the former one and a summand.
	 */
	private static final String NUMBER = "CASE WHEN @@deleted@@ THEN NULL"
			+ " ELSE COALESCE(number, 0) * CAST(? AS @@bigint@@) + CAST(? AS @@bigint@@) END";

	/**
	 * Condition under which a value is deleted because of its number.
	 */
	private static final String DELETED = "COALESCE(number, 0) < CAST(? AS @@bigint@@)";

	/**
	 * Condition for rows of deleted values and of those whose time to live is over,
	 * except rows written by a later version.
	 */
	private static final String OLD = "(number IS NULL OR expires_at > 0) AND format = @@format@@"
			+ " AND GREATEST(version, expires_at) <= @@now@@ - ?";

	/**
	 * Return the expression for the clock at the beginning of the statement, which is
	 * constant within a statement. By default, it is the clock.
	 */
	String begin() {
		return "@@now@@";
	}

	/**
	 * Return the expression for the position of the entry of a process in the row, or
	 * {@code NULL}. Its parameter is the instance of the process.
	 */
	abstract String ownPosition();

	/**
	 * Return the template of {@link SqlStatement#UPDATE_VALUE}.
	 */
	abstract String update();

	/**
	 * Return whether {@link SqlStatement#UPDATE_VALUE} compares the value before the
	 * change with an expected one, because it cannot return it.
	 */
	boolean isValueCompared() {
		return false;
	}

	/**
	 * Run the statement {@link SqlStatement#UPDATE_VALUE}, by default as a query for the
	 * new entry.
	 * @return the row after the update, or {@code null} if it was not changed
	 */
	@Nullable UpdatedRow update(PreparedStatement statement) throws SQLException {
		try (ResultSet result = statement.executeQuery()) {
			return result.next() ? new UpdatedRow(result.getString(1), 0) : null;
		}
	}

	/**
	 * Return the condition that changes of a row will be notified for a while.
	 */
	String watched() {
		return "FALSE";
	}

	/**
	 * Return the template of {@link SqlStatement#WATCH_VALUES}, which is empty if the
	 * database does not support notifications.
	 */
	String watch() {
		return "";
	}

	/**
	 * Return the condition for rows that may be removed.
	 */
	String old() {
		return OLD;
	}

	/**
	 * Return the name of the type of 64 bits in casts.
	 */
	String bigint() {
		return "BIGINT";
	}

	/**
	 * Return the required columns of the value table.
	 */
	abstract List<JdbcColumn> columns();

	final String render(String template) {
		return template.replace("@@condition@@", CONDITION)
			.replace("@@old@@", old())
			.replace("@@watched@@", watched())
			.replace("@@alive@@", ALIVE)
			.replace("@@expiry@@", EXPIRY)
			.replace("@@number@@", NUMBER)
			.replace("@@deleted@@", DELETED)
			.replace("@@bigint@@", bigint())
			.replace("@@version-before@@", VERSION_BEFORE)
			.replace("@@next-version@@", NEXT_VERSION)
			.replace("@@own@@", ownPosition())
			.replace("@@begin@@", begin())
			.replace("@@format@@", String.valueOf(FORMAT))
			.replace("@@length@@", String.valueOf(ValueEntry.LENGTH))
			.replace("@@max-length@@", String.valueOf(ValueEntry.MAX_TOTAL_LENGTH))
			.replace("@@sequence@@", String.valueOf(ValueEntry.SEQUENCE_OFFSET))
			.replace("@@sequence-length@@", String.valueOf(ValueEntry.SEQUENCE_LENGTH));
	}

	/**
	 * Row after an update that was applied. If there is neither an entry nor a version,
	 * the row has to be read.
	 *
	 * @param entry the entry that was written, or {@code null}
	 * @param version the version of the row after the update if the value before was the
	 * expected one, or 0
	 */
	record UpdatedRow(@Nullable String entry, long version) {
	}

}
