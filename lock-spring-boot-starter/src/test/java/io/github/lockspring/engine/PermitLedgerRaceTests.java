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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link PermitLedger}: permits that are released in parts, also when the store
 * fails meanwhile.
 */
class PermitLedgerRaceTests {

	private static final PermitTerms TERMS = new PermitTerms(1, 10, false, LEASE, true);

	private static final Executor THREADS = (task) -> new Thread(task).start();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());

	private final PermitLedger ledger = new PermitLedger(this.engine);

	@AfterEach
	void close() {
		this.harness.close();
	}

	private void acquire(int permits) {
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS.withPermits(permits), 0)).isTrue();
	}

	private Integer[] inUse() {
		return this.harness.holders()
			.stream()
			.map(LeaseHolder::mode)
			.map((mode) -> ((LeaseMode.Permits) mode).permits())
			.toArray(Integer[]::new);
	}

	private void assertNoneHeld() {
		assertThatIllegalStateException().isThrownBy(() -> this.ledger.release(KEY, 1));
		this.harness.advance(Duration.ofMillis(200));
		await().untilAsserted(() -> {
			assertThat(this.engine.size()).isZero();
			assertThat(inUse()).isEmpty();
		});
	}

	@Test
	void partIsReleasedInOneCall() {
		acquire(3);
		this.backend.clearCalls();
		assertThat(this.ledger.release(KEY, 2)).isTrue();
		assertThat(this.backend.countWithoutValues()).isOne();
		assertThat(inUse()).containsExactly(1);
		assertThat(this.ledger.release(KEY, 1)).isTrue();
		assertThat(this.harness.losses).isEmpty();
		assertNoneHeld();
	}

	@Test
	void wholeLeasesArePreferredToParts() {
		acquire(3);
		acquire(1);
		acquire(2);
		this.backend.clearCalls();
		assertThat(this.ledger.release(KEY, 1)).isTrue();
		assertThat(inUse()).containsExactlyInAnyOrder(3, 2);
		assertThat(this.ledger.release(KEY, 3)).isTrue();
		assertThat(inUse()).containsExactly(2);
		assertThat(this.backend.count(Kind.DOWNGRADE)).isZero();
	}

	@Test
	void remainingPermitsAreRenewed() {
		acquire(3);
		this.ledger.release(KEY, 1);
		this.harness.advance(LEASE.multipliedBy(3), Duration.ofMillis(100));
		assertThat(inUse()).containsExactly(2);
		assertThat(this.ledger.release(KEY, 2)).isTrue();
		assertNoneHeld();
	}

	@Test
	void unrenewedLeaseIsNotExtended() {
		PermitTerms unrenewed = new PermitTerms(3, 10, false, LEASE, false);
		this.ledger.acquireUninterruptibly(KEY, unrenewed, 0);
		this.harness.advance(LEASE.dividedBy(2));
		this.ledger.release(KEY, 1);
		assertThat(this.harness.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isLessThanOrEqualTo(LEASE.dividedBy(2)));
		this.harness.advance(LEASE.dividedBy(2), Duration.ofMillis(100));
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertNoneHeld();
	}

	@Test
	void lostReplyIsRepeatedAndReleasesNothingMore() {
		acquire(3);
		this.backend.next(Kind.DOWNGRADE, Fault.unknownAfterEffect());
		assertThat(this.ledger.release(KEY, 1)).isTrue();
		assertThat(inUse()).containsExactly(2);
		assertThat(this.ledger.release(KEY, 2)).isTrue();
		assertThat(this.harness.losses).isEmpty();
		assertNoneHeld();
	}

	@Test
	void callThatDidNotArriveIsRepeated() {
		acquire(3);
		this.backend.next(Kind.DOWNGRADE, Fault.unavailable());
		assertThat(this.ledger.release(KEY, 1)).isTrue();
		assertThat(inUse()).containsExactly(2);
	}

	@Test
	void unavailableStoreLeavesAllPermitsHeldAndRenewed() {
		acquire(1);
		acquire(3);
		this.backend.always(Kind.DOWNGRADE, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.ledger.release(KEY, 2))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE));
		this.harness.advance(LEASE.multipliedBy(3), Duration.ofMillis(100));
		assertThat(inUse()).containsExactlyInAnyOrder(1, 3);
		this.backend.heal();
		assertThat(this.ledger.release(KEY, 2)).isTrue();
		assertThat(this.ledger.release(KEY, 2)).isTrue();
		assertThat(this.harness.losses).isEmpty();
		assertNoneHeld();
	}

	@Test
	void outcomeThatRemainsUnknownLosesTheLeaseAndReleasesIt() {
		acquire(3);
		this.backend.always(Kind.DOWNGRADE, Fault.unknownAfterEffect());
		assertThat(this.ledger.release(KEY, 1)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		this.harness.advance(Duration.ofMillis(200));
		assertThat(inUse()).isEmpty();
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		assertNoneHeld();
	}

	@Test
	void unknownOutcomeBeforeAnUnavailableStoreLosesTheLease() {
		acquire(3);
		this.backend.next(Kind.DOWNGRADE, Fault.unknownAfterEffect());
		this.backend.next(Kind.DOWNGRADE, Fault.unavailable());
		assertThat(this.ledger.release(KEY, 1)).isFalse();
		this.harness.advance(Duration.ofMillis(200));
		assertThat(inUse()).isEmpty();
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertNoneHeld();
	}

	@Test
	void leaseThatHasEndedInTheStoreIsLostOnce() {
		acquire(3);
		this.harness.store.expire(this.backend.lastCall(Kind.TRY).request());
		assertThat(this.ledger.release(KEY, 1)).isFalse();
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		assertNoneHeld();
	}

	@Test
	void renewalDuringTheReleaseOfAPartLosesNothing() {
		acquire(3);
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.after(gate));
		CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(() -> this.ledger.release(KEY, 1));
		gate.awaitArrival();
		this.harness.advance(LEASE.dividedBy(2), Duration.ofMillis(100));
		gate.open();
		assertThat(release.join()).isTrue();
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofMillis(100));
		assertThat(inUse()).containsExactly(2);
		assertThat(this.harness.losses).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
	void partThatIsReleasedWhileTheTimerLooksAtTheLeaseLosesNothing(int look) {
		acquire(3);
		this.harness.clock().awaitTimer();
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.before(gate));
		CompletableFuture<Boolean> release = new CompletableFuture<>();
		this.harness.clock().afterLookOfTimer(look, () -> {
			release.completeAsync(() -> this.ledger.release(KEY, 1));
			gate.awaitArrival();
		});
		this.harness.advance(LEASE.dividedBy(2));
		gate.open();
		assertThat(release.join()).isTrue();
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofMillis(100));
		assertThat(inUse()).containsExactly(2);
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void releaseWaitsForTheRestOfALeaseThatIsJustDivided() {
		acquire(3);
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.after(gate));
		CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() -> this.ledger.release(KEY, 1));
		gate.awaitArrival();
		assertThatIllegalStateException().isThrownBy(() -> this.ledger.release(KEY, 3));
		CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> this.ledger.release(KEY, 2));
		assertThat(second).isNotDone();
		gate.open();
		assertThat(first.join()).isTrue();
		assertThat(second.join()).isTrue();
		await().untilAsserted(() -> assertThat(inUse()).isEmpty());
		assertNoneHeld();
	}

	@Test
	void leaseThatEndsWhileAPartIsReleasedLeavesNothing() {
		acquire(3);
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.after(gate));
		CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(() -> this.ledger.release(KEY, 1));
		gate.awaitArrival();
		this.harness.advance(LEASE.multipliedBy(2));
		gate.open();
		assertThat(release.join()).isFalse();
		this.harness.advance(Duration.ofMillis(200));
		assertThat(inUse()).isEmpty();
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertNoneHeld();
	}

	@Test
	void asynchronousAcquisitionWaitsForAStoreThatIsAway() {
		this.backend.always(Kind.READ, Fault.unavailable());
		CompletableFuture<Hold> waiting = this.ledger.acquireAsync(KEY, TERMS, Duration.ofHours(1).toNanos());
		this.harness.advance(Duration.ofSeconds(1));
		assertThat(waiting).isNotDone();
		this.backend.heal();
		this.harness.advance(Duration.ofSeconds(1));
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1));
		waiting.join().release();
		assertNoneHeld();
	}

	@Test
	void asynchronousAcquisitionWithoutALimitEndsWithItsTimeOrTheEngine() {
		this.backend.always(Kind.READ, Fault.unavailable());
		CompletableFuture<Hold> brief = this.ledger.acquireAsync(KEY, TERMS, Duration.ofSeconds(1).toNanos());
		CompletableFuture<Hold> waiting = this.ledger.acquireAsync(KEY, TERMS, Duration.ofHours(1).toNanos());
		this.harness.advance(Duration.ofSeconds(2));
		assertFailure(brief, Reason.UNAVAILABLE);
		assertThat(waiting).isNotDone();
		this.engine.close();
		assertFailure(waiting, Reason.CLOSED);
	}

	@Test
	void threadsThatNeedTheLimitShareItsFailure() {
		Gate gate = new Gate();
		this.backend.always(Kind.READ, Fault.before(() -> {
			gate.run();
			throw new BackendUnavailableException("cut off", null);
		}));
		List<CompletableFuture<Boolean>> acquisitions = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			acquisitions.add(CompletableFuture.supplyAsync(
					() -> this.ledger.acquireUninterruptibly(KEY, TERMS, Duration.ofMillis(100).toNanos()), THREADS));
		}
		gate.awaitArrival();
		await().until(() -> {
			this.harness.time.advance(Duration.ofMillis(50));
			return acquisitions.stream().allMatch(CompletableFuture::isDone);
		});
		assertThat(this.backend.count(Kind.READ)).isOne();
		gate.open();
		assertThat(acquisitions).allSatisfy((acquisition) -> assertThat(acquisition).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(EngineException.class));
	}

	@Test
	void threadThatWaitsForTheLimitCanBeInterrupted() throws Exception {
		Gate gate = new Gate();
		this.backend.next(Kind.READ, Fault.before(gate));
		CompletableFuture<Boolean> reading = CompletableFuture
			.supplyAsync(() -> this.ledger.acquireUninterruptibly(KEY, TERMS, 0), THREADS);
		gate.awaitArrival();
		FutureTask<Boolean> waiting = new FutureTask<>(
				() -> this.ledger.acquire(KEY, TERMS, Duration.ofHours(1).toNanos()));
		Thread thread = new Thread(waiting);
		thread.start();
		thread.interrupt();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(InterruptedException.class);
		gate.open();
		assertThat(reading.get(1, TimeUnit.MINUTES)).isTrue();
	}

	private static void assertFailure(CompletableFuture<Hold> acquisition, Reason reason) {
		await().until(acquisition::isDone);
		assertThat(acquisition.handle((hold, failure) -> ((EngineException) failure).getReason()).join())
			.isEqualTo(reason);
	}

	@Test
	void leaseThatEndsBeforeTheStoreIsUnavailableIsLost() {
		acquire(3);
		LeaseRequest lease = this.backend.lastCall(Kind.TRY).request();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> {
			this.harness.store.expire(lease);
			throw new BackendUnavailableException("connection refused", null);
		}));
		this.backend.next(Kind.DOWNGRADE, Fault.unavailable());
		assertThat(this.ledger.release(KEY, 1)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertNoneHeld();
	}

	@Test
	void leaseThatIsFoundToHaveEndedByARenewalBeforeTheStoreIsUnavailableIsLost() {
		acquire(3);
		this.backend.setDelivery(Delivery.LOSE);
		LeaseRequest lease = this.backend.lastCall(Kind.TRY).request();
		Gate gate = new Gate();
		CompletableFuture<Boolean> release = new CompletableFuture<>();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> {
			gate.run();
			throw new BackendUnavailableException("connection refused", null);
		}));
		this.backend.next(Kind.DOWNGRADE, Fault.unavailable());
		this.backend.next(Kind.RENEW, Fault.before(() -> {
			release.completeAsync(() -> this.ledger.release(KEY, 1));
			gate.awaitArrival();
			this.harness.store.expire(lease);
		}));
		this.harness.advance(LEASE.dividedBy(3));
		gate.open();
		assertThat(release.join()).isFalse();
		await().untilAsserted(() -> assertThat(this.harness.losses).hasSize(1));
	}

	@Test
	void remainingPermitsThatAreLostBeforeTheReplyArrivesAreLost() {
		acquire(3);
		this.backend.next(Kind.DOWNGRADE,
				Fault.after(() -> this.harness.store.expire(this.backend.lastCall(Kind.DOWNGRADE).requests().get(1))));
		assertThat(this.ledger.release(KEY, 1)).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		assertThat(this.ledger.release(KEY, 2)).isFalse();
		assertNoneHeld();
	}

}
