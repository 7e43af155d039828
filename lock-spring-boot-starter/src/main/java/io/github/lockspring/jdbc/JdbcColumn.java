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

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Required column of a table.
 *
 * @param name its name in lower case
 * @param jdbcTypes its type as reported by the drivers, from {@link java.sql.Types}
 * @param minLength the length it must have at least, 0 if its type has none
 * @param definition its type as the database writes it
 */
record JdbcColumn(String name, Set<Integer> jdbcTypes, int minLength, String definition) {

	JdbcColumn(String name, int jdbcType, int minLength, String definition) {
		this(name, Set.of(jdbcType), minLength, definition);
	}

	/**
	 * Columns that must be nullable.
	 */
	private static final Set<String> OPTIONAL = Set.of("owner", "holder", "held_since", "entries", "number");

	/**
	 * Return the columns of the lock table, given those that depend on the database.
	 */
	static List<JdbcColumn> ofLocks(JdbcColumn key, JdbcColumn heldSince, JdbcColumn entries, JdbcColumn... others) {
		return concat(others, key, varchar("owner", 64), bigint("token"), bigint("expires_at"), varchar("holder", 255),
				heldSince, bigint("version"), bigint("shared_until"), entries, varchar("waiting", 2000));
	}

	/**
	 * Return the columns of the value table, given those that depend on the database.
	 */
	static List<JdbcColumn> ofValues(JdbcColumn key, JdbcColumn updates, JdbcColumn... others) {
		return concat(others, key, bigint("number"), bigint("version"),
				new JdbcColumn("format", Types.SMALLINT, 0, "SMALLINT"), updates, bigint("expires_at"));
	}

	private static List<JdbcColumn> concat(JdbcColumn[] others, JdbcColumn... columns) {
		return Stream.concat(Stream.of(columns), Stream.of(others)).toList();
	}

	private static JdbcColumn varchar(String name, int length) {
		return new JdbcColumn(name, Types.VARCHAR, length, "VARCHAR(%d)".formatted(length));
	}

	static JdbcColumn bigint(String name) {
		return new JdbcColumn(name, Types.BIGINT, 0, "BIGINT");
	}

	/**
	 * Check this column in a table.
	 * @param columns the columns of the table
	 * @return a sentence that describes the problem, if any
	 */
	Optional<String> problemIn(ResultSetMetaData columns) throws SQLException {
		for (int i = 1; i <= columns.getColumnCount(); i++) {
			if (columns.getColumnLabel(i).equalsIgnoreCase(this.name)) {
				return problemOf(columns, i);
			}
		}
		return Optional.of("It has no column '%s', which must be %s.".formatted(this.name, this.definition));
	}

	private Optional<String> problemOf(ResultSetMetaData columns, int index) throws SQLException {
		if (!this.jdbcTypes.contains(columns.getColumnType(index)) || columns.getPrecision(index) < this.minLength) {
			return Optional.of("Its column '%s' must be %s, not %s(%d).".formatted(this.name, this.definition,
					columns.getColumnTypeName(index), columns.getPrecision(index)));
		}
		if (OPTIONAL.contains(this.name) && columns.isNullable(index) == ResultSetMetaData.columnNoNulls) {
			return Optional.of("Its column '%s' must be nullable.".formatted(this.name));
		}
		return Optional.empty();
	}

}
