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

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Table that a {@link JdbcLockSchema} consists of.
 *
 * @param kind the name of its kind in messages
 * @param name its name
 * @param key the column that must be its primary key
 * @param columns its required columns
 */
record JdbcTable(String kind, TableName name, String key, List<JdbcColumn> columns) {

	boolean isPresent(LockConnection connection) {
		try {
			return read(connection, ResultSetMetaData::getColumnCount) > 0;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Return what prevents the table from being used.
	 */
	List<String> problems(LockConnection connection) throws SQLException {
		return read(connection, (present) -> {
			List<String> problems = new ArrayList<>();
			for (JdbcColumn column : this.columns) {
				column.problemIn(present).ifPresent(problems::add);
			}
			if (problems.isEmpty() && !hasPrimaryKey(connection, present)) {
				problems.add("Its primary key must be the column '%s' alone.".formatted(this.key));
			}
			connection.dialect().storageProblem(connection.connection(), this.name).ifPresent(problems::add);
			return problems;
		});
	}

	private <T> T read(LockConnection connection, Reader<T> reader) throws SQLException {
		try (Statement statement = connection.connection().createStatement();
				ResultSet rows = statement.executeQuery("SELECT * FROM " + this.name + " WHERE 1 = 0")) {
			return reader.read(rows.getMetaData());
		}
	}

	/**
	 * Check the primary key by the names that the database returns for the table, which
	 * may differ in case. Some drivers do not return the schema, and the keys of all
	 * schemas are read then.
	 */
	private boolean hasPrimaryKey(LockConnection connection, ResultSetMetaData present) throws SQLException {
		Map<String, List<String>> primaryKeys = new HashMap<>();
		try (ResultSet rows = connection.connection()
			.getMetaData()
			.getPrimaryKeys(orNull(present.getCatalogName(1)), orNull(present.getSchemaName(1)),
					present.getTableName(1))) {
			while (rows.next()) {
				String schema = String.valueOf(rows.getString("TABLE_SCHEM"));
				primaryKeys.computeIfAbsent(schema, (first) -> new ArrayList<>())
					.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
			}
		}
		return primaryKeys.containsValue(List.of(this.key));
	}

	private static @Nullable String orNull(String name) {
		return name.isEmpty() ? null : name;
	}

	/**
	 * Reader of the columns of a table.
	 *
	 * @param <T> the type of the result
	 */
	private interface Reader<T> {

		T read(ResultSetMetaData columns) throws SQLException;

	}

}
