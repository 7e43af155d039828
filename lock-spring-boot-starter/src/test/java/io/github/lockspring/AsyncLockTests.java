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

import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.AdditionalAnswers;

import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for what {@link LockTemplate} does without holding up threads.
 */
class AsyncLockTests {

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
		this.engine.close();
		this.otherEngine.close();
	}

	private static <T extends @Nullable Object> T get(CompletableFuture<T> future) {
		try {
			return future.get(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * The exception as a callback sees it, without another around it.
	 */
	private static Throwable failure(CompletableFuture<?> future) {
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		future.whenComplete((result, ex) -> failure.set((ex != null) ? ex : new AssertionError(result)));
		Awaitility.await().until(() -> failure.get() != null);
		return failure.get();
	}

	private void assertNothingLeft() {
		Awaitility.await().until(() -> this.engine.size() + this.otherEngine.size() == 0);
		Awaitility.await().until(() -> LocalStores.size(this.store) == 0);
	}

	@Test
	void lockIsHeldAndReleased() {
		LockHandle lock = get(this.locks.acquireAsync("42", OPTIONS));
		assertThat(lock.key()).isEqualTo("42");
		assertThat(lock.isHeld()).isTrue();
		assertThat(this.elsewhere.tryAcquire("42", TRY_ONCE)).isNull();
		get(lock.closeAsync());
		assertThat(lock.isHeld()).isFalse();
		get(lock.closeAsync());
		lock.close();
		assertNothingLeft();
	}

	@Test
	void lockBelongsToTheHandle() {
		LockHandle lock = get(this.locks.acquireAsync("42", OPTIONS));
		assertThat(this.locks.tryAcquire("42", TRY_ONCE)).isNull();
		assertThat(get(this.locks.tryAcquireAsync("42", TRY_ONCE))).isNull();
		lock.close();
		assertNothingLeft();
	}

	@Test
	void lockThatIsHeldByAnotherFails() {
		LockHandle held = this.elsewhere.acquire("42", OPTIONS);
		assertThat(failure(this.locks.acquireAsync("42", TRY_ONCE)))
			.isInstanceOfSatisfying(LockNotAcquiredException.class, (ex) -> {
				assertThat(ex.storeKey()).isEqualTo("lock:42");
				assertThat(ex.waitTime()).isEqualTo(Duration.ZERO);
			});
		assertThat(get(this.locks.tryAcquireAsync("42", TRY_ONCE))).isNull();
		held.close();
		assertNothingLeft();
	}

	@Test
	void storeThatFailsIsUnavailable() {
		willThrow(new BackendUnavailableException("connection refused", null)).given(this.backend)
			.tryAcquire(any(), any());
		assertThat(failure(this.locks.acquireAsync("42", TRY_ONCE))).isInstanceOf(LockUnavailableException.class);
		assertThat(failure(this.locks.tryAcquireAllAsync(List.of("a", "b"), TRY_ONCE)))
			.isInstanceOf(LockUnavailableException.class);
		assertNothingLeft();
	}

	@Test
	void closedEngineRejects() {
		this.engine.close();
		assertThat(failure(this.locks.acquireAsync("42", OPTIONS))).isInstanceOf(LockShutdownException.class);
		assertThat(failure(this.locks.acquireAllAsync(List.of("a", "b"), OPTIONS)))
			.isInstanceOf(LockShutdownException.class);
	}

	@Test
	void keysAreValidatedFirst() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.locks.acquireAsync(" ", OPTIONS));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.locks.tryAcquireAsync(" ", OPTIONS));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.locks.acquireAllAsync(List.of(), OPTIONS));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.locks.tryAcquireAllAsync(List.of("a", " "), OPTIONS));
	}

	@Test
	void lossFailsTheClosing() {
		LockHandle lock = get(this.locks.acquireAsync("42", OPTIONS));
		LockHandle several = get(this.locks.acquireAllAsync(List.of("a", "b"), OPTIONS));
		this.time.jumpWall(Duration.ofDays(1));
		assertThat(failure(lock.closeAsync())).isInstanceOf(LockLostException.class);
		assertThat(failure(several.closeAsync())).isInstanceOf(LockLostException.class);
		get(lock.closeAsync());
		get(several.closeAsync());
		Awaitility.await().until(() -> this.engine.size() == 0);
	}

	@Test
	void cancellingEndsTheWaiting() {
		LockHandle held = this.elsewhere.acquire("42", OPTIONS);
		CompletableFuture<?> one = this.locks.acquireAsync("42", OPTIONS);
		CompletableFuture<?> other = this.locks.tryAcquireAsync("42", OPTIONS);
		CompletableFuture<?> several = this.locks.acquireAllAsync(List.of("41", "42", "43"), OPTIONS);
		Awaitility.await().until(() -> this.engine.size() == 2);
		assertThat(one.cancel(true)).isTrue();
		assertThat(other.cancel(true)).isTrue();
		assertThat(several.cancel(true)).isTrue();
		Awaitility.await().until(() -> this.engine.size() == 0);
		held.close();
		assertNothingLeft();
	}

	@Test
	void ownerAcquiresAgainInAnyThreadAndHasAllTheForms() throws Exception {
		Object owner = new Object();
		LockTemplate owned = this.locks.ownedBy(owner).named("order");
		LockHandle lock = get(owned.acquireAsync("42", TRY_ONCE));
		LockHandle again = owned.acquire("42", TRY_ONCE);
		LockHandle inOtherThread = get(CompletableFuture.supplyAsync(() -> owned.acquire("42", TRY_ONCE)));
		LockHandle several = get(owned.acquireAllAsync(List.of("41", "42"), TRY_ONCE));
		LockHandle severalAgain = owned.acquireAll(List.of("41", "42"), TRY_ONCE);
		assertThat(this.locks.named("order").tryAcquire("42", TRY_ONCE)).isNull();
		assertThat(this.locks.ownedBy(new Object()).named("order").tryAcquire("42", TRY_ONCE)).isNull();
		for (LockHandle handle : List.of(lock, again, inOtherThread, several, severalAgain)) {
			get(handle.closeAsync());
		}
		assertNothingLeft();
	}

	@Test
	void severalKeysAreAcquiredInOneCallIfTheyAreFree() {
		LockHandle lock = get(this.locks.acquireAllAsync(List.of("b", "a", "b"), OPTIONS));
		assertThat(lock.key()).isEqualTo("a,b");
		verify(this.backend, never()).contend(any(), any());
		assertThat(this.elsewhere.tryAcquire("a", TRY_ONCE)).isNull();
		get(lock.closeAsync());
		assertThat(lock.isHeld()).isFalse();
		assertNothingLeft();
	}

	@Test
	void severalKeysAreWaitedForOneAfterTheOther() {
		LockHandle held = this.elsewhere.acquire("b", OPTIONS);
		CompletableFuture<LockHandle> future = this.locks.acquireAllAsync(List.of("c", "b", "a"), OPTIONS);
		Awaitility.await().until(() -> this.engine.size() == 2);
		held.close();
		LockHandle lock = get(future);
		assertThat(List.of("a", "b", "c")).allMatch((key) -> this.elsewhere.tryAcquire(key, TRY_ONCE) == null);
		get(lock.closeAsync());
		assertNothingLeft();
	}

	@Test
	void ifOneOfSeveralKeysIsHeldNoneIsKept() {
		LockHandle held = this.elsewhere.acquire("b", OPTIONS);
		assertThat(get(this.locks.tryAcquireAllAsync(List.of("a", "b", "c"), TRY_ONCE))).isNull();
		assertThat(failure(this.locks.acquireAllAsync(List.of("c", "a", "b", "a"), TRY_ONCE)))
			.isInstanceOfSatisfying(LockNotAcquiredException.class,
					(ex) -> assertThat(ex.storeKey()).isEqualTo("lock:a,lock:b,lock:c"))
			.hasMessageContaining("'lock:a,lock:b,lock:c'");
		assertThat(this.engine.size()).isZero();
		held.close();
		assertNothingLeft();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void ifAStepThrowsNoneIsKept(boolean immediately) {
		StackOverflowError failure = new StackOverflowError();
		LockHandle first = this.elsewhere.acquire("a", OPTIONS);
		if (immediately) {
			first.close();
		}
		CompletableFuture<LockHandle> future = LockUtils
			.acquireAllAsync(List.of(group(List.of("lock:a")), group(new AbstractList<>() {

				@Override
				public String get(int index) {
					throw failure;
				}

				@Override
				public int size() {
					return 1;
				}

			})), OPTIONS.waitNanos());
		first.close();
		assertThat(failure(future)).isSameAs(failure);
		assertNothingLeft();
	}

	private KeyGroup group(List<String> storeKeys) {
		return new KeyGroup(this.locks, OPTIONS.acquireOptions(), storeKeys);
	}

	@Test
	void manyKeysThatAreHeldAlreadyAreAcquiredAgain() {
		LockTemplate owned = this.locks.ownedBy(new Object());
		List<String> keys = IntStream.range(0, 5_000).mapToObj(String::valueOf).toList();
		LockHandle lock = get(owned.acquireAllAsync(keys, OPTIONS));
		LockHandle again = get(owned.acquireAllAsync(keys, OPTIONS));
		get(lock.closeAsync());
		assertThat(again.isHeld()).isTrue();
		get(again.closeAsync());
		assertNothingLeft();
	}

}
