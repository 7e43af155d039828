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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Dialect of MySQL from version 8 on, and of MariaDB from version 10.6 on, with either
 * driver.
 * <p>
 * Statements wait for a locked row for one second at most, for speed only. That is the
 * minimum, except for not waiting at all, with which drivers log a warning for each
 * conflict between two sessions.
 */
final class MySqlDialect extends JdbcDialect {

	/**
	 * Minimum lock wait timeout of the databases.
	 */
	private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

	private static final Pattern MARIADB_VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+-MariaDB");

	/**
	 * Error codes for lock wait timeout, deadlock, and a record that has changed since
	 * the last read.
	 */
	private static final Set<String> CONTENDED = Set.of("1205", "1213", "1020");

	/**
	 * Error codes for a killed connection, by MariaDB and by MySQL: the statement is
	 * rolled back.
	 */
	private static final Set<String> END_OF_SESSION = Set.of("1927", "1317");

	/**
	 * Error codes for a lack of disk space, memory or threads, and for a statement that
	 * took too long.
	 */
	private static final Set<String> TEMPORARY = Set.of("1021", "1037", "1038", "1041", "1135", "1969", "3024");

	private static final String ERROR_DURING_COMMIT = "1180";

	private static final String UNKNOWN_DATABASE = "1049";

	/**
	 * Error codes for statements that cannot be written to the binary log.
	 */
	private static final Set<Integer> NOT_LOGGED = Set.of(1661, 1662, 1663, 1664, 1665, 1666);

	/**
	 * Error codes for a missing privilege on the database, the table, a column, or for an
	 * administrative operation.
	 */
	private static final Set<String> FORBIDDEN = Set.of("1044", "1142", "1143", "1227");

	private static final int SYNTAX_ERROR = 1064;

	private static final String RESERVED = "The name of the lock table may be a reserved word of the database.";

	private static final String BINLOG_FORMAT = "The 'binlog_format' must not be STATEMENT: "
			+ "the statements use the clock of the server.";

	private static final String SQL_MODE = "The 'sql_mode' must not contain ORACLE, "
			+ "which changes the SQL syntax of the database.";

	/**
	 * Error codes for the two ways in which a server can be read-only.
	 */
	private static final Set<String> READ_ONLY_SERVER = Set.of("1290", "1836");

	private static final String INNODB = "InnoDB";

	MySqlDialect() {
		super("MariaDB 10.6 and later, MySQL 8.0 and later", "schema-mysql.sql", new MySqlValueDialect(),
				Map.of(Failure.CONTENDED, CONTENDED, Failure.UNKNOWN, Set.of(ERROR_DURING_COMMIT),
						Failure.END_OF_SESSION, END_OF_SESSION, Failure.READ_ONLY, READ_ONLY_SERVER, Failure.TEMPORARY,
						TEMPORARY, Failure.SCHEMA_MISSING, Set.of(UNKNOWN_DATABASE), Failure.FORBIDDEN, FORBIDDEN));
	}

	@Override
	boolean supports(String product, String version, int majorVersion) {
		if (!product.equals("MySQL") && !product.equals("MariaDB")) {
			return false;
		}
		Matcher ofMariaDb = MARIADB_VERSION.matcher(version);
		if (ofMariaDb.find()) {
			int major = Integer.parseInt(ofMariaDb.group(1));
			return major > 10 || (major == 10 && Integer.parseInt(ofMariaDb.group(2)) >= 6);
		}
		return product.equals("MySQL") && majorVersion >= 8;
	}

	@Override
	String now() {
		return MySqlStatements.NOW;
	}

	@Override
	String timestamp() {
		return "UTC_TIMESTAMP(6)";
	}

	@Override
	String template(SqlStatement statement) {
		return switch (statement) {
			case ACQUIRE -> MySqlStatements.ACQUIRE;
			case REACQUIRE -> MySqlStatements.REACQUIRE;
			case INSERT, INSERT_VALUE -> statement.template().replace("INSERT INTO", "INSERT IGNORE INTO");
			default -> super.template(statement);
		};
	}

	@Override
	PreparedStatement prepare(Connection connection, SqlStatement statement, String text) throws SQLException {
		return switch (statement) {
			case ACQUIRE, REACQUIRE, UPDATE_VALUE -> connection.prepareStatement(text, Statement.RETURN_GENERATED_KEYS);
			default -> super.prepare(connection, statement, text);
		};
	}

	@Override
	@Nullable Long acquire(PreparedStatement statement) throws SQLException {
		statement.executeUpdate();
		try (ResultSet result = statement.getGeneratedKeys()) {
			long token = (result.next()) ? result.getLong(1) : 0;
			return (token != 0) ? token : null;
		}
	}

	@Override
	String readOnly() {
		return MySqlStatements.SETTINGS;
	}

	@Override
	Optional<String> storageProblem(Connection connection, TableName table) throws SQLException {
		Optional<String> problem = firstRow(connection,
				MySqlStatements.ENGINE.formatted(table.schema(), table.simpleName()),
				(row) -> String.valueOf(row.getString(1)))
			.filter((engine) -> !INNODB.equalsIgnoreCase(engine))
			.map("Its engine must be InnoDB, not %s."::formatted);
		return problem.isPresent() ? problem : unfitSetting(connection);
	}

	private static Optional<String> unfitSetting(Connection connection) throws SQLException {
		return firstRow(connection, MySqlStatements.UNFIT_SETTINGS,
				(row) -> row.getString(1).equalsIgnoreCase("sql_mode") ? SQL_MODE : BINLOG_FORMAT);
	}

	/**
	 * Set the lock wait timeout, and autocommit, which a statement may have changed
	 * without the knowledge of the driver. Checks whether the server is read-only,
	 * because statements of users with administrative privileges would be executed
	 * nevertheless.
	 */
	@Override
	SessionChange configure(Connection connection) throws SQLException {
		String restoration = restoration(connection);
		execute(connection, MySqlStatements.SET.formatted(LOCK_TIMEOUT.toSeconds(), 1));
		return (configured) -> execute(configured, restoration);
	}

	@Override
	Duration lockTimeout() {
		return LOCK_TIMEOUT;
	}

	private static String restoration(Connection connection) throws SQLException {
		return firstRow(connection, MySqlStatements.SETTINGS, (row) -> {
			requireWritable(row);
			return MySqlStatements.SET.formatted(row.getInt(2), row.getInt(3));
		}).orElseThrow();
	}

	/**
	 * Errors of the drivers have no error code.
	 */
	@Override
	boolean isError(SQLException failure) {
		return super.isError(failure) && failure.getErrorCode() > 0;
	}

	@Override
	Optional<String> remedy(SQLException rejection, Connection connection) {
		if (NOT_LOGGED.contains(rejection.getErrorCode())) {
			return Optional.of(BINLOG_FORMAT);
		}
		return (rejection.getErrorCode() == SYNTAX_ERROR) ? Optional.of(remedyOfSyntax(connection))
				: super.remedy(rejection, connection);
	}

	private static String remedyOfSyntax(Connection connection) {
		try {
			return unfitSetting(connection).orElse(RESERVED);
		}
		catch (SQLException ex) {
			return RESERVED;
		}
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofLocks(new JdbcColumn("lock_key", Types.VARBINARY, 1024, "VARBINARY(1024)"),
				new JdbcColumn("held_since", Types.TIMESTAMP, 26, "DATETIME(6)"),
				new JdbcColumn("entries", Set.of(Types.LONGVARCHAR, Types.VARCHAR), 1_000_000, "MEDIUMTEXT"));
	}

}
