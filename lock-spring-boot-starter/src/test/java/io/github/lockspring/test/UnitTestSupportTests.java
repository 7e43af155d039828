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

package io.github.lockspring.test;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link NoOpLockOperations} and {@link TestLockContext}.
 */
class UnitTestSupportTests {

	private final NoOpLockOperations locks = new NoOpLockOperations();

	@Test
	void actionsRun() throws Exception {
		String keys = this.locks.execute("order:42", (lock) -> lock.key() + " as " + lock.storeKey());
		assertThat(keys).isEqualTo("order:42 as lock:order:42");
		Boolean held = this.locks.tryExecute("order:42", LockHandle::isHeld).value();
		assertThat(held).isTrue();
		assertThat(this.locks.named("order").on("jdbc").ownedBy(this).acquireAsync("42").get().storeKey())
			.isEqualTo("lock:order:42");
		assertThat(this.locks.tryAcquireAllAsync(List.of("b", "a", "b")).get().storeKey()).isEqualTo("lock:a,lock:b");
	}

	@Test
	void locksExcludeNoOne() {
		try (LockHandle one = this.locks.acquire("order:42");
				LockHandle other = this.locks.ownedBy(new Object()).acquire("order:42")) {
			assertThat(one.isHeld()).isTrue();
			assertThat(other.fencingToken()).isGreaterThan(one.fencingToken());
		}
	}

	@Test
	void handleIsHeldUntilItIsClosed() {
		LockHandle lock = this.locks.acquire("order:42", LockOptions.defaults().withLeaseTime(Duration.ofSeconds(7)));
		assertThat(lock.remaining()).isEqualTo(Duration.ofSeconds(7));
		lock.checkpoint();
		lock.close();
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.isLost()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(lock::checkpoint)
			.withMessage("The handle of the lock on 'lock:order:42' is closed");
		assertThatIllegalStateException().isThrownBy(lock::fencingToken);
	}

	@Test
	void missingKeyIsRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.acquire(" "));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.tryAcquire(null));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.acquireAll(List.of()));
	}

	@Test
	void codeRunsAsIfLocked() {
		TestLockContext.executeWithoutResult("order:42", (lock) -> {
			LockAssert.assertLocked();
			LockAssert.assertLocked("order");
			assertThat(LockContext.current("order")).isSameAs(lock);
			assertThat(lock.key()).isEqualTo("42");
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertLocked("stock"));
			TestLockContext.executeWithoutResult("stock", (inner) -> LockAssert.assertLocked("stock"));
			LockAssert.assertLocked("order");
		});
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
	}

	@Test
	void whenCodeThrowsThenLockIsLeft() {
		assertThatIllegalStateException().isThrownBy(() -> TestLockContext.execute("order:42", (lock) -> {
			throw new IllegalStateException("expected");
		})).withMessage("expected");
		assertThat(LockContext.get()).isNull();
	}

}
