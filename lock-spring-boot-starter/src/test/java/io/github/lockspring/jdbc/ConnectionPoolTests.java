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

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.github.lockspring.jdbc.ConnectionQueue.Waiter;
import io.github.lockspring.jdbc.TimedConnection.State;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ConnectionPool}, without connections.
 */
class ConnectionPoolTests {

	private final AtomicBoolean leasesHeld = new AtomicBoolean();

	private final ConnectionPool pool = new ConnectionPool(ConnectionLimits.ofOwn(2, 0), this.leasesHeld::get);

	private final long deadline = Deadline.after(Duration.ofMinutes(1));

	@Test
	void connectionsAreOpenedTwoAtATimeForCallsThatWait() {
		assertThat(this.pool.beginOpening()).isNull();
		this.pool.enqueue(false, this.deadline);
		assertThat(this.pool.beginOpening()).isNotNull();
		assertThat(this.pool.beginOpening()).isNull();
		this.pool.enqueue(false, this.deadline);
		this.pool.enqueue(true, this.deadline);
		assertThat(this.pool.beginOpening()).isNotNull();
		assertThat(this.pool.beginOpening()).isNull();
	}

	@Test
	void callsAreServedInTheOrderOfTheirArrivalAndUrgentOnesFirst() {
		Waiter first = this.pool.enqueue(false, this.deadline);
		Waiter second = this.pool.enqueue(false, this.deadline);
		Waiter urgent = this.pool.enqueue(true, this.deadline);
		TimedConnection connection = opened();
		assertThat(urgent).isCompletedWithValue(connection);
		assertThat(this.pool.isReused(connection)).isTrue();
		assertThat(first).isCompletedWithValue(connection);
		assertThat(second).isNotDone();
		assertThat(this.pool.isReused(connection)).isTrue();
		assertThat(second).isCompletedWithValue(connection);
	}

	@Test
	void callThatTimedOutIsPassedOver() {
		Waiter first = this.pool.enqueue(false, this.deadline);
		Waiter second = this.pool.enqueue(false, this.deadline);
		first.cancel(false);
		assertThat(second).isNotDone();
		TimedConnection connection = opened();
		assertThat(second).isCompletedWithValue(connection);
		assertThat(this.pool.isReused(connection)).isTrue();
		assertThat(this.pool.poll(false, this.deadline)).isSameAs(connection);
	}

	@Test
	void lastConnectionIsReservedForUrgentCalls() {
		for (int i = 0; i < 3; i++) {
			this.pool.enqueue(i > 0, this.deadline);
		}
		TimedConnection[] connections = { opened(), opened(), opened() };
		assertThat(connections).extracting(TimedConnection::state).containsOnly(State.LENT);
		for (TimedConnection connection : connections) {
			assertThat(this.pool.isReused(connection)).isTrue();
		}
		assertThat(this.pool.poll(false, this.deadline)).isNotNull();
		assertThat(this.pool.poll(false, this.deadline)).isNotNull();
		assertThat(this.pool.poll(false, this.deadline)).isNull();
		assertThat(this.pool.poll(true, this.deadline)).isNotNull();
	}

	@Test
	void failedOpeningEndsTheWaitingOfCallsUnlessAnotherConnectionIsOpen() {
		SQLException rejected = new SQLException("Connection refused");
		Waiter first = this.pool.enqueue(false, this.deadline);
		this.pool.endOpening(this.pool.beginOpening(), rejected);
		assertThat(first).isCompletedExceptionally();
		assertThat(this.pool.lastFailure()).isSameAs(rejected);
		this.pool.enqueue(false, this.deadline);
		opened();
		assertThat(this.pool.lastFailure()).isNull();
		Waiter second = this.pool.enqueue(false, this.deadline);
		this.pool.endOpening(this.pool.beginOpening(), rejected);
		assertThat(second).isNotDone();
	}

	@Test
	void failedConnectionTakesTheIdleOnesWithItAndTheNextOneIsARecovery() {
		this.pool.enqueue(false, this.deadline);
		this.pool.enqueue(false, this.deadline);
		TimedConnection failed = opened();
		TimedConnection idle = opened();
		assertThat(this.pool.isReused(idle)).isTrue();
		assertThat(this.pool.isRecovered()).isFalse();
		assertThat(this.pool.remove(failed, true)).containsExactlyInAnyOrder(failed, idle);
		assertThat(this.pool.poll(false, this.deadline)).isNull();
		assertThat(this.pool.isRecovered()).isTrue();
		assertThat(this.pool.isRecovered()).isFalse();
	}

	@Test
	void oneConnectionIsKeptForLeasesThatAreHeld() {
		ConnectionLimits limits = new ConnectionLimits(2, 2, 0, Duration.ZERO, Duration.ofMinutes(30), false);
		ConnectionPool shared = new ConnectionPool(limits, this.leasesHeld::get);
		shared.enqueue(false, this.deadline);
		TimedConnection connection = shared.beginOpening();
		assertThat(shared.isKept(connection)).isTrue();
		assertThat(shared.isReused(connection)).isTrue();
		this.leasesHeld.set(true);
		assertThat(shared.removeOld()).isEmpty();
		this.leasesHeld.set(false);
		assertThat(shared.removeOld()).containsExactly(connection);
	}

	@Test
	void closedPoolRejectsCallsAndKeepsNoConnection() {
		this.pool.enqueue(false, this.deadline);
		this.pool.enqueue(false, this.deadline);
		TimedConnection lent = opened();
		TimedConnection idle = opened();
		assertThat(this.pool.isReused(idle)).isTrue();
		Waiter waiter = this.pool.enqueue(true, this.deadline);
		assertThat(waiter).isCompletedWithValue(idle);
		assertThat(this.pool.isReused(idle)).isTrue();
		assertThat(this.pool.close()).containsExactly(idle);
		assertThat(this.pool.isReused(lent)).isFalse();
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.pool.poll(true, this.deadline))
			.withMessageContaining("closed");
		assertThat(this.pool.enqueue(true, this.deadline)).isCompletedExceptionally();
		assertThat(this.pool.beginOpening()).isNull();
	}

	private TimedConnection opened() {
		TimedConnection connection = this.pool.beginOpening();
		assertThat(connection).isNotNull();
		assertThat(this.pool.isKept(connection)).isTrue();
		return connection;
	}

}
