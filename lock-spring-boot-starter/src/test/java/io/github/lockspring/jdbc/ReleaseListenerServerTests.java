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
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.MockedStatic;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.support.DaemonThreads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mockStatic;

/**
 * Tests for {@link ReleaseListener}: waiters on PostgreSQL that are notified of releases.
 */
@Timeout(300)
class ReleaseListenerServerTests {

	private static final String TABLE = "locks_with_notifications";

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final TestDatabase database = TestDatabase.on(PostgresServer.shared());

	private final Queue<LeaseRequest> notifications = new ConcurrentLinkedQueue<>();

	private final Queue<String> changes = new ConcurrentLinkedQueue<>();

	private final JdbcLockBackend holder = backend(TABLE);

	private final JdbcLockBackend waiter = listening(this.database, TABLE);

	ReleaseListenerServerTests() {
		createTable(TABLE);
		createTable(TABLE + "_2");
	}

	private void createTable(String table) {
		this.database.createTable(table);
		this.database.jdbc().update("DELETE FROM " + table);
		this.database.jdbc().update("DELETE FROM " + table + "_value");
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		this.database.close();
	}

	private JdbcLockBackend backend(String table) {
		JdbcLockBackend backend = new JdbcLockBackend(this.database.dataSource(), table);
		this.resources.add(backend);
		return backend;
	}

	private JdbcLockBackend listening(TestDatabase database, String table) {
		HikariDataSource pool = database.pool(4);
		JdbcLockBackend backend = new JdbcLockBackend(pool, new JdbcLockSettings(table, 2, 0, true));
		this.resources.add(backend);
		this.resources.add(pool);
		backend.start(new Listener());
		return backend;
	}

	@Test
	void capabilityIsThereIfItIsWanted() {
		assertThat(this.waiter.capabilities()).contains(Capability.NOTIFICATIONS);
		assertThat(this.holder.capabilities()).doesNotContain(Capability.NOTIFICATIONS);
	}

	@Test
	void releaseNotifiesRequestsThatWaitForTheKey() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest other = Requests.acquired(this.holder, "other");
		LeaseRequest request = awaited("key");
		LeaseRequest stranger = awaited("other");
		this.notifications.clear();
		this.holder.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(request));
		assertThat(this.notifications).doesNotContain(stranger);
		assertThat(this.waiter.contend(request, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		this.holder.release(other, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(stranger));
	}

	@Test
	void processThatReleasedLetsThoseAcquireThatWait() {
		JdbcLockBackend former = listening(this.database, TABLE);
		Awaitility.await().until(() -> {
			LeaseRequest lease = Requests.acquired(former, "key");
			LeaseRequest request = awaited("key");
			assertThat(former.release(lease, Requests.TIMEOUT)).isTrue();
			LeaseRequest again = Requests.of("key");
			boolean early = former.contend(again, Requests.TIMEOUT) instanceof Denial;
			LeaseRequest next = early ? request : again; // unless this thread was too
															// slow
			assertThat(Requests.acquires(early ? this.waiter : former, next)).isTrue();
			assertThat((early ? this.waiter : former).release(next, Requests.TIMEOUT)).isTrue();
			return early;
		});
	}

	@Test
	void processesThatNeedAKeyAllTheTimeTakeTurns() {
		Queue<Integer> holders = new ConcurrentLinkedQueue<>();
		List<CompletableFuture<Void>> processes = IntStream.range(0, 2)
			.mapToObj((process) -> CompletableFuture.runAsync(() -> acquireRepeatedly(process, holders)))
			.toList();
		processes.forEach(CompletableFuture::join);
		List<Integer> order = List.copyOf(holders);
		assertThat(IntStream.range(1, order.size()).filter((i) -> !order.get(i).equals(order.get(i - 1))).count())
			.as(order.toString())
			.isGreaterThan(10);
	}

	private void acquireRepeatedly(int process, Queue<Integer> holders) {
		JdbcLockBackend backend = new JdbcLockBackend(this.database.dataSource(),
				new JdbcLockSettings(TABLE, 2, 0, true));
		try (LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			for (int i = 0; i < 30; i++) {
				Hold hold = engine.acquireUninterruptibly("key", AcquireOptions.exclusive(Requests.LEASE_TIME, true),
						process, TimeUnit.MINUTES.toNanos(1));
				assertThat(hold).isNotNull();
				holders.add(process);
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
				assertThat(hold.release()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2_000_000 })
	void waitThatEndsBeforeOthersHaveAcquiredTriesAtItsEnd(long wait) {
		JdbcLockBackend backend = new JdbcLockBackend(this.database.dataSource(),
				new JdbcLockSettings(TABLE, 2, 0, true));
		try (LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			AcquireOptions options = AcquireOptions.exclusive(Requests.LEASE_TIME, true);
			for (int i = 0; i < 20; i++) {
				Hold hold = engine.acquireUninterruptibly("key", options, "owner", TimeUnit.MINUTES.toNanos(1));
				assertThat(hold).isNotNull();
				awaited("key");
				assertThat(hold.release()).isTrue();
				Hold next = engine.acquireUninterruptibly("key", options, "owner", wait);
				assertThat(next).isNotNull();
				assertThat(next.release()).isTrue();
			}
		}
	}

	@Test
	void oneThatIsDeniedAgainIsNotifiedAgain() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest first = awaited("key");
		LeaseRequest second = awaited("key");
		assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
		Awaitility.await().until(() -> this.notifications.containsAll(List.of(first, second)));
		assertThat(Requests.acquires(this.holder, first)).isTrue();
		this.notifications.clear();
		assertThat(denial(this.waiter, second)).isGreaterThan(Duration.ofSeconds(1));
		assertThat(this.holder.release(first, Requests.TIMEOUT)).isTrue();
		Awaitility.await().until(() -> this.notifications.contains(second));
	}

	@Test
	void processDoesNotWaitAgainForThoseThatHaveLeft() {
		LeaseRequest lease = Requests.acquired(this.waiter, "key");
		awaited("key");
		assertThat(this.waiter.release(lease, Requests.TIMEOUT)).isTrue();
		LeaseRequest next = Requests.of("key");
		Awaitility.await().until(() -> this.waiter.contend(next, Requests.TIMEOUT) instanceof Grant);
		assertThat(this.waiter.release(next, Requests.TIMEOUT)).isTrue();
		assertThat(this.waiter.contend(Requests.of("key"), Requests.TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void keyForWhichOthersWaitIsContendedForWithOneStatement() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend contender = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(contender);
		contender.start(new Listener());
		LeaseRequest first = Requests.of("key");
		assertThat(contender.contend(first, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		LeaseRequest waiting = awaited("key");
		contender.release(first, Requests.TIMEOUT);
		assertThat(this.waiter.contend(waiting, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		spy.statements().clear();
		Awaitility.await().until(() -> {
			assertThat(contender.contend(Requests.of("key"), Requests.TIMEOUT)).isInstanceOf(Denial.class);
			return !spy.statements().isEmpty(); // as soon as it no longer lets others
												// acquire
		});
		assertThat(spy.statements()).hasSize(1);
	}

	@Test
	void releaseInAnotherTableDoesNotNotify() {
		JdbcLockBackend elsewhere = backend(TABLE + "_2");
		JdbcLockBackend waiterElsewhere = listening(this.database, TABLE + "_2");
		LeaseRequest lease = Requests.acquired(elsewhere, "key");
		LeaseRequest here = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		LeaseRequest requestElsewhere = Requests.of("key");
		awaitNotifications(waiterElsewhere, requestElsewhere);
		this.notifications.clear();
		elsewhere.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(requestElsewhere));
		assertThat(this.notifications).doesNotContain(request);
		this.holder.release(here, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(request));
	}

	@Test
	void releaseDoesNotNotifyUnlessARequestWaits() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
		this.notifications.clear();
		this.holder.release(lease, Requests.TIMEOUT);
		LeaseRequest second = Requests.acquired(this.holder, "second");
		LeaseRequest later = awaited("second");
		this.holder.release(second, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(later));
		assertThat(this.notifications).doesNotContain(request);
	}

	@Test
	void releaseOfAnyKindNotifiesWaitersOfEveryKind() {
		forAllHoldersAndWaiters((lease, request) -> {
			assertThat(Requests.acquires(this.holder, lease)).isTrue();
			awaitNotifications(this.waiter, request);
			this.notifications.clear();
			assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
			Awaitility.await().until(() -> this.notifications.contains(request));
			assertThat(this.waiter.contend(request, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		});
	}

	@Test
	void delayedReleaseNotifiesRequestsWhichLearnWhenTheKeyIsFree() {
		Duration delay = Duration.ofMillis(900);
		forAllHoldersAndWaiters((lease, request) -> {
			assertThat(Requests.acquires(this.holder, lease)).isTrue();
			awaitNotifications(this.waiter, request);
			this.notifications.clear();
			assertThat(this.holder.releaseWithDelay(lease, delay, Requests.TIMEOUT)).isTrue();
			Awaitility.await().until(() -> this.notifications.contains(request));
			if (this.waiter.contend(request, Requests.TIMEOUT) instanceof Denial denial) {
				assertThat(denial.retryAfter()).isLessThanOrEqualTo(delay);
			}
		});
	}

	@Test
	void denialSaysWhenTheLeaseEnds() {
		LeaseRequest lease = Requests.of("key");
		assertThat(Requests.acquires(this.holder, lease)).isTrue();
		LeaseRequest request = awaited("key");
		assertThat(this.holder.releaseWithDelay(lease, Duration.ofMillis(3_500), Requests.TIMEOUT)).isTrue();
		List<Duration> denials = List.of(denial(this.waiter, request), denial(this.waiter, request),
				denial(this.waiter, Requests.of("key", LeaseMode.SHARED, false)));
		assertThat(denials)
			.allSatisfy((denial) -> assertThat(denial).isBetween(Duration.ofMillis(1), Duration.ofMillis(3_500)));
		assertThat(denials.get(1)).isLessThan(denials.get(0));
	}

	/**
	 * All modes of a holder that keep out a request in another one, on keys of their own.
	 */
	private static void forAllHoldersAndWaiters(BiConsumer<LeaseRequest, LeaseRequest> test) {
		LeaseMode all = LeaseMode.permits(2, 2);
		List<LeaseMode> modes = List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, all);
		for (LeaseMode held : modes) {
			for (LeaseMode wanted : modes) {
				for (boolean fair : List.of(true, false)) {
					if (held != LeaseMode.SHARED || wanted != LeaseMode.SHARED) {
						String key = "key-" + held + "-" + wanted + "-" + fair;
						test.accept(Requests.of(key, held, fair), Requests.of(key, wanted, !fair));
					}
				}
			}
		}
	}

	@Test
	void grantAndRemovalOfAFairRequestNotifyThoseBehind() {
		LeaseRequest lease = Requests.of("key", LeaseMode.permits(3, 4), false);
		assertThat(Requests.acquires(this.holder, lease)).isTrue();
		LeaseRequest first = Requests.of("key", LeaseMode.permits(3, 4), true);
		LeaseRequest second = Requests.of("key", LeaseMode.permits(2, 4), true);
		LeaseRequest third = Requests.of("key", LeaseMode.permits(1, 4), true);
		Stream.of(first, second, third).forEach((request) -> awaitNotifications(this.waiter, request));
		this.notifications.clear();
		this.holder.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(first));
		this.notifications.clear();
		assertThat(this.waiter.contend(first, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		Awaitility.await().until(() -> this.notifications.contains(third));
		assertThat(this.waiter.contend(third, Requests.TIMEOUT)).isInstanceOf(Denial.class);
		this.notifications.clear();
		this.waiter.release(second, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(third));
		assertThat(this.waiter.contend(third, Requests.TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void downgradeNotifiesReaders() {
		LeaseRequest writer = Requests.acquired(this.holder, "key");
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		awaitNotifications(this.waiter, reader);
		this.notifications.clear();
		this.holder.downgrade(writer, Requests.of("key", LeaseMode.SHARED, false), Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(reader));
	}

	/**
	 * The mark lasts for seconds, so that a denial that finds it is one statement.
	 */
	@Test
	void deniedReaderMarksTheRowOnce() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		Requests.acquired(this.holder, "key");
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		backend.contend(reader, Requests.TIMEOUT);
		assertThat(spy.statements()).hasSize(2);
		backend.contend(reader, Requests.TIMEOUT);
		assertThat(spy.statements()).hasSize(3);
	}

	@Test
	void releaseBetweenTheDenialAndTheMarkIsNotMissed() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		spy.interfere((statement) -> {
			if (spy.statements().size() == 2) {
				this.holder.release(lease, Requests.TIMEOUT);
			}
		});
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(backend.contend(reader, Requests.TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void messageDoesNotRevealTheKey() throws Exception {
		LeaseRequest lease = Requests.acquired(this.holder, "customer:secret");
		awaited("customer:secret");
		try (Connection stranger = this.database.connection()) {
			try (Statement statement = stranger.createStatement()) {
				statement.execute("LISTEN " + channel());
				statement.execute("LISTEN lock_spring");
			}
			this.holder.release(lease, Requests.TIMEOUT);
			PGNotification[] heard = stranger.unwrap(PGConnection.class).getNotifications(10_000);
			assertThat(heard).hasSize(1);
			String hex = HexFormat.of().formatHex("secret".getBytes(StandardCharsets.UTF_8));
			assertThat(heard[0].getParameter()).hasSize(16).doesNotContain(hex, "secret");
		}
	}

	private String channel() {
		return String.valueOf(
				this.database.jdbc().queryForObject(PostgresStatements.channel(new TableName(TABLE)), String.class));
	}

	@Test
	void messageThatCannotBeReadIsIgnoredAndCounted() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		assertThat(this.waiter.warnings()).isEmpty();
		this.notifications.clear();
		for (String message : List.of("", "no message of ours", TABLE + " 6xyz", "0".repeat(17))) {
			this.database.jdbc().queryForList("SELECT pg_notify(?, ?)", channel(), message);
		}
		Awaitility.await().until(() -> this.waiter.warnings().toString().contains(": 4;"));
		this.holder.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.notifications.contains(request));
	}

	@Test
	void tableOfTheSameNameInAnotherSchemaHasAChannelOfItsOwn() {
		this.database.jdbc().execute("CREATE SCHEMA IF NOT EXISTS other_locks");
		createTable("other_locks." + TABLE);
		assertThat(this.database.jdbc()
			.queryForObject(PostgresStatements.channel(new TableName("other_locks." + TABLE)), String.class))
			.isNotEqualTo(channel());
		this.database.jdbc().execute("DROP SCHEMA other_locks CASCADE");
	}

	@Test
	void tableThatIsCreatedAgainIsListenedTo() {
		Requests.acquired(this.holder, "key");
		awaited("key");
		this.database.jdbc().execute("DROP TABLE " + TABLE);
		createTable(TABLE);
		Set<LeaseRequest> later = new HashSet<>();
		Awaitility.await().until(() -> {
			LeaseRequest lease = Requests.acquired(this.holder, "key");
			LeaseRequest request = Requests.of("key");
			later.add(request);
			this.waiter.contend(request, Requests.TIMEOUT);
			this.holder.release(lease, Requests.TIMEOUT);
			return this.notifications.stream().anyMatch(later::contains);
		});
	}

	@Test
	void requestWithoutNotificationsIsRetriedSoon() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		assertThat(denial(this.waiter, Requests.of(List.of("key", "other"))))
			.isLessThanOrEqualTo(Duration.ofMillis(50));
		assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void databaseWithoutNotificationsIsAskedAgainSoon() {
		try (TestDatabase h2 = TestDatabase.inMemory().createTable()) {
			JdbcLockBackend backend = listening(h2, JdbcLockSchema.DEFAULT_TABLE_NAME);
			Requests.acquired(backend, "key");
			LeaseRequest request = Requests.of("key");
			for (int i = 0; i < 5; i++) {
				assertThat(denial(backend, request)).isLessThanOrEqualTo(Duration.ofMillis(50));
			}
			backend.close();
		}
	}

	@Test
	void thoseWhoWaitAskAgainWhenTheConnectionWasEnded() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		this.notifications.clear();
		PostgresServer.shared().terminateBackends();
		Awaitility.await().ignoreExceptions().until(() -> {
			this.waiter.contend(request, Requests.TIMEOUT);
			return this.notifications.contains(request);
		});
		this.notifications.clear();
		awaitNotifications(this.waiter, request);
		Awaitility.await().ignoreExceptions().until(() -> this.holder.release(lease, Requests.TIMEOUT));
		Awaitility.await().until(() -> this.notifications.contains(request));
	}

	/**
	 * As after a failure of the network, of which no one reports the one that listens.
	 */
	@Test
	void thoseWhoWaitAskAgainWhenTheServerDoesNotAnswer() throws Exception {
		Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		this.notifications.clear();
		List<Integer> sessions = this.database.jdbc()
			.queryForList("SELECT pid FROM pg_stat_activity WHERE query ~ '^(LISTEN lock_spring|SELECT .lock_spring)'",
					Integer.class);
		assertThat(sessions).isNotEmpty();
		signal("STOP", sessions);
		try {
			Awaitility.await().until(() -> this.notifications.contains(request));
		}
		finally {
			signal("CONT", sessions);
		}
	}

	private static void signal(String name, List<Integer> processes) throws Exception {
		for (Integer process : processes) {
			assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + process).start().waitFor()).isZero();
		}
	}

	@Test
	void closeReleasesTheConnectionBeforeItReturns() {
		HikariDataSource pool = this.database.pool(4);
		this.resources.add(pool);
		JdbcLockBackend backend = new JdbcLockBackend(pool, new JdbcLockSettings(TABLE, 2, 0, true));
		backend.start(new Listener());
		Requests.acquired(this.holder, "key");
		awaitNotifications(backend, Requests.of("key"));
		backend.close();
		Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(Thread.getAllStackTraces().keySet())
			.noneMatch((thread) -> thread.getName().equals("lock-jdbc-listener"));
	}

	/**
	 * Not every pool does that by itself.
	 */
	@ParameterizedTest
	@ValueSource(strings = { TABLE, "missing_table" })
	void connectionIsRestoredBeforeItIsReleased(String table) throws SQLException {
		try (Connection connection = this.database.connection()) {
			connection.setAutoCommit(false);
			connection.setNetworkTimeout(Runnable::run, 12_345);
			ReleaseListener listener = new ReleaseListener(new SingleConnectionDataSource(connection, true),
					new TableName(table), true);
			listener.listenForAWhile();
			LeaseRequest request = Requests.of("key");
			Awaitility.await().until(() -> listener.await(request) || !listener.isUsable());
			listener.close();
			assertThat(connection.getAutoCommit()).isFalse();
			assertThat(connection.getNetworkTimeout()).isEqualTo(12_345);
		}
	}

	@Test
	void listenerForWhichNoThreadCouldBeStartedListensLater() {
		try (ReleaseListener listener = new ReleaseListener(this.database.dataSource(), new TableName(TABLE), true)) {
			try (MockedStatic<DaemonThreads> threads = mockStatic(DaemonThreads.class, CALLS_REAL_METHODS)) {
				threads.when(() -> DaemonThreads.create(any(), any()))
					.thenThrow(new IllegalStateException("no thread"));
				listener.listenForAWhile();
			}
			listener.listenForAWhile();
			LeaseRequest request = Requests.of("key");
			Awaitility.await().until(() -> listener.await(request));
		}
	}

	@Test
	void listenerWhoseDriverFailsWithAnErrorIsNotReliedOn() {
		DataSource broken = new DelegatingDataSource(this.database.dataSource()) {

			@Override
			public Connection getConnection() {
				throw new NoClassDefFoundError("test");
			}

		};
		try (ReleaseListener listener = new ReleaseListener(broken, new TableName(TABLE), true)) {
			listener.listenForAWhile();
			Awaitility.await().until(() -> !listener.isUsable());
		}
	}

	@Test
	void waitingCostsOneStatementAndTheReleaseAsWell() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		backend.start(new Listener());
		assertThat(backend.contend(Requests.of("key"), Requests.TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(spy.statements()).hasSize(1);
		LeaseRequest request = Requests.of("key");
		backend.contend(request, Requests.TIMEOUT);
		backend.contend(request, Requests.TIMEOUT);
		assertThat(spy.statements()).hasSize(3);
	}

	@Test
	void connectionThatListensIsLookedAtLessOftenThanThoseThatWait() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		try (LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			awaitNotifications(backend, Requests.of("key"));
			waitInVain(engine, 1);
			spy.statements().clear();
			spy.calls().clear();
			waitInVain(engine, 7);
			long checks = spy.calls().stream().filter(PostgresStatements.channel(new TableName(TABLE))::equals).count();
			assertThat(spy.statements()).filteredOn((statement) -> statement.contains("LEFT JOIN"))
				.hasSizeGreaterThanOrEqualTo((int) checks)
				.isNotEmpty();
		}
		assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
	}

	private static void waitInVain(LockEngine engine, int seconds) {
		assertThat(engine.acquireUninterruptibly("key", AcquireOptions.exclusive(Requests.LEASE_TIME, true), "owner",
				TimeUnit.SECONDS.toNanos(seconds)))
			.isNull();
	}

	@Test
	void connectionThatListensIsOpenedByTheFirstDenial() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 1, 0, true));
		this.resources.add(backend);
		backend.start(new Listener());
		LeaseRequest lease = Requests.of("key");
		assertThat(backend.contend(lease, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
		assertThat(listeners()).isEmpty();
		Requests.acquired(this.holder, "key");
		assertThat(denial(backend, Requests.of("key"))).isLessThanOrEqualTo(Duration.ofMillis(50));
		assertThat(listeners()).hasSize(1);
	}

	private static List<Thread> listeners() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("lock-jdbc-listener"))
			.toList();
	}

	@Test
	void fiftyThatArePolledAreOneStatementWhileTheMarksLast() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		backend.start(new Listener());
		List<LeaseRequest> requests = IntStream.range(0, 50).mapToObj((i) -> "key " + i).map(Requests::of).toList();
		requests.forEach((request) -> Requests.acquired(this.holder, request.key()));
		awaitNotifications(backend, requests.get(0));
		requests.forEach((request) -> assertThat(denial(backend, request)).isGreaterThan(Duration.ofSeconds(1)));
		spy.statements().clear();
		assertThatAreDeniedForLong(backend, requests);
		assertThat(spy.statements()).hasSize(1);
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
		spy.statements().clear();
		assertThatAreDeniedForLong(backend, requests);
		assertThat(spy.statements()).hasSize(2);
		assertThatAreDeniedForLong(backend, requests);
		assertThat(spy.statements()).hasSize(3);
	}

	private static void assertThatAreDeniedForLong(JdbcLockBackend backend, List<LeaseRequest> requests) {
		Map<LeaseRequest, Denial> denials = backend.poll(requests, Requests.TIMEOUT);
		assertThat(denials).containsOnlyKeys(requests);
		assertThat(denials.values()).extracting(Denial::retryAfter).containsOnly(Duration.ofSeconds(4));
	}

	@Test
	void releaseOfALaterHolderNotifiesRequestThatIsOnlyPolled() {
		forAllHoldersAndWaiters((lease, request) -> {
			assertThat(Requests.acquires(this.holder, lease)).isTrue();
			awaitNotifications(this.waiter, request);
			assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
			LeaseRequest later = Requests.of(lease.keys().get(0), lease.terms().mode(), false);
			assertThat(Requests.acquires(this.holder, later)).isTrue();
			assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).containsOnlyKeys(request);
			Awaitility.await().until(() -> this.notifications.contains(request));
			this.notifications.clear();
			assertThat(this.holder.release(later, Requests.TIMEOUT)).isTrue();
			Awaitility.await().until(() -> this.notifications.contains(request));
		});
	}

	@Test
	void pollRenewsTheMarkOfARow() {
		forAllHoldersAndWaiters((lease, request) -> {
			assertThat(Requests.acquires(this.holder, lease)).isTrue();
			awaitNotifications(this.waiter, request);
			this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
			assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).containsOnlyKeys(request);
			this.notifications.clear();
			assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
			Awaitility.await().until(() -> this.notifications.contains(request));
		});
	}

	/**
	 * The release finds no mark: no one would notify the one that waits.
	 */
	@Test
	void releaseBetweenThePollAndTheMarkIsNotMissed() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		LeaseRequest writer = Requests.acquired(this.holder, "key");
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		awaitNotifications(backend, reader);
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
		spy.statements().clear();
		spy.interfere((statement) -> {
			if (spy.statements().size() == 2) {
				this.holder.downgrade(writer, Requests.of("key", LeaseMode.SHARED, false), Requests.TIMEOUT);
			}
		});
		assertThat(backend.poll(List.of(reader), Requests.TIMEOUT)).isEmpty();
		assertThat(spy.statements()).hasSize(2);
	}

	@Test
	void rowThatIsBeingWrittenIsNotWaitedForToRenewItsMark() throws Exception {
		Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
		try (Connection stranger = this.database.connection(); Statement statement = stranger.createStatement()) {
			stranger.setAutoCommit(false);
			statement.executeUpdate("UPDATE " + TABLE + " SET version = version");
			assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).isEmpty();
			stranger.rollback();
		}
		assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).containsOnlyKeys(request);
	}

	@Test
	void requestThatIsPolledWithoutNotificationsIsPolledAgainSoon() {
		Requests.acquired(this.holder, "key");
		assertThat(this.waiter.poll(List.of(Requests.of("key")), Requests.TIMEOUT).values()).singleElement()
			.extracting(Denial::retryAfter)
			.isEqualTo(Duration.ofMillis(50));
	}

	/**
	 * A process that was paused is registered no longer.
	 */
	@Test
	void requestWhoseRegistrationHasExpiredIsNotifiedAgainOnceItIsPolled() {
		Requests.acquired(this.holder, "other");
		awaited("other"); // so that it listens
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest request = Requests.of("key");
		assertThatAreDeniedForLong(this.waiter, List.of(request));
		assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
		Awaitility.await().until(() -> this.notifications.contains(request));
	}

	/**
	 * The statement takes the row for free, as it was when the statement began, and waits
	 * for the session that takes it meanwhile. So it leaves no mark.
	 */
	@Test
	void requestThatWasOvertakenIsNotifiedNevertheless() {
		Requests.acquired(this.holder, "other");
		awaited("other");
		Awaitility.await().until(() -> overtaken("key").compareTo(Duration.ofSeconds(1)) > 0);
	}

	private Duration overtaken(String key) throws Exception {
		this.holder.release(Requests.acquired(this.holder, key), Requests.TIMEOUT);
		try (Connection stranger = this.database.connection(); Statement statement = stranger.createStatement()) {
			stranger.setAutoCommit(false);
			statement.executeUpdate("UPDATE " + TABLE + " SET owner = 'stranger', expires_at = 9000000000000000");
			CompletableFuture<Duration> denial = CompletableFuture
				.supplyAsync(() -> denial(this.waiter, Requests.of(key)));
			Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> denial.isDone() || isAnyoneBlocked());
			stranger.commit();
			assertThat(denial.get()).isNotEqualTo(Duration.ofMillis(50));
			return denial.get();
		}
		finally {
			this.database.jdbc().update("UPDATE " + TABLE + " SET owner = NULL, expires_at = 0");
		}
	}

	private boolean isAnyoneBlocked() {
		return Boolean.TRUE.equals(this.database.jdbc()
			.queryForObject("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)", Boolean.class));
	}

	@Test
	void changeOfAWatchedValueIsNotified() {
		awaitWatched("value");
		changeValue("other value");
		assertThat(this.changes).isEmpty();
		changeValue("value");
		Awaitility.await().until(() -> this.changes.contains("value"));
		values(this.waiter).unwatch("value");
		awaitWatched("second value");
		this.changes.clear();
		changeValue("value");
		changeValue("second value");
		Awaitility.await().until(() -> this.changes.contains("second value"));
		assertThat(this.changes).doesNotContain("value");
	}

	@Test
	void changeDoesNotNotifyUnlessTheRowIsMarked() {
		awaitWatched("value");
		awaitWatched("later value");
		this.database.jdbc()
			.update("UPDATE " + TABLE + "_value SET watched_until = 0 WHERE value_key = ?",
					"value".getBytes(StandardCharsets.UTF_8));
		this.changes.clear();
		changeValue("value");
		changeValue("later value");
		Awaitility.await().until(() -> this.changes.contains("later value"));
		assertThat(this.changes).doesNotContain("value");
	}

	@Test
	void watchedRowsAreMarkedWithOneStatementAndReadWithOne() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		changeValue("present");
		List<String> keys = IntStream.range(0, 100).mapToObj((i) -> (i != 50) ? "absent " + i : "present").toList();
		assertThat(values(backend).read(keys, true, Requests.TIMEOUT)).containsOnlyKeys("present");
		assertThat(spy.statements()).hasSize(2);
		assertThat(values(backend).read(keys, true, Requests.TIMEOUT)).containsOnlyKeys("present");
		assertThat(spy.statements()).hasSize(3);
	}

	@Test
	void changeBetweenTheReadAndTheMarkIsSeen() {
		SpyDataSource spy = new SpyDataSource(this.database.dataSource());
		JdbcLockBackend backend = new JdbcLockBackend(spy, new JdbcLockSettings(TABLE, 2, 0, true));
		this.resources.add(backend);
		changeValue("value");
		spy.interfere((statement) -> {
			if (spy.statements().size() == 2) {
				changeValue("value");
			}
		});
		assertThat(values(backend).read(List.of("value"), true, Requests.TIMEOUT).get("value").number()).isEqualTo(2);
	}

	@Test
	void watchedValuesAreReadAgainWhenTheConnectionWasEnded() {
		awaitWatched("value");
		PostgresServer.shared().terminateBackends();
		this.changes.clear();
		Awaitility.await().ignoreExceptions().until(() -> {
			values(this.waiter).read(List.of("value"), true, Requests.TIMEOUT);
			return this.changes.contains("value");
		});
		assertThat(values(this.waiter).notifiesOfChanges()).isTrue();
	}

	@Test
	void databaseWithoutNotificationsSaysSo() {
		assertThat(values(this.holder).notifiesOfChanges()).isFalse();
		try (TestDatabase h2 = TestDatabase.inMemory().createTable()) {
			JdbcLockBackend backend = listening(h2, JdbcLockSchema.DEFAULT_TABLE_NAME);
			values(backend).read(List.of("value"), true, Requests.TIMEOUT);
			Awaitility.await().until(() -> !values(backend).notifiesOfChanges());
			backend.close();
		}
	}

	/**
	 * Watches a value until a change of it has been notified.
	 */
	private void awaitWatched(String key) {
		Awaitility.await().until(() -> {
			values(this.waiter).read(List.of(key), true, Requests.TIMEOUT);
			changeValue(key);
			return this.changes.contains(key);
		});
		Awaitility.await().until(() -> { // notifications that are still on their way
			this.changes.clear();
			Thread.sleep(100);
			return this.changes.isEmpty();
		});
	}

	private void changeValue(String key) {
		values(this.holder).update(Requests.update(key, new ValueChange.Add(1, 0)), Requests.TIMEOUT);
	}

	private static ValueBackend values(JdbcLockBackend backend) {
		return backend.values().orElseThrow();
	}

	private LeaseRequest awaited(String key) {
		LeaseRequest request = Requests.of(key);
		awaitNotifications(this.waiter, request);
		return request;
	}

	private static void awaitNotifications(JdbcLockBackend waiter, LeaseRequest request) {
		Awaitility.await().ignoreExceptions().until(() -> denial(waiter, request).compareTo(Duration.ofSeconds(1)) > 0);
	}

	private static Duration denial(JdbcLockBackend backend, LeaseRequest request) {
		Attempt attempt = backend.contend(request, Requests.TIMEOUT);
		assertThat(attempt).isInstanceOf(Denial.class);
		return ((Denial) attempt).retryAfter();
	}

	/**
	 * Writes down who may try again.
	 */
	private final class Listener implements BackendListener {

		@Override
		public void onRetryHint(LeaseRequest request) {
			ReleaseListenerServerTests.this.notifications.add(request);
		}

		@Override
		public void onValueChanged(String key) {
			ReleaseListenerServerTests.this.changes.add(key);
		}

		@Override
		public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
			return false;
		}

		@Override
		public void onLost(LeaseRequest lease) {
		}

		@Override
		public void onSuspended() {
		}

		@Override
		public void onResumed() {
		}

	}

}
