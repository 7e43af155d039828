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
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.UNRENEWED;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for keeping leases alive.
 */
class RenewalTests {

	private static final Duration THIRD = LEASE.dividedBy(3);

	private static final Duration SECOND = Duration.ofSeconds(1);

	/**
	 * A third of the lease time, less the margin of one percent.
	 */
	private static final Duration DUE = THIRD.minus(LEASE.dividedBy(100));

	/**
	 * A second, less the margin of one percent.
	 */
	private static final Duration SHORT = SECOND.minusMillis(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final DirectExecutor executor = new DirectExecutor();

	private final LockEngine engine = engine(EngineSettings.defaults());

	private LockEngine engine(EngineSettings settings) {
		return this.harness.steadyEngine(this.backend, settings, this.executor);
	}

	@AfterEach
	void close() {
		this.harness.close();
	}

	private Hold hold(String key, AcquireOptions options) {
		Hold hold = this.engine.acquireUninterruptibly(key, options, new Object(), 0);
		assertThat(hold).isNotNull();
		return hold;
	}

	private long renewals() {
		return this.backend.count(Kind.RENEW);
	}

	private void failAlways(Throwable failure) {
		this.backend.always(Kind.RENEW, Fault.before(() -> sneakyThrow(failure)));
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneakyThrow(Throwable failure) throws E {
		throw (E) failure;
	}

	@Test
	void leaseIsRenewedAfterAThird() {
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(DUE.minusNanos(1));
		assertThat(renewals()).isZero();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(renewals()).isOne();
		assertThat(hold.remaining()).isEqualTo(LEASE.minus(LEASE.dividedBy(100)));
	}

	@Test
	void leaseIsKeptForManyLeaseTimes() {
		Hold hold = Harness.hold(this.engine);
		this.harness.advance(LEASE.multipliedBy(5), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(renewals()).isBetween(15L, 16L);
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void everyKindOfLeaseIsRenewed() {
		List<Hold> holds = List.of(hold("exclusive", OPTIONS), hold("fair", Harness.FAIR),
				hold("shared", Harness.SHARED), hold("shared", Harness.SHARED),
				hold("permits", AcquireOptions.permits(2, 3, LEASE, true)));
		this.harness.advance(LEASE.multipliedBy(5), SECOND);
		assertThat(holds).allMatch(Hold::isHeld);
	}

	@Test
	void leasesThatAreDueTogetherAreRenewedInOneCall() {
		for (int i = 0; i < 100; i++) {
			hold("order:" + i, OPTIONS);
		}
		this.harness.advance(DUE);
		assertThat(renewals()).isOne();
		assertThat(this.backend.lastCall(Kind.RENEW).requests()).hasSize(100).doesNotHaveDuplicates();
	}

	@Test
	void whatIsDueSoonIsRenewedWithIt() {
		Hold first = hold("first", OPTIONS);
		this.harness.advance(THIRD.dividedBy(2));
		Hold soon = hold("soon", OPTIONS);
		this.harness.advance(Duration.ofNanos(1));
		hold("later", OPTIONS);
		this.harness.advance(DUE.minus(THIRD.dividedBy(2)).minusNanos(1));
		assertThat(this.backend.lastCall(Kind.RENEW).requests()).containsExactlyInAnyOrder(first.lease().request(),
				soon.lease().request());
	}

	@Test
	void leaseThatWasReleasedIsNotRenewed() {
		Hold released = hold("released", OPTIONS);
		Hold kept = hold("kept", OPTIONS);
		released.release();
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(renewals()).isPositive();
		assertThat(this.backend.calls(Kind.RENEW))
			.allSatisfy((call) -> assertThat(call.requests()).containsExactly(kept.lease().request()));
	}

	@Test
	void leaseIsNotRenewedWhileItIsReleased() {
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults());
		Hold hold = Harness.hold(engine);
		Gate gate = new Gate();
		this.backend.next(Kind.RELEASE, Fault.before(gate));
		Harness.Waiter releaser = this.harness.start(() -> {
			hold.release();
			return null;
		});
		gate.awaitArrival();
		this.harness.advance(DUE);
		gate.open();
		releaser.result();
		assertThat(renewals()).isZero();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseThatIsReleasedDuringItsRenewalStaysReleased() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RENEW, Fault.before(hold::release));
		this.harness.advance(DUE);
		assertThat(renewals()).isOne();
		assertThat(this.harness.losses).isEmpty();
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(renewals()).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseWithoutRenewalEndsByItself() {
		Hold hold = Harness.hold(this.engine, UNRENEWED);
		this.harness.advance(LEASE, SECOND);
		assertThat(renewals()).isZero();
		assertThat(this.harness.losses).containsExactly(KEY + "#" + hold.token());
	}

	@Test
	void leaseWithoutRenewalIsNotRenewedAlongWithOthers() throws InterruptedException {
		Hold unrenewed = Harness.hold(this.engine, UNRENEWED);
		Hold renewed = this.engine.acquire("other", Harness.OPTIONS, 0);
		this.harness.advance(LEASE, SECOND);
		assertThat(renewed.isHeld()).isTrue();
		assertThat(unrenewed.isHeld()).isFalse();
		assertThat(this.backend.calls(Kind.RENEW)).isNotEmpty()
			.allSatisfy((call) -> assertThat(call.requests()).containsExactly(renewed.lease().request()));
	}

	@Test
	void renewalSurvivesEveryKindOfFailure() {
		Hold hold = Harness.hold(this.engine);
		for (Throwable failure : List.of(new BackendUnavailableException("down", null),
				new OutcomeUnknownException("timeout", null), new IllegalStateException(), new StackOverflowError(),
				new OutOfMemoryError("no thread"), new AssertionError(), new Exception("checked"))) {
			failAlways(failure);
			long before = renewals();
			this.harness.advance(DUE.plusSeconds(4), SECOND);
			assertThat(renewals()).as("calls that failed with %s", failure).isBetween(before + 3, before + 6);
			this.backend.heal();
			this.harness.advance(SECOND.multipliedBy(2), SECOND);
			assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(3));
		}
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void renewalSurvivesAnAnswerThatIsNone() {
		FaultyBackend odd = this.harness.backend();
		Hold hold = Harness.hold(this.harness.steadyEngine(odd, EngineSettings.defaults()));
		odd.setRenewalAnswer((renewal) -> null);
		this.harness.advance(DUE.plusSeconds(2), SECOND);
		odd.setRenewalAnswer((renewal) -> renewal);
		this.harness.advance(LEASE, SECOND);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leaseOfWhichNothingIsKnownIsNeitherLostNorExtendedAndTriedAgain() {
		FaultyBackend odd = this.harness.backend();
		Hold hold = Harness.hold(this.harness.steadyEngine(odd, EngineSettings.defaults()));
		odd.setRenewalAnswer((renewal) -> new Renewal(Set.of(), Set.of()));
		this.harness.advance(DUE.plusSeconds(2), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isLessThan(LEASE.minus(DUE));
		odd.setRenewalAnswer((renewal) -> renewal);
		this.harness.advance(LEASE, SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void renewalSurvivesThatItCannotBeStarted(int times) {
		Hold hold = Harness.hold(this.engine);
		this.executor.rejectNext(new OutOfMemoryError("unable to create native thread"));
		if (times == 2) {
			this.executor.rejectNext(new IllegalStateException());
		}
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofMillis(100));
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void renewalSurvivesAClockThatFails() {
		AtomicInteger failures = new AtomicInteger();
		FaultyBackend renewing = this.harness.backend();
		Hold hold = Harness.hold(this.harness.engine(renewing, EngineSettings.defaults(), new TimeSource() {

			@Override
			public long nanoTime() {
				if (Thread.currentThread().getName().startsWith("lock-timer")
						&& failures.getAndUpdate((left) -> Math.max(left - 1, 0)) > 0) {
					throw new StackOverflowError("a test");
				}
				return RenewalTests.this.harness.time.nanoTime();
			}

			@Override
			public long currentTimeMillis() {
				return RenewalTests.this.harness.time.currentTimeMillis();
			}

			@Override
			public void parkNanos(Object blocker, long nanos) {
				RenewalTests.this.harness.time.parkNanos(blocker, nanos);
			}

		}));
		failures.set(2);
		this.harness.advance(DUE);
		await().until(() -> renewing.count(Kind.RENEW) == 1 && hold.remaining().compareTo(LEASE.minus(DUE)) > 0);
		assertThat(failures).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 30 })
	void renewalSurvivesAClockThatFailsAtAnyTime(long seconds) {
		for (int i = 1; i <= 40; i++) {
			int number = i;
			assertRenewalSurvives(Duration.ofSeconds(seconds), () -> failLook(number), "look " + i);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 30 })
	void renewalSurvivesAStoreThatFailsToNameItsLongestLeaseAtAnyTime(long seconds) {
		for (int i = 1; i <= 15; i++) {
			int number = i;
			assertRenewalSurvives(Duration.ofSeconds(seconds), () -> this.backend.failLongestLease(number),
					"call " + i);
		}
	}

	private void assertRenewalSurvives(Duration lease, Runnable failure, String description) {
		Hold hold = hold(description, AcquireOptions.exclusive(lease, true));
		this.harness.advance(lease.multipliedBy(97).dividedBy(300).minusNanos(1));
		failure.run();
		this.harness.advance(Duration.ofNanos(1));
		this.harness.advance(lease.multipliedBy(2), lease.dividedBy(10));
		assertThat(hold.isHeld()).as(description).isTrue();
		hold.release();
	}

	@Test
	void allAreRenewedThoughTheClockFailsAfterAFailover() {
		List<Hold> holds = IntStream.range(0, 3).mapToObj((i) -> hold("key-" + i, OPTIONS)).toList();
		this.harness.advance(LEASE, SECOND);
		for (int i = 1; i <= 40; i++) {
			failLook(i);
			this.backend.listener().onFailedOver();
			this.harness.advance(LEASE.multipliedBy(2), SECOND);
			assertThat(holds).as("look %s", i).allMatch(Hold::isHeld);
		}
	}

	private void failLook(int number) {
		this.harness.clock().afterLookOfTimer(number, () -> {
			throw new StackOverflowError("a test");
		});
	}

	@Test
	void renewalIsTriedAgainUntilTheLeaseEnds() {
		Hold hold = Harness.hold(this.engine);
		failAlways(new BackendUnavailableException("down", null));
		this.harness.advance(LEASE.minusSeconds(2), SECOND);
		assertThat(hold.isHeld()).isTrue();
		assertThat(renewals()).isBetween(15L, 25L);
		this.backend.heal();
		this.harness.advance(SECOND, Duration.ofMillis(100));
		assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(3));
	}

	@Test
	void renewalStopsAtTheEndOfTheLeaseForGood() {
		Hold hold = Harness.hold(this.engine);
		failAlways(new OutcomeUnknownException("timeout", null));
		this.harness.advance(LEASE, SECOND);
		assertThat(this.harness.losses).containsExactly(KEY + "#" + hold.token());
		this.backend.heal();
		long before = renewals();
		this.harness.advance(LEASE.multipliedBy(2), SECOND);
		assertThat(renewals()).isEqualTo(before);
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void lossIsNoticedInTimeAlthoughTheRenewalHangs() {
		LockEngine engine = this.harness.engine(this.backend);
		Hold hold = Harness.hold(engine);
		Gate gate = new Gate();
		this.backend.always(Kind.RENEW, Fault.before(gate));
		this.harness.advance(DUE);
		gate.awaitArrival();
		this.harness.advance(LEASE.minus(DUE));
		await().until(() -> this.harness.losses.size() == 1);
		gate.open();
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void leaseThatWasGrantedForAShortTimeIsRenewedAtOnce() {
		Hold hold = holdForASecond();
		this.harness.advance(Duration.ZERO);
		assertThat(renewals()).isOne();
		assertThat(hold.remaining()).isEqualTo(LEASE.minus(LEASE.dividedBy(100)));
		this.harness.advance(DUE.minusNanos(1));
		assertThat(renewals()).isOne();
		this.harness.advance(Duration.ofNanos(1));
		assertThat(renewals()).isEqualTo(2);
	}

	@Test
	void renewalOfALeaseThatWasGrantedForAShortTimeIsTriedAgainWithinIt() {
		this.backend.next(Kind.RENEW, Fault.unavailable());
		Hold hold = holdForASecond();
		this.harness.advance(SHORT.minusMillis(1), Duration.ofMillis(10));
		assertThat(renewals()).isEqualTo(2);
		assertThat(this.backend.calls(Kind.RENEW).get(0).timeout()).isEqualTo(SHORT.dividedBy(3));
		assertThat(hold.remaining()).isGreaterThan(SECOND);
	}

	@Test
	void shortRenewalIntervalIsKeptAfterAnOrdinaryGrant() {
		LockEngine engine = engine(EngineSettings.defaults().withRenewInterval(SECOND));
		Harness.hold(engine);
		this.harness.advance(SECOND.minus(LEASE.dividedBy(100)));
		assertThat(renewals()).isOne();
	}

	/**
	 * A hold whose lease was sent without a request, for a second only.
	 */
	private Hold holdForASecond() {
		Hold held = Harness.hold(this.harness.engine());
		Harness.Waiter waiter = this.harness.queued(this.engine, Duration.ofDays(1));
		this.backend.setClaimTime(SECOND);
		held.release();
		return waiter.hold();
	}

	@Test
	void renewalsHaveNoMoreKeysThanTheBackendTakesAtOnceMostUrgentFirst() {
		this.backend.setRenewalBatchSize(10);
		for (int i = 0; i < 25; i++) {
			hold("order:" + i, OPTIONS);
			this.harness.time.advance(Duration.ofMillis(1));
		}
		this.harness.advance(DUE);
		assertThat(this.backend.calls(Kind.RENEW)).extracting((call) -> call.requests().size())
			.containsExactly(10, 10, 5);
		assertThat(this.backend.calls(Kind.RENEW).get(0).requests()).extracting(LeaseRequest::key)
			.containsExactlyElementsOf(IntStream.range(0, 10).mapToObj((i) -> "order:" + i).toList());
	}

	@Test
	void leaseOfManyKeysIsRenewedByItself() {
		this.backend.setRenewalBatchSize(3);
		hold("a", OPTIONS);
		assertThat(Harness.acquireTogether(this.engine, List.of("b", "c", "d", "e"), OPTIONS)).hasSize(4);
		hold("f", OPTIONS);
		this.harness.advance(DUE);
		assertThat(this.backend.calls(Kind.RENEW)).extracting((call) -> call.requests().size())
			.containsExactlyInAnyOrder(2, 1);
	}

	@Test
	void leaseThatCannotBeRenewedCostsNoOther() {
		List<Hold> holds = IntStream.range(0, 400).mapToObj((i) -> hold("order:" + i, OPTIONS)).toList();
		LeaseRequest bad = holds.get(123).lease().request();
		this.backend.always(Kind.RENEW, Fault.before(() -> {
			if (this.backend.lastCall(Kind.RENEW).requests().contains(bad)) {
				this.harness.time.advance(SECOND);
				throw new OutcomeUnknownException("timeout", null);
			}
		}));
		this.harness.advance(LEASE.multipliedBy(3), SECOND.dividedBy(2));
		assertThat(this.harness.losses).containsExactly("order:123#" + holds.get(123).token());
		assertThat(holds.stream().filter(Hold::isHeld)).hasSize(399);
	}

	@Test
	void shortLeaseIsKeptBesideManyLongOnesOnAStoreThatTakesItsTime() {
		holdMany(2_000);
		this.harness.advance(DUE.minusMillis(1));
		Hold brief = hold("short", AcquireOptions.exclusive(SECOND.multipliedBy(2), true));
		takeTime(Duration.ofMillis(1));
		this.harness.advance(LEASE.multipliedBy(2), Duration.ofMillis(100));
		assertThat(brief.isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
	}

	@Test
	void longLeasesAreKeptBesideShortOnesThatComeAndGo() {
		holdMany(2_000);
		takeTime(Duration.ofMillis(1));
		for (int i = 0; i < 600; i++) {
			Hold brief = hold("short", AcquireOptions.exclusive(Duration.ofMillis(300), true));
			this.harness.advance(Duration.ofMillis(100));
			brief.release();
		}
		assertThat(this.harness.losses.stream().filter((loss) -> !loss.startsWith("short"))).isEmpty();
	}

	private List<Hold> holdMany(int number) {
		return IntStream.range(0, number).mapToObj((i) -> hold("order:" + i, OPTIONS)).toList();
	}

	/**
	 * Has a renewal take time for each key, and fail if that is more than it has.
	 */
	private void takeTime(Duration perKey) {
		this.backend.always(Kind.RENEW, Fault.before(() -> {
			FaultyBackend.Call call = this.backend.lastCall(Kind.RENEW);
			Duration needed = perKey.multipliedBy(call.requests().size());
			boolean enough = needed.compareTo(call.timeout()) <= 0;
			this.harness.time.advance(enough ? needed : call.timeout());
			if (!enough) {
				throw new OutcomeUnknownException("timeout", null);
			}
		}));
	}

	@Test
	void leasesThatWouldNotBeRenewedInTimeAreRejected() {
		this.backend.setRenewalBatchSize(1);
		LockEngine engine = this.harness.engine(this.backend);
		Hold first = Harness.hold(engine);
		Hold second = engine.acquireUninterruptibly("second", OPTIONS, new Object(), 0);
		Gate one = new Gate();
		Gate two = new Gate();
		this.backend.next(Kind.RENEW, Fault.before(one));
		this.backend.next(Kind.RENEW, Fault.before(two));
		this.harness.advance(DUE);
		one.awaitArrival();
		this.harness.advance(THIRD.multipliedBy(2).dividedBy(3));
		one.open();
		two.awaitArrival();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.acquire("third", OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE))
			.havingCause()
			.withMessageContaining("can be renewed in time");
		Harness.Waiter waiter = this.harness.start(() -> engine.acquire("waited for", OPTIONS, LEASE.toNanos()))
			.awaitSleep();
		two.open();
		await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return waiter.isDone();
		});
		assertThat(waiter.hold().isHeld()).isTrue();
		await().untilAsserted(() -> assertThat(second.remaining()).isGreaterThan(THIRD.multipliedBy(2)));
		await().ignoreExceptions().until(() -> engine.acquire("third", OPTIONS, 0) != null);
		assertThat(first.isHeld()).isTrue();
	}

	@Test
	void storeThatCatchesUpIsNotTakenForOverloaded() throws InterruptedException {
		List<Hold> holds = holdMany(200);
		failAlways(new BackendUnavailableException("away", null));
		this.harness.advance(THIRD.multipliedBy(2), Duration.ofMillis(500));
		this.backend.heal();
		List<Hold> more = new ArrayList<>();
		this.backend.always(Kind.RENEW, Fault.after(() -> {
			this.harness.time.advance(Duration.ofMillis(1));
			more.add(this.engine.acquireUninterruptibly("more:" + more.size(), OPTIONS, new Object(), 0));
		}));
		this.harness.advance(SECOND, Duration.ofMillis(10));
		assertThat(more).hasSizeGreaterThan(5).allMatch(Hold::isHeld);
		assertThat(holds).allMatch(Hold::isHeld);
	}

	@Test
	void storeThatStandsStillIsNotTakenForOverloaded() throws InterruptedException {
		this.backend.setRenewalBatchSize(1);
		ExecutorService threads = Executors.newCachedThreadPool();
		LockEngine engine = this.harness.steadyEngine(this.backend, EngineSettings.defaults(), threads);
		Harness.hold(engine);
		engine.acquireUninterruptibly("second", OPTIONS, new Object(), 0);
		Gate gate = new Gate();
		this.backend.next(Kind.RENEW, Fault.before(gate));
		this.harness.advance(DUE);
		gate.awaitArrival();
		engine.acquireUninterruptibly("short", AcquireOptions.exclusive(SECOND, true), new Object(), 0);
		this.harness.advance(THIRD.multipliedBy(2).dividedBy(3), Duration.ofMillis(100));
		assertThat(engine.acquire("third", OPTIONS, 0)).isNotNull();
		gate.open();
		await().until(() -> renewals() >= 2);
	}

	@Test
	void storeThatIsAwayIsNotTakenForOverloaded() throws InterruptedException {
		this.backend.setRenewalBatchSize(1);
		Hold first = hold("first", OPTIONS);
		Hold second = hold("second", OPTIONS);
		failAlways(new BackendUnavailableException("away", null));
		this.harness.advance(THIRD.multipliedBy(2), Duration.ofMillis(500));
		assertThat(renewals()).isPositive();
		assertThat(this.engine.acquire("third", OPTIONS, 0)).isNotNull();
		this.backend.heal();
		this.harness.advance(LEASE, Duration.ofMillis(500));
		assertThat(List.of(first, second)).allMatch(Hold::isHeld);
		assertThat(this.engine.acquire("fourth", OPTIONS, 0)).isNotNull();
	}

	@Test
	void wakeUpsOfThoseThatWaitDoNotLookThroughAllLeases() {
		HookedTime clock = new HookedTime(this.harness.time);
		FaultyBackend polling = this.harness.backend().without(Capability.QUEUE);
		LockEngine engine = this.harness.engine(polling, EngineSettings.defaults(), clock);
		LockEngine other = this.harness.engine();
		for (int i = 0; i < 1_000; i++) {
			engine.acquireUninterruptibly("order:" + i, OPTIONS, new Object(), 0);
		}
		for (int i = 0; i < 20; i++) {
			other.acquireUninterruptibly("other:" + i, OPTIONS, new Object(), 0);
			engine.acquireAsync("other:" + i, OPTIONS, new Object(), LEASE.toNanos());
		}
		long before = clock.readings();
		for (int i = 0; i < 100; i++) {
			this.harness.time.advance(Duration.ofMillis(10));
			clock.awaitTimer();
		}
		assertThat(polling.attempts()).isGreaterThan(500);
		assertThat(clock.readings() - before).isLessThan(50_000);
	}

	@Test
	void renewalHasAThirdOfTheLeaseTimeAtMost() {
		hold("long", OPTIONS);
		this.harness.advance(DUE);
		assertThat(this.backend.lastCall(Kind.RENEW).timeout()).isEqualTo(SECOND);
		hold("short", AcquireOptions.exclusive(Duration.ofMillis(300), true));
		this.harness.advance(Duration.ofMillis(100));
		assertThat(this.backend.lastCall(Kind.RENEW).timeout()).isEqualTo(Duration.ofMillis(99));
	}

	@Test
	void failureOfLongLeaseDoesNotHoldUpShortOne() {
		hold("long", OPTIONS);
		this.harness.advance(DUE.minusMillis(1));
		Hold brief = hold("short", AcquireOptions.exclusive(Duration.ofMillis(300), true));
		this.backend.next(Kind.RENEW, Fault.unavailable());
		this.harness.advance(SECOND, Duration.ofMillis(1));
		assertThat(brief.isHeld()).isTrue();
	}

	@Test
	void renewalEndsAfterTheLongestTimeOfHolding() {
		LockEngine engine = engine(EngineSettings.defaults().withMaxHoldTime(LEASE.multipliedBy(2)));
		Hold hold = Harness.hold(engine);
		this.harness.advance(LEASE.multipliedBy(2).plus(THIRD), SECOND);
		assertThat(hold.isHeld()).isTrue();
		long before = renewals();
		this.harness.advance(THIRD.multipliedBy(2), SECOND);
		assertThat(hold.isHeld()).isFalse();
		assertThat(renewals()).isEqualTo(before);
		await().until(() -> this.harness.losses.size() == 1);
	}

	@Test
	void intervalCanBeSet() {
		Hold hold = Harness.hold(engine(EngineSettings.defaults().withRenewInterval(SECOND)));
		this.harness.advance(SECOND.multipliedBy(10), SECOND);
		assertThat(renewals()).isBetween(10L, 15L);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void leaseThatIsShorterThanTheIntervalIsRenewedAllTheSame() {
		Hold hold = Harness.hold(engine(EngineSettings.defaults().withRenewInterval(LEASE.multipliedBy(2))));
		this.harness.advance(LEASE.multipliedBy(3), SECOND);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void nothingIsRenewedThatIsNotHeld() {
		this.harness.advance(LEASE, SECOND);
		assertThat(this.backend.calls(Kind.RENEW)).isEmpty();
	}

}
