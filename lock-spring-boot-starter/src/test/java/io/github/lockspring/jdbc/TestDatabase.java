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

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.support.Durations;

/**
 * A database of one test.
 */
final class TestDatabase implements AutoCloseable {

	private final String url;

	private final String user;

	private final String password;

	private final DataSource dataSource;

	private final @Nullable Connection keptOpen;

	private final JdbcTemplate jdbc;

	/**
	 * A database of H2.
	 */
	TestDatabase(String url) {
		this.url = url;
		this.user = "sa";
		this.password = "";
		this.dataSource = dataSourceOf(this.user, this.password);
		this.keptOpen = connection();
		this.jdbc = new JdbcTemplate(this.dataSource);
	}

	private TestDatabase(String url, String user, String password) {
		this.url = url;
		this.user = user;
		this.password = password;
		this.dataSource = dataSourceOf(user, password);
		this.keptOpen = null;
		this.jdbc = new JdbcTemplate(ReusedConnections.to(url, user, password));
	}

	static TestDatabase inMemory(String... settings) {
		return new TestDatabase("jdbc:h2:mem:" + UUID.randomUUID() + ";" + String.join(";", settings));
	}

	/**
	 * The database of a server, which tests have in common.
	 */
	static TestDatabase on(SqlServer server) {
		return on(server, server.jdbcUrl());
	}

	/**
	 * The same through another URL, such as with options or for another driver.
	 */
	static TestDatabase on(SqlServer server, String url) {
		return new TestDatabase(url, server.user(), server.password());
	}

	Connection connection() {
		try {
			return this.dataSource.getConnection();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Connections without a pool.
	 */
	DataSource dataSource() {
		return this.dataSource;
	}

	DataSource dataSourceOf(String user, String password) {
		return new DriverManagerDataSource(this.url, user, password);
	}

	JdbcTemplate jdbc() {
		return this.jdbc;
	}

	HikariDataSource pool(int size) {
		return new HikariDataSource(poolConfig(size));
	}

	HikariConfig poolConfig(int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.url);
		config.setUsername(this.user);
		config.setPassword(this.password);
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		return config;
	}

	/**
	 * Create the table unless it exists.
	 */
	TestDatabase createTable() {
		return createTable(JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	/**
	 * Create a table unless it exists.
	 */
	TestDatabase createTable(String table) {
		new JdbcLockSchema(this.jdbc.getDataSource(), table).initialize();
		return this;
	}

	/**
	 * Drops the tables of locks and of values, as far as they are there.
	 */
	void dropTables(String lockTable) {
		for (String table : List.of(lockTable, lockTable + "_value")) {
			this.jdbc.execute("DROP TABLE IF EXISTS " + table);
		}
	}

	/**
	 * Runs several statements, as applications do that create their tables at startup.
	 */
	void runScript(String script) {
		new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)))
			.execute(this.dataSource);
	}

	void expire(LeaseRequest lease) {
		expire(lease, JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	void expire(LeaseRequest lease, String table) {
		String owner = lease.owner().toString();
		this.jdbc.update("UPDATE " + table + " SET expires_at = 1, version = version + 1 WHERE owner = ?", owner);
		for (String key : lease.keys()) {
			expireEntry(key.getBytes(StandardCharsets.UTF_8), owner, table);
		}
	}

	private void expireEntry(byte[] key, String owner, String table) {
		for (String entries : this.jdbc.queryForList(
				"SELECT entries FROM " + table + " WHERE lock_key = ? AND entries IS NOT NULL", String.class, key)) {
			List<KeyEntry> left = entries.lines()
				.map(KeyEntry::ofLine)
				.map((entry) -> entry.isOwnedBy(owner) ? entry.until(Durations.ofMicros(1)) : entry)
				.toList();
			this.jdbc.update(
					"UPDATE " + table + " SET entries = ?, shared_until = ?, version = version + 1 "
							+ "WHERE lock_key = ?",
					left.stream().map((entry) -> entry.toLine() + '\n').collect(Collectors.joining()),
					left.stream()
						.filter((entry) -> !entry.queued())
						.mapToLong((entry) -> Durations.micros(entry.end()))
						.max()
						.orElse(0),
					key);
		}
	}

	@Override
	public void close() {
		try {
			if (this.keptOpen != null) {
				this.keptOpen.close();
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
