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

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Supported dialects.
 */
public final class JdbcDialects {

	private static final List<JdbcDialect> ALL = List.of(new PostgresDialect(), new MySqlDialect(true),
			new MySqlDialect(false), new H2Dialect());

	/**
	 * Databases that call themselves PostgreSQL or MySQL, by a part of their version.
	 * Several of their servers accept writes, and decide by their own clocks whether a
	 * lease is over.
	 */
	private static final Map<String, String> DISTRIBUTED = Map.of("-YB-", "YugabyteDB", "CockroachDB", "CockroachDB",
			"DSQL", "Aurora DSQL", "TiDB", "TiDB", "OceanBase", "OceanBase", "Vitess", "Vitess");

	private JdbcDialects() {
	}

	/**
	 * Return the dialect of a database.
	 * @throws UnsupportedDatabaseException if there is none, or if the connections lead
	 * to several servers that may all accept writes
	 */
	public static JdbcDialect of(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		for (JdbcDialect dialect : ALL) {
			if (dialect.supports(database.getDatabaseProductName(), database.getDatabaseProductVersion(),
					database.getDatabaseMajorVersion())) {
				ServerUrl.requireOneServer(database.getURL());
				requireOneClock(database.getDatabaseProductVersion());
				return dialect;
			}
		}
		throw new UnsupportedDatabaseException("Unsupported database for locks: %s %s; supported are %s".formatted(
				database.getDatabaseProductName(), database.getDatabaseProductVersion(),
				ALL.stream().map(JdbcDialect::databases).collect(Collectors.joining(", "))));
	}

	/**
	 * Reject a distributed database.
	 * @param version the version of the database as it describes itself
	 * @throws UnsupportedDatabaseException if the version is that of a distributed one
	 */
	static void requireOneClock(String version) {
		DISTRIBUTED.forEach((part, name) -> {
			if (version.contains(part)) {
				throw distributed(name);
			}
		});
	}

	static UnsupportedDatabaseException distributed(String name) {
		return new UnsupportedDatabaseException(("Unsupported database for locks: %s. Several of its servers accept "
				+ "writes, and the end of a lease would depend on which of their clocks is read.")
			.formatted(name));
	}

}
