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

package io.github.lockspring.autoconfigure;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.Capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link JdbcLockConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcLockConfigurationServerTests {

	private static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private final Set<Thread> othersThreads = Thread.getAllStackTraces().keySet();

	private final String memory = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	private final ApplicationContextRunner withDatabase = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + this.memory, "spring.datasource.generate-unique-name=false");

	private final ApplicationContextRunner withoutOwnConnections = this.withDatabase
		.withPropertyValues("lock.jdbc.connections=0");

	@Test
	void lockIsARowInTheDatabase() {
		this.withDatabase.run((context) -> {
			JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
			context.getBean(LockOperations.class)
				.executeWithoutResult("order:42", (
						lock) -> assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM distributed_lock", Integer.class))
							.isOne());
		});
	}

	@Test
	void everyKindOfLockIsThere() {
		this.withDatabase.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			LockOptions options = locks.defaultOptions();
			for (LockOptions kind : List.of(options.withType(LockType.FAIR), options.withType(LockType.READ),
					options.withPermits(3))) {
				try (LockHandle lock = locks.acquire("order:42", kind)) {
					assertThat(lock.isHeld()).isTrue();
				}
			}
		});
	}

	@Test
	void whenDatabaseIsEmbeddedThenTableIsCreated() {
		this.withDatabase.run((context) -> assertThat(tables(context.getBean(DataSource.class))).isOne());
	}

	@Test
	void whenTableNameIsConfiguredThenThatTableIsCreated() {
		this.withDatabase.withPropertyValues("lock.jdbc.table-name=my_locks").run((context) -> {
			JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
			assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM my_locks", Integer.class)).isZero();
		});
	}

	@Test
	void whenInitializationIsOffAndTableIsMissingThenItsDefinitionIsShown() {
		this.withDatabase.withPropertyValues("lock.jdbc.initialize-schema=never").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("distributed_lock", "CREATE TABLE");
			assertThat(analysis.getAction()).contains("lock.jdbc.initialize-schema=always");
		});
	}

	@Test
	void whenDatabaseIsNotEmbeddedThenTableIsNotCreated(@TempDir Path directory) {
		this.withDatabase.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + directory.resolve("db"))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("CREATE TABLE"));
	}

	@Test
	void whenInitializationIsAlwaysThenTableIsCreated(@TempDir Path directory) {
		this.withDatabase
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + directory.resolve("db"),
					"lock.jdbc.initialize-schema=always")
			.run((context) -> assertThat(tables(context.getBean(DataSource.class))).isOne());
	}

	@Test
	void scriptsOfTheApplicationMayCreateTheTable() {
		this.withDatabase
			.withPropertyValues("lock.jdbc.initialize-schema=never",
					"spring.sql.init.schema-locations=classpath:io/github/lockspring/autoconfigure/application.sql")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("is incompatible"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock table", "a.b.c", "1lock", "lock'; DROP TABLE x; --", "\"lock\"", "lock-table" })
	void tableNameThatIsNoneIsRejected(String name) {
		this.withDatabase.withPropertyValues("lock.jdbc.table-name=" + name)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock.jdbc.table-name",
					"letters, digits and underscores"));
	}

	@Test
	void tableNameThatIsTooLongIsRejected() {
		this.withDatabase.withPropertyValues("lock.jdbc.table-name=" + "a".repeat(200))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("at most 57"));
	}

	@Test
	void whenColumnsAreWrongThenTheyAreNamed() {
		new JdbcTemplate(new DriverManagerDataSource(this.memory, "sa", ""))
			.execute("CREATE TABLE distributed_lock (lock_key VARCHAR(10) PRIMARY KEY)");
		this.withDatabase
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock_key", "token"));
	}

	@Test
	void whenUserMayNotWriteThenItIsSaid() {
		DriverManagerDataSource admin = new DriverManagerDataSource(this.memory, "sa", "");
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(DataSource.class, () -> admin)
			.run((context) -> assertThat(context).hasNotFailed());
		JdbcTemplate jdbc = new JdbcTemplate(admin);
		jdbc.execute("CREATE USER reader PASSWORD 'secret'");
		jdbc.execute("GRANT SELECT ON distributed_lock TO reader");
		jdbc.execute("GRANT SELECT ON distributed_lock_value TO reader");
		this.withDatabase
			.withPropertyValues("spring.datasource.url=" + this.memory.replace(";DB_CLOSE_DELAY=-1", ""),
					"spring.datasource.username=reader", "spring.datasource.password=secret",
					"lock.jdbc.initialize-schema=never")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("cannot be used for locks")
				.doesNotContain("secret"));
	}

	@Test
	void whenDatabaseIsUnsupportedThenSupportedOnesAreListed() throws SQLException {
		Connection connection = memory().getConnection();
		DatabaseMetaData oracle = but(DatabaseMetaData.class, connection.getMetaData(), "getDatabaseProductName",
				"Oracle");
		Connection toOracle = but(Connection.class, connection, "getMetaData", oracle);
		this.runner.withBean(DataSource.class, () -> but(DataSource.class, memory(), "getConnection", toOracle))
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("Oracle", "supported are", "H2");
				assertThat(analysis.getAction()).contains("lock.backend");
			});
	}

	/**
	 * An object like another, but for the answer of one method.
	 */
	private static <T> T but(Class<T> type, T object, String name, Object answer) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method,
				arguments) -> method.getName().equals(name) ? answer : method.invoke(object, arguments)));
	}

	@Test
	void whenThereIsNoDataSourceThenItIsSaid() {
		this.runner.withPropertyValues("lock.backend=jdbc").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("no data source");
			assertThat(analysis.getAction()).contains("spring.datasource.url");
		});
	}

	@Test
	void whenThereAreTwoDataSourcesThenTheyAreListed() {
		this.runner.withUserConfiguration(TwoDataSources.class).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("first, second");
			assertThat(analysis.getAction()).contains("lock.jdbc.data-source");
		});
	}

	@Test
	void whenDataSourceIsNamedThenItIsUsed() {
		this.runner.withUserConfiguration(TwoDataSources.class)
			.withPropertyValues("lock.jdbc.data-source=second")
			.run((context) -> {
				assertThat(tables(context.getBean("second", DataSource.class))).isOne();
				assertThat(tables(context.getBean("first", DataSource.class))).isZero();
			});
	}

	@Test
	void whenDataSourceIsMisspeltThenNamesAreListed() {
		this.runner.withUserConfiguration(TwoDataSources.class)
			.withPropertyValues("lock.jdbc.data-source=third")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("'third'");
				assertThat(analysis.getAction()).contains("first, second");
			});
	}

	@Test
	void whenOneDataSourceIsPrimaryThenItIsUsed() {
		this.runner.withUserConfiguration(TwoDataSources.class, PrimaryDataSource.class)
			.run((context) -> assertThat(tables(context.getBean("primary", DataSource.class))).isOne());
	}

	@Test
	void whenDatabaseCannotBeReachedThenApplicationStartsWithAWarning(CapturedOutput output) {
		this.withDatabase.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains("the database is unavailable");
				assertThat(context.getBean(JdbcLockBackend.class).capabilities()).contains(Capability.NOTIFICATIONS);
			});
	}

	@Test
	void whenDatabaseCannotBeReachedAndFailFastThenApplicationDoesNotStart() {
		this.withDatabase
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none", "lock.fail-fast=true")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("'jdbc' is unavailable"));
	}

	@Test
	void whenPasswordIsWrongAndFailFastThenAnalysisNamesIt() throws SQLException {
		String url = "jdbc:h2:mem:" + UUID.randomUUID();
		try (Connection keep = DriverManager.getConnection(url, "sa", "secret")) {
			assertThat(keep.isValid(1)).isTrue();
			this.withDatabase
				.withPropertyValues("spring.datasource.url=" + url, "spring.datasource.username=sa",
						"spring.datasource.password=very-wrong", "lock.operation-timeout=10s", "lock.fail-fast=true")
				.run((context) -> {
					FailureAnalysis analysis = FailureAnalyses.of(context);
					assertThat(analysis.getDescription()).contains("'jdbc' rejects the credentials")
						.doesNotContain("very-wrong");
					assertThat(analysis.getAction()).contains("spring.datasource.password");
				});
		}
	}

	@Test
	void secondStartFindsTheTable() {
		this.withDatabase.run((context) -> assertThat(context).hasNotFailed());
		assertThatNoException()
			.isThrownBy(() -> this.withDatabase.run((context) -> assertThat(context).hasNotFailed()));
	}

	@Test
	void tableIsCreatedWhenTheDatabaseComesLate() {
		LateDataSource late = new LateDataSource(memory());
		this.runner.withBean(DataSource.class, () -> late)
			.withPropertyValues("lock.jdbc.initialize-schema=always")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(JdbcLockTable.class).isPrepared()).isFalse();
				late.come();
				Awaitility.await().atMost(MAX_WAIT).until(context.getBean(JdbcLockTable.class)::isPrepared);
				context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
				});
			});
	}

	@Test
	void whatIsWrongWithTheTableIsSaidWhenTheDatabaseComesLate(CapturedOutput output) {
		LateDataSource late = new LateDataSource(memory());
		this.runner.withBean(DataSource.class, () -> late)
			.withPropertyValues("lock.jdbc.initialize-schema=never")
			.run((context) -> {
				late.come();
				Awaitility.await()
					.atMost(MAX_WAIT)
					.untilAsserted(() -> assertThat(output).contains("'distributed_lock' is missing"));
				assertThat(context.getBean(JdbcLockTable.class).isPrepared()).isFalse();
			});
	}

	@Test
	void whenDatabaseIsReadOnlyThenApplicationStartsAndIsDown(@TempDir Path directory, CapturedOutput output) {
		onReadOnlyDatabase(directory).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("The database is read-only");
			assertThatExceptionOfType(EngineException.class)
				.isThrownBy(() -> context.getBean(LockEngine.class).inspection().probe())
				.withStackTraceContaining("The database is read-only");
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
				}));
		});
	}

	@Test
	void whenDatabaseIsReadOnlyAndFailFastThenApplicationDoesNotStart(@TempDir Path directory) {
		onReadOnlyDatabase(directory).withPropertyValues("lock.fail-fast=true")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("The database is read-only"));
	}

	private ApplicationContextRunner onReadOnlyDatabase(Path directory) {
		String url = "jdbc:h2:file:" + directory.resolve("db");
		this.withDatabase.withPropertyValues("spring.datasource.url=" + url, "lock.jdbc.initialize-schema=always")
			.run((context) -> assertThat(context).hasNotFailed());
		return this.withDatabase.withPropertyValues("spring.datasource.url=" + url + ";ACCESS_MODE_DATA=r",
				"lock.wait-time=100ms");
	}

	@Test
	void oldRowsAreRemovedInTheBackground() {
		this.withDatabase.withPropertyValues("lock.jdbc.cleanup.interval=1s").run((context) -> {
			JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
			insertOldRow(jdbc);
			context.getBean(LockOperations.class)
				.executeWithoutResult("order:42",
						(lock) -> Awaitility.await().atMost(MAX_WAIT).until(() -> rows(jdbc) == 1));
		});
	}

	@Test
	void whenCleanupIsOffThenOldRowsStay() {
		this.withDatabase.withPropertyValues("lock.jdbc.cleanup.enabled=false", "lock.jdbc.cleanup.interval=1s")
			.run((context) -> assertThat(context.getBean(JdbcLockMaintenance.class).isCleaningUp()).isFalse());
	}

	@Test
	void anApplicationAtRestHasOneThread() {
		this.withDatabase.run((context) -> {
			context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
			});
			Awaitility.await()
				.atMost(MAX_WAIT)
				.untilAsserted(() -> assertThat(ourThreads()).containsExactly("lock-timer"));
		});
		Awaitility.await().atMost(MAX_WAIT).untilAsserted(() -> assertThat(ourThreads()).isEmpty());
	}

	@Test
	void nothingRunsInTheBackgroundAfterTheEnd() {
		this.withDatabase.withPropertyValues("lock.jdbc.cleanup.interval=1s").run((context) -> {
			JdbcLockMaintenance maintenance = context.getBean(JdbcLockMaintenance.class);
			assertThat(maintenance.isRunning()).isTrue();
			assertThat(maintenance.isCleaningUp()).isTrue();
			Awaitility.await().atMost(MAX_WAIT).until(() -> threads("lock-jdbc-maintenance") == 1);
			maintenance.stop();
			assertThat(maintenance.isRunning()).isFalse();
			assertThat(maintenance.isCleaningUp()).isFalse();
			Awaitility.await().atMost(MAX_WAIT).until(() -> threads("lock-jdbc-maintenance") == 0);
			insertOldRow(new JdbcTemplate(context.getBean(DataSource.class)));
			maintenance.start();
			Awaitility.await()
				.atMost(MAX_WAIT)
				.until(() -> rows(new JdbcTemplate(context.getBean(DataSource.class))) == 0);
		});
		Awaitility.await().atMost(MAX_WAIT).until(() -> threads("lock-jdbc-maintenance") == 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "retention=59m", "retention=0s", "interval=0s", "interval=-1s", "interval=999ms" })
	void cleanupThatIsTooEagerIsRejected(String setting) {
		this.withDatabase.withPropertyValues("lock.jdbc.cleanup." + setting)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("lock.jdbc.cleanup." + setting.substring(0, setting.indexOf('=')), "at least"));
	}

	@ParameterizedTest
	@CsvSource({ "1, at most one connection", "2, at most 2 connections", "4, at most 4 connections" })
	void smallPoolThatIsSharedIsWarnedAbout(int size, String expected, CapturedOutput output) {
		this.withoutOwnConnections.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + size)
			.run((context) -> {
				assertThat(context.getBean(LockEngine.class).inspection().warnings())
					.singleElement(InstanceOfAssertFactories.STRING)
					.contains(expected);
				assertThat(output).contains(expected);
			});
	}

	@Test
	void smallPoolThatLocksDoNotUseIsNotWarnedAbout() {
		this.withDatabase.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> assertThat(context.getBean(LockEngine.class).inspection().warnings()).isEmpty());
	}

	@Test
	void poolThatIsLargeIsNotWarnedAbout() {
		this.withoutOwnConnections.withPropertyValues("spring.datasource.hikari.maximum-pool-size=5")
			.run((context) -> assertThat(context.getBean(LockEngine.class).inspection().warnings()).isEmpty());
	}

	@Test
	void smallPoolThatIsNamedIsNotWarnedAbout() {
		this.withoutOwnConnections
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1", "lock.jdbc.data-source=dataSource")
			.run((context) -> assertThat(context.getBean(LockEngine.class).inspection().warnings()).isEmpty());
	}

	@ParameterizedTest
	@CsvSource({ "auto, 10, 0, true", "auto, 4, 0, false", "auto, 1, 2, true", "off, 10, 0, false", "off, 1, 2, false",
			", 10, 0, true" })
	void postgresNotifiesOfReleasesUnlessItTakesASmallPool(String notify, int size, int connections, boolean expected) {
		PostgresServer server = PostgresServer.shared();
		ApplicationContextRunner runner = this.withDatabase.withPropertyValues(
				"spring.datasource.url=" + server.jdbcUrl(), "spring.datasource.username=" + server.user(),
				"spring.datasource.password=" + server.password(), "lock.jdbc.initialize-schema=always",
				"lock.operation-timeout=10s", "spring.datasource.hikari.maximum-pool-size=" + size,
				"lock.jdbc.connections=" + connections);
		((notify != null) ? runner.withPropertyValues("lock.jdbc.notify=" + notify) : runner).run((context) -> {
			JdbcLockBackend backend = context.getBean(JdbcLockBackend.class);
			assertThat(backend.capabilities().contains(Capability.NOTIFICATIONS)).isEqualTo(expected);
			context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
			});
		});
	}

	@Test
	void databaseWithoutNotificationsIsNotListenedTo() {
		this.withDatabase.withPropertyValues("lock.jdbc.notify=auto")
			.run((context) -> assertThat(context.getBean(JdbcLockBackend.class).capabilities())
				.doesNotContain(Capability.NOTIFICATIONS));
	}

	@Test
	void negativeNumberOfConnectionsIsRejected() {
		this.withDatabase.withPropertyValues("lock.jdbc.connections=-1")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock.jdbc.connections",
					"zero"));
	}

	@ParameterizedTest
	@MethodSource
	void dataSourceThatLeadsToSeveralDatabasesIsRejected(UnaryOperator<DataSource> wrapper) {
		RoutingDataSource routing = new RoutingDataSource();
		routing.setTargetDataSources(Map.of("here", memory(), "there", memory()));
		routing.afterPropertiesSet();
		DataSource dataSource = wrapper.apply(routing);
		this.runner.withBean(DataSource.class, () -> dataSource).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("AbstractRoutingDataSource", "once in each of its targets");
			assertThat(analysis.getAction()).contains("lock.jdbc.data-source");
		});
	}

	static List<UnaryOperator<DataSource>> dataSourceThatLeadsToSeveralDatabasesIsRejected() {
		return List.of((routing) -> routing, DelegatingDataSource::new, LazyConnectionDataSourceProxy::new,
				(routing) -> new DelegatingDataSource(new TransactionAwareDataSourceProxy(routing)),
				(routing) -> (DataSource) new ProxyFactory(routing).getProxy(), (routing) -> {
					ProxyFactory factory = new ProxyFactory(routing);
					factory.setProxyTargetClass(true);
					return (DataSource) factory.getProxy();
				}, (routing) -> {
					HikariDataSource pool = new HikariDataSource();
					pool.setDataSource(routing);
					return pool;
				});
	}

	@ParameterizedTest
	@CsvSource({ "mysql:loadbalance, '', ''", "mariadb:loadbalance, '', ''", "postgresql, 'loadBalanceHosts=true', ''",
			"postgresql, '', 'loadBalanceHosts=true'", "postgresql, 'loadBalanceHosts=true', 'targetServerType=any'" })
	void urlThatBalancesBetweenServersIsRejected(String driver, String parameters, String properties) {
		onTwoServers(driver, parameters, properties).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("once on each");
			assertThat(analysis.getAction()).contains("lock.jdbc.data-source");
		});
	}

	@ParameterizedTest
	@CsvSource({ "mysql:replication, '', true", "mariadb:replication, '', true",
			"postgresql, 'loadBalanceHosts=true&targetServerType=primary', true", "postgresql, '', false",
			"mariadb:sequential, '', false", "mysql, '', false" })
	void urlOfSeveralServersWithOnePrimaryIsWarnedAboutUnlessTheyAreTriedInOrder(String driver, String parameters,
			boolean warned) {
		onTwoServers(driver, parameters, "").run((context) -> {
			assertThat(context.getBean(LockEngine.class).inspection().warnings())
				.filteredOn((warning) -> warning.contains("names several servers"))
				.hasSize(warned ? 1 : 0);
			context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
			});
		});
	}

	/**
	 * A server that a URL names twice.
	 */
	private ApplicationContextRunner onTwoServers(String driver, String parameters, String properties) {
		SqlServer server = driver.startsWith("postgresql") ? PostgresServer.shared() : MariaDbServer.shared();
		String database = server.jdbcUrl().replaceFirst(".*//[^/]*/", "").replaceFirst("[?].*", "");
		return this.withDatabase.withPropertyValues(
				"spring.datasource.url=jdbc:%s://%2$s:%3$d,%2$s:%3$d/%4$s?%5$s".formatted(driver, server.host(),
						server.port(), database, parameters),
				"spring.datasource.username=" + server.user(), "spring.datasource.password=" + server.password(),
				"spring.datasource.hikari.data-source-properties." + (properties.isEmpty() ? "x=y" : properties),
				"lock.jdbc.initialize-schema=always", "lock.operation-timeout=10s");
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64, YugabyteDB", "CockroachDB CCL v24.1.0, CockroachDB" })
	void distributedDatabaseThatCallsItselfPostgresIsRejected(String version, String name) {
		PostgresServer server = PostgresServer.shared();
		server.execute("CREATE SCHEMA IF NOT EXISTS " + name,
				"CREATE OR REPLACE FUNCTION %s.version() RETURNS text LANGUAGE sql AS $$ SELECT '%s' $$".formatted(name,
						version));
		this.withDatabase
			.withPropertyValues(
					"spring.datasource.url=" + server.jdbcUrl() + "?options=-c%20search_path=" + name
							+ ",pg_catalog,public",
					"spring.datasource.username=" + server.user(), "spring.datasource.password=" + server.password())
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains(name, "clocks"));
	}

	@Test
	void addressOfThePoolIsThatOfItsDatabase() {
		this.withDatabase.run((context) -> assertThat(context.getBean(JdbcLockBackend.class).address())
			.isEqualTo(this.memory.replaceFirst(";.*", "") + ", table distributed_lock"));
	}

	private static void insertOldRow(JdbcTemplate jdbc) {
		jdbc.update("INSERT INTO distributed_lock (lock_key, token, expires_at) VALUES (X'61', 1, 0)");
	}

	private static int rows(JdbcTemplate jdbc) {
		return jdbc.queryForObject("SELECT COUNT(*) FROM distributed_lock", Integer.class);
	}

	private List<String> ourThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.othersThreads.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-"))
			.toList();
	}

	private static long threads(String name) {
		return Thread.getAllStackTraces().keySet().stream().filter((each) -> each.getName().equals(name)).count();
	}

	private static int tables(DataSource dataSource) {
		return new JdbcTemplate(dataSource).queryForObject(
				"SELECT COUNT(*) FROM information_schema.tables WHERE LOWER(table_name) = 'distributed_lock'",
				Integer.class);
	}

	private static DataSource memory() {
		return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
	}

	/**
	 * A database that cannot be reached at first.
	 */
	private static final class LateDataSource extends DelegatingDataSource {

		private volatile boolean there;

		LateDataSource(DataSource target) {
			super(target);
		}

		void come() {
			this.there = true;
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (!this.there) {
				throw new SQLException("Connection refused", "08001");
			}
			return super.getConnection();
		}

	}

	/**
	 * Leads to the database of the tenant whose thread it is, and of none at first.
	 */
	static class RoutingDataSource extends AbstractRoutingDataSource {

		@Override
		protected Object determineCurrentLookupKey() {
			return null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource first() {
			return memory();
		}

		@Bean
		DataSource second() {
			return memory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryDataSource {

		@Bean
		@Primary
		DataSource primary() {
			return memory();
		}

	}

}
