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
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.LeaseHolder;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for how long a lease counts: from before its request was sent, by two clocks.
 */
class ValidityTests {

	private static final Duration USABLE = LEASE.minus(LEASE.dividedBy(100));

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Fault replyAfter(Duration delay) {
		return Fault.after(() -> this.harness.advance(delay));
	}

	@Test
	void leaseCountsLessOnePercent() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		assertThat(hold.remaining()).isEqualTo(USABLE);
		this.harness.advance(USABLE.minusNanos(1));
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.holders()).as("in the store")
			.extracting(LeaseHolder::remaining)
			.containsExactly(LEASE.dividedBy(100).plusNanos(1));
		this.harness.advance(Duration.ofNanos(1));
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
	}

	@Test
	void leaseCountsFromBeforeTheRequestWasSent() {
		this.backend.next(Kind.TRY, replyAfter(Duration.ofSeconds(10)));
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		assertThat(hold.remaining()).isEqualTo(USABLE.minusSeconds(10));
		this.harness.advance(Duration.ofSeconds(20));
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void grantThatArrivesAfterItsEndIsNotAcquired() {
		this.backend.next(Kind.TRY, replyAfter(USABLE));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE));
		this.harness.assertNothingLeft();
	}

	@Test
	void grantThatArrivesAfterAJumpOfTheWallClockIsNotAcquired() {
		this.backend.next(Kind.TRY, Fault.after(() -> this.harness.time.jumpWall(LEASE)));
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, OPTIONS, 0));
		this.harness.assertNothingLeft();
	}

	@Test
	void oneWhoWaitsAsksAgainAfterGrantThatCameTooLate() {
		this.backend.next(Kind.CONTEND, replyAfter(USABLE));
		Waiter waiter = this.harness.queued(this.engine, Duration.ofDays(1));
		this.harness.advance(Duration.ofMillis(500));
		assertThat(waiter.hold().remaining()).isEqualTo(USABLE);
		assertThat(this.backend.calls(Kind.CONTEND)).extracting(FaultyBackend.Call::request)
			.hasSize(2)
			.doesNotHaveDuplicates();
	}

	@Test
	void wallClockThatJumpsForwardsEndsTheLease() {
		Hold hold = Harness.hold(this.engine);
		this.harness.time.jumpWall(Duration.ofHours(1));
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
	}

	@Test
	void wallClockThatJumpsBackwardsDoesNotExtendTheLease() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.time.jumpWall(Duration.ofHours(-1));
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isEqualTo(USABLE);
		this.harness.advance(USABLE);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void leaseIsRenewedAfterWallClockJumpedBackwards() {
		Hold hold = Harness.hold(this.engine);
		this.harness.time.jumpWall(Duration.ofHours(-1));
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> hold.remaining().equals(USABLE));
	}

	@Test
	void monotonicClockThatMovesOnEndsTheLease() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(LEASE);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void clockThatGoesBackDoesNotMakeALostLeaseHeldAgain() {
		Hold hold = Harness.hold(this.engine);
		this.harness.time.jumpWall(Duration.ofHours(1));
		assertThat(hold.isHeld()).isFalse();
		this.harness.time.jumpWall(Duration.ofHours(-1));
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.release()).isFalse();
	}

	@Test
	void renewalCountsFromBeforeItWasSent() {
		this.backend.always(Kind.RENEW, replyAfter(Duration.ofSeconds(5)));
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> this.backend.count(Kind.RENEW) == 1);
		await().untilAsserted(() -> assertThat(hold.remaining()).isEqualTo(USABLE.minusSeconds(5)));
	}

	@Test
	void renewalThatIsConfirmedAfterTheEndOfTheLeaseDoesNotReviveIt() {
		this.backend.always(Kind.RENEW, replyAfter(LEASE));
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> this.harness.losses.size() == 1);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void shorterValidityThanAskedForCounts() {
		FaultyBackend other = this.harness.backend();
		Hold hold = Harness.hold(this.harness.engine(other), UNRENEWED);
		hold.lease()
			.granted(new io.github.lockspring.spi.Grant(hold.token(), Duration.ofSeconds(1)),
					this.harness.time.nanoTime(), this.harness.time.currentTimeMillis());
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(990));
	}

}
