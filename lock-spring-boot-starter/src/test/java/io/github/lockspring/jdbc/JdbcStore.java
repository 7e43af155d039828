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
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.support.Durations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table of a database server, for processes of tests. Each has a pool of its own.
 *
 * @param url the JDBC URL
 * @param user the user
 * @param password the password
 * @param table the table
 * @param kept how many connections are kept between two calls
 * @param pool changes the settings of a pool
 */
public record JdbcStore(String url, String user, String password, String table, int kept,
		Consumer<HikariConfig> pool) implements Store {

	static final int POOL_SIZE = 6;

	/**
	 * Creates a store with pools of the usual size.
	 * @param url the JDBC URL
	 * @param user the user
	 * @param password the password
	 * @param table the table
	 */
	public JdbcStore(String url, String user, String password, String table) {
		this(url, user, password, table, 4, (config) -> {
		});
	}

	static JdbcStore on(SqlServer server, String table) {
		return new JdbcStore(server.jdbcUrl(), server.user(), server.password(), table);
	}

	/**
	 * A database of H2 in memory, which lasts as long as a process uses it, and a minute
	 * longer.
	 */
	static JdbcStore inMemory() {
		return new JdbcStore("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=60", "sa", "",
				JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	JdbcStore through(SqlServer server, FaultProxy proxy) {
		return new JdbcStore(server.proxied(proxy), this.user, this.password, this.table, this.kept, this.pool);
	}

	JdbcStore keeping(int connections) {
		return new JdbcStore(this.url, this.user, this.password, this.table, connections, this.pool);
	}

	JdbcStore withPool(Consumer<HikariConfig> pool) {
		return new JdbcStore(this.url, this.user, this.password, this.table, this.kept, pool);
	}

	@Override
	public StoreClient connect(EngineSettings settings) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.url);
		config.setUsername(this.user);
		config.setPassword(this.password);
		config.setMaximumPoolSize(POOL_SIZE);
		config.setMinimumIdle(0);
		this.pool.accept(config);
		boolean listening = this.url.startsWith("jdbc:postgresql:"); // as by default
		return new Client(new HikariDataSource(config), new JdbcLockSettings(this.table, this.kept, 0, listening));
	}

	/**
	 * The pool of a process.
	 */
	static HikariDataSource pool(EngineProcess process) {
		return ((Client) process.client).pool;
	}

	JdbcTemplate admin() {
		return new JdbcTemplate(dataSource());
	}

	/**
	 * A reused connection would keep a database of H2 in memory for all times.
	 */
	private DataSource dataSource() {
		return this.url.startsWith("jdbc:h2:mem:") ? new DriverManagerDataSource(this.url, this.user, this.password)
				: ReusedConnections.to(this.url, this.user, this.password);
	}

	/**
	 * Creates the tables.
	 */
	public void createTable() {
		new JdbcLockSchema(dataSource(), this.table).initialize();
	}

	void dropTable() {
		for (String name : List.of(this.table, this.table + "_value")) {
			admin().execute("DROP TABLE IF EXISTS " + name);
		}
	}

	/**
	 * Asserts that no one holds a key or waits for it. What is over stays until someone
	 * writes the row.
	 */
	public void assertNothingLeft() {
		long now = micros();
		assertThat(admin().query("SELECT owner, expires_at, entries FROM " + this.table,
				(row, i) -> owners((row.getLong(2) > now) ? row.getString(1) : null, row.getString(3), now)))
			.allMatch(List::isEmpty);
	}

	private static List<String> owners(@Nullable String owner, @Nullable String entries, long now) {
		List<String> owners = new ArrayList<>();
		if (owner != null) {
			owners.add(owner);
		}
		if (entries != null) {
			entries.lines().filter((line) -> Durations.micros(KeyEntry.ofLine(line).end()) > now).forEach(owners::add);
		}
		return owners;
	}

	/**
	 * The clock of the database.
	 */
	public long micros() {
		return admin().execute((Connection connection) -> {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SELECT " + JdbcDialects.of(connection).now())) {
				rows.next();
				return rows.getLong(1);
			}
		});
	}

	private static final class Client implements StoreClient {

		private final HikariDataSource pool;

		private final JdbcLockBackend backend;

		Client(HikariDataSource pool, JdbcLockSettings settings) {
			this.pool = pool;
			this.backend = new JdbcLockBackend(pool, settings);
		}

		@Override
		public LockBackend backend() {
			return this.backend;
		}

		@Override
		public void disconnect() {
			throw new UnsupportedOperationException("End the process instead");
		}

		/**
		 * Closes the pool, which has all connections again.
		 */
		@Override
		public void close() {
			FaultRun.eventually()
				.untilAsserted(() -> assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isZero());
			this.pool.close();
		}

	}

}
