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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.test.SettableTime;

import static io.github.lockspring.engine.Harness.KEY;
import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link PermitLimits}.
 */
class PermitLimitsTests {

	private static final PermitTerms TERMS = new PermitTerms(1, 2, false, Duration.ofHours(1), true);

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LockEngine engine = engine();

	private final LockEngine otherEngine = engine();

	private final PermitLedger ledger = new PermitLedger(this.engine);

	private final PermitLedger elsewhere = new PermitLedger(this.otherEngine);

	private LockEngine engine() {
		return new LockEngine(new LocalLockBackend(this.store), EngineSettings.defaults(), EngineListener.NONE,
				this.time);
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.otherEngine.close();
	}

	@Test
	void limitIsNoLongerWatchedWhenItsKeyWasNotUsedForAWhile() {
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		assertThat(this.ledger.acquireUninterruptibly("other", TERMS, 0)).isTrue();
		this.ledger.release("other", 1);
		assertThat(this.engine.values().size()).isEqualTo(2);
		await().untilAsserted(() -> {
			this.time.advance(Duration.ofMinutes(1));
			assertThat(this.engine.values().size()).isEqualTo(1);
		});
		this.elsewhere.setLimit(KEY, 5);
		await().until(() -> this.ledger.limit(KEY, TERMS) == 5);
		this.ledger.release(KEY, 1);
		await().untilAsserted(() -> {
			this.time.advance(Duration.ofMinutes(1));
			assertThat(this.engine.values().size()).isZero();
		});
		assertThat(this.ledger.limit(KEY, TERMS)).isEqualTo(5);
	}

	@Test
	void limitThatIsChangedWhileCallbacksBlockIsNoticed() throws Exception {
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		CountDownLatch over = new CountDownLatch(1);
		for (int i = 0; i < 100; i++) {
			this.engine.context().threads().callbacks().execute(() -> awaitUninterruptibly(over));
		}
		CompletableFuture<Hold> waiting = this.ledger.acquireAsync(KEY, TERMS, Duration.ofHours(1).toNanos());
		this.elsewhere.setLimit(KEY, 3);
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isNotNull();
		over.countDown();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await(5, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void acquisitionThatIsRejectedReadsTheLimitAgain() {
		assertThat(this.ledger.limit(KEY, TERMS)).isEqualTo(2);
		this.elsewhere.setLimit(KEY, 3);
		for (int i = 0; i < 2; i++) {
			assertThat(this.elsewhere.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		}
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isFalse();
		assertThat(this.ledger.limit(KEY, TERMS)).isEqualTo(3);
	}

	@Test
	void acquisitionThatIsRejectedLearnsTheLimitFromThat() {
		FaultyBackend backend = new FaultyBackend(this.store);
		try (LockEngine cut = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time)) {
			PermitLedger rejected = new PermitLedger(cut);
			assertThat(rejected.limit(KEY, TERMS)).isEqualTo(2);
			backend.always(FaultyBackend.Kind.READ, FaultyBackend.Fault.unavailable());
			this.elsewhere.setLimit(KEY, 3);
			assertThat(this.elsewhere.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
			assertThat(rejected.acquireAsync(KEY, TERMS, 0)).succeedsWithin(Duration.ofMinutes(1)).isNotNull();
			this.elsewhere.setLimit(KEY, 4);
			assertThat(this.elsewhere.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
			assertThat(rejected.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		}
	}

	@Test
	void limitThatIsTooLowIsReadAgain() {
		FaultyBackend backend = new FaultyBackend(this.store);
		backend.setDelivery(FaultyBackend.Delivery.LOSE);
		try (LockEngine deaf = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time)) {
			PermitLedger outdated = new PermitLedger(deaf);
			assertThat(outdated.limit(KEY, TERMS)).isEqualTo(2);
			this.elsewhere.setLimit(KEY, 3);
			assertThat(outdated.acquireUninterruptibly(KEY, TERMS.withPermits(3), 0)).isTrue();
			assertThat(outdated.release(KEY, 3)).isTrue();
			this.elsewhere.setLimit(KEY, 4);
			assertThat(outdated.acquireAsync(KEY, TERMS.withPermits(4), 0)).succeedsWithin(Duration.ofMinutes(1))
				.isNotNull();
			assertThatIllegalArgumentException()
				.isThrownBy(() -> outdated.acquireUninterruptibly(KEY, TERMS.withPermits(5), 0));
		}
	}

	@Test
	void limitThatTheStoreHasLostIsThatOfThePermitsInUse() {
		this.elsewhere.setLimit(KEY, 5);
		assertThat(this.elsewhere.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		this.otherEngine.values().update(KEY + ":permits", new ValueChange.Delete(ValueChange.ANY_VERSION));
		assertThat(this.ledger.acquireUninterruptibly(KEY, TERMS, 0)).isTrue();
		assertThat(this.ledger.acquireAsync(KEY, TERMS, 0)).succeedsWithin(Duration.ofMinutes(1)).isNotNull();
		assertThat(this.ledger.limit(KEY, TERMS)).isEqualTo(5);
	}

	@Test
	void limitThatIsReadAfterTheWaitTimeLeavesLessTime() {
		assertThat(timeoutAfterLateLimit((ledger, wait) -> ledger.acquireUninterruptibly(KEY, TERMS, wait)))
			.isEqualTo(Duration.ofMillis(600));
	}

	@Test
	void limitThatIsReadAsynchronouslyAfterTheWaitTimeLeavesLessTime() {
		assertThat(timeoutAfterLateLimit((ledger, wait) -> ledger.acquireAsync(KEY, TERMS, wait).join() != null))
			.isEqualTo(Duration.ofMillis(600));
	}

	@Test
	void limitThatIsReadAsynchronouslyLeavesNothing() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		FaultyBackend backend = new FaultyBackend(this.store);
		backend.next(FaultyBackend.Kind.READ, FaultyBackend.Fault.after(() -> awaitUninterruptibly(asked)));
		try (LockEngine slow = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time)) {
			PermitLedger user = new PermitLedger(slow);
			WeakReference<PermitLedger> left = new WeakReference<>(user);
			CompletableFuture<Hold> hold = user.acquireAsync(KEY, TERMS, Duration.ofHours(1).toNanos());
			asked.countDown();
			assertThat(hold.get(1, TimeUnit.MINUTES)).isNotNull();
			user = null;
			await().until(() -> {
				System.gc();
				return left.get() == null;
			});
		}
	}

	@Test
	void callbackDoesNotBlockTheThreadThatReadsTheLimitForIt() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		FaultyBackend backend = new FaultyBackend(this.store);
		backend.always(FaultyBackend.Kind.READ, FaultyBackend.Fault.before(() -> {
			awaitUninterruptibly(asked);
			throw new BackendUnavailableException("test", null);
		}));
		try (LockEngine slow = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time)) {
			PermitLedger user = new PermitLedger(slow);
			CompletableFuture<Boolean> reading = CompletableFuture
				.supplyAsync(() -> user.acquireUninterruptibly(KEY, TERMS, 0));
			await().until(() -> backend.count(FaultyBackend.Kind.READ) == 1);
			CompletableFuture<?> joined = user.acquireAsync(KEY, TERMS, 0);
			joined.whenComplete((hold, failure) -> awaitUninterruptibly(over));
			asked.countDown();
			assertThat(reading).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class);
			assertThat(joined).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class);
			over.countDown();
		}
	}

	@Test
	void callbackDoesNotBlockTheShutdown() {
		CountDownLatch over = new CountDownLatch(1);
		FaultyBackend backend = new FaultyBackend(this.store);
		backend.always(FaultyBackend.Kind.READ, FaultyBackend.Fault.unavailable());
		LockEngine away = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
		CompletableFuture<Hold> waiting = new PermitLedger(away).acquireAsync(KEY, TERMS,
				Duration.ofHours(1).toNanos());
		await().until(() -> backend.count(FaultyBackend.Kind.READ) > 0);
		waiting.whenComplete((hold, failure) -> awaitUninterruptibly(over));
		CompletableFuture<Void> closing = CompletableFuture.runAsync(away::close);
		assertThat(closing).succeedsWithin(Duration.ofMinutes(1));
		assertThat(waiting).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class);
		over.countDown();
	}

	/**
	 * Acquires within 500 ms with a timeout of 1 s, and answers after 900 ms what the
	 * limit is.
	 * @return the timeout of the attempt after that
	 */
	private Duration timeoutAfterLateLimit(BiPredicate<PermitLedger, Long> acquisition) {
		FaultyBackend backend = new FaultyBackend(this.store);
		backend.next(FaultyBackend.Kind.READ,
				FaultyBackend.Fault.after(() -> this.time.advance(Duration.ofMillis(900))));
		EngineSettings settings = EngineSettings.defaults().withOperationTimeout(Duration.ofSeconds(1));
		try (LockEngine late = new LockEngine(backend, settings, EngineListener.NONE, this.time)) {
			assertThat(acquisition.test(new PermitLedger(late), Duration.ofMillis(500).toNanos())).isTrue();
			return backend.lastCall(FaultyBackend.Kind.TRY).timeout();
		}
	}

}
