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
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcNews}: waiters on PostgreSQL that are told of releases.
 */
@Timeout(120)
class JdbcNewsTests {

	private static final String TABLE = "locks_with_news";

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final TestDatabase database = TestDatabase.on(PostgresServer.shared());

	private final Queue<LeaseRequest> news = new ConcurrentLinkedQueue<>();

	private final JdbcLockBackend holder = backend(TABLE);

	private final JdbcLockBackend waiter = listening(this.database, TABLE);

	JdbcNewsTests() {
		createTable(TABLE);
		createTable(TABLE + "_2");
	}

	private void createTable(String table) {
		new JdbcLockSchema(this.database.dataSource(), table).initialize();
		this.database.jdbc().update("DELETE FROM " + table);
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
		assertThat(this.waiter.capabilities()).contains(Capability.NEWS);
		assertThat(this.holder.capabilities()).doesNotContain(Capability.NEWS);
	}

	@Test
	void releaseIsToldToThoseWhoWaitForTheKey() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest other = Requests.acquired(this.holder, "other");
		LeaseRequest request = awaited("key");
		LeaseRequest stranger = awaited("other");
		this.news.clear();
		this.holder.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.news.contains(request));
		assertThat(this.news).doesNotContain(stranger);
		assertThat(this.waiter.contend(request, Requests.TIMEOUT)).isInstanceOf(Grant.class);
		this.holder.release(other, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.news.contains(stranger));
	}

	@Test
	void releaseInAnotherTableIsNotTold() {
		JdbcLockBackend elsewhere = backend(TABLE + "_2");
		JdbcLockBackend waiterElsewhere = listening(this.database, TABLE + "_2");
		LeaseRequest lease = Requests.acquired(elsewhere, "key");
		LeaseRequest here = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		LeaseRequest requestElsewhere = Requests.of("key");
		awaitNews(waiterElsewhere, requestElsewhere);
		this.news.clear();
		elsewhere.release(lease, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.news.contains(requestElsewhere));
		assertThat(this.news).doesNotContain(request);
		this.holder.release(here, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.news.contains(request));
	}

	@Test
	void nothingIsToldIfNobodyWaits() {
		LeaseRequest lease = Requests.acquired(this.holder, "key");
		LeaseRequest request = awaited("key");
		this.database.jdbc().update("UPDATE " + TABLE + " SET awaited_until = 0");
		this.news.clear();
		this.holder.release(lease, Requests.TIMEOUT);
		LeaseRequest second = Requests.acquired(this.holder, "second");
		LeaseRequest later = awaited("second");
		this.holder.release(second, Requests.TIMEOUT);
		Awaitility.await().until(() -> this.news.contains(later));
		assertThat(this.news).doesNotContain(request);
	}

	@Test
	void oneForWhomNoNewsComeAsksAgainSoon() {
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.holder, reader)).isTrue();
		assertThat(denial(this.waiter, Requests.of("key"))).isLessThanOrEqualTo(Duration.ofMillis(50));
		LeaseRequest lease = Requests.acquired(this.holder, "other");
		assertThat(denial(this.waiter, Requests.of("other", LeaseMode.SHARED, false)))
			.isLessThanOrEqualTo(Duration.ofMillis(50));
		assertThat(this.holder.release(lease, Requests.TIMEOUT)).isTrue();
	}

	@Test
	void databaseWithoutNewsIsAskedAgainSoon() {
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
		this.news.clear();
		PostgresServer.shared().terminateBackends();
		Awaitility.await().ignoreExceptions().until(() -> {
			this.waiter.contend(request, Requests.TIMEOUT);
			return this.news.contains(request);
		});
		this.news.clear();
		awaitNews(this.waiter, request);
		Awaitility.await().ignoreExceptions().until(() -> this.holder.release(lease, Requests.TIMEOUT));
		Awaitility.await().until(() -> this.news.contains(request));
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

	private LeaseRequest awaited(String key) {
		LeaseRequest request = Requests.of(key);
		awaitNews(this.waiter, request);
		return request;
	}

	private static void awaitNews(JdbcLockBackend waiter, LeaseRequest request) {
		Awaitility.await().ignoreExceptions().until(() -> denial(waiter, request).compareTo(Duration.ofMinutes(1)) > 0);
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
		public void tryAgain(LeaseRequest request) {
			JdbcNewsTests.this.news.add(request);
		}

		@Override
		public boolean granted(LeaseRequest request, Grant grant, long stamp) {
			return false;
		}

		@Override
		public void lost(LeaseRequest lease) {
		}

		@Override
		public void suspended() {
		}

		@Override
		public void resumed() {
		}

	}

}
