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
package io.github.lockspring.aop;

import java.util.UUID;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a locked method reads inside a transaction that has read before: that depends on
 * the isolation level, not on the lock.
 */
class StaleSnapshotTests {

	private final LockedProxies proxies = new LockedProxies();

	private final JdbcDataSource dataSource = new JdbcDataSource();

	private Stock stock;

	@BeforeEach
	void open() {
		this.dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);
		jdbc.execute("CREATE TABLE stock (pieces INT)");
		jdbc.execute("INSERT INTO stock VALUES (10)");
		this.stock = this.proxies.proxy(new Stock(jdbc));
	}

	@AfterEach
	void close() {
		this.proxies.close();
		new JdbcTemplate(this.dataSource).execute("SHUTDOWN");
	}

	@Test
	void whenReadCommittedThenLockedMethodReadsWhatTheLastHolderHasWritten() {
		assertThat(piecesUnderTheLock(TransactionDefinition.ISOLATION_READ_COMMITTED)).isEqualTo(9);
	}

	@Test
	void whenRepeatableReadThenLockedMethodReadsWhatWasThereBeforeTheLastHolder() {
		assertThat(piecesUnderTheLock(TransactionDefinition.ISOLATION_REPEATABLE_READ)).isEqualTo(10);
	}

	@Test
	void whenTransactionBeginsUnderTheLockThenItReadsWhatTheLastHolderHasWritten() {
		sellElsewhere();
		TransactionTemplate transaction = transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		assertThat(this.stock.pieces(transaction)).isEqualTo(9);
	}

	private int piecesUnderTheLock(int isolation) {
		return transaction(isolation).execute((status) -> {
			assertThat(this.stock.glance()).isEqualTo(10);
			sellElsewhere();
			return this.stock.pieces();
		});
	}

	private void sellElsewhere() {
		try (var lock = this.proxies.holdElsewhere("stock")) {
			transaction(TransactionDefinition.ISOLATION_READ_COMMITTED).executeWithoutResult((status) -> {
				this.stock.take();
				assertThat(lock.isHeld()).isTrue();
			});
		}
	}

	private TransactionTemplate transaction(int isolation) {
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(this.dataSource));
		transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		transaction.setIsolationLevel(isolation);
		return transaction;
	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		int glance() {
			return this.jdbc.queryForObject("SELECT pieces FROM stock", Integer.class);
		}

		void take() {
			this.jdbc.update("UPDATE stock SET pieces = pieces - 1");
		}

		@DistributedLock(name = "stock")
		int pieces() {
			return glance();
		}

		@DistributedLock(name = "stock")
		int pieces(TransactionTemplate transaction) {
			return transaction.execute((status) -> glance());
		}

	}

}
