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
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for acquiring again what one's owner holds.
 */
class ReentryTests {

	private static final long WAIT = Duration.ofSeconds(10).toNanos();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Hold acquire() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, OPTIONS, WAIT);
		assertThat(hold).isNotNull();
		return hold;
	}

	@Test
	void threadAcquiresAgainWithoutCallToTheStore() throws InterruptedException {
		Hold hold = acquire();
		for (int i = 0; i < 1000; i++) {
			assertThat(acquire()).isSameAs(hold);
		}
		for (int i = 0; i < 1000; i++) {
			assertThat(hold.release()).isTrue();
		}
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.release()).isTrue();
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerObjectAcquiresAgainInAnotherThread() {
		Object owner = new Object();
		Hold hold = this.engine.acquireUninterruptibly(KEY, OPTIONS, owner, WAIT);
		Waiter again = this.harness.start(() -> this.engine.acquire(KEY, OPTIONS, owner, WAIT));
		assertThat(again.hold()).isSameAs(hold);
	}

	@Test
	void equalOwnersAreTwoOwners() {
		this.engine.acquireUninterruptibly(KEY, OPTIONS, new String("owner"), 0);
		assertThat(this.engine.acquireUninterruptibly(KEY, OPTIONS, new String("owner"), 0)).isNull();
	}

	@Test
	void anotherOwnerInTheSameThreadDoesNotEnter() throws InterruptedException {
		acquire();
		assertThat(this.engine.acquire(KEY, OPTIONS, new Object(), 0)).isNull();
	}

	@Test
	void anotherThreadDoesNotEnter() throws InterruptedException {
		acquire();
		assertThat(this.harness.acquire(this.engine, Duration.ZERO).result()).isNull();
	}

	@Test
	void tokenStaysTheSameOverReentryAndRenewal() throws InterruptedException {
		Hold hold = acquire();
		long token = hold.token();
		this.harness.advance(LEASE.dividedBy(3));
		await().until(() -> this.backend.count(Kind.RENEW) == 1);
		assertThat(acquire().token()).isEqualTo(token);
		hold.release();
		assertThat(hold.token()).isEqualTo(token);
	}

	@Test
	void fairLockIsTheSameLock() throws InterruptedException {
		Hold hold = acquire();
		assertThat(this.engine.acquire(KEY, Harness.FAIR, WAIT)).isSameAs(hold);
	}

	@Test
	void reentryAfterLossIsRejected() throws InterruptedException {
		Hold hold = acquire();
		acquire();
		this.harness.store.expire(hold.lease().request());
		assertRejected(Reason.LOST, OPTIONS);
		assertThat(hold.release()).isFalse();
		assertRejected(Reason.LOST, OPTIONS);
		assertThat(hold.release()).isFalse();
		assertThat(acquire().token()).isGreaterThan(hold.token());
	}

	@Test
	void reentryAfterTheEndOfTheLeaseIsRejected() throws InterruptedException {
		acquire();
		this.harness.advance(LEASE);
		assertRejected(Reason.LOST, OPTIONS);
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void rejectedReentryLeavesNothing() throws InterruptedException {
		Hold hold = acquire();
		this.harness.store.expire(hold.lease().request());
		for (int i = 0; i < 10_000; i++) {
			assertRejected(Reason.LOST, OPTIONS);
		}
		assertThat(hold.release()).isFalse();
		this.harness.assertNothingLeft();
	}

	private void assertRejected(Reason reason, AcquireOptions options) {
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire(KEY, options, WAIT))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(reason));
	}

	@Test
	void lostHoldIsReleasedAsOftenAsItWasAcquired() throws InterruptedException {
		Hold hold = acquire();
		acquire();
		this.harness.advance(LEASE);
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.release()).isFalse();
		assertThat(this.engine.heldBy(KEY, Thread.currentThread(), OPTIONS)).isSameAs(hold);
		assertThat(hold.release()).isFalse();
		assertThat(this.engine.heldBy(KEY, Thread.currentThread(), OPTIONS)).isNull();
		assertThatIllegalStateException().isThrownBy(hold::release);
	}

	@Test
	void lossThatWasNoticedIsNotifiedToEveryRelease() throws InterruptedException {
		Hold hold = acquire();
		acquire();
		this.harness.time.jumpWall(LEASE);
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.release()).isFalse();
		assertThat(hold.release()).isFalse();
		this.harness.assertNothingLeft();
	}

	@Test
	void upgradeIsRejectedAtOnce() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, SHARED, WAIT);
		assertRejected(Reason.UPGRADE, OPTIONS);
		assertRejected(Reason.UPGRADE, Harness.FAIR);
		assertThat(hold != null && hold.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void readerReadsAgain() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, SHARED, WAIT);
		Waiter writer = this.harness.queued(this.engine, Duration.ofSeconds(10));
		assertThat(this.engine.acquire(KEY, SHARED, 0)).as("although a writer waits").isSameAs(hold);
		hold.release();
		hold.release();
		assertThat(writer.hold().isHeld()).isTrue();
	}

	@Test
	void permitsAreAcquiredEachForItself() throws InterruptedException {
		AcquireOptions permit = AcquireOptions.permits(1, 3, LEASE, true);
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			holds.add(this.engine.acquire(KEY, permit, 0));
		}
		assertThat(holds).doesNotContainNull().doesNotHaveDuplicates();
		assertThat(this.engine.acquire(KEY, permit, 0)).isNull();
		assertThat(this.harness.holders()).hasSize(3);
		holds.forEach(Hold::release);
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@CsvSource({ "exclusive, exclusive, again", "exclusive, fair, again", "exclusive, shared, below",
			"exclusive, permit, denied", "fair, exclusive, again", "fair, fair, again", "fair, shared, below",
			"fair, permit, denied", "shared, exclusive, upgrade", "shared, fair, upgrade", "shared, shared, again",
			"shared, permit, denied", "permit, exclusive, denied", "permit, fair, denied", "permit, shared, denied",
			"permit, permit, anew" })
	void kindsAreAcquiredAgainOrNot(String held, String wanted, String outcome) throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, options(held), 0);
		assertThat(hold).isNotNull();
		if (outcome.equals("upgrade")) {
			assertRejected(Reason.UPGRADE, options(wanted));
		}
		else {
			Hold other = this.engine.acquire(KEY, options(wanted), 0);
			assertThat(outcomeOf(hold, other)).isEqualTo(outcome);
			assertThat(other == null || other.release()).isTrue();
		}
		assertThat(hold.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	private static String outcomeOf(Hold hold, Hold other) {
		if (other == null) {
			return "denied";
		}
		return (other == hold) ? "again" : (other.lease() == hold.lease()) ? "below" : "anew";
	}

	private static AcquireOptions options(String kind) {
		return switch (kind) {
			case "exclusive" -> OPTIONS;
			case "fair" -> Harness.FAIR;
			case "shared" -> SHARED;
			default -> AcquireOptions.permits(1, 3, LEASE, true);
		};
	}

	@Test
	void holderOfAPermitHasNoLockToRelease() throws InterruptedException {
		Hold permit = this.engine.acquire(KEY, options("permit"), 0);
		for (String kind : List.of("exclusive", "fair", "shared")) {
			assertThat(this.engine.heldBy(KEY, Thread.currentThread(), options(kind))).isNull();
		}
		assertThat(permit.release()).isTrue();
	}

	@Test
	void ownerWhoseHoldAnotherThreadReleasedAcquiresAnew() throws InterruptedException {
		Hold hold = acquire();
		Waiter closer = this.harness.start(() -> {
			hold.release();
			return null;
		});
		closer.result();
		assertThat(acquire()).isNotSameAs(hold);
	}

	@Test
	void countOfReentriesDoesNotOverflow() throws InterruptedException {
		Hold hold = acquire();
		hold.setState(Integer.MAX_VALUE - 2);
		assertThatIllegalStateException().isThrownBy(this::acquire);
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.markLost()).isTrue();
		assertThat(hold.isLost()).isTrue();
		hold.setState(-1);
	}

}
