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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockType;
import io.github.lockspring.OnFailure;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for methods with several locks.
 */
class RepeatedLocksTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Transfers target = new Transfers(this.proxies);

	private final Transfers transfers = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void allLocksAreHeldWhileTheMethodRuns() {
		assertThat(this.transfers.move(1, 2)).isEqualTo("both");
		assertThat(List.of("from:1", "to:2")).noneMatch(this.proxies::isHeld);
	}

	@Test
	void orderIsThatOfTheStoreKeysNotThatOfWriting() {
		this.transfers.forth();
		this.transfers.back();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:a", "lock:b", "lock:a", "lock:b");
	}

	@Test
	void orderOfKeysOfOneNameIsThatOfTheStoreKeys() {
		this.transfers.pair(2, 1);
		this.transfers.pair(1, 2);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:p:1", "lock:p:2", "lock:p:1", "lock:p:2");
	}

	@Test
	void writeLockOfAKeyIsAcquiredBeforeItsReadLock() {
		this.transfers.copy(7, 7);
		this.transfers.copyBack(7, 7);
		assertThat(this.target.runs).isEqualTo(2);
	}

	@Test
	void callsDoNotDeadlockHoweverTheAnnotationsAreWritten() throws Exception {
		LocalStore store = new LocalStore();
		try (LockedProcess one = new LockedProcess(store); LockedProcess other = new LockedProcess(store)) {
			Counters target = new Counters();
			List<Counters> counters = List.of(one.proxy(target), other.proxy(target));
			Crowd.run(8, (number) -> {
				for (int i = 0; i < 100; i++) {
					Counters proxy = counters.get(number % 2);
					if ((number / 2 + i) % 2 == 0) {
						proxy.forth();
					}
					else {
						proxy.back();
					}
				}
			});
			assertThat(target.count).isEqualTo(800);
		}
	}

	@Test
	void whenInnerLockIsHeldElsewhereThenOuterIsReleased() {
		this.proxies.holdElsewhere("b");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.transfers::back)
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:b"));
		assertThat(this.proxies.isHeld("a")).isFalse();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenInnerLockIsHeldElsewhereThenItsOwnPolicyCounts() {
		LockHandle inner = this.proxies.holdElsewhere("skipping");
		assertThat(this.transfers.mixed()).isNull();
		assertThat(this.proxies.isHeld("failing")).isFalse();
		inner.close();
		this.proxies.holdElsewhere("failing");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.transfers::mixed);
		assertThat(this.proxies.isHeld("skipping")).isFalse();
	}

	@Test
	void whenOuterLockFailsThenInnerIsNotAskedFor() {
		this.proxies.holdElsewhere("a");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.transfers::back);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:a");
	}

	@Test
	void whenOneKeyCannotBeLockedThenNothingIsAskedFor() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.transfers.texts("a", " "))
			.withMessageContaining("'#second'")
			.withMessageContaining("Transfers.texts(String, String)");
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.transfers.lists(List.of("a"), List.of()))
			.withMessageContaining("'#second'")
			.withMessageContaining("Transfers.lists(List, List)");
		assertThat(this.proxies.backend.keys()).isEmpty();
	}

	@Test
	void whenOneConditionIsNotMetThenTheOthersAreLocked() {
		this.transfers.conditional(false);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:always");
	}

	@Test
	void lockAndSemaphoreAreTakenTogether() {
		this.transfers.limited();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:limit", "lock:one");
		assertThat(this.proxies.backend.requests()).extracting((request) -> request.terms().mode())
			.doesNotHaveDuplicates();
		assertThat(List.of("limit", "one")).noneMatch(this.proxies::isHeld);
	}

	@Test
	void permitOfAKeyThatIsGivenTwiceIsTakenOnce() {
		this.transfers.limitedEach(List.of("a", "b", "a"));
		assertThat(this.proxies.backend.keys()).containsExactly("lock:each:a", "lock:each:b", "lock:one");
	}

	@Test
	void permitsAreNotReentrant() {
		assertThatIllegalStateException().isThrownBy(() -> this.transfers.again(this.transfers))
			.withMessageContaining("would wait for itself: the key 'lock:again'");
		assertThat(this.proxies.isHeld("again")).isFalse();
	}

	@Test
	void methodGetsTheHandleOfTheFirstAnnotation() {
		this.transfers.handled(null);
		assertThat(this.target.handle.key()).isEqualTo("z-first");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:a-second", "lock:z-first");
	}

	@Test
	void metaAnnotationMayAliasSeveralAttributes() {
		this.transfers.audited("x");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:audit:x");
		assertThat(this.proxies.backend.requests().get(0).terms().leaseTime()).isEqualTo(Duration.ofSeconds(7));
		assertThat(this.proxies.backend.requests().get(0).terms().mode()).isEqualTo(LeaseMode.SHARED);
	}

	@Test
	void metaAnnotationCountsBesideADirectOne() {
		this.transfers.auditedAndLocked("x");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:audit:x", "lock:direct");
	}

	@Test
	void metaAnnotationMayCarrySeveral() {
		this.transfers.twice();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:meta-a", "lock:meta-b");
	}

	static class Counters {

		private int count;

		@DistributedLock(name = "a")
		@DistributedLock(name = "b")
		void forth() {
			this.count++;
		}

		@DistributedLock(name = "b")
		@DistributedLock(name = "a")
		void back() {
			this.count++;
		}

	}

	static class Transfers {

		private final LockedProxies proxies;

		private int runs;

		private LockHandle handle;

		Transfers(LockedProxies proxies) {
			this.proxies = proxies;
		}

		@DistributedLock(name = "from", key = "#from")
		@DistributedLock(name = "to", key = "#to")
		String move(long from, long to) {
			return (this.proxies.isHeld("from:" + from) && this.proxies.isHeld("to:" + to)) ? "both" : "not both";
		}

		@DistributedLock(name = "a")
		@DistributedLock(name = "b")
		void forth() {
		}

		@DistributedLock(name = "b")
		@DistributedLock(name = "a")
		void back() {
			this.runs++;
		}

		@DistributedLock(name = "doc", key = "#from", type = LockType.READ)
		@DistributedLock(name = "doc", key = "#to", type = LockType.WRITE)
		void copy(long from, long to) {
			this.runs++;
		}

		@DistributedLock(name = "doc", key = "#to", type = LockType.WRITE)
		@DistributedLock(name = "doc", key = "#from", type = LockType.READ)
		void copyBack(long to, long from) {
			this.runs++;
		}

		@DistributedLock(name = "p", key = "#one")
		@DistributedLock(name = "p", key = "#two")
		void pair(long one, long two) {
		}

		@DistributedLock(name = "failing")
		@DistributedLock(name = "skipping", onFailure = OnFailure.SKIP)
		String mixed() {
			return "mixed";
		}

		@DistributedLock(name = "first", key = "#first")
		@DistributedLock(name = "second", key = "#second")
		void texts(String first, String second) {
		}

		@DistributedLock(name = "first", key = "#first")
		@DistributedLock(name = "second", key = "#second")
		void lists(List<?> first, List<?> second) {
		}

		@DistributedLock(name = "always")
		@DistributedLock(name = "sometimes", condition = "#sometimes")
		void conditional(boolean sometimes) {
		}

		@DistributedLock(name = "one")
		@DistributedSemaphore(name = "limit", permits = "2")
		void limited() {
		}

		@DistributedLock(name = "one")
		@DistributedSemaphore(name = "each", key = "#ids", permits = "1")
		void limitedEach(List<String> ids) {
		}

		@DistributedSemaphore(name = "again", permits = "1")
		void again(Transfers proxy) {
			proxy.again(proxy);
		}

		@DistributedLock(name = "z-first")
		@DistributedLock(name = "a-second")
		void handled(LockHandle lock) {
			this.handle = lock;
		}

		@Audited(which = "#p0", lease = "7s")
		void audited(String id) {
		}

		@Audited(which = "#p0")
		@DistributedLock(name = "direct")
		void auditedAndLocked(String id) {
		}

		@Twice
		void twice() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "audit", type = LockType.READ)
	@interface Audited {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String which();

		@AliasFor(annotation = DistributedLock.class, attribute = "leaseTime")
		String lease() default "9s";

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "meta-b")
	@DistributedLock(name = "meta-a")
	@interface Twice {

	}

}
