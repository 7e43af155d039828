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
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Durations that mean <em>for ever</em> to their users.
 */
class LongDurationTests {

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	@AfterEach
	void close() {
		this.harness.close();
	}

	static Stream<Duration> durations() {
		return Stream.of(Duration.ofDays(36_500), Duration.ofDays(200_000), Duration.ofNanos(Long.MAX_VALUE),
				Duration.ofNanos(Long.MAX_VALUE).plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE));
	}

	@ParameterizedTest
	@MethodSource("durations")
	void leaseIsRenewedWithinTheMaxHoldTime(Duration forever) {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults().withMaxHoldTime(forever));
		Hold hold = Harness.hold(engine);
		this.harness.advance(LEASE.multipliedBy(2), LEASE.dividedBy(3));
		assertThat(this.backend.count(Kind.RENEW)).isPositive();
		assertThat(hold.isHeld()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("durations")
	void leaseIsHandedOffWithinTheSpan(Duration forever) {
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults().withHandOff(256, forever));
		Hold first = this.harness.acquire(engine, LEASE).hold();
		Waiter second = this.harness.queued(engine, LEASE);
		first.release();
		assertThat(second.hold().isHeld()).isTrue();
		assertThat(second.hold().release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@MethodSource("durations")
	void callsMayTakeAsLongAsTheyLike(Duration forever) {
		EngineSettings settings = EngineSettings.defaults()
			.withOperationTimeout(forever)
			.withPoll(Duration.ofMillis(1), forever, forever)
			.withRenewInterval(forever);
		LockEngine engine = this.harness.engine(this.backend, settings);
		assertThat(Harness.hold(engine).release()).isTrue();
		engine.shutdown(Duration.ZERO);
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@MethodSource("durations")
	void shutdownWaitsForHolders(Duration forever) {
		LockEngine engine = this.harness.engine(this.backend);
		engine.shutdown(forever);
		assertThat(engine.size()).isZero();
	}

	@ParameterizedTest
	@MethodSource("durations")
	void waitingContinues(Duration forever) throws InterruptedException {
		LockEngine engine = this.harness.engine(this.backend);
		long nanos = (forever.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) ? Long.MAX_VALUE : forever.toNanos();
		assertThat(engine.nanosUntil(engine.deadlineAfter(nanos))).isPositive();
		Hold held = Harness.hold(engine);
		Waiter waiter = this.harness.start(() -> engine.acquire(KEY, OPTIONS, nanos)).awaitSleep();
		assertThat(engine.acquireAsync("other", OPTIONS, new Object(), nanos).join()).isNotNull();
		held.release();
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void operationTimeoutIsPositive() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EngineSettings.defaults().withOperationTimeout(Duration.ZERO))
			.withMessageContaining("operationTimeout");
	}

}
