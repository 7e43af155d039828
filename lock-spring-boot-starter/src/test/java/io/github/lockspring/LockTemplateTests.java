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

package io.github.lockspring;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.AdditionalAnswers;
import org.mockito.ArgumentCaptor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.engine.LockNames;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeast;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link LockTemplate}.
 */
class LockTemplateTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final LockOptions TRY_ONCE = OPTIONS.withWaitTime(Duration.ZERO);

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LockBackend backend = mock(LockBackend.class,
			AdditionalAnswers.delegatesTo(new LocalLockBackend(this.store)));

	private final LockEngine engine = engine(this.backend);

	private final LockEngine otherEngine = engine(new LocalLockBackend(this.store));

	private final LockTemplate locks = new LockTemplate(this.engine, "lock:", OPTIONS);

	private final LockTemplate elsewhere = new LockTemplate(this.otherEngine, "lock:", OPTIONS);

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
	}

	@AfterEach
	void close() {
		Thread.interrupted();
		this.engine.close();
		this.otherEngine.close();
	}

	@Test
	void severalKeysThatAreAcquiredOneAfterTheOtherAreNotRetained() throws Exception {
		LockOptions retained = TRY_ONCE.withRetain(Duration.ofHours(1));
		try (LockHandle held = this.locks.acquire("b")) {
			this.locks.acquireAll(List.of("a", "b"), retained).close();
			assertThat(this.engine.inspection().retained()).isZero();
			assertThat(this.locks.tryAcquireAllAsync(List.of("a", "b"), retained).get()).isNull();
			assertThat(this.engine.inspection().retained()).isZero();
		}
		this.locks.acquireAll(List.of("a"), retained).close();
		assertThat(this.engine.inspection().retained()).isOne();
	}

	@Test
	void acquireWithoutOptionsTakesTheDefaultOptions() throws Exception {
		LockOperations tryOnce = new LockTemplate(this.engine, "lock:", TRY_ONCE);
		try (LockHandle lock = tryOnce.acquire("a");
				LockHandle locks = tryOnce.acquireAll(List.of("b", "c"));
				LockHandle async = tryOnce.acquireAsync("d").get();
				LockHandle asyncAll = tryOnce.acquireAllAsync(List.of("e", "f")).get()) {
			assertThat(List.of(lock.storeKey(), locks.storeKey(), async.storeKey(), asyncAll.storeKey()))
				.containsExactly("lock:a", "lock:b,lock:c", "lock:d", "lock:e,lock:f");
			LockOperations others = new LockTemplate(this.otherEngine, "lock:", TRY_ONCE);
			assertThat(others.tryAcquire("a")).isNull();
			assertThat(others.tryAcquireAll(List.of("c", "x"))).isNull();
			assertThat(others.tryAcquireAsync("d").get()).isNull();
			assertThat(others.tryAcquireAllAsync(List.of("x", "f")).get()).isNull();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> others.acquire("a"))
				.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:a"))
				.satisfies((ex) -> assertThat(ex.waitTime()).isZero());
		}
		assertThat(isFree("x")).isTrue();
	}

	@Test
	void operationsLeadToNamesOwnersAndBackends() {
		LockOperations operations = this.locks;
		Object owner = new Object();
		try (LockHandle lock = operations.named("order").ownedBy(owner).on("local").acquire("42")) {
			assertThat(lock.key()).isEqualTo("42");
			assertThat(lock.storeKey()).isEqualTo("lock:order:42");
			assertThat(operations.tryAcquire("order:42", TRY_ONCE)).isNull();
			try (LockHandle again = operations.ownedBy(owner).acquire("order:42", TRY_ONCE)) {
				assertThat(again.fencingToken()).isEqualTo(lock.fencingToken());
			}
		}
	}

	private boolean isFree(String key) {
		LockHandle lock = this.elsewhere.tryAcquire(key, TRY_ONCE);
		if (lock != null) {
			lock.close();
		}
		return lock != null;
	}

	private void loseAll() {
		this.time.jumpWall(Duration.ofDays(1));
	}

	/**
	 * Runs an action in another thread and returns when that thread waits. The timer of
	 * both engines sleeps as well, but is awake at times.
	 */
	private <T> CompletableFuture<T> whileWaiting(Supplier<T> action) {
		CompletableFuture<T> result = CompletableFuture.supplyAsync(action);
		Awaitility.await().until(() -> result.isDone() || this.time.sleepers() > 2);
		return result;
	}

	@Test
	void executeRunsTheActionUnderTheLock() {
		String result = this.locks.execute("42", (lock) -> {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.key()).isEqualTo("42");
			assertThat(isFree("42")).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void executeReturnsNull() {
		assertThat(this.locks.<@Nullable String, RuntimeException>execute("42", (lock) -> null)).isNull();
	}

	@Test
	void executeWithoutResultRunsTheActionUnderTheLock() {
		List<Boolean> held = new ArrayList<>();
		this.locks.executeWithoutResult("42", (lock) -> held.add(lock.isHeld()));
		assertThat(held).containsExactly(true);
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void executeThrowsWhatTheActionThrows() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
			throw new IOException("from the action");
		})).withMessage("from the action").satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void errorInTheActionReleasesTheLock() {
		for (Error error : List.of(new OutOfMemoryError(), new StackOverflowError(), new AssertionError())) {
			assertThatExceptionOfType(Error.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
				throw error;
			})).isSameAs(error);
			assertThat(isFree("42")).isTrue();
		}
	}

	@Test
	void executeThrowsIfAnotherHoldsTheLock() {
		this.elsewhere.acquire("42", OPTIONS);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.execute("42", TRY_ONCE, (lock) -> {
				throw new AssertionError("must not run");
			}))
			.withMessage("Could not acquire the lock on 'lock:42' within PT0S: it is held by another owner;"
					+ " retry later, or wait longer")
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:42"))
			.satisfies((ex) -> assertThat(ex.waitTime()).isZero());
	}

	@Test
	void tryExecuteReturnsWhetherTheActionRan() {
		LockResult<String> result = this.locks.tryExecute("42", (lock) -> "done");
		assertThat(result.isExecuted()).isTrue();
		assertThat(result.value()).isEqualTo("done");
		assertThat(result).hasToString("executed: done");
	}

	@Test
	void tryExecuteDoesNotRunTheActionIfAnotherHoldsTheLock() {
		this.elsewhere.acquire("42", OPTIONS);
		LockResult<String> result = this.locks.tryExecute("42", TRY_ONCE, (lock) -> {
			throw new AssertionError("must not run");
		});
		assertThat(result.isExecuted()).isFalse();
		assertThat(result.value()).isNull();
		assertThat(result).hasToString("not acquired");
	}

	@Test
	void tryAcquireWaitsAsLongAsTheOptionsSay() {
		LockHandle held = this.elsewhere.acquire("42", OPTIONS);
		CompletableFuture<@Nullable LockHandle> waiting = whileWaiting(() -> this.locks.tryAcquire("42", OPTIONS));
		this.time.advance(Duration.ofSeconds(5));
		assertThat(waiting.join()).isNull();
		held.close();
	}

	@Test
	void acquireGetsTheLockWhenItIsReleased() {
		LockHandle held = this.elsewhere.acquire("42", OPTIONS);
		CompletableFuture<LockHandle> waiting = whileWaiting(() -> this.locks.acquire("42", OPTIONS));
		held.close();
		assertThat(waiting.join().isHeld()).isTrue();
		assertThat(waiting.join().fencingToken()).isPositive();
	}

	@Test
	void threadAcquiresAgain() {
		this.locks.executeWithoutResult("42", (outer) -> {
			this.locks.executeWithoutResult("42",
					(inner) -> assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken()));
			assertThat(outer.isHeld()).isTrue();
			assertThat(isFree("42")).isFalse();
		});
		assertThat(isFree("42")).isTrue();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void handleThatAnotherThreadClosesIsWarnedOfOnce(CapturedOutput output) {
		this.locks.acquire("own", OPTIONS).close();
		this.locks.acquireAsync("free", OPTIONS).join().close();
		CompletableFuture.runAsync(this.locks.ownedBy(this).acquire("owned", OPTIONS)::close).join();
		assertThat(output).doesNotContain("belongs to the thread");
		LockHandle lock = this.locks.acquire("42", OPTIONS);
		LockHandle again = this.locks.acquire("42", OPTIONS);
		CompletableFuture.runAsync(lock::close).join();
		assertThat(output).contains("'lock:42' belongs to the thread '" + Thread.currentThread().getName() + "'")
			.contains("which happened here");
		CompletableFuture.runAsync(again::close).join();
		assertThat(output).containsOnlyOnce("belongs to the thread");
	}

	@Test
	void recursionReleasesLevelByLevel() {
		recurse(100);
		assertThat(isFree("42")).isTrue();
	}

	private void recurse(int depth) {
		this.locks.executeWithoutResult("42", (lock) -> {
			if (depth > 0) {
				recurse(depth - 1);
			}
			assertThat(lock.isHeld()).isTrue();
			assertThat(isFree("42")).isFalse();
		});
	}

	@Test
	void lossIsThrownAtTheNormalEndOfTheAction() {
		List<String> steps = new ArrayList<>();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
			loseAll();
			return steps.add("continued");
		})).withMessageContaining("'lock:42'");
		assertThat(steps).containsExactly("continued");
	}

	@Test
	void lossIsAddedToTheExceptionOfTheAction() {
		IOException failure = new IOException("from the action");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
			loseAll();
			assertThat(lock.isHeld()).isFalse();
			throw failure;
		})).isSameAs(failure);
		assertThat(failure.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1);
	}

	@Test
	void keyThatWasAcquiredAgainIsNotTakenForAnother() {
		try (LockHandle lock = this.locks.acquire("a42", OPTIONS);
				LockHandle again = this.locks.acquire("a42", OPTIONS)) {
			for (String key : List.of("42", "b42", "a", "ba42", "a43")) {
				try (LockHandle other = this.locks.acquire(key, OPTIONS)) {
					assertThat(other.key()).isEqualTo(key);
					assertThat(isFree(key)).isFalse();
				}
				assertThat(isFree(key)).isTrue();
			}
			assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.acquire("", OPTIONS));
			assertThatExceptionOfType(InvalidLockKeyException.class)
				.isThrownBy(() -> this.locks.acquire((String) null, OPTIONS));
			assertThat(this.locks.acquire("a42", OPTIONS).key()).isEqualTo("a42");
		}
	}

	@Test
	void reentryAfterLossIsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
			loseAll();
			return this.locks.execute("42", (inner) -> {
				throw new AssertionError("must not run");
			});
		}));
	}

	@Test
	void storeThatFailsIsUnavailable() {
		BackendUnavailableException down = new BackendUnavailableException("connection refused", null);
		willThrow(down).given(this.backend).tryAcquire(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.locks.execute("42", TRY_ONCE, (lock) -> {
				throw new AssertionError("must not run");
			}))
			.withMessage(
					"Could not acquire the lock on 'lock:42': The lock backend 'local' failed: connection refused (retry when the store is available)")
			.withCause(down);
	}

	@Test
	void storeThatFailsAtTheReleaseIsNotTheCallersConcern() {
		willThrow(new BackendUnavailableException("connection refused", null)).given(this.backend)
			.release(any(), any());
		assertThat(this.locks.<String, RuntimeException>execute("42", (lock) -> "done")).isEqualTo("done");
	}

	@Test
	void interruptedThreadDoesNotAcquire() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.locks.execute("42", (lock) -> {
			throw new AssertionError("must not run");
		})).withCauseInstanceOf(InterruptedException.class).withMessageContaining("'lock:42'");
		assertThat(Thread.interrupted()).as("status").isTrue();
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void interruptedThreadReleases() {
		this.locks.executeWithoutResult("42", (lock) -> Thread.currentThread().interrupt());
		assertThat(Thread.interrupted()).as("status").isTrue();
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void upgradeIsRejected() {
		LockOptions read = OPTIONS.withType(LockType.READ);
		this.locks.executeWithoutResult("42", read,
				(lock) -> assertThatExceptionOfType(LockUpgradeException.class)
					.isThrownBy(() -> this.locks.acquire("42", OPTIONS.withType(LockType.WRITE)))
					.withMessageContaining("Upgrade not supported"));
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void writerReadsAndDowngrades() {
		LockOptions read = TRY_ONCE.withType(LockType.READ);
		LockHandle writing = this.locks.acquire("42", OPTIONS.withType(LockType.WRITE));
		LockHandle reading = this.locks.acquire("42", read);
		assertThat(reading.fencingToken()).isEqualTo(writing.fencingToken());
		assertThat(this.elsewhere.tryAcquire("42", read)).as("while one writes").isNull();
		writing.close();
		assertThat(writing.isHeld()).isFalse();
		assertThat(reading.isHeld()).isTrue();
		assertThat(isFree("42")).as("for writers").isFalse();
		this.elsewhere.executeWithoutResult("42", read, LockHandle::checkpoint);
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> this.locks.acquire("42", OPTIONS.withType(LockType.WRITE)));
		reading.close();
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void readingInsideWritingChangesNothing() {
		this.locks.executeWithoutResult("42", OPTIONS.withType(LockType.WRITE), (writing) -> {
			this.locks.executeWithoutResult("42", OPTIONS.withType(LockType.READ), LockHandle::checkpoint);
			writing.checkpoint();
			assertThat(isFree("42")).isFalse();
		});
		verify(this.backend, never()).downgrade(any(), any(), any());
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void readerThatTheStoreLostInTheDowngradeIsNotified() {
		LockHandle writing = this.locks.acquire("42", OPTIONS.withType(LockType.WRITE));
		LockHandle reading = this.locks.acquire("42", OPTIONS.withType(LockType.READ));
		willThrow(new BackendUnavailableException("connection refused", null)).given(this.backend)
			.downgrade(any(), any(), any());
		writing.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reading::checkpoint);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(reading::close);
		Awaitility.await().until(() -> isFree("42"));
	}

	@Test
	void everyTypeExcludesWriters() {
		for (LockType type : LockType.values()) {
			this.locks.executeWithoutResult("42", OPTIONS.withType(type), (lock) -> assertThat(isFree("42")).isFalse());
		}
		assertThat(isFree("42")).isTrue();
	}

	@Test
	void closedEngineRejects() {
		this.engine.close();
		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> this.locks.acquire("42", OPTIONS))
			.withMessageContaining("shutting down");
	}

	@Test
	void rejectionOfTheStoreKeepsItsWords() {
		LockBackend backend = mock(LockBackend.class);
		given(backend.name()).willReturn("rejecting");
		given(backend.tryAcquire(any(), any())).willThrow(new IllegalArgumentException("5 instead of 3"));
		try (LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM)) {
			LockTemplate locks = new LockTemplate(engine, "lock:", OPTIONS.withWaitTime(Duration.ZERO));
			assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire("42", locks.defaultOptions()))
				.withMessageContaining("5 instead of 3");
		}
	}

	@Test
	void namedTemplateHasALongerPrefix() {
		LockTemplate orders = this.locks.named("order");
		assertThat(orders.storeKey("42")).isEqualTo("lock:order:42");
		orders.executeWithoutResult("42", (lock) -> {
			assertThat(lock.key()).isEqualTo("42");
			assertThat(isFree("order:42")).isFalse();
			assertThat(isFree("42")).isTrue();
		});
		assertThat(orders.defaultOptions()).isSameAs(OPTIONS);
	}

	@Test
	void namedTemplateRegistersItsName() {
		LockEngines engines = LockEngines.of(this.engine);
		LockTemplate locks = new LockTemplate(engines, "lock:", OPTIONS);
		assertThat(engines.lockNames().nameOf(locks.storeKey("order:42"))).isEqualTo(LockNames.NONE);
		LockTemplate orders = locks.ownedBy(this).named("order");
		assertThat(engines.lockNames().nameOf(orders.storeKey("42"))).isEqualTo("order");
	}

	@Test
	void namesThatAreNoneAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.named(" "));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.named("a:b")).withMessageContaining("'a:b'");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.named("a\ud83d"))
			.withMessageContaining("unpaired surrogate");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.named("n".repeat(385)))
			.withMessageContaining("384");
	}

	@Test
	void numberIsTheSameKeyAsItsText() {
		try (LockHandle lock = this.locks.acquire(-42, OPTIONS)) {
			assertThat(lock.key()).isEqualTo("-42");
			assertThat(isFree("-42")).isFalse();
			assertThat(this.elsewhere.tryAcquire(-42, TRY_ONCE)).isNull();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.elsewhere.acquire(-42, TRY_ONCE))
				.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:-42"));
		}
	}

	@Test
	void numberIsAcquiredWithTheDefaultOptions() {
		LockTemplate tryOnce = new LockTemplate(this.otherEngine, "lock:", TRY_ONCE);
		try (LockHandle lock = this.locks.acquire(42)) {
			assertThat(lock.storeKey()).isEqualTo("lock:42");
			assertThat(tryOnce.tryAcquire(42)).isNull();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> tryOnce.acquire(42))
				.satisfies((ex) -> assertThat(ex.waitTime()).isZero());
		}
	}

	@Test
	void severalKeysAreHeldTogether() {
		try (LockHandle lock = this.locks.acquireAll(List.of("b", "a", "c"), OPTIONS)) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.key()).isEqualTo("a,b,c");
			assertThat(List.of("a", "b", "c")).noneMatch(this::isFree);
		}
		assertThat(List.of("a", "b", "c")).allMatch(this::isFree);
	}

	@Test
	void severalKeysAreAcquiredInOneCall() {
		this.locks.acquireAll(List.of("b", "C", "a", "B"), OPTIONS).close();
		ArgumentCaptor<LeaseRequest> requests = ArgumentCaptor.captor();
		verify(this.backend).tryAcquire(requests.capture(), any());
		assertThat(requests.getValue().keys()).containsExactly("lock:B", "lock:C", "lock:a", "lock:b");
		verify(this.backend, never()).contend(any(), any());
		verify(this.backend).release(any(), any());
	}

	@Test
	void severalKeysAreAcquiredInOneOrderIfNotInOneCall() {
		rejectSeveralKeys();
		this.locks.acquireAll(List.of("b", "C", "a", "B"), OPTIONS).close();
		this.locks.acquireAll(List.of("a", "B", "b", "C"), OPTIONS).close();
		ArgumentCaptor<LeaseRequest> requests = ArgumentCaptor.captor();
		verify(this.backend, atLeast(8)).contend(requests.capture(), any());
		assertThat(requests.getAllValues()).extracting(LeaseRequest::key)
			.containsExactly("lock:B", "lock:C", "lock:a", "lock:b", "lock:B", "lock:C", "lock:a", "lock:b");
	}

	private void rejectSeveralKeys() {
		willReturn(Denial.UNKNOWN_DURATION).given(this.backend)
			.tryAcquire(argThat((request) -> request != null && request.hasMultipleKeys()), any());
	}

	@Test
	void keyThatOccursTwiceIsAcquiredOnce() {
		this.locks.acquireAll(List.of("a", "b", "a"), OPTIONS).close();
		assertThat(this.engine.size()).isZero();
		verify(this.backend).tryAcquire(argThat((request) -> request.keys().equals(List.of("lock:a", "lock:b"))),
				any());
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void ifOneOfSeveralKeysIsHeldNoneIsKept() {
		LockHandle held = this.elsewhere.acquire("b", OPTIONS);
		assertThat(this.locks.tryAcquireAll(List.of("a", "b", "c"), TRY_ONCE)).isNull();
		assertThat(isFree("a")).isTrue();
		assertThat(isFree("c")).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquireAll(List.of("c", "a", "b", "a"), TRY_ONCE))
			.withMessage(
					"Could not acquire the lock on all 3 keys of 'lock:a,lock:b,lock:c' within PT0S: one of them is"
							+ " held by another owner, or the time was too short for all of them; retry later, wait longer,"
							+ " or lock fewer keys")
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:a,lock:b,lock:c"));
		held.close();
		assertNothingLeft();
	}

	@Test
	void severalKeysHaveOneDeadline() {
		LockHandle a = this.elsewhere.acquire("a", OPTIONS);
		this.elsewhere.acquire("b", OPTIONS);
		CompletableFuture<@Nullable LockHandle> waiting = whileWaiting(
				() -> this.locks.tryAcquireAll(List.of("a", "b"), OPTIONS));
		this.time.advance(Duration.ofSeconds(3));
		a.close();
		Awaitility.await().until(() -> this.engine.size() == 2);
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return waiting.isDone();
		});
		assertThat(waiting.join()).isNull();
		assertThat(Duration.between(new SettableTime().instant(), this.time.instant()))
			.isLessThan(Duration.ofSeconds(6));
		Awaitility.await().until(() -> isFree("a"));
	}

	@Test
	void failureInTheMiddleReleasesWhatWasAcquired() {
		this.locks.acquire("b", OPTIONS.withType(LockType.READ));
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> this.locks.acquireAll(List.of("a", "b"), OPTIONS));
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void errorInTheMiddleReleasesWhatWasAcquired() {
		rejectSeveralKeys();
		willThrow(new StackOverflowError()).given(this.backend).contend(keyed("lock:b"), any());
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> this.locks.acquireAll(List.of("a", "b"), OPTIONS));
		assertThat(isFree("a")).isTrue();
	}

	private static LeaseRequest keyed(String key) {
		return argThat((request) -> request != null && request.key().equals(key));
	}

	@Test
	void interruptInTheMiddleReleasesWhatWasAcquired() {
		this.elsewhere.acquire("b", OPTIONS);
		Thread[] thread = new Thread[1];
		CompletableFuture<@Nullable Throwable> waiting = whileWaiting(() -> {
			thread[0] = Thread.currentThread();
			return catchThrowableOfType(RuntimeException.class,
					() -> this.locks.acquireAll(List.of("a", "b"), OPTIONS));
		});
		thread[0].interrupt();
		assertThat(waiting.join()).isInstanceOf(LockInterruptedException.class);
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void keysThatWereLostWhileOthersWereWaitedForAreAcquiredAgain() {
		LockOptions brief = OPTIONS.withLeaseTime(Duration.ofSeconds(1)).withAutoRenew(false);
		LockHandle b = this.elsewhere.acquire("b", OPTIONS);
		CompletableFuture<LockHandle> waiting = whileWaiting(() -> this.locks.acquireAll(List.of("a", "b"), brief));
		this.time.advance(Duration.ofSeconds(2));
		b.close();
		LockHandle lock = waiting.join();
		assertThat(lock.isHeld()).isTrue();
		lock.close();
		assertNothingLeft();
	}

	@Test
	void severalKeysAreAcquiredAgain() {
		try (LockHandle outer = this.locks.acquireAll(List.of("a", "b"), OPTIONS)) {
			this.locks.acquireAll(List.of("b", "c"), OPTIONS).close();
			assertThat(outer.isHeld()).isTrue();
			assertThat(isFree("b")).isFalse();
			assertThat(isFree("c")).isTrue();
		}
		assertNothingLeft();
	}

	@Test
	void noKeyAtAllIsRejected() {
		assertKeyRejected(() -> this.locks.acquireAll(List.of(), OPTIONS));
		assertKeyRejected(() -> this.locks.acquireAll(Arrays.asList("a", null), OPTIONS));
		assertKeyRejected(() -> this.locks.acquireAll(List.of("a", " "), OPTIONS));
		assertThat(this.engine.size()).isZero();
	}

	private static void assertKeyRejected(ThrowingCallable acquisition) {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(acquisition);
	}

	@Test
	void tooManyKeysAreRejected() {
		List<String> keys = IntStream.range(0, LockTemplate.MAX_KEYS).mapToObj(String::valueOf).toList();
		this.locks.acquireAll(keys, OPTIONS).close();
		List<String> more = new ArrayList<>(keys);
		more.add("more");
		assertThatExceptionOfType(LockLimitException.class).isThrownBy(() -> this.locks.acquireAll(more, OPTIONS))
			.withMessageContaining("10000")
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:0"));
		assertThatExceptionOfType(LockLimitException.class)
			.isThrownBy(() -> this.locks.acquireAll(Collections.nCopies(10_001, "a"), OPTIONS));
		assertNothingLeft();
	}

	private void assertNothingLeft() {
		Awaitility.await().until(() -> this.engine.size() == 0 && LocalStores.size(this.store) == 0);
	}

}
