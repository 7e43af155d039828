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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.support.Durations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests that wait and are looked after together.
 */
abstract class SqlPollTests {

	private static final AtomicInteger TABLES = new AtomicInteger();

	private final String table = "polled_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	private final TestDatabase database;

	private final SpyDataSource spy;

	private final JdbcLockBackend holder;

	private final JdbcLockBackend waiter;

	SqlPollTests(TestDatabase database) {
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
	void fiftyRequestsAreOneStatement() {
		List<LeaseRequest> requests = requestsOfHeldKeys(50);
		this.spy.statements().clear();
		Map<LeaseRequest, Denial> denials = this.waiter.poll(requests, Requests.TIMEOUT);
		assertThat(this.spy.statements()).singleElement().asString().doesNotContainIgnoringCase("UPDATE");
		assertThat(denials).containsOnlyKeys(requests);
		assertThat(denials.values()).extracting(Denial::retryAfter)
			.allMatch((rest) -> !rest.isNegative() && rest.compareTo(Requests.LEASE_TIME) <= 0);
	}

	@Test
	void thousandRequestsAreTwoStatements() {
		List<LeaseRequest> requests = requestsOfHeldKeys(1000);
		this.spy.statements().clear();
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(requests);
		assertThat(this.spy.statements()).hasSize(2);
	}

	private List<LeaseRequest> requestsOfHeldKeys(int count) {
		List<String> keys = IntStream.range(0, count).mapToObj((i) -> "key " + i).toList();
		assertThat(Requests.acquires(this.holder, Requests.of(keys))).isTrue();
		List<LeaseRequest> requests = keys.stream().map(Requests::of).toList();
		requests.forEach((request) -> this.waiter.contend(request, Requests.TIMEOUT));
		return requests;
	}

	@Test
	void nothingIsAskedWithoutWaitingRequests() {
		assertThat(this.waiter.poll(List.of(), Requests.TIMEOUT)).isEmpty();
		assertThat(this.spy.statements()).isEmpty();
	}

	@Test
	void requestsThatMayBeAdmittedAreLeftOut() {
		LeaseRequest released = held("released", LeaseMode.EXCLUSIVE);
		LeaseRequest expired = held("expired", LeaseMode.EXCLUSIVE);
		held("gone", LeaseMode.EXCLUSIVE);
		held("read", LeaseMode.SHARED);
		held("permits", LeaseMode.permits(2, 3));
		held("held", LeaseMode.EXCLUSIVE);
		LeaseRequest denied = Requests.of("held");
		List<LeaseRequest> requests = List.of(Requests.of("released"), Requests.of("expired"), Requests.of("gone"),
				Requests.of("never there"), Requests.of("read", LeaseMode.SHARED, false),
				Requests.of("permits", LeaseMode.permits(1, 3), false), denied);
		this.holder.release(released, Requests.TIMEOUT);
		this.database.expire(expired, this.table);
		this.database.jdbc().update("DELETE FROM " + this.table + " WHERE lock_key = ?", bytes("gone"));
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(denied);
	}

	@Test
	void requestsThatAreNotAdmittedAreDenied() {
		held("read", LeaseMode.SHARED);
		held("permits", LeaseMode.permits(2, 3));
		List<LeaseRequest> requests = List.of(Requests.of("read"), Requests.of("read", LeaseMode.permits(1, 3), false),
				Requests.of("permits", LeaseMode.permits(2, 3), false), Requests.of("permits"));
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(requests);
	}

	/**
	 * As after an attempt whose outcome is unknown, or with settings that differ: only
	 * the attempt itself can notify.
	 */
	@Test
	void requestsThatGetAnotherAnswerThanADenialAreLeftOut() {
		LeaseRequest granted = Requests.acquired(this.waiter, "granted");
		held("permits", LeaseMode.permits(3, 3));
		held("later version", LeaseMode.SHARED);
		this.database.jdbc()
			.update("UPDATE " + this.table + " SET entries = 'what?' WHERE lock_key = ?", bytes("later version"));
		held("held", LeaseMode.EXCLUSIVE);
		LeaseRequest denied = Requests.of("held");
		assertThat(this.waiter.poll(List.of(granted, Requests.of("permits", LeaseMode.permits(1, 4), false),
				Requests.of("later version"), denied), Requests.TIMEOUT))
			.containsOnlyKeys(denied);
	}

	@Test
	void rowThatAnotherSessionHasLockedIsReadNevertheless() throws Exception {
		List<LeaseRequest> requests = requestsOfHeldKeys(2);
		try (Connection stranger = this.database.connection()) {
			stranger.setAutoCommit(false);
			try (PreparedStatement statement = stranger
				.prepareStatement("UPDATE " + this.table + " SET version = version + 1")) {
				statement.executeUpdate();
			}
			assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(requests);
			stranger.rollback();
		}
	}

	@Test
	void queueEntriesThatAreHalfOverAreExtended() {
		List<LeaseRequest> requests = fairRequests(3);
		this.spy.statements().clear();
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(requests);
		assertThat(this.spy.statements()).hasSize(1);
		List<Long> before = placeEnds((end) -> end - 3_000_000);
		Map<LeaseRequest, Denial> denials = this.waiter.poll(requests, Requests.TIMEOUT);
		assertThat(placeEnds((end) -> end)).hasSize(3)
			.allMatch((end) -> before.stream().allMatch((former) -> end > former));
		assertThat(requests).containsAll(denials.keySet());
	}

	@Test
	void fairRequestWithoutQueueEntryIsLeftOut() {
		List<LeaseRequest> requests = fairRequests(2);
		this.database.jdbc()
			.update("UPDATE " + this.table + " SET entries = NULL, version = version + 1 WHERE lock_key = ?",
					bytes("fair 0"));
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).containsOnlyKeys(requests.get(1));
	}

	@Test
	void fairRequestsWhoseRowIsChangedMeanwhileAreLeftOut() {
		List<LeaseRequest> requests = fairRequests(2);
		placeEnds((end) -> end - 3_000_000);
		this.spy.statements().clear();
		this.spy.interfere((statement) -> {
			if (this.spy.statements().size() == 1) {
				return;
			}
			this.database.jdbc()
				.update("UPDATE " + this.table + " SET version = version + 100 WHERE lock_key = ?", bytes("fair 0"));
		});
		assertThat(this.waiter.poll(requests, Requests.TIMEOUT)).doesNotContainKey(requests.get(0));
	}

	/**
	 * The second is behind the first though no one holds the key.
	 */
	@Test
	void oneBehindAnotherIsDenied() {
		LeaseRequest lease = held("key", LeaseMode.EXCLUSIVE);
		LeaseRequest first = Requests.of("key", LeaseMode.EXCLUSIVE, true);
		LeaseRequest second = Requests.of("key", LeaseMode.EXCLUSIVE, true);
		this.waiter.contend(first, Requests.TIMEOUT);
		this.waiter.contend(second, Requests.TIMEOUT);
		this.holder.release(lease, Requests.TIMEOUT);
		assertThat(this.waiter.poll(List.of(first, second), Requests.TIMEOUT)).containsOnlyKeys(second);
	}

	private List<LeaseRequest> fairRequests(int count) {
		List<LeaseRequest> requests = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			held("fair " + i, LeaseMode.EXCLUSIVE);
			LeaseRequest request = Requests.of("fair " + i, LeaseMode.EXCLUSIVE, true);
			assertThat(this.waiter.contend(request, Requests.TIMEOUT)).isInstanceOf(Denial.class);
			requests.add(request);
		}
		return requests;
	}

	/**
	 * Moves the ends of all queue entries.
	 * @return their ends
	 */
	private List<Long> placeEnds(LongUnaryOperator change) {
		List<Long> ends = new ArrayList<>();
		for (Map<String, Object> row : this.database.jdbc()
			.queryForList("SELECT lock_key, entries FROM " + this.table + " WHERE entries IS NOT NULL")) {
			KeyEntry entry = KeyEntry.ofLine(String.valueOf(row.get("entries")).strip());
			long end = change.applyAsLong(Durations.micros(entry.end()));
			KeyEntry moved = entry.until(Durations.ofMicros(end));
			this.database.jdbc()
				.update("UPDATE " + this.table + " SET entries = ?, version = version + 1 WHERE lock_key = ?",
						moved.toLine() + '\n', row.get("lock_key"));
			ends.add(end);
		}
		return ends;
	}

	private LeaseRequest held(String key, LeaseMode mode) {
		LeaseRequest lease = Requests.of(key, mode, false);
		assertThat(Requests.acquires(this.holder, lease)).isTrue();
		return lease;
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

}
