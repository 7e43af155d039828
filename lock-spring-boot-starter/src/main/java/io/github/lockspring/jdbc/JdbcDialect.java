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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

/**
 * SQL dialect of one database product. Everything that is common to all products is
 * implemented elsewhere.
 * <p>
 * In the {@linkplain SqlStatement statements}, {@code @@table@@} is the lock table,
 * {@code @@values@@} the value table, {@code @@now@@} the clock, {@code @@timestamp@@}
 * the clock in a readable form, and {@code @@placeholders@@} a list of question marks.
 * {@code AND @@short-wait@@} and {@code AND @@no-flush@@} are conditions that change a
 * setting for the statement, and are omitted by dialects that have none.
 */
abstract class JdbcDialect {

	/**
	 * First two digits of the SQLSTATEs of failed connections.
	 */
	private static final String CONNECTION = "08";

	/**
	 * First two digits of the SQLSTATEs of a lack of resources, of interventions by an
	 * operator, and of errors of the system or the server itself, all of which may be
	 * temporary.
	 */
	private static final Set<String> TEMPORARY = Set.of("53", "57", "58", "XX");

	/**
	 * Deadlocks, and transactions that are not serializable.
	 */
	private static final String ROLLED_BACK = "40";

	/**
	 * SQLSTATE of a transaction of which it is unknown whether it was rolled back.
	 */
	private static final String UNKNOWN = "40003";

	/**
	 * SQLSTATE of a read-only transaction, used for read-only servers as well.
	 */
	static final String READ_ONLY = "25006";

	private static final String END_OF_STATEMENT = ";\\R";

	private static final String FORBIDDEN = "42501";

	private static final String NO_SCHEMA = "3F000";

	private final String databases;

	private final String schemaResource;

	private final ValueDialect values;

	private final Map<Failure, Set<String>> failures;

	/**
	 * Create a dialect.
	 * @param databases the supported databases, for messages
	 * @param schemaResource the name of the script that creates the tables
	 * @param values the statements on values
	 * @param failures the error codes and SQLSTATEs of failures, besides those that all
	 * products may report
	 */
	JdbcDialect(String databases, String schemaResource, ValueDialect values, Map<Failure, Set<String>> failures) {
		this.databases = databases;
		this.schemaResource = schemaResource;
		this.values = values;
		this.failures = failures;
	}

	/**
	 * Return the supported databases, for messages.
	 */
	String databases() {
		return this.databases;
	}

	/**
	 * Return whether a database is one of this dialect.
	 */
	abstract boolean supports(String product, String version, int majorVersion);

	/**
	 * Return the expression for the clock of the database in microseconds since 1970,
	 * independent of the time zone.
	 */
	abstract String now();

	/**
	 * Return the expression for the clock of the database in a readable form.
	 */
	String timestamp() {
		return "CURRENT_TIMESTAMP";
	}

	/**
	 * Return the template of a statement, which is empty if the database does not have
	 * the statement.
	 */
	String template(SqlStatement statement) {
		return switch (statement) {
			case UPDATE_VALUE -> values().update();
			case WATCH_VALUES -> values().watch();
			default -> statement.template();
		};
	}

	/**
	 * Return whether the database has a statement.
	 */
	boolean has(SqlStatement statement) {
		return !template(statement).isEmpty();
	}

	/**
	 * Return the text of a statement.
	 * @param placeholders the number of {@code @@placeholders@@}
	 */
	String text(SqlStatement statement, TableName table, int placeholders) {
		return render(values().render(template(statement)), table, placeholders);
	}

	PreparedStatement prepare(Connection connection, SqlStatement statement, String text) throws SQLException {
		return connection.prepareStatement(text);
	}

	/**
	 * Run the statement {@link SqlStatement#ACQUIRE} or {@link SqlStatement#REACQUIRE}.
	 * @return the last token of the block, or {@code null} if another owner holds the key
	 */
	@Nullable Long acquire(PreparedStatement statement) throws SQLException {
		try (ResultSet result = statement.executeQuery()) {
			return (result.next()) ? result.getLong(1) : null;
		}
	}

	/**
	 * Return the condition that the row has a mark which lasts for a while, so that
	 * waiting requests will be notified of its release.
	 */
	String awaited() {
		return "FALSE";
	}

	/**
	 * Return the condition under which a release hands the key off to a waiting request.
	 * Fair requests are excluded because they have a separate queue.
	 */
	String handingOff() {
		return "waiting IS NOT NULL AND entries IS NULL";
	}

	/**
	 * Return the clause with which a statement notifies of a release, if the database
	 * supports that.
	 */
	String notifying() {
		return "";
	}

	/**
	 * Return whether a release is on disk when its statement ends.
	 */
	boolean isReleaseDurable() {
		return true;
	}

	/**
	 * Run one of the statements that notify of a release.
	 */
	Update updateAndNotify(PreparedStatement statement) throws SQLException {
		return new Update(statement.executeUpdate(), false);
	}

	/**
	 * Return the clause that selects the row with a key and a version.
	 */
	String whereUnchanged() {
		return "WHERE lock_key = ? AND version = ?";
	}

	/**
	 * Return the query whose first column is true if the server is read-only, such as a
	 * replica.
	 */
	abstract String readOnly();

	/**
	 * Evaluate the answer to {@link #readOnly()}.
	 * @throws SQLException if the server is read-only
	 */
	static void requireWritable(ResultSet answer) throws SQLException {
		if (answer.getBoolean(1)) {
			throw new SQLException("The database is read-only, as replicas are and servers during a failover: "
					+ "locks need the primary", READ_ONLY);
		}
	}

	/**
	 * Return whether a statement failed because the server or the transaction is
	 * read-only.
	 */
	boolean isReadOnly(SQLException failure) {
		return READ_ONLY.equals(failure.getSQLState()) || isOf(Failure.READ_ONLY, failure);
	}

	/**
	 * Return a sentence that describes why the table cannot be used although its columns
	 * are correct: because of its storage, or the settings of the session.
	 */
	Optional<String> storageProblem(Connection connection, TableName table) throws SQLException {
		return Optional.empty();
	}

	/**
	 * Return a warning if the table has become slow because the database cannot remove
	 * old versions of its rows.
	 */
	Optional<String> growthWarning(Connection connection, TableName table) throws SQLException {
		return Optional.empty();
	}

	/**
	 * Set the isolation of the transactions of a session to READ COMMITTED, so that they
	 * read the committed state also after they have waited for a row.
	 * @return the change that restores the session
	 */
	SessionChange readCommitted(Connection connection) throws SQLException {
		int isolation = connection.getTransactionIsolation();
		if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
			return SessionChange.NONE;
		}
		return setReadCommitted(connection, isolation);
	}

	static SessionChange setReadCommitted(Connection connection, int isolation) throws SQLException {
		connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		return (changed) -> changed.setTransactionIsolation(isolation);
	}

	/**
	 * Return the maximum time for which a statement waits for a row that another session
	 * has locked.
	 */
	Duration lockTimeout() {
		return Duration.ofMillis(100);
	}

	/**
	 * Configure a session for the statements of this dialect.
	 * @return the change that restores the session
	 */
	abstract SessionChange configure(Connection connection) throws SQLException;

	/**
	 * Run a query without parameters, and read the first row of its result.
	 * @return what was read; empty if there is no row
	 */
	static <T> Optional<T> firstRow(Connection connection, String query, RowReader<T> reader) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
			return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
		}
	}

	/**
	 * Run a statement without parameters, and ignore its result.
	 */
	static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/**
	 * Return whether a statement failed only because of a conflict with another session
	 * on the same row: it changed nothing and may be retried.
	 */
	boolean isContended(SQLException failure) {
		return (isOf(ROLLED_BACK, failure) && !UNKNOWN.equals(failure.getSQLState()))
				|| isOf(Failure.CONTENDED, failure);
	}

	private boolean isOf(Failure kind, SQLException failure) {
		Set<String> codes = this.failures.getOrDefault(kind, Set.of());
		return codes.contains(String.valueOf(failure.getErrorCode()))
				|| codes.contains(String.valueOf(failure.getSQLState()));
	}

	private static boolean isOf(String group, SQLException failure) {
		return failure.getSQLState() != null && failure.getSQLState().startsWith(group);
	}

	/**
	 * Return whether the database responded to the statement with an error, so that it is
	 * certain that nothing was changed. That is not certain if the connection has failed
	 * afterwards, unless it was closed on purpose.
	 */
	boolean isRejected(SQLException failure) {
		return isContended(failure) || isEndOfSession(failure) || (isError(failure) && !hasConnectionFailed(failure));
	}

	/**
	 * Return whether a failure is an error from the database, and not one of the driver.
	 */
	boolean isError(SQLException failure) {
		return failure.getSQLState() != null && !UNKNOWN.equals(failure.getSQLState())
				&& !isOf(Failure.UNKNOWN, failure);
	}

	/**
	 * Return whether the connection has failed during a statement, or could not be
	 * opened.
	 */
	static boolean hasConnectionFailed(SQLException failure) {
		for (SQLException each = failure; each != null; each = each.getNextException()) {
			if (isOf(CONNECTION, each) || each.getCause() instanceof IOException) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether the database has rolled the statement back and closed the session,
	 * as when it is shut down.
	 */
	boolean isEndOfSession(SQLException failure) {
		return isOf(Failure.END_OF_SESSION, failure);
	}

	/**
	 * Return whether a rejection may be temporary, so that it does not reveal a mistake
	 * in the tables.
	 */
	boolean isTemporary(SQLException rejection) {
		return isContended(rejection) || isReadOnly(rejection) || isEndOfSession(rejection)
				|| isOf(Failure.TEMPORARY, rejection) || TEMPORARY.stream().anyMatch((group) -> isOf(group, rejection));
	}

	boolean isSchemaMissing(SQLException failure) {
		return NO_SCHEMA.equals(failure.getSQLState()) || isOf(Failure.SCHEMA_MISSING, failure);
	}

	/**
	 * Return whether the user lacks a privilege for the statement.
	 */
	boolean isForbidden(SQLException failure) {
		return FORBIDDEN.equals(failure.getSQLState()) || isOf(Failure.FORBIDDEN, failure);
	}

	/**
	 * Return a sentence that describes how to solve the rejection of a statement. May
	 * make a round trip.
	 * @param rejection the rejection
	 * @param connection the connection of the statement
	 */
	Optional<String> remedy(SQLException rejection, Connection connection) {
		if (isSchemaMissing(rejection)) {
			return Optional.of("Create the schema, or change the name of the lock table.");
		}
		if (isReadOnly(rejection)) {
			return Optional.of("Locks need the primary server and a session that is not read-only.");
		}
		return isForbidden(rejection) ? Optional
			.of("Locks need the SELECT, INSERT, UPDATE and DELETE privileges on the lock table and the value table.")
				: Optional.empty();
	}

	/**
	 * Return the statements that create the tables unless they exist, as one script.
	 */
	String schema(TableName table) {
		try {
			ClassPathResource resource = new ClassPathResource(this.schemaResource, JdbcDialect.class);
			return render(resource.getContentAsString(StandardCharsets.UTF_8), table, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the statements that create the tables unless they exist, one by one.
	 */
	List<String> schemaStatements(TableName table) {
		return List.of(schema(table).split(END_OF_STATEMENT));
	}

	/**
	 * Return the required columns of the lock table.
	 */
	abstract List<JdbcColumn> columns();

	/**
	 * Return the statements on values.
	 */
	ValueDialect values() {
		return this.values;
	}

	private String render(String template, TableName table, int placeholders) {
		return renderOwn(template.replace("@@awaited@@", awaited())
			.replace("@@handing-off@@", handingOff())
			.replace("@@where-unchanged@@", whereUnchanged())
			.replace("@@notifying@@", notifying())).replace("@@table@@", table.value())
			.replace("@@values@@", table.ofValues().value())
			.replace("@@now@@", now())
			.replace("@@timestamp@@", timestamp())
			.replace("@@placeholders@@", String.join(", ", Collections.nCopies(placeholders, "?")));
	}

	/**
	 * Replace the placeholders that only some dialects have.
	 */
	String renderOwn(String template) {
		return template.replace(" AND @@short-wait@@", "").replace(" AND @@no-flush@@", "");
	}

	/**
	 * Kinds of failures for which products have codes of their own.
	 */
	enum Failure {

		CONTENDED, UNKNOWN, END_OF_SESSION, READ_ONLY, TEMPORARY, SCHEMA_MISSING, FORBIDDEN

	}

	/**
	 * Reads the row of a result.
	 *
	 * @param <T> the type of what is read
	 */
	interface RowReader<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * Change of the settings of a session.
	 */
	interface SessionChange {

		/**
		 * Change that does nothing.
		 */
		SessionChange NONE = (connection) -> {
		};

		void apply(Connection connection) throws SQLException;

	}

	/**
	 * Result of a statement that notifies of a release.
	 *
	 * @param rows the number of changed rows
	 * @param notified whether processes that wait for one of the keys were notified
	 */
	record Update(int rows, boolean notified) {

	}

}
