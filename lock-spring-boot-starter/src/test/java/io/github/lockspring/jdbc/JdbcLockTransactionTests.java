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
import java.util.List;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcLockBackend} beside the transactions and the connection settings
 * of the application.
 */
class JdbcLockTransactionTests {

	private final TestDatabase database = TestDatabase.inMemory("LOCK_TIMEOUT=1234").createTable();

	private final HikariConfig config = this.database.poolConfig(2);

	private HikariDataSource pool;

	private JdbcLockBackend backend;

	@AfterEach
	void close() {
		this.backend.close();
		this.pool.close();
		this.database.close();
	}

	@Test
	void rollbackOfTheCallerKeepsWhatWasAcquired() {
		start();
		LeaseRequest lease = Requests.of("key");
		inTransaction((transaction) -> {
			assertThat(Requests.acquires(this.backend, lease)).isTrue();
			transaction.setRollbackOnly();
		});
		assertThat(Requests.acquires(this.backend, Requests.of("key"))).isFalse();
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void rollbackOfTheCallerKeepsWhatWasReleased() {
		start();
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		inTransaction((transaction) -> {
			assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
			transaction.setRollbackOnly();
		});
		assertThat(Requests.acquires(this.backend, Requests.of("key"))).isTrue();
	}

	@Test
	void othersSeeTheLockBeforeTheCallerCommits() {
		start();
		inTransaction((transaction) -> {
			Requests.acquired(this.backend, "key");
			assertThat(this.database.jdbc().queryForObject("SELECT COUNT(*) FROM distributed_lock", Integer.class))
				.isOne();
		});
	}

	@Test
	void callerInReadOnlyTransactionAcquires() {
		start();
		TransactionTemplate transaction = transaction();
		transaction.setReadOnly(true);
		transaction.executeWithoutResult((status) -> Requests.acquired(this.backend, "key"));
	}

	@Test
	void connectionsAreAsBefore() throws SQLException {
		start();
		useAll();
		assertConnection(true, Connection.TRANSACTION_READ_COMMITTED);
	}

	@Test
	void connectionsWithoutAutoCommitWorkAndAreAsBefore() throws SQLException {
		this.config.setAutoCommit(false);
		start();
		useAll();
		assertConnection(false, Connection.TRANSACTION_READ_COMMITTED);
	}

	@Test
	void serializableConnectionsWorkAndAreAsBefore() throws SQLException {
		this.config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
		this.config.setAutoCommit(false);
		start();
		useAll();
		assertConnection(false, Connection.TRANSACTION_SERIALIZABLE);
	}

	@Test
	void readOnlyConnectionsWork() {
		this.config.setReadOnly(true);
		start();
		useAll();
	}

	@Test
	void connectionsOfNoPoolWorkAndAreClosed() {
		start();
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend poolless = new JdbcLockBackend(spy);
		Requests.acquired(poolless, "key");
		poolless.close();
		assertThat(spy.opened()).isOne();
		Awaitility.await().until(() -> spy.closed() == 1);
	}

	private void start() {
		this.pool = new HikariDataSource(this.config);
		this.backend = new JdbcLockBackend(this.pool);
	}

	private void useAll() {
		LeaseRequest single = Requests.acquired(this.backend, "a");
		LeaseRequest several = Requests.of(List.of("b", "c"));
		assertThat(Requests.acquires(this.backend, several)).isTrue();
		assertThat(Requests.acquires(this.backend, Requests.of(List.of("c", "d")))).isFalse();
		assertThat(Requests.acquires(this.backend, Requests.of("c"))).isFalse();
		assertThat(this.backend.renew(List.of(single, several), Requests.TIMEOUT).held()).hasSize(2);
		assertThat(this.backend.inspect("b", Requests.TIMEOUT)).hasSize(1);
		assertThat(this.backend.release(several, Requests.TIMEOUT)).isTrue();
		assertThat(this.backend.release(single, Requests.TIMEOUT)).isTrue();
		this.backend.probe(Requests.of("probe"), Requests.TIMEOUT);
		this.backend.close();
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	private void assertConnection(boolean autoCommit, int isolation) throws SQLException {
		try (Connection connection = this.pool.getConnection();
				ResultSet rows = connection.createStatement().executeQuery("SELECT LOCK_TIMEOUT()")) {
			assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
			assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
			rows.next();
			assertThat(rows.getInt(1)).isEqualTo(1234);
		}
	}

	private void inTransaction(Consumer<TransactionStatus> body) {
		transaction().executeWithoutResult(body);
	}

	private TransactionTemplate transaction() {
		return new TransactionTemplate(new DataSourceTransactionManager(this.pool));
	}

}
