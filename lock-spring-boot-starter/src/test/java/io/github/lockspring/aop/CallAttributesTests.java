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

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUpgradeException;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for conditions, times that each call has of its own, and types.
 */
class CallAttributesTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Orders target = new Orders();

	private final Orders orders = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void whenConditionIsTrueThenCallIsLocked() {
		this.orders.pay(101);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:101");
		assertThat(this.target.runs).isOne();
	}

	@Test
	void whenConditionIsFalseThenCallIsNotLocked() {
		this.proxies.holdElsewhere("order:100");
		this.orders.pay(100);
		assertThat(this.proxies.backend.keys()).isEmpty();
		assertThat(this.target.runs).isOne();
	}

	@Test
	void whenConditionIsFalseThenKeyIsNotEvaluated() {
		this.orders.optional(null);
		assertThat(this.target.runs).isOne();
	}

	@Test
	void whenConditionIsFalseThenThereIsNoHandle() {
		this.orders.handled(false, null);
		assertThat(this.target.handle).isNull();
		this.orders.handled(true, null);
		assertThat(this.target.handle).isNotNull();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void conditionThatIsNoAnswerIsRejected(Object condition, String reason) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.conditional(condition))
			.withMessageContaining("The condition '#condition' of @DistributedLock on " + Orders.class.getName()
					+ ".conditional(Object)")
			.withMessageContaining(reason);
		assertNothingHappened();
	}

	static Stream<Arguments> conditionThatIsNoAnswerIsRejected() {
		return Stream.of(arguments(null, "it is neither true nor false"),
				arguments("true", "it is neither true nor false"), arguments(1, "it is neither true nor false"));
	}

	@Test
	void conditionThatFailsIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.failing(null))
			.withMessageContaining("The condition '#text.isEmpty()' of @DistributedLock on " + Orders.class.getName()
					+ ".failing(String)")
			.withMessageContaining("'#text' is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.throwing(this.target))
			.withMessageContaining("'#orders.oops()'")
			.withRootCauseInstanceOf(UnsupportedOperationException.class);
		assertNothingHappened();
	}

	@ParameterizedTest
	@MethodSource
	void timeMayComeFromTheArguments(Object time) {
		this.orders.timed("0s", time);
		assertThat(this.proxies.backend.requests().get(0).terms().leaseTime()).isEqualTo(Duration.ofSeconds(3));
	}

	static Stream<Object> timeMayComeFromTheArguments() {
		return Stream.of(Duration.ofSeconds(3), "3s", " PT3S ", new StringBuilder("3000ms"));
	}

	@Test
	void waitTimeMayComeFromTheArguments() {
		this.proxies.holdElsewhere("timed");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.orders.timed(Duration.ZERO, "3s"))
			.satisfies((ex) -> assertThat(ex.waitTime()).isZero());
	}

	@ParameterizedTest(name = "{0} {1}")
	@MethodSource
	void timeThatCannotBeUsedIsRejected(Object waitTime, Object leaseTime, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.timed(waitTime, leaseTime))
			.withMessageContaining("@DistributedLock on " + Orders.class.getName() + ".timed(Object, Object)")
			.withMessageContaining(problem);
		assertNothingHappened();
	}

	static Stream<Arguments> timeThatCannotBeUsedIsRejected() {
		return Stream.of(arguments(null, "3s", "The time waitTime = '#wait'"),
				arguments("0s", null, "The time leaseTime = '#lease'"), arguments("5", "3s", "'5', which has no unit"),
				arguments("0s", "3000", "'3000', which has no unit"), arguments(5, "3s", "class java.lang.Integer"),
				arguments("soon\n", "3s", "'soon', which is not a duration"),
				arguments("so\non", "3s", "'so\\u000aon', which is not a duration"),
				arguments("", "3s", "waitTime = '#wait'"), arguments("-1s", "3s", "'waitTime' must be zero"),
				arguments(Duration.ofNanos(-1), "3s", "waitTime = '#wait'"),
				arguments("0s", "99ms", "'leaseTime' must be between"),
				arguments("0s", Duration.ofDays(2), "leaseTime = '#lease'"),
				arguments("9999999999999999999999d", "3s", "waitTime = '#wait'"));
	}

	@Test
	void longTextInMessagesIsCut() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.timed("x".repeat(100_000), "3s"))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(1000));
	}

	@Test
	void timeOfAKeyThatFailsIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.timedBy(null))
			.withMessageContaining("waitTime = '#orders.waitTime()'")
			.withMessageContaining("Orders.timedBy(Orders)")
			.withMessageContaining("'#orders' is null");
		assertNothingHappened();
	}

	private void assertNothingHappened() {
		assertThat(this.target.runs).isZero();
		assertThat(this.proxies.backend.keys()).isEmpty();
	}

	@Test
	void typeReachesTheStore() {
		this.orders.reentrant();
		this.orders.fair();
		this.orders.read();
		this.orders.write();
		assertThat(this.proxies.backend.requests()).extracting((request) -> request.terms().mode())
			.containsExactly(LeaseMode.EXCLUSIVE, LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.EXCLUSIVE);
		assertThat(this.proxies.backend.requests()).extracting((request) -> request.terms().fair())
			.containsExactly(false, true, false, false);
	}

	@Test
	void readLocksAreShared() {
		try (LockHandle lock = this.proxies.holdElsewhere("document", LockType.READ)) {
			this.orders.read();
			assertThat(this.target.runs).isOne();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.orders::write);
			assertThat(lock.isHeld()).isTrue();
		}
		this.orders.write();
		assertThat(this.target.runs).isEqualTo(2);
	}

	@Test
	void readerDoesNotGetTheWriteLock() {
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.orders.upgrade(this.orders));
		assertThat(this.target.runs).isZero();
		assertThat(this.proxies.isHeld("document")).isFalse();
	}

	@Test
	void writerGetsTheReadLock() {
		this.orders.downgrade(this.orders);
		assertThat(this.target.runs).isOne();
		assertThat(List.of("document")).noneMatch(this.proxies::isHeld);
	}

	static class Orders {

		private int runs;

		private LockHandle handle;

		@DistributedLock(name = "order", key = "#id", condition = "#id > 100")
		void pay(long id) {
			this.runs++;
		}

		@DistributedLock(name = "order", key = "#id", condition = "#id != null")
		void optional(Long id) {
			this.runs++;
		}

		@DistributedLock(name = "order", condition = "#locked")
		void handled(boolean locked, LockHandle lock) {
			this.handle = lock;
		}

		@DistributedLock(name = "order", condition = "#condition")
		void conditional(Object condition) {
			this.runs++;
		}

		@DistributedLock(name = "order", condition = "#text.isEmpty()")
		void failing(String text) {
			this.runs++;
		}

		@DistributedLock(name = "order", condition = "#orders.oops()")
		void throwing(Orders orders) {
			this.runs++;
		}

		public boolean oops() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock(name = "timed", waitTime = "#wait", leaseTime = "#lease")
		void timed(Object wait, Object lease) {
			this.runs++;
		}

		@DistributedLock(name = "timed", waitTime = "#orders.waitTime()")
		void timedBy(Orders orders) {
			this.runs++;
		}

		public String waitTime() {
			return "1s";
		}

		@DistributedLock(name = "document")
		void reentrant() {
		}

		@DistributedLock(name = "document", type = LockType.FAIR)
		void fair() {
		}

		@DistributedLock(name = "document", type = LockType.READ)
		void read() {
			this.runs++;
		}

		@DistributedLock(name = "document", type = LockType.WRITE)
		void write() {
			this.runs++;
		}

		@DistributedLock(name = "document", type = LockType.READ)
		void upgrade(Orders proxy) {
			proxy.write();
		}

		@DistributedLock(name = "document", type = LockType.WRITE)
		void downgrade(Orders proxy) {
			proxy.read();
		}

	}

}
