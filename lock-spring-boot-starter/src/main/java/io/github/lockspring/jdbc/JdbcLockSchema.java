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

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Creates and validates the tables of {@link JdbcLockBackend}: the lock table, and the
 * value table beside it, whose name ends in {@code _value}. Thread-safe, and safe for
 * concurrent use by several processes.
 */
public final class JdbcLockSchema {

	/**
	 * Default name of the lock table.
	 */
	public static final String DEFAULT_TABLE_NAME = "distributed_lock";

	private static final int MAX_REPETITIONS = 40;

	private static final int MAX_LOOKS = 8;

	private static final Duration PAUSE = Duration.ofMillis(25);

	private final DataSource dataSource;

	private final TableName table;

	private volatile @Nullable Boolean releasesNotified;

	/**
	 * Create a schema. Does not access the database yet.
	 * @param dataSource the database
	 * @param tableName the lock table, with or without its schema
	 * @throws IllegalArgumentException if the table name is invalid
	 */
	public JdbcLockSchema(DataSource dataSource, String tableName) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		this.dataSource = dataSource;
		this.table = new TableName(tableName);
	}

	/**
	 * Create the tables unless they exist. Safe when several nodes start at the same
	 * time.
	 * @throws UnsupportedDatabaseException if there is no dialect for the database
	 * @throws JdbcLockSchemaException if the database rejected a statement
	 * @throws BackendUnavailableException if the database could not be reached, or is
	 * read-only and lacks one of the tables
	 */
	public void initialize() {
		run(this::create);
	}

	private void create(LockConnection connection) throws SQLException {
		List<JdbcTable> tables = tables(connection);
		List<String> definitions = connection.dialect().schemaStatements(this.table);
		for (int i = 0; i < definitions.size(); i++) {
			create(connection, tables.get(i), definitions.get(i));
		}
	}

	private List<JdbcTable> tables(LockConnection connection) {
		JdbcDialect dialect = connection.dialect();
		return List.of(new JdbcTable("lock table", this.table, "lock_key", dialect.columns()),
				new JdbcTable("value table", this.table.ofValues(), "value_key", dialect.values().columns()));
	}

	private void create(LockConnection connection, JdbcTable table, String definition) throws SQLException {
		try {
			JdbcDialect.execute(connection.connection(), definition);
		}
		catch (SQLException ex) {
			if (!table.isPresent(connection)) {
				throw explained(ex, connection, table, "could not be created");
			}
		}
	}

	/**
	 * Validate that the tables exist, have the expected columns, and may be changed by
	 * the user of the data source.
	 * @throws UnsupportedDatabaseException if there is no dialect for the database
	 * @throws JdbcLockSchemaException if something is missing; the message describes it,
	 * and contains the definition of the tables
	 * @throws BackendUnavailableException if the database could not be reached, or is
	 * read-only, such as a replica
	 */
	public void validate() {
		run((connection) -> {
			this.releasesNotified = connection.dialect().has(SqlStatement.CONTEND);
			List<JdbcTable> tables = tables(connection);
			for (JdbcTable table : tables) {
				requireFit(connection, table);
			}
			connection.requireWritable();
			requireOperations(connection, tables.get(0), "locks", TrialOperations::lock);
			requireOperations(connection, tables.get(1), "values", TrialOperations::update);
		});
	}

	private void requireFit(LockConnection connection, JdbcTable table) throws SQLException {
		List<String> problems = lastingProblems(connection, table);
		if (!problems.isEmpty()) {
			throw wrong(connection, table, "is incompatible. " + String.join(" ", problems), null);
		}
	}

	/**
	 * Return whether the database supports release notifications, which is determined by
	 * {@link #validate()}, and before by the URL.
	 * @return whether the database supports release notifications
	 */
	public boolean areReleasesNotified() {
		Boolean notified = this.releasesNotified;
		return (notified != null) ? notified
				: JdbcAddress.url(this.dataSource).filter((url) -> url.startsWith("jdbc:postgresql:")).isPresent();
	}

	/**
	 * Return the problems that last for several checks: another node may be creating the
	 * table, which some databases show before its primary key.
	 */
	private List<String> lastingProblems(LockConnection connection, JdbcTable table) throws SQLException {
		List<String> problems = problems(connection, table);
		for (int looks = 1; looks < MAX_LOOKS && !problems.isEmpty(); looks++) {
			LockSupport.parkNanos(PAUSE.toNanos());
			problems = problems(connection, table);
		}
		return problems;
	}

	private List<String> problems(LockConnection connection, JdbcTable table) throws SQLException {
		try {
			return table.problems(connection);
		}
		catch (SQLException ex) {
			throw explained(ex, connection, table, "is missing or cannot be read");
		}
	}

	/**
	 * Run operations, and roll them back: missing privileges, settings, triggers and
	 * additional columns can prevent them in unforeseeable ways.
	 */
	private void requireOperations(LockConnection connection, JdbcTable table, String use, Task operations)
			throws SQLException {
		try {
			connection.<Boolean>inTransaction(() -> {
				operations.run(connection);
				JdbcDialect.execute(connection.connection(), "DELETE FROM " + table.name() + " WHERE 1 = 0");
				return null;
			});
		}
		catch (SQLException ex) {
			throw explained(ex, connection, table, "cannot be used for " + use);
		}
	}

	/**
	 * Return an exception with an explanation for the rejection of a statement.
	 */
	private JdbcLockSchemaException explained(SQLException failure, LockConnection connection, JdbcTable table,
			String problem) throws SQLException {
		JdbcDialect dialect = connection.dialect();
		if (!dialect.isRejected(failure) || dialect.isTemporary(failure)) {
			throw failure;
		}
		String remedy = dialect.remedy(failure, connection.connection()).map((sentence) -> " " + sentence).orElse("");
		return wrong(connection, table, problem + ": " + failure.getMessage() + "." + remedy, failure);
	}

	private JdbcLockSchemaException wrong(LockConnection connection, JdbcTable table, String problem,
			@Nullable Exception cause) {
		return new JdbcLockSchemaException("The %s '%s' %s".formatted(table.kind(), table.name(), problem),
				connection.dialect().schema(this.table), cause);
	}

	private void run(Task task) {
		try {
			try (LockConnection connection = LockConnection.open(this.dataSource, this.table)) {
				run(task, connection, MAX_REPETITIONS);
			}
		}
		catch (SQLException ex) {
			throw new BackendUnavailableException("The database of the lock table '%s' at %s %s: %s"
				.formatted(this.table, JdbcAddress.of(this.dataSource), problem(ex), ex.getMessage()), ex);
		}
	}

	private static String problem(SQLException failure) {
		if (JdbcDialect.READ_ONLY.equals(failure.getSQLState())) {
			return "cannot be written to";
		}
		return (JdbcDialect.hasConnectionFailed(failure) || failure.getSQLState() == null) ? "could not be reached"
				: "cannot be used now";
	}

	/**
	 * Run a task, and retry it after a conflict with another node.
	 */
	private static void run(Task task, LockConnection connection, int repetitions) throws SQLException {
		try {
			task.run(connection);
		}
		catch (SQLException ex) {
			if (repetitions == 0 || !connection.dialect().isContended(ex)) {
				throw ex;
			}
			LockSupport.parkNanos(PAUSE.toNanos());
			run(task, connection, repetitions - 1);
		}
	}

	/**
	 * Task on a connection.
	 */
	private interface Task {

		void run(LockConnection connection) throws SQLException;

	}

}
