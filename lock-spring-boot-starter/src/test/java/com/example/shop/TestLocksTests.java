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

package com.example.shop;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.test.AutoConfigureTestLocks;
import io.github.lockspring.test.LockHeldElsewhere;
import io.github.lockspring.test.TestLocks;

import static io.github.lockspring.test.TestLocksAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TestLocks} in an application with two backends, neither of which is
 * there.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = { "lock.backend=redis", "lock.additional-backends=jdbc", "lock.redis.connection-factory=missing",
				"lock.key-prefix=shop", "lock.fail-fast=true", "lock.shutdown-timeout=1h" })
@AutoConfigureTestLocks
class TestLocksTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Autowired
	private TestLocks locks;

	@Autowired
	private Orders orders;

	@Autowired
	private LockTemplate template;

	@Autowired
	private LockClient client;

	private final CountDownLatch proceed = new CountDownLatch(1);

	@BeforeEach
	void nothingIsHeldByTheFormerTest() {
		assertThat(this.locks).isNotHeld("order:42").isNotHeld("order:43").hasWaiters("order:42", 0);
		assertThat(Duration.between(Instant.now(), this.locks.time().instant())).isLessThan(Duration.ofMinutes(1));
		assertThat(this.client.sharedCount("stock").getCount()).isZero();
	}

	@AfterEach
	void letThreadsEnd() {
		this.proceed.countDown();
	}

	@Test
	void backendsKeepTheirNames() {
		assertThat(this.template.backendNames()).containsExactly("redis", "jdbc");
	}

	@Test
	void annotatedMethodIsLocked() {
		this.orders.pay(42,
				() -> assertThat(this.locks).isHeld("order:42").isHeldByThisProcess("order:42").isNotHeld("order:43"));
		assertThat(this.locks).isNotHeld("order:42");
	}

	@Test
	void leaseIsNotRetained() {
		this.template.acquire("order:42", this.template.defaultOptions().withRetain(LONG)).close();
		assertThat(this.locks).isNotHeld("order:42");
	}

	@Test
	void backendsShareNoLocks() {
		this.orders.count(7, () -> {
			assertThat(this.locks).isNotHeld("stock:7");
			assertThat(this.locks.on("jdbc")).isHeldByThisProcess("stock:7");
		});
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.on("zookeeper"))
			.withMessageContaining("redis, jdbc");
	}

	@Test
	void whenHeldElsewhereThenWaitTimePassesAtOnce() {
		Instant before = this.locks.time().instant();
		AtomicBoolean paid = new AtomicBoolean();
		try (LockHeldElsewhere other = this.locks.holdElsewhere("order:42")) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.orders.pay(42, () -> paid.set(true)))
				.withMessageContaining("shop:order:42");
			assertThat(this.locks).isHeldElsewhere("order:42").hasWaiters("order:42", 0);
		}
		assertThat(paid).isFalse();
		assertThat(this.locks).isNotHeld("order:42");
		assertThat(this.locks.time().instant()).isAfterOrEqualTo(before.plusSeconds(30));
	}

	@Test
	void whenReleasedElsewhereThenWaitingThreadGetsTheLock() {
		LockHeldElsewhere other = this.locks.holdElsewhere("order:42");
		CompletableFuture<Void> payment = pay(42);
		Awaitility.await().untilAsserted(() -> assertThat(this.locks).hasWaiters("order:42", 1));
		other.close();
		Awaitility.await().untilAsserted(() -> assertThat(this.locks).isHeldByThisProcess("order:42"));
		this.proceed.countDown();
		assertThat(payment).succeedsWithin(LONG);
	}

	@Test
	void advanceEndsWaitTime() {
		LockHeldElsewhere other = this.locks.holdElsewhere("order:42");
		CompletableFuture<Void> payment = pay(42);
		Awaitility.await().untilAsserted(() -> assertThat(this.locks).hasWaiters("order:42", 1));
		this.locks.advance(Duration.ofSeconds(31));
		assertThat(payment).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockNotAcquiredException.class);
		other.close();
	}

	@Test
	void holdElsewhereExcludesReadersAndPermits() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("order:42")) {
			assertThat(this.client.readWriteLock("order:42").readLock().tryLock()).isFalse();
			assertThatIllegalStateException().isThrownBy(() -> this.locks.holdElsewhere("order:42"))
				.withMessage("The lock on 'shop:order:42' is held already, by another process");
		}
		this.orders.pay(42,
				() -> assertThatIllegalStateException().isThrownBy(() -> this.locks.holdElsewhere("order:42"))
					.withMessage("The lock on 'shop:order:42' is held already, by this process"));
	}

	@Test
	void renewedLeaseOutlastsAnyTime() {
		try (LockHandle lock = this.template.acquire("order:42")) {
			this.locks.advance(Duration.ofHours(3));
			lock.checkpoint();
			assertThat(this.locks).isHeldByThisProcess("order:42");
		}
	}

	@RepeatedTest(5)
	void renewalsKeepPaceWithTheClock() {
		LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(1));
		try (LockHandle one = this.template.acquire("order:42", brief);
				LockHandle other = this.template.on("jdbc").acquire("order:43")) {
			this.locks.advance(Duration.ofHours(1));
			one.checkpoint();
			other.checkpoint();
		}
	}

	@Test
	void leaseWithoutRenewalExpires() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.orders.payQuickly(42, null, () -> this.locks.advance(Duration.ofSeconds(11))));
		this.orders.payQuickly(42, null, () -> this.locks.advance(Duration.ofSeconds(9)));
	}

	@Test
	void clockThatJumpsEndsLeasesBeforeTheyAreRenewed() {
		LockHandle lock = this.template.acquire("order:42");
		this.locks.time().advance(Duration.ofHours(1));
		assertThat(lock.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

	@Test
	void expireNowNotifiesTheHolder() {
		AtomicBoolean notified = new AtomicBoolean();
		LockHandle lock = this.template.acquire("order:42");
		lock.onLost(() -> notified.set(true));
		this.locks.expireNow("order:42");
		assertThat(lock.isLost()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkpoint);
		assertThat(this.locks).isNotHeld("order:42");
		Awaitility.await().untilTrue(notified);
		assertThatIllegalStateException().isThrownBy(() -> this.locks.expireNow("order:42"))
			.withMessage("The lock on 'order:42' is not held. No lock is held.");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

	@Test
	void expireNowFreesWhatIsHeldElsewhere() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("order:42")) {
			this.locks.expireNow("order:42");
			this.orders.pay(42, () -> assertThat(this.locks).isHeldByThisProcess("order:42"));
		}
	}

	@Test
	void minimumHoldTimeIsNeitherHoldNorFree() {
		this.template.acquire("order:42", LockOptions.defaults().withLockAtLeastFor(Duration.ofMinutes(1))).close();
		assertThat(this.locks).isHeld("order:42");
		assertThat(this.locks.isHeldByThisProcess("order:42")).isFalse();
		this.locks.advance(Duration.ofSeconds(61));
		assertThat(this.locks).isNotHeld("order:42");
	}

	@RepeatedTest(2)
	void lockThatIsNeverReleasedDoesNotReachTheNextTest() {
		LockHandle lock = this.template.acquire("order:42");
		this.template.acquire("order:42");
		this.locks.on("jdbc").holdElsewhere("order:42");
		this.locks.holdElsewhere("order:43");
		this.client.sharedCount("stock").setCount(9);
		pay(43);
		this.locks.advance(Duration.ofHours(2));
		assertThat(lock.key()).isEqualTo("order:42");
	}

	@RepeatedTest(2)
	void waitingThreadDoesNotReachTheNextTest() {
		this.locks.holdElsewhere("order:42");
		pay(42);
		Awaitility.await().untilAsserted(() -> assertThat(this.locks).hasWaiters("order:42", 1));
	}

	/**
	 * Pays an order in another thread, until the test lets it continue.
	 */
	private CompletableFuture<Void> pay(long id) {
		return CompletableFuture.runAsync(() -> this.orders.pay(id, () -> {
			try {
				this.proceed.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}), (task) -> new Thread(task).start());
	}

	@Nested
	class InANestedClass {

		@RepeatedTest(2)
		void locksAreTheSameAndReset() {
			assertThat(TestLocksTests.this.locks).isNotHeld("order:42");
			TestLocksTests.this.template.acquire("order:42");
		}

	}

}
