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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcLockBackend} on PostgreSQL.
 */
class PostgresLockTableServerTests extends SqlLockTableTests {

	PostgresLockTableServerTests() {
		super(PostgresServer.shared(), PostgresServer.shared().jdbcUrl());
	}

	@Override
	String setTimeZone(String offset) {
		return "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
	}

	@Override
	String sessionSetting() {
		return "SELECT current_setting('lock_timeout') || current_setting('synchronous_commit')";
	}

	@Override
	List<String[]> wrongColumns() {
		return List.of(new String[] { "lock_key", "VARCHAR(1024)", "BYTEA" },
				new String[] { "owner", "VARCHAR(10)", "VARCHAR(64)" },
				new String[] { "token", "INTEGER DEFAULT 0 NOT NULL", "BIGINT" },
				new String[] { "expires_at", "TIMESTAMPTZ", "BIGINT" },
				new String[] { "entries", "VARCHAR(100)", "TEXT" });
	}

	@Override
	List<String> driverOptions() {
		return List.of("prepareThreshold=0", "prepareThreshold=1", "preferQueryMode=simple", "stringtype=unspecified",
				"autosave=always", "binaryTransfer=false");
	}

	@Test
	void nothingIsWrittenToTheLogByContention() throws Exception {
		try (PostgresServer own = PostgresServer.start("log_min_error_statement=error");
				TestDatabase database = TestDatabase.on(own).createTable()) {
			JdbcLockBackend backend = new JdbcLockBackend(database.dataSource());
			inParallel(8, (thread) -> {
				for (int i = 0; i < 20; i++) {
					LeaseMode mode = (i % 2 == 0) ? LeaseMode.SHARED : LeaseMode.EXCLUSIVE;
					LeaseRequest request = Requests.of("key" + i, mode, false);
					Requests.acquires(backend, request);
					backend.release(request, Requests.TIMEOUT);
				}
			});
			backend.close();
			assertThat(own.log()).doesNotContain("duplicate key");
		}
	}

	/**
	 * A replica that never answers keeps every commit that waits for the disk from being
	 * answered.
	 */
	@Test
	void releaseDoesNotWaitForTheDiskAndEverythingElseDoes() throws SQLException {
		try (PostgresServer own = PostgresServer.startDurable();
				TestDatabase database = TestDatabase.on(own).createTable();
				Connection session = own.dataSource().getConnection()) {
			JdbcLockBackend backend = new JdbcLockBackend(new SingleConnectionDataSource(session, true));
			LeaseRequest lease = Requests.acquired(backend, "key");
			LeaseRequest permits = Requests.of("permits", LeaseMode.permits(1, 3), false);
			assertThat(Requests.acquires(backend, permits)).isTrue();
			LeaseRequest other = Requests.acquired(backend, "other");
			waitForReplicaOf(own);
			assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
			assertThat(backend.release(permits, Requests.TIMEOUT)).isTrue();
			try (ResultSet rows = session.createStatement().executeQuery("SHOW synchronous_commit")) {
				rows.next();
				assertThat(rows.getString(1)).isEqualTo("on");
			}
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> backend.renew(List.of(other), Duration.ofMillis(500)));
			backend.close();
		}
	}

	/**
	 * Releases that are confirmed, but not yet on disk when the server crashes.
	 */
	@Test
	void releaseThatACrashUndidIsRepeated() {
		try (PostgresServer own = PostgresServer.startDurable("wal_writer_delay=10s");
				TestDatabase database = TestDatabase.on(own).createTable()) {
			JdbcLockBackend backend = new JdbcLockBackend(database.dataSource(),
					JdbcLockSettings.ofOwnConnections(JdbcLockSchema.DEFAULT_TABLE_NAME, 2));
			List<LeaseRequest> leases = List.of(Requests.of("a"), Requests.of("b"), Requests.of(List.of("c", "d")));
			leases.forEach((lease) -> assertThat(Requests.acquires(backend, lease)).isTrue());
			LeaseRequest kept = Requests.acquired(backend, "kept");
			leases.forEach((lease) -> assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue());
			own.kill();
			own.restart();
			JdbcLockBackend other = new JdbcLockBackend(database.dataSource());
			assertThat(Requests.acquires(other, Requests.of("a"))).as("the release was on disk").isFalse();
			Awaitility.await().ignoreExceptions().until(() -> backend.inspect("another", Requests.TIMEOUT).isEmpty());
			for (String key : List.of("a", "b", "c", "d")) {
				Awaitility.await()
					.atMost(Requests.LEASE_TIME.dividedBy(2))
					.until(() -> Requests.acquires(other, Requests.of(key)));
			}
			assertThat(backend.renew(List.of(kept), Requests.TIMEOUT).held()).containsExactly(kept);
			backend.close();
			other.close();
		}
	}

	@Test
	void rowVersionsThatAnOpenTransactionKeepsAreWarnedAboutUntilTheyAreRemoved() throws SQLException {
		database().createTable(table());
		JdbcLockBackend backend = backend(database().dataSource());
		Requests.acquired(backend, "key");
		backend.probe(Requests.of("probe"), Requests.TIMEOUT);
		assertThat(backend.warnings()).isEmpty();
		try (Connection report = database().connection()) {
			report.setAutoCommit(false);
			report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
			report.createStatement().executeQuery("SELECT * FROM " + table());
			database().jdbc()
				.update("INSERT INTO " + table() + " (lock_key, token, expires_at) "
						+ "SELECT CAST(CAST(i AS text) AS bytea), 0, 0 FROM generate_series(1, 12000) AS i");
			database().jdbc().update("DELETE FROM " + table() + " WHERE expires_at = 0");
			Awaitility.await().untilAsserted(() -> {
				backend.probe(Requests.of("probe"), Requests.TIMEOUT);
				assertThat(backend.warnings()).singleElement().asString().contains(table(), "old row versions");
			});
		}
		Awaitility.await().untilAsserted(() -> {
			database().jdbc().execute("VACUUM " + table());
			backend.probe(Requests.of("probe"), Requests.TIMEOUT);
			assertThat(backend.warnings()).isEmpty();
		});
	}

	private static void waitForReplicaOf(PostgresServer server) {
		JdbcTemplate admin = new JdbcTemplate(new DriverManagerDataSource(
				"jdbc:postgresql://" + server.host() + ":" + server.port() + "/postgres", "postgres", ""));
		admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
		admin.execute("SELECT pg_reload_conf()");
		Awaitility.await()
			.until(() -> "absent".equals(admin.queryForObject("SHOW synchronous_standby_names", String.class)));
	}

}
