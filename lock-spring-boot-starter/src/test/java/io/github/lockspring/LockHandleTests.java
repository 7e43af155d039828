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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockHandle}: that of one key, and that of several.
 */
class LockHandleTests {

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final RecordingBackend backend = new RecordingBackend(this.store);

	private final LockEngine engine = new LockEngine(this.backend, EngineSettings.defaults(), EngineListener.NONE,
			this.time);

	private final LockTemplate locks = new LockTemplate(this.engine, "lock:", LockOptions.defaults());

	@AfterEach
	void close() {
		this.engine.close();
	}

	private LockHandle acquire(String... keys) {
		return (keys.length == 1) ? this.locks.acquire(keys[0], LockOptions.defaults())
				: this.locks.acquireAll(List.of(keys), LockOptions.defaults());
	}

	private List<LockHandle> one() {
		return List.of(acquire("one"), acquire("a", "b"));
	}

	private void lose() {
		this.time.jumpWall(Duration.ofDays(1));
	}

	@Test
	void heldLockDescribesItself() {
		LockHandle lock = acquire("42");
		assertThat(lock.key()).isEqualTo("42");
		assertThat(lock.storeKey()).isEqualTo("lock:42");
		assertThat(lock.fencingToken()).isPositive();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(30));
		assertThat(lock).hasToString("lock on 'lock:42'");
		lock.checkpoint();
	}

	@Test
	void closedHandleSaysSo() {
		for (LockHandle lock : one()) {
			lock.close();
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.remaining()).isZero();
			assertThatIllegalStateException().isThrownBy(lock::checkpoint).withMessageContaining("closed");
			assertThatIllegalStateException().isThrownBy(() -> lock.onLost(() -> {
			})).withMessageContaining("closed");
			assertThatIllegalStateException().isThrownBy(lock::fencingToken);
			assertThat(lock.toString()).contains("closed");
		}
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void callbackOfAHandleThatIsClosedDoesNotRunWhenTheOthersLoseTheLock() {
		AtomicInteger notified = new AtomicInteger();
		AtomicInteger unexpected = new AtomicInteger();
		List<LockHandle> locks = one();
		for (LockHandle lock : locks) {
			LockHandle again = acquire(lock.key().split(","));
			lock.onLost(notified::incrementAndGet);
			again.onLost(unexpected::incrementAndGet);
			again.close();
			assertThat(lock.isHeld()).isTrue();
		}
		lose();
		assertThat(locks).noneMatch(LockHandle::isHeld);
		Awaitility.await().until(() -> notified.get() == 2);
		assertThat(unexpected).hasValue(0);
	}

	@Test
	void closeAgainDoesNothing() {
		for (LockHandle lock : one()) {
			lock.close();
			lock.close();
			lock.close();
		}
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void closeAgainDoesNotCloseTheOuterHandle() {
		LockHandle outer = acquire("42");
		LockHandle inner = acquire("42");
		inner.close();
		inner.close();
		assertThat(outer.isHeld()).isTrue();
		assertThat(inner.isHeld()).isFalse();
		outer.close();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void closeInAnyOrder() {
		LockHandle outer = acquire("42");
		LockHandle inner = acquire("42");
		outer.close();
		assertThat(outer.isHeld()).isFalse();
		assertThat(inner.isHeld()).isTrue();
		inner.close();
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void anotherThreadMayClose() {
		for (LockHandle lock : one()) {
			CompletableFuture.runAsync(() -> {
				lock.checkpoint();
				lock.close();
			}).join();
			assertThat(lock.isHeld()).isFalse();
		}
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void lostHandleSaysSo() {
		for (LockHandle lock : one()) {
			lose();
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.remaining()).isZero();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkpoint);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			lock.close();
		}
	}

	@Test
	void lostHandleHasNoToken() {
		LockHandle lock = acquire("42");
		lose();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::fencingToken)
			.withMessageContaining("'lock:42'")
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:42"));
	}

	@Test
	void handleWhoseStoreIsOutOfReachSaysSo() {
		for (LockHandle lock : one()) {
			lock.onLost(() -> {
				throw new AssertionError("not lost");
			});
			this.backend.setSuspended(true);
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.isLost()).isFalse();
			assertThat(lock.remaining()).isZero();
			assertThatExceptionOfType(LockSuspendedException.class).isThrownBy(lock::checkpoint)
				.withMessageContaining("is unknown")
				.withMessageContaining("'lock:");
			assertThatExceptionOfType(LockSuspendedException.class).isThrownBy(lock::fencingToken)
				.withMessageContaining("is unknown");
			this.backend.setSuspended(false);
			assertThat(lock.isHeld()).isTrue();
			lock.checkpoint();
			lock.close();
		}
	}

	@Test
	void lossOfOneKeyIsReportedWhileTheOthersAreSuspended() {
		this.locks.acquire("a", LockOptions.defaults().withLeaseTime(Duration.ofSeconds(5)).withAutoRenew(false));
		LockHandle lock = acquire("a", "b");
		this.backend.setSuspended(true);
		this.time.advance(Duration.ofSeconds(6));
		assertThat(lock.isLost()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkpoint)
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::fencingToken);
	}

	@Test
	void lockIsClosedAndNotAcquiredAgainWhileTheStoreIsOutOfReach() {
		LockHandle lock = acquire("42");
		this.backend.setSuspended(true);
		assertThatExceptionOfType(LockSuspendedException.class).isThrownBy(() -> acquire("42"))
			.withMessageContaining("is unknown")
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:42"));
		lock.close();
		assertThat(this.engine.size()).isZero();
		assertThat(lock.isLost()).isFalse();
	}

	@Test
	void callbackRunsOnceAfterTheLoss() {
		for (String[] keys : List.of(new String[] { "one" }, new String[] { "a", "b" })) {
			LockHandle lock = acquire(keys);
			AtomicInteger called = new AtomicInteger();
			lock.onLost(called::incrementAndGet);
			assertThat(called).hasValue(0);
			lose();
			assertThat(lock.isHeld()).isFalse();
			Awaitility.await().until(() -> called.get() == 1);
			AtomicInteger late = new AtomicInteger();
			lock.onLost(late::incrementAndGet);
			Awaitility.await().until(() -> late.get() == 1);
			assertThat(called).hasValue(1);
		}
	}

	@Test
	void callbackOfReentryRunsToo() {
		LockHandle outer = acquire("42");
		LockHandle inner = acquire("42");
		AtomicInteger called = new AtomicInteger();
		outer.onLost(called::incrementAndGet);
		inner.onLost(called::incrementAndGet);
		lose();
		assertThat(outer.isHeld()).isFalse();
		assertThat(inner.isHeld()).isFalse();
		Awaitility.await().until(() -> called.get() == 2);
	}

	@Test
	void everyLevelLearnsOfTheLoss() {
		LockHandle outer = acquire("42");
		LockHandle inner = acquire("42");
		lose();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::checkpoint);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		assertThat(this.engine.size()).isZero();
		assertThat(acquire("42").isHeld()).isTrue();
	}

	@Test
	void handleOfSeveralKeysAcquiredTogetherHasTheTokenOfThatAcquisition() {
		LockHandle before = acquire("b");
		long last = before.fencingToken();
		before.close();
		try (LockHandle both = acquire("a", "b")) {
			assertThat(both.fencingToken()).isGreaterThan(last);
		}
	}

	@Test
	void handleOfSeveralKeysAcquiredOneAfterTheOtherHasNoOneToken() {
		try (LockHandle held = acquire("a"); LockHandle both = acquire("a", "b")) {
			assertThat(held.isHeld()).isTrue();
			assertThatIllegalStateException().isThrownBy(both::fencingToken)
				.withMessageContaining("do not share a fencing token");
		}
	}

	@Test
	void handleOfOneAmongSeveralHasItsToken() {
		LockHandle lock = this.locks.acquireAll(List.of("a", "a"), LockOptions.defaults());
		assertThat(lock.fencingToken()).isPositive();
	}

	@Test
	void closeOfSeveralClosesAllAlthoughOneIsLost() {
		LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(1)).withAutoRenew(false);
		LockHandle first = this.locks.acquire("a", brief);
		LockHandle all = this.locks.acquireAll(List.of("a", "b", "c"), LockOptions.defaults());
		this.time.advance(Duration.ofSeconds(1));
		assertThat(all.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::close).withMessageContaining("'lock:a'");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(first::close);
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void remainingOfSeveralIsThatOfTheFirstToEnd() {
		LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(1)).withAutoRenew(false);
		this.locks.acquire("a", brief);
		assertThat(acquire("a", "b").remaining()).isLessThan(Duration.ofSeconds(1));
	}

}
