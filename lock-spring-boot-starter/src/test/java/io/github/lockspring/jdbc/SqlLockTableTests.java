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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.RowLock;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the statements of {@link JdbcLockBackend} do on a database server beside what its
 * contract asks for. Every test has a table of its own.
 */
@Timeout(300)
abstract class SqlLockTableTests {

	private static final AtomicInteger TABLES = new AtomicInteger();

	private static final int TABLES_CREATED = (FaultRun.SCALE > 1) ? 5 : 2;

	private final String table = "locks_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final SqlServer server;

	private final String url;

	private final TestDatabase database;

	private final SpyDataSource spy;

	private final JdbcLockBackend backend;

	/**
	 * Tests a server.
	 * @param server the server
	 * @param url the URL of its database, or one for another driver
	 */
	SqlLockTableTests(SqlServer server, String url) {
		this.server = server;
		this.url = url;
		this.database = TestDatabase.on(server, url);
		this.spy = new SpyDataSource(pool(this.database.poolConfig(10)));
		this.backend = backend(this.spy);
	}

	/**
	 * The statement that sets the time zone of a session to an offset from UTC.
	 */
	abstract String setTimeZone(String offset);

	/**
	 * The setting of the session that statements of ours might have changed.
	 */
	abstract String sessionSetting();

	/**
	 * Definitions of columns that are wrong, and what they must be instead.
	 */
	abstract List<String[]> wrongColumns();

	/**
	 * Options of the driver under which everything must work as well.
	 */
	abstract List<String> driverOptions();

	final SqlServer server() {
		return this.server;
	}

	final String table() {
		return this.table;
	}

	final TestDatabase database() {
		return this.database;
	}

	final JdbcLockBackend backend(DataSource dataSource) {
		JdbcLockBackend backend = new JdbcLockBackend(dataSource, this.table);
		this.resources.add(0, backend);
		return backend;
	}

	private HikariDataSource pool(HikariConfig config) {
		HikariDataSource pool = new HikariDataSource(config);
		this.resources.add(pool);
		return pool;
	}

	@BeforeEach
	void createTable() {
		this.database.createTable(this.table);
	}

	@AfterEach
	void close() throws Exception {
		this.database.dropTables(this.table);
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.database.close();
	}

	@Test
	void newKeyIsAcquiredWithOneStatementAndReleasedWithOne() {
		assertStatements(1, () -> Requests.acquired(this.backend, "new"));
		LeaseRequest lease = Requests.acquired(this.backend, "other");
		assertStatements(1, () -> assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue());
		assertStatements(1, () -> Requests.acquired(this.backend, "other"));
		assertStatements(1, () -> assertThat(Requests.acquires(this.backend, Requests.of("other"))).isFalse());
	}

	/**
	 * The process thinks that the row is free, as it was when it released the key.
	 */
	@Test
	void knownKeyIsDeniedWhileAnotherProcessHoldsIt() {
		JdbcLockBackend other = backend(this.database.dataSource());
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(2, 3))) {
			for (boolean fair : List.of(true, false)) {
				this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
				LeaseRequest held = Requests.of("key", mode, fair);
				assertThat(Requests.acquires(other, held)).isTrue();
				assertThat(Requests.acquires(this.backend, Requests.of("key"))).as(mode + ", fair: " + fair).isFalse();
				assertThat(other.release(held, Requests.TIMEOUT)).isTrue();
			}
		}
	}

	@Test
	void tokensOfKnownKeyContinueAfterThoseOfTheLastLease() {
		int tokens = 1_000_000; // ahead of the clock
		long next = 0;
		for (int i = 0; i < 3; i++) {
			LeaseRequest lease = Requests.block("key", tokens);
			Grant grant = (Grant) this.backend.tryAcquire(lease, Requests.TIMEOUT);
			assertThat(grant.token()).isGreaterThanOrEqualTo(next);
			next = grant.token() + tokens;
			assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		}
	}

	@Test
	void manyLeasesAreRenewedWithOneStatement() {
		List<LeaseRequest> leases = IntStream.range(0, 100)
			.mapToObj((i) -> Requests.acquired(this.backend, "key" + i))
			.toList();
		assertStatements(1, () -> assertThat(this.backend.renew(leases, Requests.TIMEOUT).held())
			.containsOnlyOnceElementsOf(leases));
	}

	@Test
	void manyLeasesOfOneRowAreRenewedWithTwoStatements() {
		List<LeaseRequest> leases = new ArrayList<>(
				acquired(200, (i) -> Requests.of("key", LeaseMode.permits(1, 5000), false)));
		LeaseRequest expired = leases.get(100);
		this.database.expire(expired, this.table);
		assertStatements(2,
				() -> assertThat(this.backend.renew(leases, Requests.TIMEOUT).lost()).containsOnly(expired));
		leases.remove(expired);
		assertStatements(2, () -> assertThat(this.backend.renew(leases, Requests.TIMEOUT).held())
			.containsExactlyInAnyOrderElementsOf(leases));
	}

	@Test
	void leasesOfManySharedRowsAreRenewedWithTwoStatements() {
		List<LeaseRequest> leases = acquired(100, (i) -> Requests.of("key" + i, LeaseMode.SHARED, false));
		assertStatements(2, () -> assertThat(this.backend.renew(leases, Requests.TIMEOUT).held())
			.containsExactlyInAnyOrderElementsOf(leases));
	}

	@Test
	void rowsThatOthersChangeWhileTheyAreRenewedAreRenewedAgain() {
		List<LeaseRequest> leases = acquired(20, (i) -> Requests.of("key" + i, LeaseMode.SHARED, false));
		int before = this.spy.statements().size();
		this.spy.interfere((statement) -> {
			if (this.spy.statements().size() == before + 2) {
				this.database.jdbc()
					.update("UPDATE " + this.table + " SET version = version + 1 WHERE lock_key = ?", bytes("key7"));
			}
		});
		assertStatements(4, () -> assertThat(this.backend.renew(leases, Requests.TIMEOUT).held())
			.containsExactlyInAnyOrderElementsOf(leases));
	}

	@Test
	void rowThatCannotBeReadKeepsNoOtherLeaseFromBeingRenewed() {
		List<LeaseRequest> leases = acquired(10, (i) -> Requests.of("key" + i, LeaseMode.SHARED, false));
		for (String entry : List.of("of a later version", "s owner 99999999999999999999 1 host")) {
			this.database.jdbc()
				.update("UPDATE " + this.table + " SET entries = ? WHERE lock_key = ?", entry, bytes("key3"));
			Renewal renewal = this.backend.renew(leases, Requests.TIMEOUT);
			assertThat(renewal.held()).hasSize(9).doesNotContain(leases.get(3));
			assertThat(renewal.lost()).isEmpty();
		}
	}

	private List<LeaseRequest> acquired(int count, IntFunction<LeaseRequest> request) {
		List<LeaseRequest> leases = IntStream.range(0, count).mapToObj(request).toList();
		assertThat(leases).allMatch((lease) -> Requests.acquires(this.backend, lease));
		return leases;
	}

	@Test
	void otherModesAreAcquiredWithTwoStatementsAndReleasedWithTwo() {
		for (LeaseMode mode : List.of(LeaseMode.SHARED, LeaseMode.permits(1, 3))) {
			LeaseRequest lease = Requests.of("key" + mode, mode, false);
			assertStatements(2, () -> assertThat(Requests.acquires(this.backend, lease)).isTrue());
			assertStatements(2,
					() -> assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).hasSize(1));
			assertStatements(2, () -> assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue());
		}
	}

	@Test
	void fairLeaseIsReleasedWithOneStatementAndItsDenialTakesOne() {
		LeaseRequest lease = Requests.of("key", LeaseMode.EXCLUSIVE, true);
		assertStatements(2, () -> assertThat(Requests.acquires(this.backend, lease)).isTrue());
		LeaseRequest contender = Requests.of("key", LeaseMode.EXCLUSIVE, true);
		assertStatements(2, () -> this.backend.contend(contender, Requests.TIMEOUT));
		assertStatements(1, () -> this.backend.contend(contender, Requests.TIMEOUT));
		assertStatements(1, () -> assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue());
	}

	private void assertStatements(int expected, Runnable action) {
		int before = this.spy.statements().size();
		action.run();
		assertThat(this.spy.statements()).hasSize(before + expected);
	}

	/**
	 * Counted by the server, so that nothing is overlooked that a driver sends.
	 */
	@Test
	void serverSeesNothingButThoseStatements() {
		for (int attempt = 0; attempt < 50; attempt++) {
			LeaseRequest first = Requests.acquired(this.backend, "key");
			int opened = this.spy.opened();
			long before = this.server.statementCount();
			this.backend.release(first, Requests.TIMEOUT);
			LeaseRequest second = Requests.acquired(this.backend, "key");
			long after = this.server.statementCount();
			this.backend.release(second, Requests.TIMEOUT);
			if (this.spy.opened() == opened) { // no new connection came between
				assertThat(after - before).isGreaterThanOrEqualTo(2);
				if (after - before == 2) { // nor is one being prepared in the background
					return;
				}
			}
		}
		throw new AssertionError("There were always more statements, or new connections");
	}

	@Test
	void leaseThatWasWaitedForIsAFullOne() {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		int granted = 0;
		for (int i = 0; i < 50 && granted < 2; i++) {
			LeaseRequest request = Requests.of("key");
			CompletableFuture<Attempt> attempt;
			long unlocked;
			try (RowLock lock = lockRow("key")) {
				attempt = CompletableFuture.supplyAsync(() -> this.backend.tryAcquire(request, Requests.TIMEOUT));
				sleep(40);
				unlocked = System.currentTimeMillis();
			}
			if (attempt.join() instanceof Grant) {
				granted++;
				assertThat(expiry("key") / 1000).isGreaterThanOrEqualTo(unlocked + Requests.LEASE_TIME.toMillis());
			}
			this.backend.release(request, Requests.TIMEOUT);
		}
	}

	private long expiry(String key) {
		Long expiry = this.database.jdbc()
			.queryForObject("SELECT expires_at FROM " + this.table + " WHERE lock_key = ?", Long.class, bytes(key));
		return (expiry != null) ? expiry : 0;
	}

	private RowLock lockRow(String key) {
		return this.server.lockRow(this.table, "lock_key", bytes(key));
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void rowThatStaysLockedIsADenialForWhoWantsIt() {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		try (RowLock lock = lockRow("key")) {
			for (LeaseRequest request : List.of(Requests.of("key"), Requests.of("key", LeaseMode.SHARED, false),
					Requests.of(List.of("key", "other")))) {
				Attempt attempt = this.backend.tryAcquire(request, Requests.TIMEOUT);
				assertThat(attempt).isInstanceOfSatisfying(Denial.class,
						(denial) -> assertThat(denial.retryAfter()).isLessThan(Duration.ofSeconds(1)));
			}
		}
		Requests.acquired(this.backend, "key");
		Requests.acquired(this.backend, "other");
	}

	@Test
	void holderIsNotDeniedOnTheReadingPathByALockedRow() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		try (RowLock lock = lockRow("key")) {
			assertStatements(1, () -> assertThat(Requests.acquires(this.backend, Requests.of("key"))).isFalse());
			assertThat(this.backend.inspect("key", Requests.TIMEOUT)).hasSize(1);
		}
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void holderWaitsForItsRow() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		RowLock forRenewal = lockRow("key");
		CompletableFuture<Void> later = CompletableFuture.runAsync(() -> unlockLater(forRenewal));
		assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		later.join();
		RowLock forRelease = lockRow("key");
		later = CompletableFuture.runAsync(() -> unlockLater(forRelease));
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		later.join();
	}

	private static void unlockLater(RowLock lock) {
		sleep(300);
		lock.close();
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "+13:00", "-12:00", "+05:45" })
	void expiryIsTheSameInEveryTimeZone(String offset) {
		HikariConfig config = this.database.poolConfig(2);
		config.setConnectionInitSql(setTimeZone(offset));
		JdbcLockBackend elsewhere = backend(pool(config));
		LeaseRequest lease = Requests.acquired(elsewhere, "key");
		assertThat(Requests.acquires(this.backend, Requests.of("key"))).isFalse();
		assertThat(expiry("key") / 1000).isBetween(System.currentTimeMillis() - Duration.ofMinutes(1).toMillis(),
				System.currentTimeMillis() + Requests.LEASE_TIME.toMillis());
		LeaseRequest reader = Requests.of("shared", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.backend, reader)).isTrue();
		assertThat(Requests.acquires(elsewhere, Requests.of("shared"))).isFalse();
		assertFullLease(elsewhere, "shared");
		assertFullLease(this.backend, "key");
		assertThat(elsewhere.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		assertFullLease(this.backend, "key");
	}

	private static void assertFullLease(JdbcLockBackend backend, String key) {
		assertThat(backend.inspect(key, Requests.TIMEOUT)).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isBetween(Requests.LEASE_TIME.minusSeconds(20),
					Requests.LEASE_TIME));
	}

	@ParameterizedTest
	@CsvSource({ "TRANSACTION_READ_COMMITTED, true", "TRANSACTION_REPEATABLE_READ, false",
			"TRANSACTION_SERIALIZABLE, false", "TRANSACTION_SERIALIZABLE, true" })
	void connectionsOfEveryKindWorkAndAreAsBefore(String isolation, boolean autoCommit) throws SQLException {
		HikariConfig config = this.database.poolConfig(2);
		config.setTransactionIsolation(isolation);
		config.setAutoCommit(autoCommit);
		HikariDataSource pool = pool(config);
		List<String> before = state(pool);
		JdbcLockBackend backend = backend(pool);
		useAll(backend);
		backend.close();
		Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(state(pool)).isEqualTo(before);
	}

	private List<String> state(DataSource pool) throws SQLException {
		try (Connection connection = pool.getConnection();
				ResultSet rows = connection.createStatement().executeQuery(sessionSetting())) {
			rows.next();
			return List.of("" + connection.getAutoCommit(), "" + connection.getTransactionIsolation(),
					rows.getString(1));
		}
	}

	@Test
	void everyOptionOfTheDriverWorks() {
		assertThat(driverOptions()).allSatisfy((options) -> {
			String separator = this.url.contains("?") ? "&" : "?";
			try (TestDatabase other = TestDatabase.on(this.server, this.url + separator + options)) {
				JdbcLockBackend backend = backend(other.dataSource());
				useAll(backend);
				backend.close();
			}
		});
	}

	/**
	 * As behind a pooler that gives every statement to another session.
	 */
	@Test
	void sessionsThatChangeBetweenStatementsWork() throws Exception {
		JdbcLockBackend hopping = backend(new HoppingDataSource(this.database.dataSource()));
		useAll(hopping);
		AtomicInteger holders = new AtomicInteger();
		inParallel(3, (i) -> {
			for (int j = 0; j < 10; j++) {
				LeaseRequest request = Requests.of("hot");
				if (Requests.acquires(hopping, request)) {
					assertThat(holders.incrementAndGet()).isOne();
					holders.decrementAndGet();
					assertThat(hopping.release(request, Requests.TIMEOUT)).isTrue();
				}
			}
		});
	}

	private static void useAll(JdbcLockBackend backend) {
		LeaseRequest single = Requests.acquired(backend, "a");
		long token = ((Grant) backend.tryAcquire(single, Requests.TIMEOUT)).token();
		assertThat(((Grant) backend.tryAcquire(single, Requests.TIMEOUT)).token()).isEqualTo(token);
		LeaseRequest several = Requests.of(List.of("b", "c"));
		LeaseRequest reader = Requests.of("r", LeaseMode.SHARED, false);
		LeaseRequest fair = Requests.of("f", LeaseMode.EXCLUSIVE, true);
		assertThat(List.of(several, reader, fair)).allMatch((request) -> Requests.acquires(backend, request));
		assertThat(Requests.acquires(backend, Requests.of(List.of("c", "d")))).isFalse();
		assertThat(Requests.acquires(backend, Requests.of("c"))).isFalse();
		assertThat(Requests.acquires(backend, Requests.of("a"))).isFalse();
		assertThat(Requests.acquires(backend, Requests.of("r"))).isFalse();
		LeaseRequest contender = Requests.of("f", LeaseMode.EXCLUSIVE, true);
		assertThat(backend.contend(contender, Requests.TIMEOUT)).isInstanceOf(Denial.class);
		assertThat(backend.renew(List.of(single, several, reader, fair), Requests.TIMEOUT).held()).hasSize(4);
		assertThat(backend.inspect("b", Requests.TIMEOUT)).hasSize(1);
		for (LeaseRequest lease : List.of(single, several, reader, fair)) {
			assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
			assertThat(backend.release(lease, Requests.TIMEOUT)).isFalse();
		}
		assertThat(Requests.acquires(backend, contender)).isTrue();
		backend.release(contender, Requests.TIMEOUT);
		LeaseRequest next = Requests.of("a");
		assertThat(((Grant) backend.tryAcquire(next, Requests.TIMEOUT)).token()).isGreaterThan(token);
		backend.release(next, Requests.TIMEOUT);
		backend.probe(Requests.of("probe"), Requests.TIMEOUT);
	}

	@Test
	void newKeysWantedByManyAreGrantedToOneAtATime() throws Exception {
		int keys = 40;
		AtomicInteger[] holders = IntStream.range(0, keys)
			.mapToObj((i) -> new AtomicInteger())
			.toArray(AtomicInteger[]::new);
		AtomicInteger grants = new AtomicInteger();
		inParallel(16, (thread) -> {
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
	}

	@Test
	void keysOfDifferentModesNeverMeet() throws Exception {
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger readers = new AtomicInteger();
		inParallel(8, (thread) -> {
			for (int i = 0; i < 15; i++) {
				boolean reads = (i + thread) % 2 == 0;
				LeaseRequest request = Requests.of("key", reads ? LeaseMode.SHARED : LeaseMode.EXCLUSIVE,
						thread % 3 == 0);
				if (this.backend.contend(request, Requests.TIMEOUT) instanceof Grant) {
					(reads ? readers : writers).incrementAndGet();
					assertThat(writers.get() > 1 || (writers.get() == 1 && readers.get() > 0)).isFalse();
					(reads ? readers : writers).decrementAndGet();
				}
				this.backend.release(request, Requests.TIMEOUT);
			}
		});
		Requests.acquired(this.backend, "key");
	}

	@Test
	void tokenNeverGoesBackWhenTheClockDoes() {
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
		long future = System.currentTimeMillis() * 1000 + 3_600_000_000L;
		this.database.jdbc().update("UPDATE " + this.table + " SET token = ?", future);
		LeaseRequest lease = Requests.of("key");
		assertThat(((Grant) this.backend.tryAcquire(lease, Requests.TIMEOUT)).token()).isEqualTo(future + 1);
		this.backend.release(lease, Requests.TIMEOUT);
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(((Grant) this.backend.tryAcquire(reader, Requests.TIMEOUT)).token()).isEqualTo(future + 2);
	}

	@Test
	void everyChangeMakesAnotherVersion() {
		LeaseRequest lease = Requests.of("key");
		List<Runnable> changes = List.of(() -> Requests.acquires(this.backend, lease),
				() -> Requests.acquires(this.backend, lease),
				() -> this.backend.renew(List.of(lease), Requests.TIMEOUT),
				() -> this.backend.release(lease, Requests.TIMEOUT), () -> Requests.acquired(this.backend, "key"));
		long version = -1;
		for (Runnable change : changes) {
			change.run();
			Long next = this.database.jdbc().queryForObject("SELECT version FROM " + this.table, Long.class);
			assertThat(next).isNotNull().isGreaterThan(version);
			version = (next != null) ? next : 0;
		}
	}

	@Test
	void deletedRowIsInsertedAgain() {
		LeaseRequest former = Requests.acquired(this.backend, "key");
		this.database.jdbc().update("DELETE FROM " + this.table);
		assertThat(this.backend.renew(List.of(former), Requests.TIMEOUT).held()).isEmpty();
		LeaseRequest successor = Requests.acquired(this.backend, "key");
		assertThat(this.backend.release(former, Requests.TIMEOUT)).isFalse();
		assertThat(this.backend.release(successor, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void droppedTableIsUnavailableUntilItIsThereAgain() {
		LeaseRequest former = Requests.acquired(this.backend, "key");
		this.database.jdbc().execute("DROP TABLE " + this.table);
		for (Consumer<LeaseRequest> call : calls()) {
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> call.accept(former))
				.withMessageContaining(this.table);
		}
		createTable();
		assertThat(this.backend.renew(List.of(former), Requests.TIMEOUT).held()).isEmpty();
		Requests.acquired(this.backend, "key");
	}

	private List<Consumer<LeaseRequest>> calls() {
		return List.of((lease) -> Requests.acquires(this.backend, Requests.of("key")),
				(lease) -> Requests.acquires(this.backend, Requests.of("key", LeaseMode.SHARED, false)),
				(lease) -> this.backend.renew(List.of(lease), Requests.TIMEOUT),
				(lease) -> this.backend.release(lease, Requests.TIMEOUT),
				(lease) -> this.backend.inspect("key", Requests.TIMEOUT));
	}

	@Test
	void readOnlyDatabaseIsUnavailableUntilItIsWritableAgain() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		try {
			this.server.setReadOnly(true);
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> this.backend.renew(List.of(lease), Requests.TIMEOUT)));
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> Requests.acquires(this.backend, Requests.of("other")));
		}
		finally {
			this.server.setReadOnly(false);
		}
		awaitRenewed(lease);
		Requests.acquired(this.backend, "other");
	}

	@Test
	void connectionsThatWereEndedAreReplaced() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.server.terminateBackends();
		awaitRenewed(lease);
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
	}

	private void awaitRenewed(LeaseRequest lease) {
		Awaitility.await()
			.ignoreExceptionsInstanceOf(BackendException.class)
			.until(() -> this.backend.renew(List.of(lease), Requests.TIMEOUT).held().contains(lease));
	}

	/**
	 * What the backend has written for itself is used as a key: owners, also those of
	 * leases that were released with a delay, entries, names of processes, tables and
	 * channels, and the keys of the check at startup.
	 */
	@Test
	void internalNameIsAKeyLikeAnyOther() {
		LeaseRequest held = Requests.acquired(this.backend, "key");
		LeaseRequest delayed = Requests.acquired(this.backend, "delayed");
		this.backend.releaseWithDelay(delayed, Requests.LEASE_TIME, Requests.TIMEOUT);
		LeaseRequest reader = Requests.of("shared", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.backend, reader)).isTrue();
		this.backend.contend(Requests.of("shared", LeaseMode.EXCLUSIVE, true), Requests.TIMEOUT);
		JdbcLockSchema schema = new JdbcLockSchema(this.spy, this.table);
		schema.validate();
		List<LeaseRequest> others = new ArrayList<>();
		ValueBackend values = this.backend.values().orElseThrow();
		for (String name : internalNames()) {
			others.add(Requests.acquired(this.backend, name));
			values.update(Requests.update(name, new ValueChange.Add(1, 0)), Requests.TIMEOUT);
		}
		assertThat(others).hasSizeGreaterThan(8);
		schema.validate();
		assertThat(this.backend.renew(others, Requests.TIMEOUT).lost()).isEmpty();
		assertThat(this.backend.renew(List.of(held, reader), Requests.TIMEOUT).lost()).isEmpty();
		assertThat(Requests.acquires(this.backend, Requests.of("delayed"))).isFalse();
		others.forEach((other) -> assertThat(this.backend.release(other, Requests.TIMEOUT)).isTrue());
		assertThat(values.read(List.of("key", "delayed", "shared"), false, Requests.TIMEOUT).values())
			.allSatisfy((value) -> assertThat(value.version()).isZero());
	}

	private Set<String> internalNames() {
		Set<String> names = new LinkedHashSet<>(
				List.of(this.table, this.table + "_value", "lock:check:", "lock_spring_" + this.table));
		this.database.jdbc()
			.queryForList("SELECT owner, holder, entries, waiting FROM " + this.table)
			.forEach((row) -> row.values()
				.stream()
				.filter(String.class::isInstance)
				.flatMap((text) -> Stream.concat(Stream.of((String) text), Stream.of(((String) text).split("\\s+"))))
				.forEach(names::add));
		this.spy.parameters()
			.stream()
			.map((parameter) -> (parameter instanceof byte[] key) ? new String(key, StandardCharsets.UTF_8) : parameter)
			.filter((parameter) -> String.valueOf(parameter).startsWith("lock:check:"))
			.forEach((parameter) -> names.add((String) parameter));
		names.remove("");
		return names;
	}

	@Test
	void keyThatIsTooLongIsRejectedAndNotCut() {
		String key = "k".repeat(1024);
		for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED)) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.backend.tryAcquire(Requests.of(key + "1", mode, false), Requests.TIMEOUT));
		}
		Requests.acquired(this.backend, key);
	}

	@Test
	void holdersAreReadableInTheRow() {
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.backend, reader)).isTrue();
		assertThat(this.database.jdbc().queryForObject("SELECT entries FROM " + this.table, String.class))
			.matches("s " + reader.owner() + " \\d{16} \\d{16} \\S*@\\S+:" + ProcessHandle.current().pid() + "\n");
		assertThat(this.backend.inspect("key", Requests.TIMEOUT)).extracting(LeaseHolder::mode)
			.containsExactly(LeaseMode.SHARED);
	}

	@Test
	void tableIsCreatedByManyNodesAtOnce() throws Exception {
		for (int i = 0; i < TABLES_CREATED; i++) {
			this.database.dropTables(this.table);
			JdbcLockSchema schema = new JdbcLockSchema(this.database.dataSource(), this.table);
			inParallel(8, (thread) -> {
				schema.initialize();
				schema.validate();
			});
		}
	}

	@Test
	void missingTableIsShown() {
		this.database.dropTables(this.table);
		JdbcLockSchema schema = new JdbcLockSchema(this.database.dataSource(), this.table);
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(schema::validate)
			.withMessageContaining("'" + this.table + "' is missing")
			.satisfies((ex) -> this.database.runScript(ex.definition()));
		schema.validate();
	}

	@Test
	void wrongColumnsAreNamedWithWhatTheyMustBe() {
		JdbcLockSchema schema = new JdbcLockSchema(this.database.dataSource(), this.table);
		assertThat(wrongColumns()).allSatisfy((column) -> {
			this.database.dropTables(this.table);
			schema.initialize();
			this.database.jdbc().execute("ALTER TABLE " + this.table + " DROP COLUMN " + column[0]);
			this.database.jdbc().execute("ALTER TABLE " + this.table + " ADD COLUMN " + column[0] + " " + column[1]);
			assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(schema::validate)
				.withMessageContaining("Its column '" + column[0] + "' must be " + column[2] + ", not ");
		});
	}

	final void inParallel(int threads, Consumer<Integer> action) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> futures = IntStream.range(0, threads)
				.<Future<?>>mapToObj((i) -> executor.submit(() -> action.accept(i)))
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
