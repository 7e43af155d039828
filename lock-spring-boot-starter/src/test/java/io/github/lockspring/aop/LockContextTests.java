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

package io.github.lockspring.aop;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext} and {@link LockAssert} in annotated methods.
 */
class LockContextTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Steps steps = this.proxies.proxy(new Steps());

	@AfterEach
	void close() {
		assertThat(LockContext.get()).isNull();
		this.proxies.close();
	}

	@Test
	void currentIsTheInnermostLock() {
		this.steps.a(() -> {
			assertThat(LockContext.current().key()).isEqualTo("a");
			this.steps.b(() -> assertThat(LockContext.current().key()).isEqualTo("b"));
			assertThat(LockContext.current().key()).isEqualTo("a");
		});
	}

	@Test
	void currentFindsByName() {
		this.steps.keyed(42, () -> this.steps.b(() -> {
			assertThat(LockContext.current("keyed").key()).isEqualTo("42");
			assertThat(LockContext.current("b").isHeld()).isTrue();
			assertThat(LockContext.get().find("keyed")).isSameAs(LockContext.current("keyed"));
			assertThat(LockContext.get().find("a")).isNull();
			assertThat(LockContext.get().name()).isEqualTo("b");
			assertThat(LockContext.get().outer().name()).isEqualTo("keyed");
			assertThat(LockContext.get().outer().outer()).isNull();
			assertThatIllegalStateException().isThrownBy(() -> LockContext.current("a"))
				.withMessageContaining("does not run under the lock 'a' (held: 'b', 'keyed')");
		}));
	}

	@Test
	void outsideOfAnnotatedMethodsThereIsNone() {
		assertThatIllegalStateException().isThrownBy(LockContext::current);
		assertThatIllegalStateException().isThrownBy(() -> LockContext.current("a"))
			.withMessageContaining("(held: none)");
		assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertLocked("a"));
	}

	@Test
	void sameLockMayBeTakenAgainInside() {
		List<LockHandle> handles = new ArrayList<>();
		this.steps.a(() -> {
			handles.add(LockContext.current());
			this.steps.b(() -> this.steps.a(() -> {
				handles.add(LockContext.current("a"));
				assertThat(LockContext.current("a")).isSameAs(LockContext.current());
			}));
			assertThat(handles.get(1).isHeld()).isFalse();
			assertThat(handles.get(0).isHeld()).isTrue();
			assertThat(this.proxies.isHeld("a")).isTrue();
			assertThat(this.proxies.isHeld("b")).isFalse();
		});
		assertThat(handles).doesNotHaveDuplicates();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:a", "lock:b");
		assertThat(this.proxies.backend.released()).containsExactly("lock:b", "lock:a");
	}

	@Test
	void recursionIsLockedOnce() {
		assertThat(this.steps.recursive(this.steps, 100)).isEqualTo(101);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:recursive");
		assertThat(this.proxies.backend.released()).containsExactly("lock:recursive");
	}

	@Test
	void severalLocksOfOneMethodAreAllFound() {
		this.steps.several(() -> {
			assertThat(LockContext.current("one").isHeld()).isTrue();
			assertThat(LockContext.current("two").isHeld()).isTrue();
		});
	}

	@Test
	void methodWhoseConditionIsNotMetSeesTheOuterLock() {
		this.steps.a(() -> this.steps.never(() -> {
			assertThat(LockContext.current().key()).isEqualTo("a");
			assertThat(LockContext.get().find("never")).isNull();
		}));
	}

	@Test
	void exceptionsRestoreTheOuterLockAtEachLevel() {
		this.steps.a(() -> {
			this.steps.b(() -> {
				assertThatExceptionOfType(UnsupportedOperationException.class)
					.isThrownBy(() -> this.steps.several(() -> {
						throw new UnsupportedOperationException();
					}));
				assertThat(LockContext.current().key()).isEqualTo("b");
				assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.steps.a(() -> {
					throw new AssertionError();
				}));
				assertThat(LockContext.current().key()).isEqualTo("b");
			});
			assertThat(LockContext.current().key()).isEqualTo("a");
		});
	}

	@Test
	void lockThatIsNotAcquiredLeavesTheOuterOne() {
		this.proxies.holdElsewhere("b");
		this.proxies.holdElsewhere("two");
		this.steps.a(() -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.steps.b(() -> {
			}));
			assertThat(LockContext.current().key()).isEqualTo("a");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.steps.several(() -> {
			}));
			assertThat(LockContext.current().key()).isEqualTo("a");
		});
	}

	@Test
	void lossRestoresTheOuterLock() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.steps.a(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.steps.b(this.proxies::loseLeases));
			assertThat(LockContext.get().name()).isEqualTo("a");
		}));
	}

	@Test
	void fallbackSeesOnlyTheOuterLocks() {
		this.proxies.holdElsewhere("fallback");
		this.steps.a(() -> assertThat(this.steps.withFallback()).isEqualTo("a"));
	}

	@Test
	void otherThreadsSeeNothing() {
		this.steps.a(() -> {
			List<Object> seen = new ArrayList<>();
			Thread thread = new Thread(() -> seen.add(String.valueOf(LockContext.get())));
			thread.start();
			join(thread);
			assertThat(seen).containsExactly("null");
		});
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void callThroughTheProxyIsLocked() {
		this.steps.asserting();
	}

	@Test
	void callOfTheSameObjectIsNotLocked() {
		assertThatIllegalStateException().isThrownBy(this.steps::calling)
			.withMessageContaining("by another method of the same object?");
		this.steps.a(() -> assertThatIllegalStateException().isThrownBy(this.steps::calling)
			.withMessageContaining("does not run under the lock 'asserting' (held: 'a')"));
	}

	@Test
	void assertionFailsAfterALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.steps.a(() -> {
			this.proxies.loseLeases();
			LockAssert.assertLocked();
		}));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.steps.a(() -> {
			this.proxies.loseLeases();
			LockAssert.assertLocked("a");
		}));
	}

	@Test
	void assertionTakesTheDefaultName() {
		this.steps.unnamed();
	}

	static class Steps {

		@DistributedLock(name = "a")
		void a(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "b")
		void b(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "keyed", key = "#id")
		void keyed(long id, Runnable body) {
			body.run();
		}

		@DistributedLock(name = "one")
		@DistributedSemaphore(name = "two", permits = "1")
		void several(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "never", condition = "false")
		void never(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "recursive")
		int recursive(Steps proxy, int depth) {
			LockAssert.assertLocked("recursive");
			int below = (depth > 0) ? proxy.recursive(proxy, depth - 1) : 0;
			LockAssert.assertLocked("recursive");
			return below + 1;
		}

		@DistributedLock(name = "fallback", onFailure = OnFailure.FALLBACK, fallback = "other")
		String withFallback() {
			return "";
		}

		String other() {
			return LockContext.get().name();
		}

		@DistributedLock(name = "asserting")
		void asserting() {
			LockAssert.assertLocked("asserting");
			LockAssert.assertLocked();
		}

		void calling() {
			if (LockContext.get() == null) {
				assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
			}
			asserting();
		}

		@DistributedLock
		void unnamed() {
			LockAssert.assertLocked(Steps.class.getName() + ".unnamed");
		}

	}

}
