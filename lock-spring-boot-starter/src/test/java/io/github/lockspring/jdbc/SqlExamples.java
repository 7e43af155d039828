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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.lockspring.support.PageBlock;

/**
 * The examples in SQL on pages.
 */
final class SqlExamples {

	private static final Pattern DATABASE = Pattern.compile("(?m)^(?:#|<details>).*?(PostgreSQL|MariaDB|MySQL|H2)");

	private SqlExamples() {
	}

	/**
	 * Return the blocks that create the tables.
	 */
	static Stream<PageBlock> tables() {
		return PageBlock.in("sql").stream().filter(SqlExamples::createsTables);
	}

	/**
	 * Return the other blocks that are of a database.
	 */
	static Stream<PageBlock> statementsOn(String database) {
		return PageBlock.in("sql")
			.stream()
			.filter((block) -> !createsTables(block) && databaseOf(block).equals(database));
	}

	private static boolean createsTables(PageBlock block) {
		return block.text().contains("CREATE TABLE IF NOT EXISTS " + JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	/**
	 * Return the database that the nearest heading names, H2 if none does.
	 */
	static String databaseOf(PageBlock block) {
		return DATABASE.matcher(block.before())
			.results()
			.map((heading) -> heading.group(1))
			.reduce("H2", (first, second) -> second);
	}

	/**
	 * Execute the statements of a block, with nulls as parameters.
	 */
	static void execute(PageBlock block, Connection connection) throws SQLException {
		for (String sql : block.text().strip().split(";\\s*")) {
			try (PreparedStatement statement = connection.prepareStatement(sql)) {
				for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
					statement.setObject(i, null);
				}
				statement.execute();
			}
			catch (SQLException ex) {
				throw new SQLException(block + ": " + sql, ex);
			}
		}
	}

}
