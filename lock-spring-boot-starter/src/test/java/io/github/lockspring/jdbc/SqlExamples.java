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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.StringUtils;

import io.github.lockspring.support.PageBlock;

/**
 * The examples in SQL on pages.
 */
final class SqlExamples {

	private static final Pattern DATABASE = Pattern.compile("(?m)^(?:#+ |<details>).*?(PostgreSQL|MariaDB|MySQL|H2)");

	private static final Map<String, String> USERS = Map.of("H2", "CREATE USER shop PASSWORD ''", "PostgreSQL",
			"CREATE ROLE shop", "MariaDB", "CREATE USER shop; CREATE DATABASE shop; USE shop");

	private static final Map<String, String> SCHEMAS = Map.of("H2", "schema-h2.sql", "PostgreSQL",
			"schema-postgresql.sql", "MariaDB", "schema-mysql.sql", "MySQL", "schema-mysql.sql");

	private static final String TABLES = """
			CREATE TABLE account (id BIGINT PRIMARY KEY, balance DECIMAL(19, 2));
			CREATE TABLE product (id BIGINT PRIMARY KEY, stock BIGINT);
			""";

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
	 * Return the statements that create the tables of locks and values.
	 */
	static String schemaOf(String database) {
		try {
			return new ClassPathResource(SCHEMAS.get(database), JdbcLockSchema.class)
				.getContentAsString(StandardCharsets.UTF_8)
				.replace("@@table@@", JdbcLockSchema.DEFAULT_TABLE_NAME)
				.replace("@@values@@", JdbcLockSchema.DEFAULT_TABLE_NAME + "_value")
				.strip() + ";";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Create what examples use: a user and tables.
	 */
	static void prepare(String database, Connection connection) throws SQLException {
		execute(USERS.getOrDefault(database, USERS.get("MariaDB")), connection);
		execute(TABLES, connection);
		execute(schemaOf(database), connection);
	}

	/**
	 * Execute statements, with nulls as parameters.
	 */
	static void execute(String statements, Connection connection) throws SQLException {
		for (String sql : statements.strip().split(";\\s*")) {
			try (PreparedStatement statement = connection.prepareStatement(sql)) {
				for (int i = 1; i <= StringUtils.countOccurrencesOf(sql, "?"); i++) {
					statement.setObject(i, null);
				}
				statement.execute();
			}
		}
	}

}
