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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Delivery;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.FAIR;
import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.SHARED;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for writers who read as well, and downgrade.
 */
class DowngradeRaceTests {

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final Duration STEP = Duration.ofMillis(100);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final DirectExecutor executor = new DirectExecutor();

	private final LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), this.executor);

	private final Object owner = new Object();

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Hold write() {
		return acquire(OPTIONS);
	}

	private Hold read() {
		return acquire(SHARED);
	}

	private Hold acquire(AcquireOptions options) {
		Hold hold = this.engine.acquireUninterruptibly(KEY, options, this.owner, 0);
		if (hold == null) {
			throw new AssertionError("Not acquired");
		}
		return hold;
	}

	private Hold downgraded() {
		Hold writer = write();
		Hold reader = read();
		assertThat(writer.release()).isTrue();
		return reader;
	}

	private @Nullable Hold tryElsewhere(AcquireOptions options) {
		return this.harness.engine().acquireUninterruptibly(KEY, options, new Object(), 0);
	}

	private List<LeaseMode> modes() {
		return this.harness.holders().stream().map(LeaseHolder::mode).toList();
	}

	private void assertRejected(Reason reason, AcquireOptions options) {
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> acquire(options))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(reason));
	}

	private void assertLostOnceEach(Hold... holds) {
		for (Hold hold : holds) {
			assertThat(hold.isHeld()).isFalse();
			assertThat(hold.remaining()).isZero();
			assertThat(hold.release()).isFalse();
		}
		assertThat(this.harness.losses).hasSize(holds.length);
		assertThat(this.harness.losses).containsOnly(KEY + "#" + holds[0].token());
	}

	@Test
	void writerReadsWithoutCallToTheStore() {
		Hold writer = write();
		Hold reader = read();
		assertThat(reader).isNotSameAs(writer);
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.remaining()).isEqualTo(writer.remaining());
		assertThat(modes()).containsExactly(LeaseMode.EXCLUSIVE);
		assertThat(tryElsewhere(SHARED)).isNull();
		assertThat(this.engine.acquireUninterruptibly(KEY, SHARED, new Object(), 0)).isNull();
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void readerThatIsReleasedFirstLeavesTheWriterAsItWas() {
		Hold writer = write();
		assertThat(read().release()).isTrue();
		assertThat(writer.isHeld()).isTrue();
		assertThat(modes()).containsExactly(LeaseMode.EXCLUSIVE);
		assertThat(this.backend.count(Kind.RELEASE, Kind.DOWNGRADE)).isZero();
		assertThat(writer.release()).isTrue();
		assertThat(this.backend.count(Kind.DOWNGRADE)).isZero();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void writerThatIsReleasedFirstIsDowngradedInOneCall() {
		Hold writer = write();
		Hold reader = read();
		this.backend.clearCalls();
		assertThat(writer.release()).isTrue();
		assertThat(this.backend.count(Kind.values())).isOne();
		assertThat(this.backend.count(Kind.DOWNGRADE)).isOne();
		assertThat(writer.isHeld()).isFalse();
		assertThat(reader.isHeld()).isTrue();
		assertThat(modes()).containsExactly(LeaseMode.SHARED);
		assertThat(tryElsewhere(OPTIONS)).isNull();
		assertThat(tryElsewhere(SHARED)).isNotNull();
	}

	@Test
	void readerIsReleasedInTheStoreAfterTheDowngrade() {
		Hold reader = downgraded();
		assertThat(reader.release()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		assertThat(this.harness.losses).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void tokenOfTheReaderIsThatOfTheWriterAllTheTime() {
		Hold writer = write();
		Hold reader = read();
		assertThat(reader.token()).isEqualTo(writer.token());
		writer.release();
		assertThat(reader.token()).isEqualTo(writer.token());
		assertThat(read().token()).isEqualTo(writer.token());
		Hold other = tryElsewhere(SHARED);
		assertThat(other).isNotNull();
		assertThat(other.token()).isGreaterThan(writer.token());
	}

	@Test
	void waitingReadersComeInAndWaitingWriterDoesNot() {
		Hold writer = write();
		Hold reader = read();
		Waiter here = this.harness.queued(this.engine, SHARED, WAIT);
		Waiter elsewhere = this.harness.queued(this.harness.engine(), SHARED, WAIT);
		Waiter waitingWriter = this.harness.queued(this.harness.engine(), OPTIONS, WAIT);
		writer.release();
		List<Hold> readers = List.of(reader, elsewhere.hold());
		assertThat(readers).allMatch(Hold::isHeld);
		for (Hold each : readers) {
			assertThat(waitingWriter.isDone()).isFalse();
			assertThat(each.release()).isTrue();
		}
		assertThat(waitingWriter.hold().release()).isTrue();
		assertThat(here.hold().isHeld()).isTrue();
	}

	@Test
	void waitingReadersOfThisProcessComeInIfNoWriterWaits() {
		Hold writer = write();
		Hold reader = read();
		Waiter first = this.harness.queued(this.engine, SHARED, WAIT);
		Waiter second = this.harness.queued(this.engine, SHARED, WAIT);
		writer.release();
		assertThat(List.of(reader, first.hold(), second.hold())).allMatch(Hold::isHeld);
	}

	@Test
	void leaseIsNotHandedOffToAWriterWhileTheOwnerReads() {
		Hold before = write();
		Waiter first = this.harness.start(() -> this.engine.acquire(KEY, OPTIONS, this, WAIT.toNanos())).awaitSleep();
		Waiter second = this.harness.queued(this.engine, OPTIONS, WAIT);
		before.release();
		Hold writer = first.hold();
		Hold reader = this.engine.acquireUninterruptibly(KEY, SHARED, this, 0);
		assertThat(reader).isNotNull();
		writer.release();
		assertThat(modes()).containsExactly(LeaseMode.SHARED);
		assertThat(second.isDone()).isFalse();
		reader.release();
		assertThat(second.hold().token()).isGreaterThan(reader.token());
	}

	@Test
	void leaseIsHandedOffAsEverAfterTheReader() {
		Hold before = write();
		Waiter first = this.harness.start(() -> this.engine.acquire(KEY, OPTIONS, this, WAIT.toNanos())).awaitSleep();
		Waiter second = this.harness.queued(this.engine, OPTIONS, WAIT);
		before.release();
		Hold writer = first.hold();
		this.engine.acquireUninterruptibly(KEY, SHARED, this, 0).release();
		writer.release();
		assertThat(second.hold().token()).isEqualTo(writer.token() + 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "WWRR", "WRWR", "WRRW", "RWWR", "RWRW", "RRWW" })
	void partsAreReleasedInAnyOrder(String order) {
		Hold writer = write();
		Hold reader = read();
		assertThat(write()).isSameAs(writer);
		assertThat(read()).isSameAs(reader);
		for (int i = 0; i < order.length(); i++) {
			assertThat(((order.charAt(i) == 'W') ? writer : reader).release()).isTrue();
			String rest = order.substring(i + 1);
			assertThat(writer.isHeld()).isEqualTo(rest.contains("W"));
			assertThat(reader.isHeld()).isEqualTo(rest.contains("R"));
			LeaseMode mode = rest.contains("W") ? LeaseMode.EXCLUSIVE : LeaseMode.SHARED;
			assertThat(modes()).isEqualTo(rest.isEmpty() ? List.of() : List.of(mode));
		}
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.harness.losses).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void readerReadsAgainAfterTheDowngrade() {
		Hold reader = downgraded();
		assertThat(read()).isSameAs(reader);
		assertThat(reader.release()).isTrue();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void writerReadsAnewAfterItsReaderHasEnded() {
		Hold writer = write();
		Hold reader = read();
		reader.release();
		Hold next = read();
		assertThat(next).isNotSameAs(reader);
		writer.release();
		assertThat(next.isHeld()).isTrue();
		assertThat(reader.isHeld()).isFalse();
	}

	@Test
	void readerThatIsLeftCannotWrite() {
		Hold reader = downgraded();
		assertRejected(Reason.UPGRADE, OPTIONS);
		assertRejected(Reason.UPGRADE, FAIR);
		assertThat(reader.release()).isTrue();
		assertThat(write().isHeld()).isTrue();
	}

	@Test
	void fairWriterDowngradesToo() {
		Hold writer = acquire(FAIR);
		Hold reader = read();
		assertThat(writer.release()).isTrue();
		assertThat(reader.isHeld()).isTrue();
		assertThat(modes()).containsExactly(LeaseMode.SHARED);
	}

	@Test
	void eachPartIsFoundByItsTerms() {
		Hold writer = write();
		assertThat(this.engine.heldBy(KEY, this.owner, SHARED)).isNull();
		Hold reader = read();
		assertThat(this.engine.heldBy(KEY, this.owner, OPTIONS)).isSameAs(writer);
		assertThat(this.engine.heldBy(KEY, this.owner, SHARED)).isSameAs(reader);
		writer.release();
		assertThat(this.engine.heldBy(KEY, this.owner, OPTIONS)).isNull();
		assertThat(this.engine.heldBy(KEY, this.owner, SHARED)).isSameAs(reader);
	}

	@Test
	void leaseOfSeveralKeysDoesNotDowngrade() throws InterruptedException {
		List<Hold> holds = Harness.acquireTogether(this.engine, List.of("a", "b"), OPTIONS);
		Hold reader = this.engine.acquire("a", SHARED, 0);
		assertThat(reader).isSameAs(holds.get(0));
		assertThat(this.engine.heldBy("a", Thread.currentThread(), SHARED)).isSameAs(reader);
		assertThat(holds).allMatch(Hold::release);
		assertThat(reader.isHeld()).isTrue();
		assertThat(this.harness.engine().acquire("a", SHARED, 0)).isNull();
		assertThat(reader.release()).isTrue();
		assertThat(this.backend.count(Kind.DOWNGRADE)).isZero();
		this.harness.assertNothingLeft();
	}

	@Test
	void withoutReadersInTheStoreReadingIsReentry() {
		LockEngine engine = this.harness.engine(this.harness.backend().without(Capability.SHARED));
		Hold writer = Harness.hold(engine);
		assertThat(engine.acquireUninterruptibly(KEY, SHARED, writer.owner(), 0)).isSameAs(writer);
		assertThat(engine.heldBy(KEY, writer.owner(), SHARED)).isSameAs(writer);
	}

	@Test
	void lossReportedByTheStoreIsThatOfBoth() {
		Hold writer = write();
		Hold reader = read();
		this.harness.store.expire(writer.lease().request());
		assertThat(this.harness.losses).as("without a check by a holder").hasSize(2);
		assertLostOnceEach(writer, reader);
		this.harness.assertNothingLeft();
	}

	@Test
	void lossThatOneNoticesIsThatOfBoth() {
		Hold writer = write();
		Hold reader = read();
		this.harness.time.jumpWall(LEASE);
		assertThat(reader.isHeld()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
		this.harness.time.jumpWall(LEASE.negated());
		assertLostOnceEach(writer, reader);
		assertThat(this.backend.count(Kind.DOWNGRADE)).isZero();
	}

	@Test
	void renewalThatIsRejectedIsTheLossOfBoth() {
		Hold writer = write();
		Hold reader = read();
		this.backend.setDelivery(Delivery.LOSE);
		this.harness.store.expire(writer.lease().request());
		this.harness.advance(LEASE.dividedBy(3));
		assertLostOnceEach(reader, writer);
	}

	@Test
	void endOfAnUnrenewedLeaseIsTheLossOfBoth() {
		Hold writer = acquire(UNRENEWED);
		Hold reader = read();
		this.harness.advance(LEASE);
		assertLostOnceEach(writer, reader);
	}

	@Test
	void lostPartsRejectToBeAcquiredAgain() {
		Hold writer = write();
		Hold reader = read();
		this.harness.store.expire(writer.lease().request());
		assertRejected(Reason.LOST, OPTIONS);
		assertRejected(Reason.LOST, SHARED);
		writer.release();
		assertRejected(Reason.LOST, SHARED);
		reader.release();
		assertThat(write().isHeld()).isTrue();
	}

	@Test
	void lossAfterTheDowngradeIsThatOfTheReader() {
		Hold reader = downgraded();
		this.harness.store.expire(reader.lease().request());
		assertLostOnceEach(reader);
		this.harness.assertNothingLeft();
	}

	@Test
	void lossThatIsNoticedAtTheReleaseOfTheReaderIsReported() {
		Hold writer = write();
		Hold reader = read();
		this.harness.time.jumpWall(LEASE);
		assertThat(reader.release()).isFalse();
		assertThat(this.harness.losses).hasSize(1);
		assertThat(writer.isHeld()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
	}

	@Test
	void storeThatHasRemovedTheWriterHasRemovedTheReader() {
		Hold writer = write();
		Hold reader = read();
		this.backend.setDelivery(Delivery.LOSE);
		this.harness.store.expire(writer.lease().request());
		assertThat(writer.release()).isFalse();
		assertThat(reader.isHeld()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
		assertThat(reader.release()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
		this.harness.assertNothingLeft();
	}

	@Test
	void storeThatIsAwayIsALossOfTheReader() {
		assertReaderIsLost(Fault.unavailable());
	}

	@Test
	void unknownOutcomeWithEffectIsALossOfTheReader() {
		assertReaderIsLost(Fault.unknownAfterEffect());
	}

	@Test
	void unknownOutcomeWithoutEffectIsALossOfTheReader() {
		assertReaderIsLost(Fault.unknownWithoutEffect());
	}

	@Test
	void exceptionThatABackendShouldNotThrowIsALossOfTheReader() {
		assertReaderIsLost(Fault.after(() -> {
			throw new IllegalStateException("driver");
		}));
	}

	private void assertReaderIsLost(Fault fault) {
		Hold writer = write();
		Hold reader = read();
		AtomicInteger notified = new AtomicInteger();
		reader.onLost(notified::incrementAndGet);
		this.backend.next(Kind.DOWNGRADE, fault);
		this.backend.next(Kind.RELEASE, Fault.unavailable());
		assertThat(writer.release()).as("the writer had it until then").isTrue();
		assertThat(notified).hasValue(1);
		assertLostOnceEach(reader);
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(releases()).containsAll(this.backend.lastCall(Kind.DOWNGRADE).requests());
		this.harness.assertNothingLeft();
		assertThat(Harness.hold(this.engine).isHeld()).isTrue();
	}

	private List<LeaseRequest> releases() {
		return this.backend.calls(Kind.RELEASE).stream().map(FaultyBackend.Call::request).toList();
	}

	@Test
	void errorInABackendIsALossOfTheReaderAndIsThrown() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.after(() -> {
			throw new StackOverflowError();
		}));
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(writer::release);
		assertLostOnceEach(reader);
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void errorBeforeTheDowngradeIsALossOfTheReaderAndIsThrown(boolean async) {
		Hold writer = write();
		Hold reader = read();
		if (async) {
			this.executor.rejectNext(new OutOfMemoryError("a test"));
		}
		this.harness.clock().afterNextLook(Thread.currentThread(), () -> {
			throw new StackOverflowError();
		});
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(async ? writer::releaseAsync : writer::release);
		assertThat(this.harness.losses).hasSize(1);
		assertLostOnceEach(reader);
		this.harness.advance(Duration.ofSeconds(1), STEP);
		this.harness.assertNothingLeft();
	}

	@Test
	void downgradeThatArrivesAfterTheReleasesTakesNoEffect() {
		Hold writer = write();
		read();
		this.backend.next(Kind.DOWNGRADE, Fault.unknownWithoutEffect());
		writer.release();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(arriveLate()).isInstanceOf(Denial.class);
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void downgradeThatArrivesBeforeTheReleasesIsUndone() {
		Hold writer = write();
		read();
		this.backend.next(Kind.DOWNGRADE, Fault.unknownWithoutEffect());
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		writer.release();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		arriveLate();
		assertThat(modes()).containsExactly(LeaseMode.SHARED);
		this.backend.heal();
		this.harness.advance(Duration.ofSeconds(2), STEP);
		assertThat(this.harness.holders()).isEmpty();
	}

	@Test
	void downgradeThatArrivesBetweenTheReleasesIsUndone() {
		Hold writer = write();
		read();
		LeaseRequest exclusive = writer.lease().request();
		this.backend.next(Kind.DOWNGRADE, Fault.unknownWithoutEffect());
		this.backend.always(Kind.RELEASE, Fault.before(() -> {
			if (this.backend.lastCall(Kind.RELEASE).request().equals(exclusive)) {
				Fault.unavailable().before();
			}
		}));
		writer.release();
		this.harness.advance(Duration.ofSeconds(1), STEP);
		arriveLate();
		this.harness.advance(Duration.ofSeconds(2), STEP);
		assertThat(this.harness.holders()).isEmpty();
	}

	private Object arriveLate() {
		List<LeaseRequest> requests = this.backend.lastCall(Kind.DOWNGRADE).requests();
		return this.harness.backend().downgrade(requests.get(0), requests.get(1), STEP);
	}

	@Test
	void writerWhoseLeaseEndsWhileTheStoreFailsIsLost() {
		Hold writer = acquire(UNRENEWED);
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> {
			this.harness.time.jumpWall(LEASE);
			Fault.unavailable().before();
		}));
		assertThat(writer.release()).isFalse();
		assertThat(reader.release()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
	}

	@Test
	void leaseOfTheReaderBeginsBeforeTheStoreIsAsked() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.after(() -> this.harness.time.advance(Duration.ofSeconds(5))));
		writer.release();
		assertThat(reader.remaining()).isLessThanOrEqualTo(LEASE.minusSeconds(5)).isPositive();
	}

	@Test
	void downgradeThatTookTooLongIsALossOfTheReader() {
		Hold writer = write();
		Hold reader = acquire(AcquireOptions.shared(Duration.ofSeconds(10), true));
		this.backend.next(Kind.DOWNGRADE,
				Fault.after(() -> this.harness.time.jumpWall(Duration.ofSeconds(9, 950_000_000))));
		assertThat(writer.release()).isTrue();
		assertLostOnceEach(reader);
		this.harness.advance(Duration.ofNanos(1));
		assertThat(releases()).containsExactly(this.backend.lastCall(Kind.DOWNGRADE).requests().get(1));
		this.harness.assertNothingLeft();
	}

	@Test
	void readerOfAShortLeaseIsNotHeldLongerWhileTheStoreTakesItsTime() {
		Hold writer = write();
		Hold reader = acquire(AcquireOptions.shared(Duration.ofSeconds(1), true));
		assertThat(reader.remaining()).isEqualTo(writer.remaining());
		List<Duration> remaining = new ArrayList<>();
		this.backend.next(Kind.DOWNGRADE, Fault.after(() -> {
			remaining.add(reader.remaining());
			this.harness.time.advance(Duration.ofSeconds(1));
			remaining.add(reader.remaining());
		}));
		assertThat(writer.release()).isTrue();
		assertThat(remaining.get(0)).isPositive().isLessThan(Duration.ofSeconds(1));
		assertThat(remaining.get(1)).isZero();
		assertLostOnceEach(reader);
	}

	@Test
	void readerOfALongLeaseIsNotHeldLongerThanTheWriterWhileTheStoreTakesItsTime() {
		Hold writer = acquire(UNRENEWED);
		Hold reader = acquire(AcquireOptions.shared(LEASE.multipliedBy(4), true));
		List<Duration> remaining = new ArrayList<>();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> remaining.add(reader.remaining())));
		writer.release();
		assertThat(remaining.get(0)).isPositive().isLessThan(LEASE);
		assertThat(reader.remaining()).isGreaterThan(LEASE.multipliedBy(3));
	}

	@Test
	void readerIsRenewedAfterTheDowngrade() {
		Hold reader = downgraded();
		for (int i = 0; i < 12; i++) {
			this.harness.advance(LEASE.dividedBy(4));
		}
		assertThat(this.backend.lastCall(Kind.RENEW).requests()).containsExactly(reader.lease().request());
		assertThat(reader.isHeld()).isTrue();
		assertThat(modes()).containsExactly(LeaseMode.SHARED);
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void readerWithAShorterLeaseIsRenewedInTime() {
		Hold writer = acquire(UNRENEWED);
		Hold reader = acquire(AcquireOptions.shared(Duration.ofSeconds(3), true));
		writer.release();
		this.harness.advance(Duration.ofSeconds(2));
		this.harness.advance(Duration.ofSeconds(2));
		assertThat(this.backend.count(Kind.RENEW)).isEqualTo(2);
		assertThat(reader.isHeld()).isTrue();
	}

	@Test
	void readerThatIsNotRenewedEndsByItself() {
		Hold writer = write();
		Hold reader = acquire(AcquireOptions.shared(LEASE, false));
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofSeconds(5));
		assertThat(reader.isHeld()).as("the writer is renewed").isTrue();
		writer.release();
		this.harness.advance(LEASE, Duration.ofSeconds(5));
		assertLostOnceEach(reader);
	}

	@Test
	void leaseOfBothIsRenewedAsThatOfTheWriter() {
		Hold writer = write();
		Hold reader = acquire(AcquireOptions.shared(LEASE.multipliedBy(4), true));
		this.harness.advance(LEASE.dividedBy(3));
		this.harness.advance(Duration.ofSeconds(1), STEP);
		assertThat(this.backend.calls(Kind.RENEW)).hasSize(1);
		assertThat(this.backend.lastCall(Kind.RENEW).requests()).containsExactly(writer.lease().request());
		assertThat(reader.remaining()).isEqualTo(writer.remaining());
	}

	@Test
	void renewalThatCrossesTheDowngradeDoesNotHarmTheReader() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.RENEW, Fault.before(writer::release));
		this.harness.advance(LEASE.dividedBy(3));
		assertThat(this.backend.count(Kind.DOWNGRADE)).isOne();
		assertThat(reader.isHeld()).isTrue();
		assertThat(this.engine.size()).isOne();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void renewalThatIsAnsweredBeforeTheDowngradeDoesNotHarmTheReader() {
		Hold writer = write();
		Hold reader = read();
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.after(gate));
		List<CompletableFuture<Boolean>> release = new ArrayList<>();
		this.backend.next(Kind.RENEW, Fault.before(() -> {
			release.add(CompletableFuture.supplyAsync(writer::release));
			gate.awaitArrival();
		}));
		this.harness.advance(LEASE.dividedBy(3));
		assertThat(reader.isHeld()).as("while the answer is under way").isTrue();
		gate.open();
		assertThat(release).singleElement().satisfies((released) -> assertThat(released.join()).isTrue());
		assertThat(reader.isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void renewalOfTheWriterDoesNotExtendTheReaderWhileTheStoreTakesItsTime() {
		Hold writer = write();
		Hold reader = acquire(AcquireOptions.shared(Duration.ofSeconds(1), true));
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.before(gate));
		this.backend.next(Kind.RENEW, Fault.after(() -> {
			CompletableFuture.runAsync(writer::release);
			gate.awaitArrival();
		}));
		this.harness.advance(LEASE.dividedBy(3));
		assertThat(this.backend.count(Kind.RENEW)).isOne();
		assertThat(reader.remaining()).isPositive().isLessThan(Duration.ofSeconds(1));
		gate.open();
	}

	@Test
	void renewalDuringTheDowngradeDoesNotAskForTheReader() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> {
			this.harness.advance(LEASE.dividedBy(2));
			assertThat(this.backend.count(Kind.RENEW)).isZero();
		}));
		writer.release();
		assertThat(reader.isHeld()).isTrue();
	}

	@Test
	void readerThatIsReleasedWhileTheStoreTakesItsTimeLeavesNothing() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> assertThat(reader.release()).isTrue()));
		assertThat(writer.release()).isTrue();
		assertThat(this.harness.losses).isEmpty();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void readerThatIsReleasedBeforeTheReplyLeavesNothing() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.after(() -> assertThat(reader.release()).isTrue()));
		assertThat(writer.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void lossWhileTheStoreTakesItsTimeIsNotHidden() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.before(() -> {
			this.harness.store.expire(writer.lease().request());
			assertThat(reader.isHeld()).isFalse();
		}));
		assertThat(writer.release()).isFalse();
		assertThat(reader.release()).isFalse();
		assertThat(this.harness.losses).hasSize(2);
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerMayReadAndNotWriteWhileTheStoreTakesItsTime() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.after(() -> {
			assertThat(read()).isSameAs(reader);
			assertRejected(Reason.UPGRADE, OPTIONS);
		}));
		writer.release();
		assertThat(reader.release()).isTrue();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void othersWaitHereWhileTheStoreTakesItsTime() {
		Hold writer = write();
		Hold reader = read();
		Gate gate = new Gate();
		this.backend.next(Kind.DOWNGRADE, Fault.before(gate));
		CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(writer::release);
		gate.awaitArrival();
		Waiter other = this.harness.queued(this.engine, SHARED, Duration.ZERO);
		assertThat(reader.isHeld()).isTrue();
		assertThat(this.backend.attempts()).isOne();
		gate.open();
		assertThat(released.join()).isTrue();
		assertThat(other.hold().isHeld()).isTrue();
	}

	@Test
	void interruptedWriterDowngrades() {
		Hold writer = write();
		Hold reader = read();
		Thread.currentThread().interrupt();
		this.backend.next(Kind.DOWNGRADE,
				Fault.before(() -> assertThat(Thread.currentThread().isInterrupted()).isFalse()));
		assertThat(writer.release()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(reader.isHeld()).isTrue();
	}

	@Test
	void shutdownReleasesBoth() {
		Hold writer = write();
		Hold reader = read();
		this.engine.close();
		assertThat(this.harness.holders()).isEmpty();
		assertLostOnceEach(reader, writer);
	}

	@Test
	void shutdownReleasesTheReaderThatIsLeft() {
		Hold reader = downgraded();
		this.engine.close();
		assertThat(this.harness.holders()).isEmpty();
		assertLostOnceEach(reader);
	}

	@Test
	void shutdownWhileTheStoreTakesItsTimeLeavesNothing() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE, Fault.after(this.engine::close));
		assertThat(writer.release()).isTrue();
		assertThat(this.harness.holders()).isEmpty();
		assertLostOnceEach(reader);
	}

	@Test
	void ownerInTwoThreadsDowngradesOrAcquiresAnew() throws Exception {
		for (int i = 0; i < 2000; i++) {
			Hold writer = write();
			CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(writer::release);
			Hold reader = this.engine.acquireUninterruptibly(KEY, SHARED, this.owner, WAIT.toNanos());
			assertThat(released.get(1, TimeUnit.MINUTES)).isTrue();
			assertThat(reader).isNotNull();
			assertThat(reader.isHeld()).isTrue();
			assertThat(modes()).containsExactly(LeaseMode.SHARED);
			assertThat(reader.release()).isTrue();
			assertThat(this.harness.sizeOfStore()).isZero();
			assertThat(this.engine.size()).isZero();
		}
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void ownerInTwoThreadsReadsOnOneHold() {
		HookedTime time = new HookedTime(this.harness.time);
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), time);
		Hold writer = Harness.hold(engine);
		List<Hold> readers = new CopyOnWriteArrayList<>();
		Runnable read = () -> readers.add(engine.acquireUninterruptibly(KEY, SHARED, writer.owner(), 0));
		time.afterNextLook(Thread.currentThread(), read);
		read.run();
		assertThat(readers).hasSize(2).containsOnly(readers.get(0));
		assertThat(writer.release()).isTrue();
		assertThat(readers).allMatch(Hold::release);
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerThatDowngradesInAnotherThreadCannotWriteAgain() {
		HookedTime time = new HookedTime(this.harness.time);
		LockEngine engine = this.harness.engine(this.backend, EngineSettings.defaults(), time);
		Hold writer = Harness.hold(engine);
		Hold reader = engine.acquireUninterruptibly(KEY, SHARED, writer.owner(), 0);
		time.afterNextLook(Thread.currentThread(), writer::release);
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> engine.acquireUninterruptibly(KEY, OPTIONS, writer.owner(), 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UPGRADE));
		assertThat(reader.isHeld()).isTrue();
	}

	@Test
	void bothPartsReleasedAtOnceLeaveNothing() throws Exception {
		for (int i = 0; i < 2000; i++) {
			Hold writer = write();
			Hold reader = read();
			CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(writer::release);
			assertThat(reader.release()).isTrue();
			assertThat(released.get(1, TimeUnit.MINUTES)).isTrue();
			assertThat(this.harness.sizeOfStore()).isZero();
			assertThat(this.engine.size()).isZero();
		}
		assertThat(this.harness.losses).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void noWriterIsBesideAnyHolderNorComesBetween(int engines) throws Exception {
		new Crowd().run(engines);
	}

	@Test
	void sharedLeaseThatEndsBeforeTheReplyArrivesIsLost() {
		Hold writer = write();
		Hold reader = read();
		this.backend.next(Kind.DOWNGRADE,
				Fault.after(() -> this.harness.store.expire(this.backend.lastCall(Kind.DOWNGRADE).requests().get(1))));
		assertThat(writer.release()).isTrue();
		assertLostOnceEach(reader);
		this.harness.assertNothingLeft();
	}

	/**
	 * Threads of several engines that write, downgrade and read.
	 */
	private static final class Crowd {

		private static final int THREADS = 12;

		private static final int ROUNDS = (Integer.getInteger("lock.test.scale", 1) > 1) ? 1000 : 500;

		private final LocalStore store = new LocalStore();

		private final List<String> violations = new CopyOnWriteArrayList<>();

		private final AtomicInteger writers = new AtomicInteger();

		private final AtomicInteger readers = new AtomicInteger();

		private final AtomicInteger readersTogether = new AtomicInteger();

		private int version;

		void run(int number) throws Exception {
			List<LockEngine> engines = new ArrayList<>();
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < number; i++) {
				engines.add(new LockEngine(new FaultyBackend(this.store).withoutRecording(), EngineSettings.defaults(),
						EngineListener.NONE, TimeSource.SYSTEM));
			}
			for (int i = 0; i < THREADS; i++) {
				LockEngine engine = engines.get(i % number);
				threads.add(new Thread(() -> work(engine)));
			}
			threads.forEach(Thread::start);
			for (Thread thread : threads) {
				thread.join(TimeUnit.SECONDS.toMillis(60));
				assertThat(thread.isAlive()).as(() -> "stuck in " + List.of(thread.getStackTrace())).isFalse();
			}
			assertThat(this.violations).isEmpty();
			assertThat(this.version).isEqualTo(THREADS * ROUNDS);
			assertThat(this.readersTogether).as("readers side by side").hasPositiveValue();
			await().until(() -> LocalStores.size(this.store) == 0);
			engines.forEach((engine) -> assertThat(engine.size()).isZero());
			engines.forEach(LockEngine::close);
		}

		private void work(LockEngine engine) {
			try {
				for (int i = 0; i < ROUNDS; i++) {
					if (ThreadLocalRandom.current().nextBoolean()) {
						readOnly(engine);
					}
					writeAndRead(engine, ThreadLocalRandom.current().nextBoolean());
				}
			}
			catch (Throwable ex) {
				this.violations.add(ex.toString());
			}
		}

		private void readOnly(LockEngine engine) throws InterruptedException {
			Hold reader = require(engine.acquire(KEY, SHARED, WAIT.toNanos()));
			this.readers.incrementAndGet();
			read(this.version);
			this.readers.decrementAndGet();
			require(reader.release());
		}

		private void writeAndRead(LockEngine engine, boolean readerFirst) throws InterruptedException {
			Hold writer = require(engine.acquire(KEY, OPTIONS, WAIT.toNanos()));
			int written = write();
			Hold reader = require(engine.acquire(KEY, SHARED, WAIT.toNanos()));
			if (readerFirst) {
				require(reader.release());
				this.writers.decrementAndGet();
				require(writer.release());
				return;
			}
			this.writers.decrementAndGet();
			this.readers.incrementAndGet();
			require(writer.release());
			read(written);
			this.readers.decrementAndGet();
			require(reader.release());
		}

		private int write() {
			if (this.writers.incrementAndGet() != 1 || this.readers.get() != 0) {
				this.violations.add(this.writers + " writers beside " + this.readers + " readers");
			}
			return ++this.version;
		}

		private void read(int written) {
			Thread.yield();
			if (this.readers.get() > 1) {
				this.readersTogether.incrementAndGet();
			}
			if (this.writers.get() != 0 || this.version != written) {
				this.violations.add("a writer came between " + written + " and " + this.version);
			}
		}

		private static Hold require(@Nullable Hold hold) {
			if (hold == null) {
				throw new AssertionError("Not acquired");
			}
			return hold;
		}

		private static void require(boolean released) {
			if (!released) {
				throw new AssertionError("Lost");
			}
		}

	}

}
