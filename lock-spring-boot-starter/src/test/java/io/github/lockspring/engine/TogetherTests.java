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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.OutcomeUnknownException;

import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several keys acquired in one call to the store.
 */
class TogetherTests {

	private static final List<String> KEYS = List.of("a", "b", "c");

	private static final List<String> MANY_KEYS = IntStream.range(1000, 1600).mapToObj(Integer::toString).toList();

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void severalKeysAreOneCallEachWay() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		assertThat(holds).extracting(Hold::key).isEqualTo(KEYS);
		assertThat(holds).allMatch(Hold::isHeld).extracting(Hold::token).containsOnly(holds.get(0).token());
		assertThat(this.backend.attempts()).isOne();
		assertThat(Hold.releaseAll(holds)).isEmpty();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void manyKeysAreOneCallForEachGroup() throws Exception {
		List<Hold> holds = Harness.acquireTogether(this.engine, MANY_KEYS, OPTIONS);
		assertThat(holds).extracting(Hold::key).isEqualTo(MANY_KEYS);
		assertThat(holds).allMatch(Hold::isHeld);
		assertThat(this.backend.attempts()).isEqualTo(3);
		assertThat(Hold.releaseAll(holds)).isEmpty();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(3);
		Hold last = this.harness.engine().acquire("1599", OPTIONS, 0);
		assertThat(this.engine.acquireTogether(MANY_KEYS, OPTIONS, this, 0)).isNull();
		assertThat(last.release()).isTrue();
		this.harness.assertNothingLeft();
	}

	@Test
	void manyKeysAreReleasedIfTheStoreFailsForTheLastGroup() {
		for (int i = 0; i < 2; i++) {
			this.backend.next(Kind.TRY, Fault.before(() -> {
			}));
		}
		this.backend.next(Kind.TRY, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> this.engine.acquireTogether(MANY_KEYS, OPTIONS, this, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE));
		assertThat(this.backend.attempts()).isEqualTo(3);
		this.harness.assertNothingLeft();
	}

	@Test
	void keysThatEndAreReleasedThoughOneIsHeldAgain() throws Exception {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		Hold again = this.engine.acquire("b", OPTIONS, 0);
		assertThat(again).isSameAs(holds.get(1));
		assertThat(Hold.releaseAll(holds)).isEmpty();
		assertThat(this.backend.lastCall(Kind.RELEASE).request().keys()).containsExactly("a", "c");
		LockEngine other = this.harness.engine();
		assertThat(other.acquire("a", OPTIONS, 0).release()).isTrue();
		assertThat(other.acquire("b", OPTIONS, 0)).isNull();
		this.harness.advance(Harness.LEASE.dividedBy(3));
		Harness.await().until(() -> this.backend.count(Kind.RENEW) > 0);
		assertThat(this.backend.lastCall(Kind.RENEW).request().keys()).containsExactly("b");
		assertThat(again.isHeld()).isTrue();
		assertThat(again.release()).isTrue();
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(2);
		this.harness.assertNothingLeft();
	}

	@Test
	void ownerWaitsForNoKeyThatItReleased() throws Exception {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		assertThat(holds.get(1).release()).isTrue();
		Hold anew = this.engine.acquire("b", OPTIONS, 0);
		assertThat(anew).isNotNull().isNotSameAs(holds.get(1));
		assertThat(anew.token()).isGreaterThan(holds.get(1).token());
		assertThat(holds.get(0).isHeld() && holds.get(2).isHeld()).isTrue();
		assertThat(Hold.releaseAll(List.of(holds.get(0), anew, holds.get(2)))).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void renewalThatCrossedWithThePartialReleaseIsNoLoss() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		Gate gate = new Gate();
		this.backend.next(Kind.RENEW, Fault.before(gate));
		this.harness.advance(Harness.LEASE.dividedBy(3));
		gate.awaitArrival();
		holds.get(1).release();
		gate.open();
		Harness.await().until(() -> this.backend.count(Kind.RENEW) == 2);
		assertThat(this.backend.lastCall(Kind.RENEW).request().keys()).containsExactly("a", "c");
		assertThat(holds.get(0).isHeld() && holds.get(2).isHeld()).isTrue();
		assertThat(this.harness.losses).isEmpty();
		assertThat(Hold.releaseAll(List.of(holds.get(0), holds.get(2)))).isEmpty();
		this.harness.assertNothingLeft();
	}

	@Test
	void failedReleasesOfPartsAreAllRetried() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		this.backend.always(Kind.RELEASE, Fault.unavailable());
		assertThat(holds).allMatch(Hold::release);
		this.backend.heal();
		for (int i = 0; i < 10 && this.harness.sizeOfStore() > 0; i++) {
			this.harness.advance(Duration.ofSeconds(1));
		}
		this.harness.assertNothingLeft();
	}

	@Test
	void noneIsHeldAnyMoreWhenTheStoreIsNotifiedAtShutdown() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		List<Boolean> held = new CopyOnWriteArrayList<>();
		this.backend.always(Kind.RELEASE, Fault.before(() -> holds.forEach((hold) -> held.add(hold.isHeld()))));
		this.engine.shutdown(Duration.ZERO);
		assertThat(held).isNotEmpty().containsOnly(false);
		assertThat(this.harness.sizeOfStore()).isZero();
	}

	@Test
	void endThatOneHoldNoticesIsTheEndOfAllThoughARenewalIsAnsweredAMomentLater() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		Lease lease = holds.get(0).lease();
		this.harness.time.jumpWall(Harness.LEASE);
		assertThat(holds.get(0).isHeld()).isFalse();
		lease.renewed(OPTIONS, Harness.LEASE.toNanos(), this.harness.time.nanoTime(),
				this.harness.time.currentTimeMillis());
		assertThat(holds).noneMatch(Hold::isHeld);
		Harness.await().until(() -> this.harness.losses.size() == 3);
		assertThat(Hold.releaseAll(holds)).hasSize(3);
		this.harness.assertNothingLeft();
	}

	@Test
	void leaseIsRenewedOnceForAllItsHolds() {
		FaultyBackend backend = this.harness.backend();
		LockEngine engine = this.harness.steadyEngine(backend, EngineSettings.defaults());
		List<Hold> holds = Harness.acquireTogether(engine, KEYS, OPTIONS);
		holds.get(0).release();
		for (int i = 1; i <= 9; i++) {
			this.harness.advance(Harness.LEASE.dividedBy(3));
			assertThat(backend.count(Kind.RENEW)).isGreaterThanOrEqualTo(i);
		}
		assertThat(holds.get(1).isHeld()).isTrue();
		assertThat(holds.get(2).isHeld()).isTrue();
		assertThat(backend.lastCall(Kind.RENEW).requests()).hasSize(1);
		holds.get(1).release();
		holds.get(2).release();
		this.harness.assertNothingLeft();
	}

	@Test
	void lossIsTheLossOfAllHolds() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		this.harness.store.expire(holds.get(0).lease().request());
		Harness.await().until(() -> this.harness.losses.size() == 3);
		assertThat(holds).noneMatch(Hold::isHeld);
		assertThat(holds).noneMatch(Hold::release);
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void otherKeysAreFreeWhenOneIsReleasedByAnOperator(boolean elsewhere) {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		LockEngine other = this.harness.engine();
		EngineInspection operator = (elsewhere ? other : this.engine).inspection();
		assertThat(operator.forceReleaseAsync("a", operator.holders("a").get(0)).join()).isTrue();
		this.harness.advance(Harness.LEASE.dividedBy(3)); // to the next renewal
		Harness.await().until(() -> this.harness.losses.size() == 3);
		assertThat(holds).noneMatch(Hold::isHeld);
		Harness.await().until(() -> other.inspection().holders("b").isEmpty());
		assertThat(other.inspection().holders("c")).isEmpty();
		assertThat(Hold.releaseAll(holds)).isEqualTo(holds);
		this.harness.assertNothingLeft();
	}

	@Test
	void nothingIsLeftIfOneKeyIsHeldElsewhere() throws Exception {
		Hold held = this.harness.engine().acquire("b", OPTIONS, 0);
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).isEmpty();
		assertThat(this.engine.size()).isZero();
		held.release();
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).hasSize(3).allMatch(Hold::release);
		this.harness.assertNothingLeft();
	}

	@Test
	void storeIsNotAskedIfOneKeyIsHeldOrWantedInThisProcess() throws Exception {
		Hold held = this.engine.acquire("b", OPTIONS, 0);
		this.backend.clearCalls();
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).isEmpty();
		assertThat(this.backend.attempts()).isZero();
		assertThat(this.engine.size()).isOne();
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void oneWhoWaitsForAKeyGetsItWhenTheLastHoldEnds() throws Exception {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		Harness.Waiter waiter = this.harness.start(() -> this.engine.acquire("a", OPTIONS, Harness.LEASE.toNanos()));
		Harness.await().until(() -> holds.get(0).queue().isWaitedFor());
		assertThat(holds).allMatch(Hold::release);
		Hold next = waiter.hold();
		assertThat(next.token()).isGreaterThan(holds.get(0).token());
		next.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void attemptWithUnknownOutcomeIsReleased() {
		this.backend.next(Kind.TRY, Fault.unknownAfterEffect());
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).isEmpty();
		assertThat(this.engine.size()).isZero();
		Harness.await().until(() -> this.harness.sizeOfStore() == 0);
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).hasSize(3).allMatch(Hold::release);
	}

	@Test
	void storeThatCannotIsNotAsked() {
		FaultyBackend single = this.harness.backend().without(Capability.MULTI_KEY);
		assertThat(Harness.acquireTogether(this.harness.engine(single), KEYS, OPTIONS)).isEmpty();
		assertThat(single.attempts()).isZero();
	}

	@Test
	void shutdownReleasesTheLease() {
		List<Hold> holds = Harness.acquireTogether(this.engine, KEYS, OPTIONS);
		this.engine.shutdown(Duration.ZERO);
		assertThat(holds).noneMatch(Hold::isHeld);
		assertThat(this.harness.sizeOfStore()).isZero();
		assertThat(Harness.acquireTogether(this.engine, KEYS, OPTIONS)).isEmpty();
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> this.engine.acquire("a", OPTIONS, 0));
	}

	@Test
	void callHasTheTimeOfAnOperation() {
		this.engine.acquireTogether(KEYS, OPTIONS, new Object(), Duration.ofMillis(100).toNanos());
		assertThat(this.backend.lastCall(Kind.TRY).timeout()).isEqualTo(Duration.ofSeconds(1));
		this.engine.acquireTogetherAsync(List.of("d", "e"), OPTIONS, new Object(), 0).join();
		assertThat(this.backend.lastCall(Kind.TRY).timeout()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void storeFailureIsThrownIfNoTimeIsLeft() {
		this.backend.next(Kind.TRY, FaultyBackend.Fault.unavailable());
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> this.engine.acquireTogether(KEYS, OPTIONS, new Object(), 0));
		assertThat(this.backend.attempts()).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void releasingManyKeysToAStoreThatHangsTakesLittleMoreThanOneCall() throws Exception {
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			holds.add(this.engine.acquire("order:" + i, OPTIONS, 0));
		}
		Thread caller = Thread.currentThread();
		this.backend.always(Kind.RELEASE, Fault.before(() -> {
			if (Thread.currentThread() == caller) {
				this.harness.time.advance(Duration.ofSeconds(1));
			}
			throw new OutcomeUnknownException("timeout", null);
		}));
		long start = this.harness.time.nanoTime();
		assertThat(Hold.releaseAll(holds)).isEmpty();
		assertThat(Duration.ofNanos(this.harness.time.nanoTime() - start)).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.engine.size()).isZero();
		this.backend.heal();
		Harness.await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return this.harness.sizeOfStore() == 0;
		});
		assertThat(this.harness.losses).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void keyThatIsLostWhileOthersAreWaitedForIsAcquiredAgain(boolean async) throws Exception {
		Hold other = this.harness.engine().acquire("b", OPTIONS, 0);
		CompletableFuture<LockHandle> locks = acquireAll(Duration.ofMinutes(2), async);
		Harness.await().until(() -> this.backend.count(Kind.CONTEND) == 2);
		this.harness.advance(Harness.LEASE);
		other.release();
		LockHandle lock = locks.get(1, TimeUnit.MINUTES);
		assertThat(lock).isNotNull();
		assertThat(lock.isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoNeverHadTheKeysIsNotNotifiedThatOneWasLost(boolean async) throws Exception {
		this.harness.engine().acquire("b", AcquireOptions.exclusive(Duration.ofHours(1), false), 0);
		CompletableFuture<LockHandle> locks = acquireAll(Harness.LEASE.plusSeconds(1), async);
		Harness.await().until(() -> this.backend.count(Kind.CONTEND) == 2);
		Harness.await().until(() -> {
			this.harness.advance(Duration.ofSeconds(1));
			return locks.isDone();
		});
		assertThat(locks.get()).isNull();
	}

	@Test
	void groupsOfKeysAreNotTriedLongAfterTheDeadline() {
		LockTemplate template = LockUtils.template(LockEngines.of(this.engine), "", LockOptions.defaults());
		List<KeyGroup> groups = Stream.of(List.of("a", "b"), List.of("c", "d"), List.of("e", "f"), List.of("g", "h"))
			.map((keys) -> new KeyGroup(template, OPTIONS, keys))
			.toList();
		this.backend.always(Kind.TRY, Fault.before(() -> this.harness.time.advance(Duration.ofMillis(900))));
		assertThat(LockUtils.acquireAll(groups, 0, LockEngine::acquireUninterruptibly)).isNull();
		assertThat(this.backend.attempts()).isEqualTo(2);
		this.harness.assertNothingLeft();
	}

	private CompletableFuture<LockHandle> acquireAll(Duration wait, boolean async) {
		LockOptions options = LockOptions.defaults()
			.withWaitTime(wait)
			.withLeaseTime(Harness.LEASE)
			.withAutoRenew(false);
		LockTemplate template = LockUtils.template(LockEngines.of(this.engine), "", options);
		return async ? template.tryAcquireAllAsync(KEYS, options)
				: CompletableFuture.supplyAsync(() -> template.tryAcquireAll(KEYS, options));
	}

}
