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

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.jdbc.SpyDataSource.Interference;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the connections of {@link JdbcLockBackend}: pools that have none to give, and
 * connections that fail.
 */
@Timeout(300)
class JdbcConnectionsTests {

	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(300);

	private final TestDatabase database = TestDatabase.inMemory().createTable();

	private final HikariDataSource pool = this.database.pool(8);

	private final SpyDataSource spy = new SpyDataSource(this.pool);

	private final JdbcLockBackend backend = new JdbcLockBackend(this.spy);

	@AfterEach
	void close() {
		this.backend.close();
		this.pool.close();
		this.database.close();
	}

	@Test
	void callerWhoHoldsTheOnlyConnectionGetsAnExceptionInTime() {
		try (HikariDataSource single = this.database.pool(1)) {
			JdbcLockBackend backend = new JdbcLockBackend(single);
			transaction(single)
				.executeWithoutResult((status) -> assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), SHORT_TIMEOUT))
					.withMessageContaining("did not provide a connection within")
					.withMessageContaining("its pool is exhausted or too small")
					.withMessageContaining("the caller itself holds the last connection in a transaction"));
			Requests.acquired(backend, "key");
			backend.close();
		}
	}

	@Test
	void connectionThatCameTooLateIsReleased() throws SQLException {
		try (HikariDataSource single = this.database.pool(1)) {
			JdbcLockBackend backend = new JdbcLockBackend(single);
			try (Connection connection = single.getConnection()) {
				assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> backend.release(Requests.of("key"), SHORT_TIMEOUT));
			}
			single.getConnection().close();
			awaitNoneActive(single);
			backend.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "getNetworkTimeout", "setNetworkTimeout", "getMetaData", "isReadOnly" })
	void connectionThatIsNotReadyBecauseOfAnErrorIsReleased(String method) {
		this.spy.failOnce(method, new OutOfMemoryError("test"));
		Awaitility.await()
			.ignoreExceptionsInstanceOf(BackendUnavailableException.class)
			.until(() -> Requests.acquires(this.backend, Requests.of("key")));
		this.backend.close();
		awaitNoneActive(this.pool);
	}

	@Test
	void connectionThatIsNotRestoredBecauseOfAnErrorIsReleased() {
		Requests.acquired(this.backend, "key");
		this.spy.failOnce("createStatement", new OutOfMemoryError("test"));
		this.backend.close();
		awaitNoneActive(this.pool);
	}

	@Test
	void poolOfOneServesTheApplicationAndTheLock() {
		try (HikariDataSource single = this.database.pool(1)) {
			JdbcLockBackend backend = new JdbcLockBackend(single,
					new JdbcLockSettings(JdbcLockSchema.DEFAULT_TABLE_NAME, 0, 0, false));
			for (int i = 0; i < 100; i++) {
				LeaseRequest lease = Requests.acquired(backend, "key");
				transaction(single).executeWithoutResult((status) -> {
				});
				assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
			}
			backend.close();
		}
	}

	@Test
	void manyThreadsShareOneConnection() throws Exception {
		try (HikariDataSource single = this.database.pool(1)) {
			JdbcLockBackend backend = new JdbcLockBackend(single);
			AtomicInteger keys = new AtomicInteger();
			inParallel(32, () -> {
				for (int i = 0; i < 20; i++) {
					LeaseRequest lease = Requests.acquired(backend, "key" + keys.incrementAndGet());
					assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
				}
			});
			backend.close();
			Awaitility.await().until(() -> single.getHikariPoolMXBean().getActiveConnections() == 0);
		}
	}

	@Test
	void threadsWhoseTransactionsExhaustThePoolAllEnd() throws Exception {
		openAllConnections();
		CountDownLatch allHaveConnections = new CountDownLatch(8);
		AtomicInteger failures = new AtomicInteger();
		inParallel(8, () -> transaction(this.pool).executeWithoutResult((status) -> {
			allHaveConnections.countDown();
			await(allHaveConnections);
			try {
				this.backend.tryAcquire(Requests.of("key" + Thread.currentThread().getId()), SHORT_TIMEOUT);
			}
			catch (BackendUnavailableException ex) {
				failures.incrementAndGet();
			}
		}));
		assertThat(failures).hasPositiveValue();
		Requests.acquired(this.backend, "key");
	}

	@Test
	void connectionsAreKeptForAMomentAndThenReleased() {
		this.backend.release(Requests.acquired(this.backend, "warm-up"), Requests.TIMEOUT);
		awaitNoneActive(this.pool);
		int opened = this.spy.opened();
		this.backend.release(Requests.acquired(this.backend, "a"), Requests.TIMEOUT);
		this.backend.release(Requests.acquired(this.backend, "b"), Requests.TIMEOUT);
		assertThat(this.spy.opened()).isEqualTo(opened + 1);
		awaitNoneActive(this.pool);
		Requests.acquired(this.backend, "c");
		assertThat(this.spy.opened()).isEqualTo(opened + 2);
	}

	@Test
	void oneConnectionIsKeptAsLongAsALeaseIsHeld() throws Exception {
		LeaseRequest first = Requests.acquired(this.backend, "first");
		LeaseRequest second = Requests.acquired(this.backend, "second");
		inParallel(6, () -> this.backend.inspect("first", Requests.TIMEOUT));
		Awaitility.await()
			.during(Duration.ofMillis(1500))
			.until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 1);
		this.backend.release(first, Requests.TIMEOUT);
		int opened = this.spy.opened();
		Awaitility.await()
			.during(Duration.ofMillis(1200))
			.until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 1);
		assertThat(this.backend.renew(List.of(second), Requests.TIMEOUT).held()).containsExactly(second);
		assertThat(this.spy.opened()).isEqualTo(opened);
		this.backend.release(second, Requests.TIMEOUT);
		awaitNoneActive(this.pool);
	}

	@Test
	void noConnectionIsKeptForALeaseThatIsOver() {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofMillis(10), 1);
		LeaseRequest lease = new LeaseRequest("key", terms, OwnerId.newInstance(), 1);
		assertThat(Requests.acquires(this.backend, lease)).isTrue();
		awaitNoneActive(this.pool);
	}

	@Test
	void smallPoolHasItsConnectionAgainAlthoughALeaseIsHeld() {
		try (HikariDataSource small = this.database.pool(2)) {
			JdbcLockBackend backend = new JdbcLockBackend(small,
					JdbcLockSettings.ofSharedPool(JdbcLockSchema.DEFAULT_TABLE_NAME, 2));
			Requests.acquired(backend, "key");
			awaitNoneActive(small);
			backend.close();
		}
	}

	@Test
	void closeReleasesConnectionsAndThreads() throws Exception {
		inParallel(8, () -> Requests.acquired(this.backend, "key" + Thread.currentThread().getId()));
		this.backend.close();
		assertThat(this.spy.opened()).isPositive();
		Awaitility.await().until(() -> this.spy.closed() == this.spy.opened());
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
		Awaitility.await()
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
				.noneMatch((thread) -> thread.getName().startsWith("lock-jdbc-connection-")));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("closed");
	}

	@Test
	void connectionThatBrokeWhileItWasKeptIsReplaced() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.spy.interfereOnce(JdbcConnectionsTests::breakDown);
		assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		this.spy.interfereOnce(JdbcConnectionsTests::breakDown);
		assertThat(this.backend.inspect("key", Requests.TIMEOUT)).hasSize(1);
		this.spy.interfereOnce(JdbcConnectionsTests::breakDown);
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		this.spy.interfereOnce(JdbcConnectionsTests::breakDown);
		Requests.acquired(this.backend, "key");
		assertThat(this.spy.opened()).isGreaterThanOrEqualTo(5);
	}

	@Test
	void newConnectionThatBreaksLeavesTheOutcomeUnknown() {
		this.spy.interfereOnce(JdbcConnectionsTests::breakDown);
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("The connection broke");
		assertThat(this.spy.statements()).hasSize(1);
	}

	@Test
	void grantWhoseReplyWasLostIsFoundByTheSecondTry() {
		Requests.acquired(this.backend, "other");
		this.spy.interfereOnce(loseReply());
		LeaseRequest request = Requests.of("key");
		Grant grant = (Grant) this.backend.tryAcquire(request, Requests.TIMEOUT);
		assertThat(this.spy.statements()).hasSize(3);
		assertThat(((Grant) this.backend.tryAcquire(request, Requests.TIMEOUT)).token()).isEqualTo(grant.token());
		assertThat(this.backend.release(request, Requests.TIMEOUT)).isTrue();
		assertThat(this.backend.inspect("key", Requests.TIMEOUT)).isEmpty();
	}

	@Test
	void releaseWhoseReplyWasLostIsTrue() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.spy.interfereOnce(loseReply());
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isTrue();
		assertThat(this.backend.inspect("key", Requests.TIMEOUT)).isEmpty();
		assertThat(this.backend.release(lease, Requests.TIMEOUT)).isFalse();
	}

	@Test
	void secondTryThatIsDeniedLeavesTheOutcomeUnknown() {
		JdbcLockBackend other = new JdbcLockBackend(this.database.dataSource());
		Requests.acquired(this.backend, "other");
		this.spy.interfereOnce((statement) -> {
			Requests.acquired(other, "key");
			breakDown(statement);
		});
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT));
		other.close();
	}

	@Test
	void secondTryWithoutConnectionLeavesTheOutcomeUnknown() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicBoolean hanging = new AtomicBoolean();
		SpyDataSource spy = new SpyDataSource(new StubDataSource(() -> {
			if (hanging.get()) {
				await(end);
			}
			return this.database.connection();
		}));
		JdbcLockBackend backend = new JdbcLockBackend(spy);
		LeaseRequest lease = Requests.acquired(backend, "key");
		spy.interfereOnce((statement) -> {
			hanging.set(true);
			breakDown(statement);
		});
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> backend.release(lease, Duration.ofSeconds(1)));
		end.countDown();
		backend.close();
	}

	@Test
	void statementThatIsRejectedChangedNothing() {
		this.spy.interfereOnce((statement) -> {
			throw new SQLException("Syntax error", "42000");
		});
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("Syntax error (SQLSTATE 42000)");
	}

	@Test
	void statementThatHangsIsAborted() {
		this.spy.interfere(this.spy::hang);
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.backend.tryAcquire(Requests.of("key"), Duration.ofSeconds(1)));
	}

	/**
	 * Calls take too long and end when the first of their connections is aborted, before
	 * the others are. Other calls wait for the connections.
	 */
	@RepeatedTest(5)
	void connectionOfACallThatTookTooLongIsNotAbortedDuringAnother() throws Exception {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy);
		CountDownLatch slowCalls = new CountDownLatch(8);
		AtomicInteger aborted = new AtomicInteger();
		ThreadLocal<Boolean> isSlow = new ThreadLocal<>();
		spy.interfere((statement) -> {
			if (isSlow.get()) {
				slowCalls.countDown();
				spy.awaitAbort();
			}
			else {
				LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
				aborted.addAndGet(spy.isAborted(statement.getConnection()) ? 1 : 0);
			}
		});
		AtomicInteger calls = new AtomicInteger();
		inParallel(16, () -> {
			int call = calls.getAndIncrement();
			isSlow.set(call < 8);
			if (isSlow.get()) {
				acquireUntilAborted(backend, "slow" + call);
			}
			else {
				await(slowCalls);
				Requests.acquired(backend, "key" + call);
			}
		});
		backend.close();
		assertThat(aborted).hasValue(0);
	}

	/**
	 * Two connections take too long to be opened, and are ready when the first of them is
	 * aborted.
	 */
	@Test
	void connectionThatWasReadyTooLateIsNotUsed() throws Exception {
		CountDownLatch firstAborted = new CountDownLatch(1);
		Set<Connection> aborted = ConcurrentHashMap.newKeySet();
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			Connection target = this.database.connection();
			return proxy(target, (method) -> {
				if (method.equals("getNetworkTimeout")) {
					await(firstAborted);
				}
				else if (method.equals("abort")) {
					aborted.add(target);
					firstAborted.countDown();
				}
				else if (method.equals("prepareStatement")) {
					assertThat(aborted).doesNotContain(target);
				}
			});
		}));
		inParallel(2, () -> assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), SHORT_TIMEOUT)));
		inParallel(2, () -> Requests.acquired(backend, UUID.randomUUID().toString()));
		backend.close();
		assertThat(aborted).isNotEmpty();
	}

	private static Connection proxy(Connection target, Consumer<String> before) {
		return (Connection) Proxy.newProxyInstance(target.getClass().getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					before.accept(method.getName());
					return method.invoke(target, arguments);
				});
	}

	/**
	 * Makes a call whose connection is aborted, again if the machine was too slow to open
	 * one for it.
	 */
	private static void acquireUntilAborted(JdbcLockBackend backend, String key) {
		boolean aborted = false;
		while (!aborted) {
			try {
				backend.tryAcquire(Requests.of(key), SHORT_TIMEOUT);
				aborted = true;
			}
			catch (OutcomeUnknownException ex) {
				aborted = true;
			}
			catch (BackendUnavailableException ex) {
				assertThat(ex).hasMessageContaining("connection");
			}
		}
	}

	@Test
	void dataSourceThatHangsDoesNotHangTheCall() {
		CountDownLatch end = new CountDownLatch(1);
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			await(end);
			return this.database.connection();
		}));
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.probe(Requests.of("probe"), SHORT_TIMEOUT));
		}
		end.countDown();
		backend.probe(Requests.of("probe"), Requests.TIMEOUT);
		backend.close();
	}

	@Test
	void dataSourceThatFailsIsQuotedAtOnce() {
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			throw new SQLException("Connection refused");
		}));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), Duration.ofMinutes(10)))
			.withMessageContaining("Connection refused");
		backend.close();
	}

	@Test
	void callThatWaitsBetweenTwoOpeningsQuotesTheLastFailure() {
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			throw new SQLException("Connection refused");
		}));
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), Duration.ofMillis(50)))
				.withMessageContaining("Connection refused")
				.satisfies((ex) -> assertThat(ex).hasMessageNotContaining("in use by other calls"));
		}
		backend.close();
	}

	@Test
	void dataSourceThatRecoversIsUsedAgain() {
		AtomicBoolean up = new AtomicBoolean();
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			if (!up.get()) {
				throw new SQLException("Connection refused");
			}
			return this.database.connection();
		}));
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), Requests.TIMEOUT));
		up.set(true);
		backend.probe(Requests.of("probe"), Requests.TIMEOUT);
		backend.close();
	}

	/**
	 * HikariCP does not check a connection that was used a moment ago, nor detect by the
	 * failures of H2 that one is closed.
	 */
	@Test
	void poolThatOffersAClosedConnectionAgainIsGivenTimeToCheckIt() throws SQLException {
		try (HikariDataSource pool = this.database.pool(2)) {
			JdbcLockBackend backend = new JdbcLockBackend(pool);
			closeAll(pool, 2);
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.pollInterval(Duration.ofMillis(20))
				.ignoreException(BackendUnavailableException.class)
				.until(() -> backend.tryAcquire(Requests.of("key"), SHORT_TIMEOUT) instanceof Grant);
			backend.close();
		}
	}

	@Test
	void callThatIsInterruptedBetweenTwoAttemptsLeavesItsConnectionOpen() {
		LeaseRequest lease = Requests.acquired(this.backend, "key");
		this.spy.interfereOnce((statement) -> {
			Thread.currentThread().interrupt();
			throw new SQLException("Another session has changed the row", "40001");
		});
		assertThat(this.backend.renew(List.of(lease), Requests.TIMEOUT).held()).containsExactly(lease);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.spy.opened()).isOne();
	}

	@Test
	void interruptedWaiterIsUnavailableAndStaysInterrupted() {
		CountDownLatch end = new CountDownLatch(1);
		JdbcLockBackend backend = new JdbcLockBackend(new StubDataSource(() -> {
			await(end);
			return this.database.connection();
		}));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(Requests.of("probe"), Requests.TIMEOUT))
			.withMessageContaining("Interrupted");
		assertThat(Thread.interrupted()).isTrue();
		end.countDown();
		backend.close();
	}

	/**
	 * Close the connections of a pool without its knowledge.
	 */
	private static void closeAll(HikariDataSource pool, int number) throws SQLException {
		if (number > 0) {
			Connection connection = pool.getConnection();
			closeAll(pool, number - 1);
			Connection pooled = connection.unwrap(JdbcConnection.class);
			connection.close();
			pooled.close();
		}
	}

	private static void breakDown(Statement statement) throws SQLException {
		throw new SQLException("The connection broke", "08006");
	}

	private static Interference loseReply() {
		return new Interference() {

			@Override
			public void before(Statement statement) {
			}

			@Override
			public void after(Statement statement) throws SQLException {
				breakDown(statement);
			}

		};
	}

	private static TransactionTemplate transaction(HikariDataSource pool) {
		return new TransactionTemplate(new DataSourceTransactionManager(pool));
	}

	private static void awaitNoneActive(HikariDataSource pool) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	/**
	 * A pool that has to open connections may leave one of several threads that want one
	 * at the same time waiting, although it could open another.
	 */
	private void openAllConnections() throws SQLException {
		List<Connection> connections = new ArrayList<>();
		for (int i = 0; i < this.pool.getMaximumPoolSize(); i++) {
			connections.add(this.pool.getConnection());
		}
		for (Connection connection : connections) {
			connection.close();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
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

	/**
	 * Gives connections as the test wishes.
	 */
	private static final class StubDataSource extends AbstractDataSource {

		private final Source source;

		private StubDataSource(Source source) {
			this.source = source;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.source.getConnection();
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

	private interface Source {

		Connection getConnection() throws SQLException;

	}

}
