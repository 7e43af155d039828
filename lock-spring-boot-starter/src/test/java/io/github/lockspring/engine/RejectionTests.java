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

package io.github.lockspring.engine;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.LeaseRequest;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for requests that the store rejects because of what is asked for.
 */
class RejectionTests {

	private static final Duration WAIT = Duration.ofDays(1);

	private static final AcquireOptions USUAL = AcquireOptions.permits(1, 73, LEASE, true);

	private static final AcquireOptions WRONG = AcquireOptions.permits(1, 59, LEASE, true);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	@BeforeEach
	void useWithUsualLimit() {
		Harness.hold(this.harness.engine(), USUAL);
	}

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void rejectionReachesTheCallerAtOnceAndLeavesNothing() {
		for (Duration wait : new Duration[] { Duration.ZERO, WAIT }) {
			this.backend.clearCalls();
			assertThatExceptionOfType(EngineException.class)
				.isThrownBy(() -> this.engine.acquire(KEY, WRONG, wait.toNanos()))
				.withMessageContaining("59")
				.withMessageContaining("73")
				.withCauseInstanceOf(IllegalArgumentException.class)
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.REJECTED));
			assertThat(this.engine.size()).isZero();
			this.harness.advance(Duration.ofMillis(200));
			assertThat(this.backend.attempts()).isOne();
			assertThat(this.backend.count(Kind.RELEASE)).isZero();
		}
	}

	@Test
	void nextWaiterContinuesAfterRejection() {
		Gate gate = new Gate();
		this.backend.next(Kind.CONTEND, Fault.before(gate));
		Waiter rejected = this.harness.acquire(this.engine, WRONG, WAIT);
		gate.awaitArrival();
		Waiter next = this.harness.queued(this.engine, USUAL, WAIT);
		gate.open();
		assertThat(next.hold().isHeld()).isTrue();
		assertThat(rejected.failure()).isInstanceOf(EngineException.class);
	}

	@Test
	void requestThatIsRejectedLaterLosesItsPlace() {
		Waiter waiter = this.harness.queued(this.engine, WAIT);
		LeaseRequest request = this.backend.lastCall(Kind.CONTEND).request();
		this.backend.next(Kind.CONTEND, Fault.before(() -> {
			throw new IllegalArgumentException("another limit");
		}));
		this.backend.listener().onRetryHint(request);
		assertThat(waiter.failure()).isInstanceOf(EngineException.class).hasMessageContaining("another limit");
		this.harness.advance(Duration.ZERO);
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		assertThat(this.backend.lastCall(Kind.RELEASE).request()).isEqualTo(request);
	}

}
