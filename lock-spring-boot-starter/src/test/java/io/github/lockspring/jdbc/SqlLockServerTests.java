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
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a database server of its own needs: users without rights, tables that are not as
 * they should be, a server that is read-only for a while; and pools of few connections.
 */
abstract class SqlLockServerTests {

	private static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(200);

	private static final AtomicInteger TABLES = new AtomicInteger();

	private final String table = "kept_" + TABLES.incrementAndGet();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final SqlServer server;

	private final TestDatabase database;

	private final JdbcTemplate admin;

	private final JdbcLockSchema schema;

	/**
	 * Tests a server.
	 * @param server a server of its own
	 * @param admin the name of the user who may do everything
	 * @param password the password of that user
	 */
	SqlLockServerTests(SqlServer server, String admin, String password) {
		this.server = server;
		this.database = TestDatabase.on(server);
		this.admin = new JdbcTemplate(this.database.dataSourceOf(admin, password));
		this.schema = new JdbcLockSchema(this.database.dataSource(), this.table);
	}

	/**
	 * A statement that creates the user {@code guest} unless there is one.
	 */
	abstract String createGuest();

	/**
	 * The user {@code guest} as the database writes it.
	 */
	abstract String guest();

	abstract DataSource dataSourceOfGuest();

	/**
	 * Statements with which sessions may begin.
	 */
	abstract List<String> beginnings();

	final TestDatabase database() {
		return this.database;
	}

	final JdbcTemplate admin() {
		return this.admin;
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.database.dropTables(this.table);
		this.database.close();
	}

	private JdbcLockBackend backend(DataSource dataSource) {
		JdbcLockBackend backend = new JdbcLockBackend(dataSource, this.table);
		this.resources.add(0, backend);
		return backend;
	}

	private HikariDataSource pool(HikariConfig config) {
		HikariDataSource pool = new HikariDataSource(config);
		this.resources.add(pool);
		return pool;
	}

	@Test
	void missingColumnIsNamed() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE " + this.table + " DROP COLUMN version");
		assertThatIsRejected("It has no column 'version', which must be BIGINT.");
	}

	@Test
	void missingPrimaryKeyIsNamed() {
		createdAs((definition) -> definition.replace(" PRIMARY KEY", ""));
		assertThatIsRejected("Its primary key must be the column 'lock_key' alone.");
	}

	@Test
	void keyAsTextIsRejected() {
		createdAs((definition) -> definition.replaceAll("lock_key +(VARBINARY\\(1024\\)|BYTEA)",
				"lock_key VARCHAR(700)"));
		assertThatIsRejected("Its column 'lock_key' must be ");
	}

	@Test
	void columnThatIsEmptyAtTimesMustBeAllowedToBe() {
		createdAs((definition) -> definition.replaceFirst("holder +VARCHAR\\(255\\)", "$0 NOT NULL"));
		assertThatIsRejected("Its column 'holder' must be nullable.");
	}

	@Test
	void columnThatTheDatabaseComputesIsIgnored() {
		createdAs((definition) -> definition.replaceFirst("waiting +VARCHAR",
				"following BIGINT GENERATED ALWAYS AS (version + 1) STORED,\n$0"));
		this.schema.validate();
	}

	/**
	 * Creates the table, but not quite as it should be.
	 */
	final void createdAs(UnaryOperator<String> change) {
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate).satisfies((ex) -> {
			String changed = change.apply(ex.definition());
			assertThat(changed).isNotEqualTo(ex.definition());
			this.database.runScript(changed);
		});
	}

	final void assertThatIsRejected(String problem) {
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining(problem)
			.withMessageContaining("CREATE TABLE IF NOT EXISTS " + this.table);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SELECT", "INSERT", "UPDATE", "DELETE" })
	void missingRightIsReported(String right) {
		this.schema.initialize();
		this.admin.execute(createGuest());
		List<String> tables = List.of(this.table, this.table + "_value");
		for (String table : tables) {
			Stream.of("SELECT", "INSERT", "UPDATE", "DELETE")
				.filter((granted) -> !granted.equals(right))
				.forEach((granted) -> grant(granted, table));
		}
		JdbcLockSchema ofGuest = new JdbcLockSchema(dataSourceOfGuest(), this.table);
		for (String table : tables) {
			assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(ofGuest::validate)
				.withMessageContaining(" table '" + table + "' ")
				.withMessageContaining(right.equals("SELECT") ? "is missing or cannot be read" : "cannot be used for ");
			grant(right, table);
		}
		ofGuest.validate();
		ofGuest.initialize();
		useAll(backend(dataSourceOfGuest()));
	}

	private void grant(String right, String table) {
		this.admin.execute("GRANT " + right + " ON " + table + " TO " + guest());
	}

	@Test
	void rejectionSaysWhichRightsAreNeeded() {
		this.schema.initialize();
		this.admin.execute(createGuest());
		this.admin.execute("GRANT SELECT ON " + this.table + " TO " + guest());
		JdbcLockBackend backend = backend(dataSourceOfGuest());
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), Requests.TIMEOUT))
			.withMessageContaining("the SELECT, INSERT, UPDATE and DELETE privileges");
	}

	@Test
	void triggerThatRejectsIsFoundAtStartAndIsNoOutage() {
		this.schema.initialize();
		SpyDataSource connections = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = backend(connections);
		Requests.acquired(backend, "key");
		rejectingTrigger(this.table).forEach(this.admin::execute);
		assertThatIsRejected("not today");
		for (int i = 0; i < 10; i++) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.tryAcquire(Requests.of("another"), Requests.TIMEOUT))
				.withMessageContaining("The database rejected a statement")
				.withMessageContaining("not today");
		}
		assertThat(connections.opened()).isLessThanOrEqualTo(4);
	}

	/**
	 * Statements that create a trigger which rejects new rows: "not today".
	 */
	abstract List<String> rejectingTrigger(String table);

	@Test
	void missingSchemaIsReported() {
		assertThatExceptionOfType(JdbcLockSchemaException.class)
			.isThrownBy(new JdbcLockSchema(this.admin.getDataSource(), "nowhere.locks")::initialize)
			.withMessageContaining("could not be created")
			.withMessageContaining("Create the schema");
	}

	@Test
	void nameThatIsAReservedWordIsNotTakenForASetting() {
		assertThatExceptionOfType(JdbcLockSchemaException.class)
			.isThrownBy(new JdbcLockSchema(this.database.dataSource(), "select")::initialize)
			.withMessageContaining("could not be created")
			.withMessageNotContaining("ORACLE");
	}

	@Test
	void connectionThatBreaksDuringAStatementHasNotRejectedIt() throws Exception {
		try (FaultProxy proxy = this.server.proxy(); Connection connection = connectionThrough(proxy)) {
			SQLException failure = failureOfSleep(connection, proxy::cut);
			assertThat(JdbcDialects.of(this.database.connection()).isRejected(failure)).isFalse();
		}
	}

	/**
	 * Returns how a statement that takes long ends when something happens.
	 */
	final SQLException failureOfSleep(Connection connection, Runnable event) throws Exception {
		try (Statement statement = connection.createStatement()) {
			CompletableFuture<SQLException> failure = CompletableFuture.supplyAsync(() -> {
				try {
					statement.execute(sleep());
					throw new IllegalStateException("The statement has not failed");
				}
				catch (SQLException ex) {
					return ex;
				}
			});
			Awaitility.await().until(() -> isSleeping(this.admin));
			event.run();
			return failure.get(1, TimeUnit.MINUTES);
		}
	}

	abstract String sleep();

	abstract boolean isSleeping(JdbcTemplate jdbc);

	@Test
	void checkLeavesNothingInTheTable() {
		this.schema.initialize();
		this.schema.validate();
		assertThat(this.database.jdbc().queryForList("SELECT lock_key FROM " + this.table)).isEmpty();
		assertThat(this.database.jdbc().queryForList("SELECT value_key FROM " + this.table + "_value")).isEmpty();
	}

	/**
	 * Asserts that nothing works in sessions of a data source, that the outcome is known,
	 * and that the reason is notified.
	 */
	final void assertThatIsUnfit(DataSource dataSource, String reason) {
		this.schema.initialize();
		assertThatExceptionOfType(JdbcLockSchemaException.class)
			.isThrownBy(new JdbcLockSchema(dataSource, this.table)::validate)
			.withMessageContaining(reason);
		JdbcLockBackend backend = backend(dataSource);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), Requests.TIMEOUT))
			.withMessageContaining(reason);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT));
	}

	@Test
	void missingRightToCreateTheTableIsReported() {
		this.schema.initialize();
		this.admin.execute(createGuest());
		// admits to the database
		this.admin.execute("GRANT SELECT ON " + this.table + " TO " + guest());
		JdbcLockSchema ofGuest = new JdbcLockSchema(dataSourceOfGuest(), this.table + "_of_guest");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(ofGuest::initialize)
			.withMessageContaining("could not be created");
	}

	@Test
	void readOnlyServerIsRecognisedAndUsedAgainAfterwards() {
		this.schema.initialize();
		HikariConfig config = this.database.poolConfig(1);
		config.setConnectionTimeout(1000);
		JdbcLockBackend backend = backend(pool(config));
		useAll(backend);
		this.server.setReadOnly(true);
		try {
			Awaitility.await()
				.atMost(MAX_WAIT)
				.untilAsserted(() -> assertIsReadOnly(() -> backend.probe(Requests.of("probe"), Requests.TIMEOUT)));
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT));
			assertIsReadOnly(this.schema::validate);
			assertIsReadOnly(new JdbcLockSchema(this.database.dataSource(), this.table + "_missing")::initialize);
		}
		finally {
			this.server.setReadOnly(false);
		}
		Awaitility.await()
			.atMost(MAX_WAIT)
			.ignoreExceptionsInstanceOf(BackendException.class)
			.untilAsserted(() -> useAll(backend));
		this.schema.validate();
	}

	private static void assertIsReadOnly(Runnable action) {
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(action::run)
			.withMessageContaining("read-only");
	}

	/**
	 * The pool would keep it for half an hour, although the next one may lead to another
	 * server.
	 */
	@Test
	void connectionToAServerThatIsReadOnlyNowDoesNotComeBack() {
		this.schema.initialize();
		SpyDataSource connections = new SpyDataSource(this.database.dataSource());
		HikariConfig config = new HikariConfig();
		config.setDataSource(connections);
		config.setMaximumPoolSize(1);
		HikariDataSource pool = pool(config);
		JdbcLockBackend backend = backend(pool);
		useAll(backend);
		Awaitility.await().atMost(MAX_WAIT).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		int opened = connections.opened();
		this.server.setReadOnly(true);
		try {
			Awaitility.await()
				.atMost(MAX_WAIT)
				.untilAsserted(() -> assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT)));
		}
		finally {
			this.server.setReadOnly(false);
		}
		Awaitility.await().atMost(MAX_WAIT).ignoreExceptionsInstanceOf(BackendException.class).until(() -> {
			new JdbcTemplate(pool).execute("SELECT 1");
			return Requests.acquires(backend, Requests.of("another key"));
		});
		assertThat(connections.opened()).isGreaterThan(opened);
	}

	/**
	 * More of them than are opened at a time.
	 */
	@Test
	void staleConnectionsOfAPoolDoNotPreventLocksForLong() throws SQLException {
		this.schema.initialize();
		try (FaultProxy proxy = this.server.proxy()) {
			Queue<Connection> stale = new ConcurrentLinkedQueue<>();
			for (int i = 0; i < 3; i++) {
				stale.add(connectionThrough(proxy));
			}
			proxy.hole(Direction.UP);
			JdbcLockBackend backend = backend(new AbstractDataSource() {

				@Override
				public Connection getConnection() {
					Connection connection = stale.poll();
					return (connection != null) ? connection : SqlLockServerTests.this.database.connection();
				}

				@Override
				public Connection getConnection(String username, String password) {
					return getConnection();
				}

			});
			awaitAcquired(backend);
		}
	}

	private Connection connectionThrough(FaultProxy proxy) throws SQLException {
		return DriverManager.getConnection(this.server.proxied(proxy), this.server.user(), this.server.password());
	}

	@Test
	void ownConnectionsThatLeadNowhereAreReplaced() {
		this.schema.initialize();
		try (FaultProxy proxy = this.server.proxy()) {
			JdbcLockBackend backend = new JdbcLockBackend(
					new DriverManagerDataSource(this.server.proxied(proxy), this.server.user(), this.server.password()),
					JdbcLockSettings.ofOwnConnections(this.table, 4));
			this.resources.add(0, backend);
			LeaseRequest lease = Requests.acquired(backend, "key");
			proxy.hole(Direction.UP);
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(BackendException.class)
					.isThrownBy(() -> backend.renew(List.of(lease), SHORT_TIMEOUT));
			}
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.inspect("key", SHORT_TIMEOUT))
				.withMessageContaining("the database does not respond");
			proxy.heal();
			awaitAcquired(backend);
		}
	}

	private static void awaitAcquired(JdbcLockBackend backend) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreExceptionsInstanceOf(BackendException.class)
			.until(() -> backend.tryAcquire(Requests.of("another"), Duration.ofSeconds(1)) instanceof Grant);
	}

	@Test
	void exhaustedPoolFailsInTimeAndRecovers() throws SQLException {
		this.schema.initialize();
		HikariDataSource pool = pool(this.database.poolConfig(1));
		JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcLockSettings.ofSharedPool(this.table, 1));
		this.resources.add(0, backend);
		LeaseRequest held = Requests.acquired(backend, "held");
		try (Connection only = pool.getConnection()) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), SHORT_TIMEOUT))
				.withMessageContaining("exhausted or too small");
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.renew(List.of(held), SHORT_TIMEOUT));
			assertThat(only.isValid(10)).isTrue();
		}
		assertThat(backend.renew(List.of(held), Requests.TIMEOUT).held()).hasSize(1);
		useAll(backend);
		backend.close();
		Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	@Test
	void connectionsThatAreReadOnlyWorkAndAreAsBefore() throws SQLException {
		this.schema.initialize();
		HikariConfig config = this.database.poolConfig(1);
		config.setReadOnly(true);
		config.setAutoCommit(false);
		HikariDataSource pool = pool(config);
		JdbcLockBackend backend = backend(pool);
		useAll(backend);
		backend.close();
		try (Connection connection = pool.getConnection()) {
			assertThat(connection.isReadOnly()).isTrue();
			assertThat(connection.getAutoCommit()).isFalse();
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> connection.createStatement().execute("DELETE FROM " + this.table));
			connection.rollback();
		}
	}

	@ParameterizedTest
	@CsvSource({ "TRANSACTION_READ_COMMITTED, true", "TRANSACTION_REPEATABLE_READ, true",
			"TRANSACTION_SERIALIZABLE, false" })
	void threadsOnAPoolOfOneCountExactly(String isolation, boolean autoCommit) {
		this.schema.initialize();
		for (String beginning : beginnings()) {
			HikariConfig config = this.database.poolConfig(1);
			config.setTransactionIsolation(isolation);
			config.setAutoCommit(autoCommit);
			config.setConnectionInitSql(beginning);
			HikariDataSource pool = pool(config);
			JdbcLockBackend backend = backend(pool);
			assertThat(counted(backend)).as(beginning).isEqualTo(4 * 3 * 10);
			backend.close();
			Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		}
	}

	/**
	 * Counts in four threads, each with locks of three kinds, without other protection.
	 */
	private static int counted(JdbcLockBackend backend) {
		int[] count = new int[1];
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> count(backend, count)))
			.toList();
		threads.forEach(CompletableFuture::join);
		return count[0];
	}

	private static void count(JdbcLockBackend backend, int[] count) {
		for (int i = 0; i < 10; i++) {
			for (LeaseRequest request : List.of(Requests.of("count"), Requests.of("count", LeaseMode.EXCLUSIVE, true),
					Requests.of("count", LeaseMode.permits(3, 3), false))) {
				Awaitility.await()
					.atMost(MAX_WAIT)
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(5))
					.until(() -> Requests.acquires(backend, request));
				int read = count[0];
				Thread.yield();
				count[0] = read + 1;
				backend.release(request, Requests.TIMEOUT);
			}
		}
	}

	private static void useAll(JdbcLockBackend backend) {
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(1, 3))) {
			LeaseRequest request = Requests.of("key " + mode, mode, false);
			assertThat(Requests.acquires(backend, request)).isTrue();
			assertThat(backend.renew(List.of(request), Requests.TIMEOUT).held()).containsExactly(request);
			assertThat(backend.release(request, Requests.TIMEOUT)).isTrue();
		}
	}

}
