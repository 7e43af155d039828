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
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.support.Durations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcLockCleanup} on a database. Rows grow old by a change of their
 * columns.
 */
abstract class SqlLockCleanupTests {

	private static final Duration RETENTION = Duration.ofHours(1);

	private static final long HOUR = SqlParameters.micros(RETENTION);

	private static final long MINUTE = HOUR / 60;

	private static final AtomicInteger TABLES = new AtomicInteger();

	private final String table = "cleaned_" + TABLES.incrementAndGet();

	private final TestDatabase database;

	private final JdbcLockBackend backend;

	private final JdbcLockCleanup cleanup;

	SqlLockCleanupTests(TestDatabase database) {
		this.database = database;
		this.backend = new JdbcLockBackend(database.dataSource(), this.table);
		this.cleanup = new JdbcLockCleanup(database.dataSource(), this.table, RETENTION);
	}

	@BeforeEach
	void createTable() {
		this.database.dropTables(this.table);
		this.database.createTable(this.table);
	}

	@AfterEach
	void close() {
		this.cleanup.close();
		this.backend.close();
		this.database.dropTables(this.table);
		this.database.close();
	}

	@Test
	void rowThatWasNotUsedForLongIsRemoved() {
		used("old");
		set("old", "token = token - ?", HOUR + MINUTE);
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(keys()).isEmpty();
	}

	@Test
	void rowOfAHolderThatDiedLongAgoIsRemoved() {
		Requests.acquired(this.backend, "dead");
		Requests.acquires(this.backend, Requests.of("dead shared", LeaseMode.SHARED, false));
		for (String key : List.of("dead", "dead shared")) {
			set(key, "token = token - ?", 2 * HOUR);
		}
		set("dead", "expires_at = expires_at - ?", HOUR + MINUTE);
		set("dead shared", "shared_until = shared_until - ?", HOUR + MINUTE);
		assertThat(this.cleanup.removeOldRows()).isEqualTo(2);
	}

	@Test
	void rowWhoseTokenIsYoungStays() {
		used("young");
		set("young", "token = token - ?", HOUR - MINUTE);
		assertNothingIsRemoved();
	}

	@Test
	void rowWhoseTokenIsInTheFutureStays() {
		used("future");
		set("future", "token = token + ?", HOUR);
		long future = column("future", "token");
		assertNothingIsRemoved();
		assertThat(token("future")).isEqualTo(future + 1);
	}

	@Test
	void rowThatIsHeldStaysHoweverOldItsTokenIs() {
		LeaseRequest held = Requests.acquired(this.backend, "held");
		LeaseRequest shared = Requests.of("shared", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.backend, shared)).isTrue();
		LeaseRequest rested = Requests.acquired(this.backend, "rested");
		this.backend.releaseWithDelay(rested, Duration.ofMinutes(10), Requests.TIMEOUT);
		for (String key : List.of("held", "shared", "rested")) {
			set(key, "token = token - ?", 10 * HOUR);
		}
		assertNothingIsRemoved();
		assertThat(this.backend.renew(List.of(held, shared), Requests.TIMEOUT).held()).hasSize(2);
		assertThat(Requests.acquires(this.backend, Requests.of("rested"))).isFalse();
	}

	@Test
	void rowWhoseHolderDiedLatelyStays() {
		Requests.acquired(this.backend, "dead");
		set("dead", "token = token - ?", 10 * HOUR);
		set("dead", "expires_at = expires_at - ?", 10 * MINUTE);
		Requests.acquires(this.backend, Requests.of("dead shared", LeaseMode.SHARED, false));
		set("dead shared", "token = token - ?", 10 * HOUR);
		set("dead shared", "shared_until = shared_until - ?", 10 * MINUTE);
		assertNothingIsRemoved();
	}

	@Test
	void rowWithAWaitingRequestStays() {
		used("awaited");
		long now = column("awaited", "token");
		set("awaited", "token = token - ?", 10 * HOUR);
		set("awaited", "entries = ?", entry(now + HOUR).toLine());
		assertNothingIsRemoved();
		set("awaited", "entries = ?", entry(now - HOUR).toLine());
		assertThat(this.cleanup.removeOldRows()).isOne();
	}

	private static KeyEntry entry(long end) {
		return new KeyEntry("waiter", LeaseMode.EXCLUSIVE, true, 0, Durations.ofMicros(end), "h");
	}

	@Test
	void rowThatIsNotUnderstoodStaysAndDoesNotKeepOthers() {
		used("a");
		used("b");
		this.database.jdbc().update("UPDATE " + this.table + " SET token = token - ?", 10 * HOUR);
		set("a", "entries = ?", "of a later version");
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(keys()).containsExactly("a");
	}

	@Test
	void tokenAfterTheRemovalIsLargerThanBefore() {
		long last = token("key");
		set("key", "token = token - ?", HOUR + MINUTE);
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(token("key")).isGreaterThan(last);
	}

	@Test
	void rowThatIsUsedAfterItWasReadStays() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockCleanup late = new JdbcLockCleanup(spy, this.table, RETENTION);
		used("key");
		set("key", "token = token - ?", HOUR + MINUTE);
		List<LeaseRequest> leases = new ArrayList<>();
		spy.interfere((statement) -> {
			if (spy.statements().size() == 3) {
				leases.add(Requests.acquired(this.backend, "key"));
			}
		});
		assertThat(late.removeOldRows()).isZero();
		assertThat(this.backend.renew(leases, Requests.TIMEOUT).held()).hasSize(1);
		late.close();
	}

	@Test
	void rowThatIsLockedIsLeftAloneAndDoesNotKeepOthers() throws SQLException {
		used("a");
		used("b");
		this.database.jdbc().update("UPDATE " + this.table + " SET token = token - ?", 10 * HOUR);
		try (Connection connection = this.database.connection();
				PreparedStatement lock = connection
					.prepareStatement("SELECT 1 FROM " + this.table + " WHERE lock_key = ? FOR UPDATE")) {
			connection.setAutoCommit(false);
			lock.setBytes(1, bytes("a"));
			lock.executeQuery();
			assertThat(this.cleanup.removeOldRows()).isOne();
			connection.rollback();
		}
		assertThat(keys()).containsExactly("a");
	}

	@Test
	void longTableIsWalkedThroughInSteps() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockCleanup walk = new JdbcLockCleanup(spy, this.table, RETENTION);
		insertOldRows(2300);
		Requests.acquired(this.backend, "key1500x");
		assertThat(walk.removeOldRows()).isEqualTo(2300);
		assertThat(keys()).containsExactly("key1500x");
		assertThat(spy.opened()).isEqualTo(4);
		assertThat(spy.statements()).as("end of page, old rows, removal; the same without removal for values")
			.hasSize(11);
		walk.close();
	}

	/**
	 * Each statement has an end beyond which it does not look.
	 */
	@Test
	void oldRowBehindManyYoungOnesIsFoundInSteps() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockCleanup walk = new JdbcLockCleanup(spy, this.table, RETENTION);
		insertOldRows(2300);
		this.database.jdbc().update("UPDATE " + this.table + " SET token = ?", Long.MAX_VALUE);
		used("last");
		set("last", "token = token - ?", HOUR + MINUTE);
		assertThat(walk.removeOldRows()).isOne();
		assertThat(spy.opened()).isEqualTo(4);
		assertThat(spy.statements()).hasSize(9);
		walk.close();
	}

	@Test
	void manyProcessesCleanUpAtOnceWhileKeysAreUsed() {
		insertOldRows(150);
		List<JdbcLockCleanup> cleanups = IntStream.range(0, 4)
			.mapToObj((i) -> new JdbcLockCleanup(this.database.dataSource(), this.table, RETENTION))
			.toList();
		List<CompletableFuture<Long>> walks = cleanups.stream()
			.map((each) -> CompletableFuture.supplyAsync(each::removeOldRows))
			.toList();
		for (int i = 0; i < 150; i += 5) {
			LeaseRequest request = Requests.of("key" + (100 + i));
			// Denied as long as another session is just removing the row
			Awaitility.await().pollDelay(Duration.ZERO).until(() -> Requests.acquires(this.backend, request));
			assertThat(this.backend.release(request, Requests.TIMEOUT)).isTrue();
		}
		long removed = walks.stream().mapToLong(CompletableFuture::join).sum();
		assertThat(removed + keys().size()).isBetween(150L, 180L);
		assertThat(keys()).hasSize(30);
		cleanups.forEach(JdbcLockCleanup::close);
	}

	@Test
	void closedCleanupRemovesNothing() {
		insertOldRows(1);
		this.cleanup.close();
		assertThat(this.cleanup.removeOldRows()).isZero();
	}

	@Test
	void failureOfTheDatabaseIsReported() {
		JdbcLockCleanup nowhere = new JdbcLockCleanup(this.database.dataSource(), "nowhere", RETENTION);
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(nowhere::removeOldRows);
		nowhere.close();
	}

	@Test
	void rowOfAValueThatWasDeletedLongAgoIsRemoved() {
		long version = update("deleted", new ValueChange.Set(7, 0)).after().version();
		update("deleted", new ValueChange.Delete(version));
		setValue("deleted", "version = version - ?", HOUR + MINUTE);
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(valueKeys()).isEmpty();
		assertThat(update("deleted", new ValueChange.Set(7, 0)).after().version()).isGreaterThan(version);
	}

	@Test
	void rowOfAValueWhoseTimeToLiveWasOverLongAgoIsRemoved() {
		long version = update("expired", new ValueChange.Set(7, 0)).after().version();
		setValue("expired", "expires_at = version - ?", HOUR + MINUTE);
		assertThat(this.cleanup.removeOldRows()).as("changed lately").isZero();
		setValue("expired", "version = version - ?", HOUR + MINUTE);
		update("expired lately", new ValueChange.Set(7, 0));
		setValue("expired lately", "expires_at = version - ?", HOUR - MINUTE);
		setValue("expired lately", "version = version - ?", 10 * HOUR);
		update("not expired", new ValueChange.Set(7, 0));
		update("not expired", new ValueChange.Expire(1_000_000));
		setValue("not expired", "version = version - ?", 10 * HOUR);
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(valueKeys()).containsExactly("expired lately", "not expired");
		assertThat(update("expired", new ValueChange.Set(7, 0)).after().version()).isGreaterThan(version);
	}

	@Test
	void rowsOfOtherValuesStay() {
		for (String key : List.of("present", "deleted lately", "of a later version", "deleted long ago")) {
			update(key, new ValueChange.Set(7, 0));
		}
		setValue("present", "version = version - ?", 10 * HOUR);
		update("deleted lately", new ValueChange.Delete(ValueChange.ANY_VERSION));
		setValue("deleted lately", "version = version - ?", HOUR - MINUTE);
		setValue("of a later version", "number = NULL, format = 2, version = version - ?", 10 * HOUR);
		setValue("deleted long ago", "number = NULL, version = version - ?", 10 * HOUR);
		assertThat(this.cleanup.removeOldRows()).isOne();
		assertThat(valueKeys()).containsExactly("deleted lately", "of a later version", "present");
	}

	@Test
	void valueThatIsSetAfterItsRowWasReadStays() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockCleanup late = new JdbcLockCleanup(spy, this.table, RETENTION);
		update("key", new ValueChange.Set(7, 0));
		setValue("key", "number = NULL, version = version - ?", 10 * HOUR);
		spy.interfere((statement) -> {
			if (spy.statements().get(spy.statements().size() - 1).startsWith("DELETE")) {
				update("key", new ValueChange.Set(8, 0));
			}
		});
		assertThat(late.removeOldRows()).isZero();
		assertThat(valueKeys()).containsExactly("key");
		late.close();
	}

	@Test
	void rowOfAValueThatIsLockedIsLeftAloneAndDoesNotKeepOthers() throws SQLException {
		for (String key : List.of("a", "b")) {
			update(key, new ValueChange.Set(7, 0));
			setValue(key, "number = NULL, version = version - ?", 10 * HOUR);
		}
		try (Connection connection = this.database.connection();
				PreparedStatement lock = connection
					.prepareStatement("SELECT 1 FROM " + this.table + "_value WHERE value_key = ? FOR UPDATE")) {
			connection.setAutoCommit(false);
			lock.setBytes(1, bytes("a"));
			lock.executeQuery();
			assertThat(this.cleanup.removeOldRows()).isOne();
			connection.rollback();
		}
		assertThat(valueKeys()).containsExactly("a");
	}

	private ValueUpdateResult update(String key, ValueChange change) {
		return this.backend.values().orElseThrow().update(Requests.update(key, change), Requests.TIMEOUT);
	}

	private void setValue(String key, String assignments, long micros) {
		String sql = "UPDATE %s_value SET %s WHERE value_key = ?".formatted(this.table, assignments);
		assertThat(this.database.jdbc().update(sql, micros, bytes(key))).isOne();
	}

	private List<String> valueKeys() {
		return this.database.jdbc()
			.query("SELECT value_key FROM " + this.table + "_value ORDER BY value_key",
					(row, number) -> new String(row.getBytes(1), StandardCharsets.UTF_8));
	}

	private void assertNothingIsRemoved() {
		List<String> before = keys();
		assertThat(this.cleanup.removeOldRows()).isZero();
		assertThat(keys()).isEqualTo(before).isNotEmpty();
	}

	private void used(String key) {
		token(key);
	}

	/**
	 * Acquires and releases.
	 */
	private long token(String key) {
		LeaseRequest request = Requests.of(key);
		Grant grant = (Grant) this.backend.tryAcquire(request, Requests.TIMEOUT);
		assertThat(this.backend.release(request, Requests.TIMEOUT)).isTrue();
		return grant.token();
	}

	private void insertOldRows(int count) {
		int first = (count < 900) ? 100 : 1000;
		List<Object[]> rows = IntStream.range(0, count)
			.mapToObj((i) -> new Object[] { bytes("key" + (first + i)) })
			.toList();
		this.database.jdbc()
			.batchUpdate("INSERT INTO " + this.table
					+ " (lock_key, token, expires_at, version, shared_until) VALUES (?, 1, 0, 0, 0)", rows);
	}

	private void set(String key, String assignment, Object value) {
		String sql = "UPDATE %s SET %s, version = version + 1 WHERE lock_key = ?".formatted(this.table, assignment);
		assertThat(this.database.jdbc().update(sql, value, bytes(key))).isOne();
	}

	private long column(String key, String column) {
		Long value = this.database.jdbc()
			.queryForObject("SELECT " + column + " FROM " + this.table + " WHERE lock_key = ?", Long.class, bytes(key));
		return (value != null) ? value : -1;
	}

	private List<String> keys() {
		return this.database.jdbc()
			.query("SELECT lock_key FROM " + this.table + " ORDER BY lock_key",
					(row, number) -> new String(row.getBytes(1), StandardCharsets.UTF_8));
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

}
