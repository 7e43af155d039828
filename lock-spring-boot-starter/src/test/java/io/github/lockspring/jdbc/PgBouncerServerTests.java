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

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks behind a PgBouncer in transaction mode, whose sessions other clients use as well.
 * Skipped where it is not installed.
 */
@Timeout(300)
class PgBouncerServerTests {

	private static final String TABLE = "pooled_locks";

	private static PostgresServer server;

	private static PgBouncer pooler;

	@BeforeAll
	static void start(@TempDir Path folder) throws Exception {
		server = PostgresServer.start("default_transaction_isolation=serializable");
		pooler = PgBouncer.start(server, folder, "transaction", 2);
		new JdbcLockSchema(dataSource(), TABLE).initialize();
	}

	@AfterAll
	static void stop() throws InterruptedException {
		if (pooler != null) {
			pooler.close();
		}
		server.close();
	}

	private static DriverManagerDataSource dataSource() {
		return new DriverManagerDataSource(pooler.url(), server.user(), server.password());
	}

	private static String isolation() throws Exception {
		try (Connection connection = DriverManager.getConnection(pooler.url(), server.user(), server.password());
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT current_setting('transaction_isolation')")) {
			rows.next();
			return rows.getString(1);
		}
	}

	@Test
	void otherClientsFindTheIsolationThatTheyExpect() throws Exception {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(pooler.url());
		config.setUsername(server.user());
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger granted = new AtomicInteger();
		try (HikariDataSource pool = new HikariDataSource(config);
				JdbcLockBackend shared = new JdbcLockBackend(pool, TABLE);
				JdbcLockBackend own = new JdbcLockBackend(dataSource(), JdbcLockSettings.ofOwnConnections(TABLE, 2))) {
			List<Thread> threads = List.of(locking(shared, "one", over, granted), locking(own, "two", over, granted),
					locking(own, "three", over, granted));
			try {
				Awaitility.await().until(() -> granted.get() > 20);
				for (int i = 0; i < 100; i++) {
					assertThat(isolation()).isEqualTo("serializable");
				}
			}
			finally {
				over.set(true);
				for (Thread thread : threads) {
					thread.join();
				}
			}
		}
		assertThat(isolation()).isEqualTo("serializable");
	}

	private static Thread locking(JdbcLockBackend backend, String key, AtomicBoolean over, AtomicInteger granted) {
		Thread thread = new Thread(() -> {
			while (!over.get()) {
				LeaseRequest request = Requests.of(key);
				if (Requests.acquires(backend, request)) {
					granted.incrementAndGet();
					backend.release(request, Requests.TIMEOUT);
				}
			}
		});
		thread.start();
		return thread;
	}

	@Test
	void poolerIsRecognisedAndNotListenedThrough() {
		try (JdbcLockBackend backend = new JdbcLockBackend(dataSource(),
				JdbcLockSettings.ofOwnConnections(TABLE, 2).withListening(true))) {
			LeaseRequest lease = Requests.acquired(backend, "key");
			backend.contend(Requests.of("key"), Requests.TIMEOUT);
			Awaitility.await()
				.untilAsserted(() -> assertThat(backend.warnings()).singleElement()
					.asString()
					.contains("PgBouncer", "lock.jdbc.data-source"));
			ValueBackend values = backend.values().orElseThrow();
			assertThat(values.notifiesOfChanges()).isFalse();
			ValueUpdateResult result = values.update(Requests.update("key", new ValueChange.Add(1, 0)),
					Requests.TIMEOUT);
			assertThat(values.read(List.of("key"), true, Requests.TIMEOUT)).containsEntry("key", result.after());
			backend.release(lease, Requests.TIMEOUT);
		}
		assertThat(new JdbcTemplate(dataSource()).queryForList("SELECT pg_listening_channels()", String.class))
			.isEmpty();
	}

	/**
	 * A recall would not arrive, so that the process must not retain the lease.
	 */
	@Test
	void leaseIsNotRecallable() {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(10), 1, true);
		try (JdbcLockBackend backend = new JdbcLockBackend(dataSource(),
				JdbcLockSettings.ofOwnConnections(TABLE, 2).withListening(true))) {
			backend.tryAcquire(new LeaseRequest(List.of("first"), terms, new OwnerId(OwnerId.newInstance(), 1)),
					Requests.TIMEOUT);
			Awaitility.await().until(() -> !backend.warnings().isEmpty());
			assertThat(backend.tryAcquire(
					new LeaseRequest(List.of("next"), terms, new OwnerId(OwnerId.newInstance(), 1)), Requests.TIMEOUT))
				.isInstanceOfSatisfying(Grant.class, (grant) -> assertThat(grant.recallable()).isFalse());
		}
	}

	@Test
	void sessionWithoutPoolerIsRecognised() throws Exception {
		try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
			assertThat(PostgresSession.of(connection)).isEqualTo(new PostgresSession(false, "serializable"));
		}
	}

}
