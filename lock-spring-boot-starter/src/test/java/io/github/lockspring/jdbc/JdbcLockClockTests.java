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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the time that {@link JdbcLockBackend} goes by, and for rows that other
 * sessions work on.
 */
class JdbcLockClockTests {

	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(200);

	/**
	 * Who waited for the row of another transaction would wait for longer than an attempt
	 * may last, instead of being rejected the row by the database.
	 */
	private final TestDatabase database = TestDatabase.inMemory("LOCK_TIMEOUT=600000").createTable();

	private final List<HikariDataSource> pools = new ArrayList<>();

	private final List<JdbcLockBackend> backends = new ArrayList<>();

	private final JdbcLockBackend backend = backend("UTC");

	@AfterEach
	void close() {
		this.backends.forEach(JdbcLockBackend::close);
		this.pools.forEach(HikariDataSource::close);
		this.database.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu", "America/New_York" })
	void expiryIsTheSameInEveryTimeZone(String timeZone) {
		JdbcLockBackend elsewhere = backend(timeZone);
		LeaseRequest lease = Requests.acquired(elsewhere, "key");
		assertThat(Requests.acquires(this.backend, Requests.of("key"))).isFalse();
		assertFullLease(this.backend, "key");
		assertFullLease(elsewhere, "key");
		Requests.acquired(this.backend, "other");
		assertThat(Requests.acquires(elsewhere, Requests.of("other"))).isFalse();
		assertFullLease(elsewhere, "other");
		assertThat(elsewhere.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		assertFullLease(this.backend, "key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GMT+14:00", "GMT-12:00" })
	void expiryIsTheSameInEveryTimeZoneOfTheProcess(String timeZone) {
		TimeZone before = TimeZone.getDefault();
		TimeZone.setDefault(TimeZone.getTimeZone(timeZone));
		try (TestDatabase elsewhere = TestDatabase.inMemory().createTable()) {
			JdbcLockBackend backend = new JdbcLockBackend(elsewhere.dataSource());
			Requests.acquired(backend, "key");
			assertFullLease(backend, "key");
			assertThat(elsewhere.jdbc().queryForObject("SELECT expires_at FROM distributed_lock", Long.class) / 1000)
				.isBetween(System.currentTimeMillis(), System.currentTimeMillis() + Requests.LEASE_TIME.toMillis());
			backend.close();
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void tokenIsTheClockOfTheDatabase() {
		long before = System.currentTimeMillis() * 1000;
		Grant grant = (Grant) this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT);
		assertThat(grant.token()).isBetween(before, (System.currentTimeMillis() + 1) * 1000);
	}

	@Test
	void rowLockedByAnotherTransactionIsDeniedAtOnceAndGrantedAFullLeaseLater() throws SQLException {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		try (Connection other = lockRows()) {
			assertThat(attempt()).asInstanceOf(InstanceOfAssertFactories.type(Denial.class))
				.satisfies((denial) -> assertThat(denial.retryAfter()).isLessThan(SHORT_TIMEOUT));
			other.rollback();
		}
		Requests.acquired(this.backend, "key");
		assertFullLease(this.backend, "key");
	}

	@Test
	void newKeyInsertedByAnotherTransactionIsDeniedAtOnce() throws SQLException {
		try (Connection other = this.database.connection()) {
			other.setAutoCommit(false);
			other.createStatement()
				.execute("INSERT INTO distributed_lock (lock_key, token, expires_at) VALUES (X'6b6579', 1, 0)");
			assertThat(attempt()).isInstanceOf(Denial.class);
			other.commit();
		}
		Requests.acquired(this.backend, "key");
	}

	@Test
	void holderWaitsForItsRow() throws Exception {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		try (Connection other = lockRows()) {
			Thread unlocking = new Thread(() -> unlockLater(other));
			unlocking.start();
			assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
			unlocking.join();
		}
		try (Connection other = lockRows()) {
			Thread unlocking = new Thread(() -> unlockLater(other));
			unlocking.start();
			assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
			unlocking.join();
		}
	}

	@Test
	void oneLockedRowKeepsNoOtherLeaseFromBeingRenewed() throws SQLException {
		List<LeaseRequest> leases = IntStream.range(0, 20)
			.mapToObj((i) -> Requests.acquired(this.backend, "key-" + i))
			.toList();
		LeaseRequest over = Requests.of("never-acquired");
		try (Connection other = this.database.connection()) {
			other.setAutoCommit(false);
			other.createStatement()
				.execute(
						"UPDATE distributed_lock SET holder = 'someone' WHERE owner = '" + leases.get(7).owner() + "'");
			List<LeaseRequest> all = new ArrayList<>(leases);
			all.add(over);
			Renewal renewal = this.backend.renew(all, Requests.TIMEOUT);
			assertThat(renewal.held()).hasSize(19).doesNotContain(leases.get(7));
			assertThat(renewal.lost()).containsExactly(over);
			other.rollback();
		}
	}

	@Test
	void holderDoesNotWaitForItsRowLongerThanItsTimeout() throws SQLException {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		try (Connection other = lockRows()) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.backend.renew(List.of(lease), SHORT_TIMEOUT));
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.backend.release(lease, SHORT_TIMEOUT));
			other.rollback();
		}
		assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
	}

	private Attempt attempt() {
		return this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT);
	}

	private Connection lockRows() throws SQLException {
		Connection connection = this.database.connection();
		connection.setAutoCommit(false);
		connection.createStatement().execute("UPDATE distributed_lock SET holder = 'someone'");
		return connection;
	}

	private static void unlockLater(Connection connection) {
		try {
			Thread.sleep(100);
			connection.rollback();
		}
		catch (InterruptedException | SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void assertFullLease(JdbcLockBackend backend, String key) {
		assertThat(backend.inspect(key, Requests.TIMEOUT)).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isBetween(Requests.LEASE_TIME.minusSeconds(10),
					Requests.LEASE_TIME));
	}

	private JdbcLockBackend backend(String timeZone) {
		HikariConfig config = this.database.poolConfig(4);
		config.setConnectionInitSql("SET TIME ZONE '" + timeZone + "'");
		HikariDataSource pool = new HikariDataSource(config);
		this.pools.add(pool);
		JdbcLockBackend backend = new JdbcLockBackend(pool);
		this.backends.add(backend);
		return backend;
	}

}
