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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests whose row is changed by other sessions between reading and writing.
 * On a machine that stands still when the time is over, the outcome of some attempts is
 * unknown.
 */
abstract class SqlRowChangedTests {

	private static final AtomicInteger TABLES = new AtomicInteger();

	private static final Duration TIMEOUT = Duration.ofMillis(600);

	/**
	 * Timeout of an attempt that does not wait.
	 */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(250);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final String table = "changed_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	private final TestDatabase database;

	private final SpyDataSource spy;

	private final JdbcLockBackend backend;

	SqlRowChangedTests(TestDatabase database) {
		this.database = database;
		this.spy = new SpyDataSource(database.dataSource());
		this.backend = new JdbcLockBackend(this.spy, this.table);
	}

	@BeforeEach
	void createTable() {
		this.database.createTable(this.table);
		this.backend.release(Requests.acquired(this.backend, "key"), Requests.TIMEOUT);
	}

	@AfterEach
	void close() {
		this.backend.close();
		this.database.dropTables(this.table);
		this.database.close();
	}

	private static Stream<LeaseRequest> requests() {
		return Stream.of(Requests.of("key", LeaseMode.EXCLUSIVE, true), Requests.of("key", LeaseMode.SHARED, false),
				Requests.of("key", LeaseMode.permits(1, 3), false), Requests.of(List.of("key", "other")));
	}

	private void changeRow(int times) {
		AtomicInteger changes = new AtomicInteger();
		this.spy.interfere((statement) -> {
			if (changes.getAndIncrement() < times) {
				this.database.jdbc().update("UPDATE " + this.table + " SET version = version + 1");
			}
		});
	}

	@Test
	void attemptWhoseRowIsAlwaysChangedIsDenied() {
		changeRow(Integer.MAX_VALUE);
		List<Attempt> attempts = new ArrayList<>();
		requests().forEach((request) -> {
			attemptTo(() -> this.backend.tryAcquire(request, TIMEOUT)).ifPresent(attempts::add);
			attemptTo(() -> this.backend.contend(request, TIMEOUT)).ifPresent(attempts::add);
		});
		assertThat(attempts).isNotEmpty()
			.allSatisfy((attempt) -> assertThat(attempt).isInstanceOfSatisfying(Denial.class,
					(denial) -> assertThat(denial.retryAfter()).isLessThanOrEqualTo(Duration.ofMillis(50))));
	}

	private static Optional<Attempt> attemptTo(Supplier<Attempt> call) {
		long start = System.nanoTime();
		try {
			return Optional.of(call.get());
		}
		catch (OutcomeUnknownException ex) {
			assertThat(System.nanoTime() - start).as(ex.toString()).isGreaterThan(TIMEOUT.toNanos() / 2);
			return Optional.empty();
		}
	}

	@Test
	void waitingForRowThatIsAlwaysChangedEndsWithoutLock() throws InterruptedException {
		changeRow(Integer.MAX_VALUE);
		try (LockEngine engine = engine()) {
			assertIsNotAcquired(engine, AcquireOptions.shared(LEASE, false), TIMEOUT);
			assertIsNotAcquired(engine, AcquireOptions.fair(LEASE, false), Duration.ZERO);
		}
	}

	private static void assertIsNotAcquired(LockEngine engine, AcquireOptions options, Duration wait)
			throws InterruptedException {
		long start = System.nanoTime();
		try {
			assertThat(engine.acquire("key", options, wait.toNanos())).isNull();
		}
		catch (EngineException ex) {
			assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).as(() -> Throwables.getStackTrace(ex))
				.isGreaterThan(wait.isZero() ? SHORTEST_TIMEOUT.dividedBy(2) : wait);
		}
	}

	@Test
	void rowThatIsChangedForAWhileIsAcquiredWithinTheWaitTime() throws InterruptedException {
		try (LockEngine engine = engine()) {
			for (AcquireOptions options : List.of(AcquireOptions.shared(LEASE, false),
					AcquireOptions.fair(LEASE, false), AcquireOptions.permits(1, 3, LEASE, false))) {
				changeRow(100);
				Hold hold = engine.acquire("key", options, Requests.TIMEOUT.toNanos());
				assertThat(hold).isNotNull();
				assertThat(hold.release()).isTrue();
			}
		}
	}

	private LockEngine engine() {
		return new LockEngine(this.backend, EngineSettings.defaults().withOperationTimeout(TIMEOUT),
				new EngineListener() {
				}, TimeSource.SYSTEM);
	}

}
