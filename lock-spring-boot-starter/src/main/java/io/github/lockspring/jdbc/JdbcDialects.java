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
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Supported dialects.
 */
final class JdbcDialects {

	private static final List<JdbcDialect> ALL = List.of(new PostgresDialect(), new MySqlDialect(), new H2Dialect());

	private JdbcDialects() {
	}

	/**
	 * Return the dialect of a database.
	 * @throws UnsupportedDatabaseException if there is none, or if the connections lead
	 * to several servers that may all accept writes
	 */
	static JdbcDialect of(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		for (JdbcDialect dialect : ALL) {
			if (dialect.supports(database.getDatabaseProductName(), database.getDatabaseProductVersion(),
					database.getDatabaseMajorVersion())) {
				SingleServer.requireOneServer(database.getURL());
				SingleServer.requireOneClock(database.getDatabaseProductVersion());
				return dialect;
			}
		}
		throw new UnsupportedDatabaseException("Unsupported database for locks: %s %s; supported are %s".formatted(
				database.getDatabaseProductName(), database.getDatabaseProductVersion(),
				ALL.stream().map(JdbcDialect::databases).collect(Collectors.joining(", "))));
	}

}
