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
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the sessions of PostgreSQL are asked when a pool lends them.
 */
class PostgresSessionServerTests {

	private static final TableName TABLE = new TableName(JdbcLockSchema.DEFAULT_TABLE_NAME);

	private static final Set<String> ROUND_TRIPS = Set.of("createStatement", "prepareStatement", "prepareCall",
			"getTransactionIsolation", "setTransactionIsolation");

	private final TestDatabase database = TestDatabase.on(PostgresServer.shared());

	private final SpyDataSource spy = new SpyDataSource(this.database.dataSource());

	@AfterEach
	void close() {
		this.database.close();
	}

	@Test
	void sessionIsAskedWhenItIsLentForTheFirstTimeOnly() throws SQLException {
		try (HikariDataSource pool = pool("TRANSACTION_READ_COMMITTED")) {
			assertThat(roundTripsOfOpening(pool)).containsExactly("createStatement");
			assertThat(roundTripsOfOpening(pool)).isEmpty();
		}
	}

	@Test
	void isolationThatIsTooStrictIsAskedForOnceEachTime() throws SQLException {
		try (HikariDataSource pool = pool("TRANSACTION_SERIALIZABLE")) {
			for (int i = 0; i < 2; i++) {
				assertThat(roundTripsOfOpening(pool)).startsWith("createStatement", "setTransactionIsolation")
					.doesNotContain("getTransactionIsolation");
				try (Connection connection = pool.getConnection()) {
					assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
				}
			}
		}
	}

	/**
	 * A pool whose only connection is open.
	 */
	private HikariDataSource pool(String isolation) throws SQLException {
		HikariConfig config = new HikariConfig();
		config.setDataSource(this.spy);
		config.setMaximumPoolSize(1);
		config.setTransactionIsolation(isolation);
		HikariDataSource pool = new HikariDataSource(config);
		pool.getConnection().close();
		return pool;
	}

	private List<String> roundTripsOfOpening(HikariDataSource pool) throws SQLException {
		this.spy.calls().clear();
		LockConnection.open(pool, TABLE).close();
		return this.spy.calls().stream().filter(ROUND_TRIPS::contains).toList();
	}

}
