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
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.LeaseRequest;
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

	private static Process pooler;

	private static String url;

	@BeforeAll
	static void start(@TempDir Path folder) throws Exception {
		Path program = Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
			.map(Path::of)
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
		Assumptions.assumeTrue(program != null, "PgBouncer is not installed");
		server = PostgresServer.start("default_transaction_isolation=serializable");
		int port = freePort();
		Path settings = Files.writeString(folder.resolve("pgbouncer.ini"), """
				[databases]
				locks = host=127.0.0.1 port=%d user=%s
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = any
				pool_mode = transaction
				default_pool_size = 2
				ignore_startup_parameters = extra_float_digits
				""".formatted(server.port(), server.user(), port));
		Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
		List<String> command = new ArrayList<>(List.of(program.toString(), settings.toString()));
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(1, List.of("-u", "nobody"));
		}
		pooler = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(folder.resolve("log").toFile())
			.start();
		url = "jdbc:postgresql://127.0.0.1:" + port + "/locks?prepareThreshold=0";
		Awaitility.await().ignoreExceptions().until(() -> isolation().equals("serializable"));
		new JdbcLockSchema(dataSource(), TABLE).initialize();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	@AfterAll
	static void stop() throws InterruptedException {
		if (pooler != null) {
			pooler.destroy();
			pooler.waitFor(10, TimeUnit.SECONDS);
			server.close();
		}
	}

	private static DriverManagerDataSource dataSource() {
		return new DriverManagerDataSource(url, server.user(), server.password());
	}

	private static String isolation() throws Exception {
		try (Connection connection = DriverManager.getConnection(url, server.user(), server.password());
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT current_setting('transaction_isolation')")) {
			rows.next();
			return rows.getString(1);
		}
	}

	@Test
	void otherClientsFindTheIsolationThatTheyExpect() throws Exception {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
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

	@Test
	void sessionWithoutPoolerIsRecognised() throws Exception {
		try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
			assertThat(PostgresSession.of(connection)).isEqualTo(new PostgresSession(false, "serializable"));
		}
	}

}
