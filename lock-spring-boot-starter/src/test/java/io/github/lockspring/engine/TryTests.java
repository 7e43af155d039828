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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.FaultyBackend.Fault;
import io.github.lockspring.engine.FaultyBackend.Gate;
import io.github.lockspring.engine.FaultyBackend.Kind;
import io.github.lockspring.engine.Harness.Waiter;

import static io.github.lockspring.engine.Harness.LEASE;
import static io.github.lockspring.engine.Harness.OPTIONS;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for trying while another thread of the process asks the store: who needs only a
 * part of the key asks by itself.
 */
class TryTests {

	private static final AcquireOptions PERMIT = AcquireOptions.permits(1, 3, LEASE, true);

	private static final Duration WAIT = Duration.ofDays(1);

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend);

	private final Gate gate = new Gate();

	@AfterEach
	void close() {
		this.gate.open();
		this.harness.close();
	}

	static List<AcquireOptions> parts() {
		return List.of(Harness.SHARED, PERMIT);
	}

	/**
	 * One that asks the store, which takes its time.
	 */
	private Waiter asking(AcquireOptions options) {
		this.backend.next(Kind.CONTEND, Fault.before(this.gate));
		Waiter asking = this.harness.acquire(this.engine, options, WAIT);
		this.gate.awaitArrival();
		return asking;
	}

	@ParameterizedTest
	@MethodSource("parts")
	void tryIsNotRejectedBecauseAnotherThreadAsks(AcquireOptions options) {
		Waiter asking = asking(options);
		Hold hold = Harness.hold(this.engine, options);
		assertThat(hold.isHeld()).isTrue();
		this.gate.open();
		assertThat(asking.hold().isHeld()).isTrue();
		hold.release();
		asking.hold().release();
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@MethodSource("parts")
	void asynchronousTryIsNotRejectedBecauseAnotherThreadAsks(AcquireOptions options) {
		asking(options);
		Hold hold = this.engine.acquireAsync(Harness.KEY, options, new Object(), 0).join();
		assertThat(hold).isNotNull();
		assertThat(hold.isHeld()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("parts")
	void holdThatCannotWaitAnyLongerTriesBesideTheLeader(AcquireOptions options) {
		asking(options);
		Waiter waiter = this.harness.queued(this.engine, options, Duration.ofMillis(1));
		this.harness.time.advance(Duration.ofMillis(1));
		assertThat(waiter.hold().isHeld()).isTrue();
	}

	@Test
	void tryThatIsDeniedLeavesNothing() {
		Harness.hold(this.harness.engine());
		Waiter waiter = this.harness.queued(this.engine, PERMIT, WAIT);
		Waiter brief = this.harness.queued(this.engine, PERMIT, Duration.ofMillis(1));
		assertThat(this.engine.acquireUninterruptibly(Harness.KEY, PERMIT, new Object(), 0)).isNull();
		this.harness.time.advance(Duration.ofMillis(1));
		assertThat(brief.result()).isNull();
		assertThat(this.backend.count(Kind.TRY)).isEqualTo(2);
		waiter.interrupt();
		assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
		await().until(() -> this.engine.size() == 0);
	}

	@Test
	void queueOutlivesTheLastOfItsTries() {
		Waiter asking = asking(PERMIT);
		Gate second = new Gate();
		this.backend.next(Kind.TRY, Fault.before(second));
		Waiter trying = this.harness.acquire(this.engine, PERMIT, Duration.ZERO);
		second.awaitArrival();
		this.gate.open();
		asking.hold().release();
		assertThat(this.engine.size()).isOne();
		second.open();
		trying.hold().release();
		this.harness.assertNothingLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoWantsTheWholeKeyWaitsForTheAnswerToAnother(boolean async) {
		Waiter asking = asking(OPTIONS);
		Waiter trying = this.harness
			.start(() -> async ? this.engine.acquireAsync(Harness.KEY, OPTIONS, new Object(), 0).join()
					: this.engine.acquire(Harness.KEY, OPTIONS, 0));
		await().until(() -> this.engine.inspection().waitingCount(Harness.KEY) == 2);
		assertThat(trying.isDone()).isFalse();
		this.gate.open();
		assertThat(asking.hold().isHeld()).isTrue();
		assertThat(trying.result()).isNull();
		assertThat(this.backend.count(Kind.TRY)).isZero();
	}

	@Test
	void onlyOneOfManyWhoTryAsksAgainWhenAnotherWasDenied() {
		Harness.hold(this.harness.engine());
		this.backend.next(Kind.TRY, Fault.before(this.gate));
		List<Waiter> waiters = new ArrayList<>();
		waiters.add(this.harness.acquire(this.engine, Duration.ZERO));
		this.gate.awaitArrival();
		this.harness.time.advance(Duration.ofMillis(1));
		for (int i = 0; i < 10; i++) {
			waiters.add(this.harness.queued(this.engine, Duration.ZERO));
		}
		this.gate.open();
		waiters.forEach((waiter) -> assertThat(waiter.result()).isNull());
		assertThat(this.backend.count(Kind.TRY)).isEqualTo(2);
		await().until(() -> this.engine.size() == 0);
	}

	@ParameterizedTest
	@MethodSource("all")
	void tryIsNotRejectedBecauseAnotherThreadJustReleases(AcquireOptions options) {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.before(this.gate));
		CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(hold::release);
		this.gate.awaitArrival();
		Waiter trying = this.harness.queued(this.engine, options, Duration.ZERO);
		this.gate.open();
		assertThat(release.join()).isTrue();
		assertThat(trying.hold().isHeld()).isTrue();
	}

	static List<AcquireOptions> all() {
		return List.of(OPTIONS, Harness.SHARED, PERMIT);
	}

	@Test
	void tryIsUnavailableWhileTheReleaseOfAnotherThreadHangs() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, Fault.before(this.gate));
		CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(hold::release);
		this.gate.awaitArrival();
		Waiter trying = this.harness.queued(this.engine, Duration.ZERO);
		this.harness.time.advance(Duration.ofSeconds(1));
		assertThat(trying.failure()).isInstanceOf(EngineException.class);
		this.gate.open();
		assertThat(release.join()).isTrue();
	}

	@Test
	void tryIsRejectedWithoutAskingWhileAnotherThreadWaits() {
		Harness.hold(this.harness.engine());
		this.harness.queued(this.engine, WAIT);
		this.backend.clearCalls();
		assertThat(this.engine.acquireUninterruptibly(Harness.KEY, OPTIONS, new Object(), 0)).isNull();
		assertThat(this.backend.attempts()).isZero();
	}

	@Test
	void tryIsUnavailableWhileTheAttemptsOfAnotherThreadFail() {
		this.backend.always(Kind.CONTEND, Fault.unavailable());
		this.harness.queued(this.engine, WAIT);
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> this.engine.acquireUninterruptibly(Harness.KEY, OPTIONS, new Object(), 0));
	}

	@Test
	void tryIsNotRejectedBecauseAnotherThreadTriesSeveralKeys() {
		this.harness.engine().acquireUninterruptibly("z", OPTIONS, this, 0);
		this.backend.next(Kind.TRY, Fault.after(this.gate));
		CompletableFuture<Object> together = CompletableFuture.supplyAsync(() -> Optional
			.ofNullable(this.engine.acquireTogether(List.of(Harness.KEY, "z"), OPTIONS, new Object(), 0)));
		this.gate.awaitArrival();
		Waiter trying = this.harness.queued(this.engine, Duration.ZERO);
		this.gate.open();
		assertThat(trying.hold().isHeld()).isTrue();
		assertThat(together.join()).as("denied, without trying the keys one by one").isEqualTo(Optional.empty());
	}

	@Test
	void tryIsRejectedWithoutAskingWhileTheKeyIsHeldHere() {
		Harness.hold(this.engine);
		this.backend.clearCalls();
		assertThat(this.engine.acquireUninterruptibly(Harness.KEY, PERMIT, new Object(), 0)).isNull();
		assertThat(this.backend.attempts()).isZero();
	}

}
