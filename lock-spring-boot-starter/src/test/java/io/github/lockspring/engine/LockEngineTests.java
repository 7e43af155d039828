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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineException.Reason;
import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;
import io.github.lockspring.spi.Capability;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockEngine}: what one caller gets, and what many get one after the
 * other.
 */
class LockEngineTests {

	private static final Duration WAIT = Duration.ofSeconds(10);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void acquireAndReleaseTakeOneCallEach() {
		Hold hold = Harness.hold(this.engine);
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.harness.holders()).hasSize(1);
		assertThat(hold.release()).isTrue();
		assertThat(this.backend.attempts()).isOne();
		assertThat(this.backend.count(Kind.RELEASE)).isOne();
		this.harness.assertNothingLeft();
	}

	@Test
	void releasedHoldIsNotHeld() {
		Hold hold = Harness.hold(this.engine);
		hold.release();
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(hold::release);
	}

	@Test
	void tokensGrow() {
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Hold hold = Harness.hold(this.engine);
			tokens.add(hold.token());
			hold.release();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void keysAreIndependent() throws InterruptedException {
		Harness.hold(this.engine);
		assertThat(this.engine.acquire("order:43", OPTIONS, 0)).isNotNull();
		assertThat(this.engine.size()).isEqualTo(2);
	}

	@Test
	void tryOnceDoesNotWaitForHolderInThisProcess() throws InterruptedException {
		Harness.hold(this.engine);
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isNull();
		assertThat(this.backend.attempts()).isOne();
	}

	@Test
	void tryOnceDoesNotWaitForHolderInAnotherProcess() throws InterruptedException {
		Hold held = Harness.hold(this.harness.engine());
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isNull();
		assertThat(this.engine.size()).isZero();
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void tryOnceIsOneCallWhetherItSucceedsOrNot() throws InterruptedException {
		Hold held = Harness.hold(this.harness.engine());
		assertThat(this.engine.acquire(KEY, OPTIONS, 0)).isNull();
		held.release();
		Hold hold = Harness.hold(this.engine);
		this.engine.close();
		assertThat(this.backend.count(Kind.TRY)).isEqualTo(2);
		assertThat(this.backend.count(Kind.CONTEND)).isZero();
		// The shutdown repeats a release that was begun in the background
		assertThat(this.backend.calls(Kind.RELEASE)).extracting(FaultyBackend.Call::request)
			.containsOnly(hold.lease().request());
	}

	@Test
	void waitersOfOneProcessAreServedInTheirOrder() {
		Hold hold = Harness.hold(this.engine);
		List<Integer> order = Collections.synchronizedList(new ArrayList<>());
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			waiters.add(queuedToAdd(i, order));
		}
		hold.release();
		waiters.forEach(Waiter::hold);
		assertThat(order).hasSize(20).isSorted();
		this.harness.assertNothingLeft();
	}

	private Waiter queuedToAdd(int number, List<Integer> order) {
		return this.harness.start(() -> {
			Hold hold = this.engine.acquire(KEY, OPTIONS, WAIT.toNanos());
			order.add(number);
			assertThat(hold).isNotNull();
			hold.release();
			return hold;
		}).awaitSleep();
	}

	@Test
	void onlyOneOfManyWaitersAsksTheStore() {
		Hold held = Harness.hold(this.harness.engine());
		Waiter leader = this.harness.queued(this.engine, WAIT);
		List<Waiter> others = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			others.add(this.harness.queued(this.engine, WAIT));
		}
		assertThat(this.backend.attempts()).isOne();
		held.release();
		leader.hold().release();
		others.forEach((waiter) -> waiter.hold().release());
		this.harness.assertNothingLeft();
		assertThat(this.backend.attempts()).isLessThan(1001);
	}

	@Test
	void storeSeesOneContenderOfAProcessAtATime() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		this.backend.always(Kind.CONTEND, new Fault() {

			@Override
			public void before() {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			}

			@Override
			public void after() {
				inside.decrementAndGet();
			}

		});
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			waiters.add(this.harness.start(() -> acquireAndRelease()));
		}
		waiters.forEach(Waiter::hold);
		assertThat(most).hasValue(1);
	}

	private Hold acquireAndRelease() throws InterruptedException {
		Hold hold = this.engine.acquire(KEY, OPTIONS, WAIT.toNanos());
		assertThat(hold).isNotNull();
		hold.release();
		return hold;
	}

	@Test
	void moreKeysThanTheLimitAreRejected() throws InterruptedException {
		LockEngine small = this.harness.engine(this.backend, EngineSettings.defaults().withMaxKeys(2));
		Hold first = small.acquire("a", OPTIONS, 0);
		small.acquire("b", OPTIONS, 0);
		assertThatExceptionOfType(EngineException.class).isThrownBy(() -> small.acquire("c", OPTIONS, 0))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.LIMIT))
			.withMessageContaining("2");
		assertThat(small.acquire("a", OPTIONS, 0)).as("held already").isSameAs(first);
		first.release();
		first.release();
		assertThat(small.acquire("c", OPTIONS, 0)).isNotNull();
	}

	@Test
	void whatTheBackendCannotDoIsRejected() {
		FaultyBackend poor = this.harness.backend().without(Capability.FAIR, Capability.SHARED, Capability.PERMITS);
		LockEngine engine = this.harness.engine(poor);
		for (AcquireOptions options : List.of(Harness.FAIR, Harness.SHARED,
				AcquireOptions.permits(1, 2, Harness.LEASE, true))) {
			assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.acquire(KEY, options, 0))
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNSUPPORTED))
				.withMessageContaining("faulty");
		}
		assertThat(poor.attempts()).isZero();
		assertThat(engine.size()).isZero();
	}

	@Test
	void keysThatAreGoneLeaveNothing() throws InterruptedException {
		LockEngine engine = this.harness.engine(this.harness.backend().withoutRecording());
		for (int i = 0; i < 100_000; i++) {
			Hold hold = engine.acquire("order:" + i, OPTIONS, 0);
			assertThat(hold != null && hold.release()).isTrue();
		}
		assertThat(engine.size()).isZero();
		assertThat(this.harness.sizeOfStore()).isZero();
	}

	@Test
	void failedAttemptsLeaveNothing() throws InterruptedException {
		Hold held = Harness.hold(this.harness.engine());
		LockEngine engine = this.harness.engine(this.harness.backend().withoutRecording());
		for (int i = 0; i < 100_000; i++) {
			assertThat(engine.acquire(KEY, OPTIONS, 0)).isNull();
		}
		assertThat(engine.size()).isZero();
		held.release();
		this.harness.assertNothingLeft();
	}

	@Test
	void probeMakesOneRoundTrip() {
		assertThat(this.engine.inspection().probe()).isGreaterThanOrEqualTo(Duration.ZERO);
		assertThat(this.backend.count(Kind.PROBE)).isOne();
		assertThat(this.engine.backendName()).isEqualTo("faulty");
	}

	@Test
	void probeOfFailedStoreSaysWhy() {
		this.backend.always(Kind.PROBE, Fault.unavailable());
		assertThatExceptionOfType(EngineException.class).isThrownBy(this.engine.inspection()::probe)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.UNAVAILABLE))
			.havingCause()
			.withMessage("connection refused");
	}

}
