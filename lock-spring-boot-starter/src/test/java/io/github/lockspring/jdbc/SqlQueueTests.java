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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for those that wait where the database reports no one of a release: they get the
 * key in the order in which they came.
 */
abstract class SqlQueueTests {

	private static final AtomicInteger TABLES = new AtomicInteger();

	private final String table = "queue_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	private final TestDatabase database;

	private final SpyDataSource spy;

	private final JdbcLockBackend holder;

	private final JdbcLockBackend waiter;

	private @Nullable LeaseRequest held;

	SqlQueueTests(TestDatabase database) {
		this.database = database;
		this.spy = new SpyDataSource(database.dataSource());
		this.holder = new JdbcLockBackend(database.dataSource(), this.table);
		this.waiter = new JdbcLockBackend(this.spy, this.table);
	}

	@BeforeEach
	void createTable() {
		this.database.createTable(this.table);
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.waiter.close();
		this.database.dropTables(this.table);
		this.database.close();
	}

	@Test
	void releaseHandsTheKeyOffInTheOrderOfWaiting() {
		Grant grant = granted(this.holder, Requests.block("key", 257));
		LeaseRequest first = waiting(Requests.of("key"));
		LeaseRequest second = waiting(Requests.of("key"));
		releaseHeld();
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isFalse();
		assertThat(asked(second)).isInstanceOf(Denial.class);
		Grant firstGrant = (Grant) asked(first);
		assertThat(firstGrant.token()).isGreaterThan(grant.token() + 256);
		release(this.waiter, first);
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isFalse();
		assertThat(((Grant) asked(second)).token()).isGreaterThan(firstGrant.token());
		release(this.waiter, second);
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isTrue();
	}

	/**
	 * The statement for one that does not wait has the rule as well.
	 */
	@Test
	void keyThatWasHandedOffHasATokenOfItsOwnForAnAttemptThatDoesNotWait() {
		Grant grant = granted(this.holder, Requests.of("key"));
		LeaseRequest request = waiting(Requests.of("key"));
		releaseHeld();
		Grant own = (Grant) this.waiter.tryAcquire(request, Requests.TIMEOUT);
		assertThat(own.token()).isGreaterThan(grant.token());
		assertThat(((Grant) this.waiter.tryAcquire(request, Requests.TIMEOUT)).token()).isEqualTo(own.token());
		assertThat(this.waiter.renew(List.of(request), Requests.TIMEOUT).held()).containsExactly(request);
		assertThat(this.waiter.release(request, Requests.TIMEOUT)).isTrue();
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isTrue();
	}

	@Test
	void oneThatTimedOutIsLeftOut() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest first = waiting(Requests.of("key"));
		LeaseRequest second = waiting(Requests.of("key"));
		assertThat(this.waiter.release(first, Requests.TIMEOUT)).isFalse();
		releaseHeld();
		assertThat(asked(second)).isInstanceOf(Grant.class);
	}

	@Test
	void requestThatTimedOutAfterTheHandOffHandsTheKeyOff() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest first = waiting(Requests.of("key"));
		LeaseRequest second = waiting(Requests.of("key"));
		releaseHeld();
		release(this.waiter, first);
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isFalse();
		assertThat(asked(second)).isInstanceOf(Grant.class);
	}

	/**
	 * It stands for a process that has died. There are many, and the key is free for
	 * everyone after the time of one.
	 */
	@Test
	void oneThatDoesNotComeBlocksTheKeyForAMoment() {
		granted(this.holder, Requests.of("key"));
		for (int i = 0; i < 10; i++) {
			waiting(Requests.of("key"));
		}
		LeaseRequest alive = waiting(Requests.of("key"));
		this.holder.release(Objects.requireNonNull(this.held), Requests.TIMEOUT);
		assertThat(asked(alive)).isInstanceOf(Denial.class);
		Awaitility.await().until(() -> asked(alive) instanceof Grant);
		assertThat(waitingOwners()).isNull();
	}

	@Test
	void attemptThatDoesNotWaitLeavesNothing() {
		granted(this.holder, Requests.of("key"));
		assertThat(Requests.acquires(this.waiter, Requests.of("key"))).isFalse();
		assertThat(Requests.acquires(this.waiter, Requests.of("key", LeaseMode.SHARED, false))).isFalse();
		assertThat(waitingOwners()).isNull();
		releaseHeld();
		assertThat(Requests.acquires(this.waiter, Requests.of("key"))).isTrue();
	}

	@Test
	void waitingIsEnteredByOneStatementAndReadByOne() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest request = Requests.of("key");
		asked(request);
		assertThat(this.spy.statements()).hasSize(2);
		asked(request);
		asked(request);
		assertThat(this.spy.statements()).hasSize(4);
	}

	@Test
	void freeKeyTakesOneStatementToAcquireAndOneToRelease() {
		LeaseRequest request = Requests.acquired(this.waiter, "key");
		this.waiter.release(request, Requests.TIMEOUT);
		assertThat(this.spy.statements()).hasSize(2);
	}

	@Test
	void firstOfThoseThatWaitLooksAgainSooner() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest first = waiting(Requests.of("key"));
		LeaseRequest second = waiting(Requests.of("key"));
		Duration pause = ((Denial) asked(first)).retryAfter();
		assertThat(pause).isBetween(Duration.ofMillis(2), Duration.ofMillis(110));
		assertThat(((Denial) asked(second)).retryAfter()).isGreaterThanOrEqualTo(pause)
			.isLessThanOrEqualTo(Duration.ofMillis(110));
	}

	@Test
	void readersAndWritersTakeTurns() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest reader = waiting(Requests.of("key", LeaseMode.SHARED, false));
		LeaseRequest writer = waiting(Requests.of("key"));
		releaseHeld();
		assertThat(asked(writer)).isInstanceOf(Denial.class);
		assertThat(asked(reader)).isInstanceOf(Grant.class);
		LeaseRequest otherReader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(Requests.acquires(this.holder, otherReader)).isTrue();
		assertThat(this.waiter.release(reader, Requests.TIMEOUT)).isTrue();
		assertThat(asked(writer)).isInstanceOf(Denial.class);
		release(this.holder, otherReader);
		assertThat(Requests.acquires(this.holder, Requests.of("key", LeaseMode.SHARED, false))).isFalse();
		assertThat(asked(writer)).isInstanceOf(Grant.class);
	}

	@Test
	void writerThatDowngradesKeepsTheKeyFromWritersThatWait() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest writer = waiting(Requests.of("key"));
		LeaseRequest reader = Requests.of("key", LeaseMode.SHARED, false);
		assertThat(this.holder.downgrade(Objects.requireNonNull(this.held), reader, Requests.TIMEOUT))
			.isInstanceOf(Grant.class);
		assertThat(asked(writer)).isInstanceOf(Denial.class);
		release(this.holder, reader);
		assertThat(Requests.acquires(this.holder, Requests.of("key"))).isFalse();
		assertThat(asked(writer)).isInstanceOf(Grant.class);
	}

	@Test
	void fairRequestsAreNotKeptWaiting() {
		granted(this.holder, Requests.of("key"));
		waiting(Requests.of("key"));
		LeaseRequest fair = waiting(Requests.of("key", LeaseMode.EXCLUSIVE, true));
		releaseHeld();
		assertThat(asked(fair)).isInstanceOf(Grant.class);
	}

	@Test
	void keyThatWasHandedOffHasNoHolderUntilItIsAcquired() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest request = waiting(Requests.of("key"));
		releaseHeld();
		assertThat(this.holder.inspect("key", Requests.TIMEOUT)).isEmpty();
		asked(request);
		assertThat(this.holder.inspect("key", Requests.TIMEOUT)).hasSize(1);
	}

	@Test
	void pollEntersThoseThatAreMissing() {
		granted(this.holder, Requests.of("key"));
		LeaseRequest request = Requests.of("key");
		assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).containsOnlyKeys(request);
		assertThat(waitingOwners()).isEqualTo(request.owner() + " ");
		releaseHeld();
		assertThat(this.waiter.poll(List.of(request), Requests.TIMEOUT)).isEmpty();
		assertThat(asked(request)).isInstanceOf(Grant.class);
	}

	@Test
	void noMoreAreEnteredThanTheRowHasRoomFor() {
		granted(this.holder, Requests.of("key"));
		List<LeaseRequest> requests = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			requests.add(waiting(Requests.of("key")));
		}
		releaseHeld();
		for (LeaseRequest request : requests) {
			assertThat(asked(request)).isInstanceOf(Grant.class);
			assertThat(this.waiter.release(request, Requests.TIMEOUT)).isTrue();
		}
	}

	/**
	 * No one is overtaken by more than those that wait as well, the one that looks first.
	 */
	@Test
	void processesGetTheKeyInTurns() throws Exception {
		int processes = 3;
		int most = 40;
		AtomicIntegerArray acquired = new AtomicIntegerArray(processes);
		AtomicBoolean over = new AtomicBoolean();
		List<Long> tokens = new ArrayList<>(); // guarded by the lock that is tested
		List<AutoCloseable> resources = new ArrayList<>();
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int i = 0; i < processes; i++) {
			int process = i;
			LockEngine engine = new LockEngine(new JdbcLockBackend(this.database.dataSource(), this.table),
					EngineSettings.defaults().withHandOff(0, Duration.ZERO).withOperationTimeout(Requests.TIMEOUT),
					EngineListener.NONE, TimeSource.SYSTEM);
			resources.add(engine);
			for (int j = 0; j < 2; j++) {
				threads.add(CompletableFuture.runAsync(() -> {
					while (!over.get()) {
						Hold hold = engine.acquireUninterruptibly("key",
								AcquireOptions.exclusive(Requests.LEASE_TIME, true), Thread.currentThread(),
								TimeUnit.SECONDS.toNanos(60));
						assertThat(hold).isNotNull();
						tokens.add(hold.token());
						LockSupport.parkNanos(15_000_000);
						over.compareAndSet(false, acquired.incrementAndGet(process) >= most);
						hold.release();
					}
				}, (action) -> new Thread(action).start()));
			}
		}
		CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
		for (AutoCloseable resource : resources) {
			resource.close();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		for (int i = 0; i < processes; i++) {
			assertThat(acquired.get(i)).isGreaterThan(most / 2);
		}
		assertThat(waitingOwners()).isNull();
	}

	private Grant granted(JdbcLockBackend backend, LeaseRequest request) {
		Attempt attempt = backend.tryAcquire(request, Requests.TIMEOUT);
		assertThat(attempt).isInstanceOf(Grant.class);
		this.held = request;
		return (Grant) attempt;
	}

	private void releaseHeld() {
		assertThat(this.held).isNotNull();
		release(this.holder, this.held);
	}

	/**
	 * Keeps the key for the next one for as long as the test may take.
	 */
	private void release(JdbcLockBackend backend, LeaseRequest request) {
		assertThat(backend.release(request, Requests.TIMEOUT)).isTrue();
		this.database.jdbc()
			.update("UPDATE " + this.table
					+ " SET expires_at = expires_at + 60000000 WHERE owner IS NOT NULL AND holder IS NULL");
	}

	private LeaseRequest waiting(LeaseRequest request) {
		assertThat(asked(request)).isInstanceOf(Denial.class);
		return request;
	}

	private Attempt asked(LeaseRequest request) {
		return this.waiter.contend(request, Requests.TIMEOUT);
	}

	private @Nullable String waitingOwners() {
		return this.database.jdbc()
			.queryForObject("SELECT waiting FROM " + this.table + " WHERE lock_key = ?", String.class,
					"key".getBytes(StandardCharsets.UTF_8));
	}

}
