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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the statements of {@link JdbcLockBackend} and the rows they leave.
 */
class JdbcLockTableTests {

	private final TestDatabase database = TestDatabase.inMemory().createTable();

	private final HikariDataSource pool = this.database.pool(10);

	private final SpyDataSource spy = new SpyDataSource(this.pool);

	private final JdbcLockBackend backend = new JdbcLockBackend(this.spy);

	@AfterEach
	void close() {
		this.backend.close();
		this.pool.close();
		this.database.close();
	}

	@Test
	void newKeyIsAcquiredWithOneStatementAndReleasedWithOne() {
		LeaseRequest lease = Requests.acquired(this.backend, "new");
		assertThat(this.spy.statements()).hasSize(1);
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		assertThat(this.spy.statements()).hasSize(2);
	}

	@Test
	void knownKeyIsAcquiredWithOneStatementAndReleasedWithOne() {
		this.backend.release(Requests.acquired(this.backend, "known"), Requests.TIMEOUT);
		this.spy.statements().clear();
		this.backend.release(Requests.acquired(this.backend, "known"), Requests.TIMEOUT);
		assertThat(this.spy.statements()).hasSize(2);
	}

	@Test
	void denialTakesOneStatement() {
		Requests.acquired(this.backend, "key");
		this.spy.statements().clear();
		assertThat(Requests.acquires(this.backend, Requests.of("key"))).isFalse();
		assertThat(this.spy.statements()).hasSize(1);
	}

	@Test
	void manyLeasesAreRenewedWithOneStatement() {
		List<LeaseRequest> leases = IntStream.range(0, 500)
			.mapToObj((i) -> Requests.acquired(this.backend, "key" + i))
			.toList();
		this.spy.statements().clear();
		assertThat(this.backend.renew(leases, Requests.TIMEOUT).held()).hasSize(500);
		assertThat(this.spy.statements()).hasSize(1);
	}

	@Test
	void expiredLeaseDoesNotPreventTheRenewalOfOthers() {
		List<LeaseRequest> leases = new ArrayList<>(
				IntStream.range(0, 500).mapToObj((i) -> Requests.acquired(this.backend, "key" + i)).toList());
		LeaseRequest expired = leases.remove(300);
		this.database.expire(expired);
		leases.add(expired);
		assertThat(this.backend.renew(leases, Requests.TIMEOUT).held()).hasSize(499).doesNotContain(expired);
	}

	@Test
	void rowStaysAfterRelease() {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		assertThat(this.database.jdbc().queryForMap("SELECT owner, holder, expires_at FROM distributed_lock"))
			.containsEntry("OWNER", null)
			.containsEntry("HOLDER", null)
			.containsEntry("EXPIRES_AT", 0L);
	}

	@Test
	void rowNamesTheProcessThatHoldsTheKey() {
		Requests.acquired(this.backend, "key");
		assertThat(this.database.jdbc()
			.queryForObject("SELECT holder FROM distributed_lock WHERE held_since IS NOT NULL", String.class))
			.endsWith(":" + ProcessHandle.current().pid());
	}

	@Test
	void rowHoldsTheLastTokenOfTheBlock() {
		Grant grant = (Grant) this.backend.tryAcquire(Requests.block("key", 256), Requests.TIMEOUT);
		assertThat(this.database.jdbc().queryForObject("SELECT token FROM distributed_lock", Long.class))
			.isEqualTo(grant.token() + 255);
	}

	@Test
	void tokenNeverGoesBackWhenTheClockDoes() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.backend.release(lease, Requests.TIMEOUT);
		long future = System.currentTimeMillis() * 1000 + 3_600_000_000L;
		this.database.jdbc().update("UPDATE distributed_lock SET token = ?", future);
		Grant grant = (Grant) this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT);
		assertThat(grant.token()).isEqualTo(future + 1);
	}

	@Test
	void noTimeOfTheClientIsSent() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.backend.renew(List.of(lease), Requests.TIMEOUT);
		this.backend.inspect("key", Requests.TIMEOUT);
		this.backend.release(lease, Requests.TIMEOUT);
		assertThat(this.spy.statements()).hasSize(4).noneMatch((sql) -> sql.matches("(?s).*\\d{10,}.*"));
		assertThat(this.spy.parameters()).isNotEmpty().allSatisfy((parameter) -> {
			assertThat(parameter).isInstanceOfAny(String.class, byte[].class, Long.class);
			if (parameter instanceof Long number) {
				assertThat(number).isLessThan(System.currentTimeMillis() / 2);
			}
		});
	}

	@Test
	void deletedRowIsInsertedAgain() {
		LeaseRequest former = Requests.acquired(this.backend, "key");
		this.database.jdbc().update("DELETE FROM distributed_lock");
		assertThat(this.backend.renew(List.of(former), Requests.TIMEOUT).held()).isEmpty();
		LeaseRequest successor = Requests.acquired(this.backend, "key");
		assertThat(this.backend.release(former, Requests.TIMEOUT)).isFalse();
		assertThat(this.backend.release(successor, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void droppedTableIsUnavailableUntilItIsThereAgain() {
		LeaseRequest former = Requests.acquired(this.backend, "key");
		this.database.jdbc().execute("DROP TABLE distributed_lock");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("DISTRIBUTED_LOCK");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.renew(List.of(former), Requests.TIMEOUT));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.release(former, Requests.TIMEOUT));
		this.database.createTable();
		assertThat(this.backend.renew(List.of(former), Requests.TIMEOUT).held()).isEmpty();
		Requests.acquired(this.backend, "key");
	}

	@Test
	void alteredColumnIsUnavailableUntilItIsRepaired() {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		this.database.jdbc().execute("ALTER TABLE distributed_lock ALTER COLUMN owner RENAME TO possessor");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("OWNER");
		this.database.jdbc().execute("ALTER TABLE distributed_lock ALTER COLUMN possessor RENAME TO owner");
		Requests.acquired(this.backend, "key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'; DROP TABLE distributed_lock; --", "%", "_", "\\", "?", "@@table@@", "a\u0000b",
			"line\nbreak", "\u202Eright-to-left", "😀", "e\u0301", "NULL", "{x}", "*" })
	void hostileKeyIsNothingButAKey(String key) {
		LeaseRequest bystander = Requests.acquired(this.backend, "bystander");
		LeaseRequest lease = Requests.acquired(this.backend, key);
		assertThat(Requests.acquires(this.backend, Requests.of(key))).isFalse();
		assertThat(this.backend.inspect(key, Requests.TIMEOUT)).hasSize(1);
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		assertThat(this.backend.release(bystander, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void similarKeysAreIndependent() {
		for (String key : List.of("key", "Key", "key ", " key", "kéy", "ke\u0301y", "straße", "strasse")) {
			Requests.acquired(this.backend, key);
		}
	}

	@Test
	void longestKeyFits() {
		String key = "€".repeat(341);
		Requests.acquired(this.backend, key + "1");
		Requests.acquired(this.backend, key + "2");
	}

	@Test
	void keyThatIsTooLongIsRejectedAndNotCut() {
		String key = "k".repeat(1024);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of(key + "1"), Requests.TIMEOUT));
		Requests.acquired(this.backend, key);
	}

	@Test
	void newKeyWantedByManyThreadsIsGrantedToOneAtATime() throws Exception {
		int threads = 16;
		int keys = 100;
		AtomicInteger[] holders = IntStream.range(0, keys)
			.mapToObj((i) -> new AtomicInteger())
			.toArray(AtomicInteger[]::new);
		AtomicInteger grants = new AtomicInteger();
		inParallel(threads, () -> {
			for (int i = 0; i < keys; i++) {
				LeaseRequest request = Requests.of("contended" + i);
				if (Requests.acquires(this.backend, request)) {
					grants.incrementAndGet();
					assertThat(holders[i].incrementAndGet()).isOne();
					holders[i].decrementAndGet();
					assertThat(this.backend.release(request, Requests.TIMEOUT)).isTrue();
				}
			}
		});
		assertThat(grants).hasValueGreaterThanOrEqualTo(keys);
		assertThat(this.database.jdbc().queryForObject("SELECT COUNT(*) FROM distributed_lock", Integer.class))
			.isEqualTo(keys);
	}

	@Test
	void releasedRowsMayBeDeletedMeanwhile() throws Exception {
		AtomicInteger holders = new AtomicInteger();
		inParallel(4, () -> {
			for (int i = 0; i < 100; i++) {
				LeaseRequest request = Requests.of("key");
				if (Requests.acquires(this.backend, request)) {
					assertThat(holders.incrementAndGet()).isOne();
					holders.decrementAndGet();
					assertThat(this.backend.release(request, Requests.TIMEOUT)).isTrue();
				}
				deleteReleasedRows();
			}
		});
	}

	private void deleteReleasedRows() {
		try {
			this.database.jdbc().update("DELETE FROM distributed_lock WHERE expires_at = 0");
		}
		catch (ConcurrencyFailureException ex) {
			// the one that deletes may have to come again, but the one that locks may not
			// notice
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "REGULAR", "STRICT", "LEGACY", "DB2", "Derby", "HSQLDB", "MSSQLServer", "MySQL", "MariaDB",
			"Oracle", "PostgreSQL;DATABASE_TO_LOWER=TRUE", "REGULAR;DATABASE_TO_UPPER=FALSE",
			"REGULAR;CASE_INSENSITIVE_IDENTIFIERS=TRUE" })
	void databaseThatImitatesAnotherWorks(String mode) {
		try (TestDatabase imitation = TestDatabase.inMemory("MODE=" + mode)) {
			JdbcLockSchema schema = new JdbcLockSchema(imitation.dataSource(), JdbcLockSchema.DEFAULT_TABLE_NAME);
			schema.initialize();
			schema.validate();
			JdbcLockBackend backend = new JdbcLockBackend(imitation.dataSource());
			LeaseRequest single = Requests.acquired(backend, "a");
			LeaseRequest several = Requests.of(List.of("b", "c"));
			assertThat(Requests.acquires(backend, several)).isTrue();
			assertThat(Requests.acquires(backend, Requests.of("c"))).isFalse();
			assertThat(backend.renew(List.of(single, several), Requests.TIMEOUT).held()).containsOnly(single, several);
			assertThat(backend.inspect("a", Requests.TIMEOUT)).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isBetween(Requests.LEASE_TIME.minusSeconds(20),
						Requests.LEASE_TIME));
			assertThat(backend.release(several, Requests.TIMEOUT)).isTrue();
			assertThat(backend.release(single, Requests.TIMEOUT)).isTrue();
			backend.close();
		}
	}

	private static void inParallel(int threads, Runnable action) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> futures = IntStream.range(0, threads)
				.<Future<?>>mapToObj((i) -> executor.submit(action))
				.toList();
			for (Future<?> future : futures) {
				future.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
