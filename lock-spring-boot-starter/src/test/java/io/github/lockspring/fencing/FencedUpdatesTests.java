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

package io.github.lockspring.fencing;

import java.time.Duration;
import java.util.UUID;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FencedUpdates} with locks and rows in the same database, and two
 * processes that want to write.
 */
class FencedUpdatesTests {

	private final JdbcDataSource dataSource = new JdbcDataSource();

	private final SettableTime time = new SettableTime();

	private JdbcTemplate jdbc;

	private FencedUpdates updates;

	private LockEngine first;

	private LockEngine second;

	@BeforeEach
	void open() {
		this.dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		this.jdbc = new JdbcTemplate(this.dataSource);
		this.updates = new FencedUpdates(this.jdbc);
		new JdbcLockSchema(this.dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
		this.jdbc.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT, fence BIGINT DEFAULT 0 NOT NULL)");
		this.jdbc.update("INSERT INTO account (id, balance) VALUES (1, 100)");
		this.first = process();
		this.second = process();
	}

	@AfterEach
	void close() {
		this.first.close();
		this.second.close();
		this.jdbc.execute("SHUTDOWN");
	}

	private LockEngine process() {
		return new LockEngine(new JdbcLockBackend(this.dataSource), EngineSettings.defaults(), EngineListener.NONE,
				this.time);
	}

	private static LockHandle acquire(LockEngine process) {
		return LockUtils.template(LockEngines.of(process), "lock:", LockOptions.defaults())
			.acquire("account 1", LockOptions.defaults());
	}

	/**
	 * The store gives the lease to the next one, and its holder does not know.
	 */
	private void expire() {
		this.jdbc.update("UPDATE distributed_lock SET expires_at = 1");
	}

	private int write(LockHandle lock, int balance) {
		return this.updates.update("account").set("balance", balance).where("id", 1).execute(lock);
	}

	private int balance() {
		return this.jdbc.queryForObject("SELECT balance FROM account WHERE id = 1", Integer.class);
	}

	@Test
	void holderWritesAsOftenAsItLikes() {
		try (LockHandle lock = acquire(this.first)) {
			assertThat(write(lock, 90)).isEqualTo(1);
			assertThat(write(lock, 80)).isEqualTo(1);
			assertThat(balance()).isEqualTo(80);
			assertThat(this.jdbc.queryForObject("SELECT fence FROM account", Long.class))
				.isEqualTo(lock.fencingToken());
		}
	}

	@Test
	void allConditionsOfAColumnMustBeTrue() {
		try (LockHandle lock = acquire(this.first)) {
			FencedUpdate update = this.updates.update("account").set("balance", 80).where("id", 2).where("id", 1);
			assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> update.execute(lock));
			assertThat(balance()).isEqualTo(100);
			assertThat(this.updates.update("account").set("balance", 80).where("id", 1).where("id", 1).execute(lock))
				.isOne();
		}
	}

	@Test
	void nextHolderWrites() {
		try (LockHandle lock = acquire(this.first)) {
			write(lock, 90);
		}
		try (LockHandle lock = acquire(this.second)) {
			assertThat(write(lock, 80)).isEqualTo(1);
		}
		assertThat(balance()).isEqualTo(80);
	}

	@Test
	void formerHolderThatWritesAfterItsSuccessorIsRejected() {
		LockHandle former = acquire(this.first);
		expire();
		try (LockHandle successor = acquire(this.second)) {
			write(successor, 80);
			assertThat(former.isHeld()).as("the former holder does not know").isTrue();
			assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> write(former, 90))
				.withMessageContaining("'lock:account 1'")
				.withMessageContaining(String.valueOf(former.fencingToken()))
				.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:account 1"))
				.satisfies((ex) -> assertThat(ex.fencingToken()).isEqualTo(former.fencingToken()));
			assertThat(balance()).isEqualTo(80);
			assertThat(write(successor, 70)).isEqualTo(1);
		}
	}

	@Test
	void formerHolderIsRejectedAfterItsSuccessorHasReleased() {
		LockHandle former = acquire(this.first);
		expire();
		try (LockHandle successor = acquire(this.second)) {
			write(successor, 80);
		}
		assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> write(former, 90));
		assertThat(balance()).isEqualTo(80);
	}

	@Test
	void formerHolderIsNotRejectedBeforeItsSuccessorHasWritten() {
		LockHandle former = acquire(this.first);
		expire();
		try (LockHandle successor = acquire(this.second)) {
			assertThat(write(former, 90)).isEqualTo(1);
			assertThat(write(successor, 80)).isEqualTo(1);
		}
		assertThat(balance()).isEqualTo(80);
	}

	@Test
	void writeAfterKnownLossIsNotSent() {
		LockHandle lock = acquire(this.first);
		this.time.jumpWall(Duration.ofDays(1));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> write(lock, 90));
		assertThat(balance()).isEqualTo(100);
	}

	@Test
	void missingRowIsRejectedLikeOneWithALargerToken() {
		try (LockHandle lock = acquire(this.first)) {
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.updates.update("account").set("balance", 90).where("id", 2).execute(lock))
				.withMessageContaining("does not exist");
		}
	}

	@Test
	void writeTakesPartInTheTransaction() {
		TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(this.dataSource));
		try (LockHandle lock = acquire(this.first)) {
			transaction.executeWithoutResult((status) -> {
				write(lock, 90);
				status.setRollbackOnly();
			});
			assertThat(balance()).isEqualTo(100);
		}
	}

	@Test
	void updateOfAllRowsIsNotSent() {
		try (LockHandle lock = acquire(this.first)) {
			assertThatIllegalStateException()
				.isThrownBy(() -> this.updates.update("account").set("balance", 90).execute(lock))
				.withMessageContaining("where(column, value)");
		}
		assertThat(balance()).isEqualTo(100);
	}

	@ParameterizedTest
	@ValueSource(strings = { "fence", "FENCE", "\"fence\"", "`Fence`" })
	void tokenIsThatOfTheLockAndOfNoOneElse(String column) {
		try (LockHandle lock = acquire(this.first)) {
			FencedUpdate update = this.updates.update("account").set(column, Long.MAX_VALUE).where("id", 1);
			assertThatIllegalStateException().isThrownBy(() -> update.execute(lock))
				.withMessageContaining("cannot be set to a value");
		}
	}

	@Test
	void missingConditionValueIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.updates.update("account").where("id", null))
			.withMessage("'value' must not be null");
	}

	/**
	 * On H2.
	 */
	@Nested
	class H2 extends FencedRowRules {

		H2() {
			super(FencedUpdatesTests.this.dataSource);
		}

	}

}
