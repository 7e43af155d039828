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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.server.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leases that a process retains, with real messages.
 */
class PostgresRetainedLeaseServerTests {

	private static final String TABLE = "retained_locks";

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final TestDatabase database = TestDatabase.on(PostgresServer.shared());

	private final HikariDataSource pool = this.database.pool(8);

	private final LockTemplate one;

	private final LockTemplate two;

	PostgresRetainedLeaseServerTests() {
		this.database.createTable(TABLE);
		this.database.jdbc().update("DELETE FROM " + TABLE);
		this.one = template(this.pool);
		this.two = template(this.pool);
	}

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
		this.pool.close();
		this.database.close();
	}

	private static LockTemplate template(DataSource dataSource) {
		JdbcLockSettings settings = new JdbcLockSettings(TABLE, 2, 0, true);
		return LockTemplate.builder(new JdbcLockBackend(dataSource, settings))
			.operationTimeout(TIMEOUT)
			.waitTime(Duration.ofMinutes(1))
			.build();
	}

	private static LockOptions retained(LockTemplate template) {
		return template.defaultOptions().withRetain(Duration.ofHours(1));
	}

	private static long use(LockTemplate template) {
		try (LockHandle lock = template.acquire("key", retained(template))) {
			return lock.fencingToken();
		}
	}

	/**
	 * Retain the lease. A process that does not listen yet acquires ordinary ones.
	 */
	private long retain(LockTemplate template) {
		return await().until(() -> use(template), (token) -> isRetained());
	}

	private boolean isRetained() {
		return !this.database.jdbc()
			.queryForList("SELECT holder FROM " + TABLE + " WHERE holder LIKE '%!'", String.class)
			.isEmpty();
	}

	private static @Nullable LockHandle tryOnce(LockTemplate template, LockType type) {
		return template.tryAcquire("key", template.defaultOptions().withType(type).withWaitTime(Duration.ZERO));
	}

	@Test
	void isAcquiredAgainWithoutStatement() {
		long token = retain(this.one);
		Long version = version();
		for (int i = 0; i < 100; i++) {
			assertThat(use(this.one)).isEqualTo(++token);
		}
		assertThat(version()).isEqualTo(version);
		this.one.close();
		assertThat(isRetained()).isFalse();
	}

	private @Nullable Long version() {
		return this.database.jdbc().queryForObject("SELECT version FROM " + TABLE, Long.class);
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void isRecalledForAnotherProcess(LockType type) {
		for (int i = 0; i < 3; i++) {
			long token = retain(this.one);
			try (LockHandle waited = this.two.acquire("key", this.two.defaultOptions().withType(type))) {
				assertThat(waited.fencingToken()).isGreaterThan(token);
			}
			forgetWaiting();
			retain(this.one);
			try (LockHandle tried = tryOnce(this.two, type)) {
				assertThat(tried).isNotNull();
			}
			forgetWaiting();
		}
	}

	/**
	 * Leases are not retained for a while after another process has waited.
	 */
	private void forgetWaiting() {
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
	}

	@Test
	void isDeclinedWhileItIsInUse() {
		retain(this.one);
		LockHandle held = this.one.acquire("key", retained(this.one));
		assertThat(tryOnce(this.two, LockType.REENTRANT)).isNull();
		assertThat(isRetained()).isFalse();
		assertThat(tryOnce(this.two, LockType.READ)).isNull();
		assertThat(held.isHeld()).isTrue();
		held.close();
		try (LockHandle tried = tryOnce(this.two, LockType.REENTRANT)) {
			assertThat(tried).isNotNull();
		}
	}

	/**
	 * Each attempt reads a lease whose holder has not answered, and is then overtaken by
	 * a change, which might be the answer.
	 */
	@Test
	void isAwaitedWhileTheRowIsChanged() {
		retain(this.one);
		this.database.jdbc().update("UPDATE " + TABLE + " SET owner = 'other', holder = 'other!'");
		this.database.jdbc().execute("""
				CREATE SEQUENCE changes;
				CREATE FUNCTION overtake() RETURNS trigger LANGUAGE plpgsql AS
				'BEGIN IF nextval(''changes'') < 60 THEN RETURN NULL; END IF; RETURN NEW; END';
				CREATE TRIGGER overtake BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION overtake()
				""".formatted(TABLE));
		try {
			CompletableFuture<@Nullable LockHandle> tried = CompletableFuture
				.supplyAsync(() -> tryOnce(this.two, LockType.FAIR));
			await().until(() -> tried.isDone() || this.database.jdbc()
				.update("UPDATE " + TABLE + " SET version = version + 1, expires_at = 0") == 1);
			assertThat(tried).succeedsWithin(TIMEOUT.multipliedBy(2)).isNotNull();
		}
		finally {
			this.database.jdbc().execute("DROP FUNCTION overtake CASCADE; DROP SEQUENCE changes");
		}
	}

	@Test
	void isRecalledAfterTheConnectionOfTheListenerWasLost() {
		retain(this.one);
		this.database.jdbc()
			.queryForList(
					"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN lock_spring%'");
		try (LockHandle waited = this.two.acquire("key")) {
			assertThat(waited.isHeld()).isTrue();
		}
	}

	@Test
	void isNotRetainedForAWhileAfterAnotherProcessHasWaited() {
		retain(this.one);
		this.two.acquire("key").close();
		use(this.one);
		assertThat(isRetained()).isFalse();
		forgetWaiting();
		use(this.one);
		assertThat(isRetained()).isTrue();
	}

	@Test
	void isReleasedWhenItsProcessEnds() {
		retain(this.one);
		this.one.close();
		try (LockHandle tried = tryOnce(this.two, LockType.FAIR)) {
			assertThat(tried).isNotNull();
		}
	}

}
