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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockShutdownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What {@link DistributedAtomicLong} promises on every backend, as tests.
 */
public abstract class AtomicLongContract extends LockClientContract {

	private DistributedAtomicLong number;

	/**
	 * The same number in another process.
	 */
	private DistributedAtomicLong elsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected AtomicLongContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createNumbers() {
		requiresValues();
		this.number = this.one.client.atomicLong(this.key);
		this.elsewhere = this.two.client.atomicLong(this.key);
	}

	@Test
	@Tag(EVERYWHERE)
	void numberIsZeroUntilItIsSet() {
		assertThat(this.number.get()).isZero();
		this.number.set(42);
		assertThat(this.elsewhere.get()).isEqualTo(42);
	}

	@Test
	void operationsReturnTheNumberBeforeOrAfter() {
		assertThat(this.number.addAndGet(5)).isEqualTo(5);
		assertThat(this.elsewhere.getAndAdd(-8)).isEqualTo(5);
		assertThat(this.number.incrementAndGet()).isEqualTo(-2);
		assertThat(this.number.getAndIncrement()).isEqualTo(-2);
		assertThat(this.number.decrementAndGet()).isEqualTo(-2);
		assertThat(this.number.getAndDecrement()).isEqualTo(-2);
		assertThat(this.number.getAndSet(10)).isEqualTo(-3);
		assertThat(this.number.updateAndGet((n) -> n * 3)).isEqualTo(30);
		assertThat(this.number.getAndUpdate((n) -> n - 1)).isEqualTo(30);
		assertThat(this.number.accumulateAndGet(100, Math::max)).isEqualTo(100);
		assertThat(this.number.getAndAccumulate(1, Long::sum)).isEqualTo(100);
		assertThat(this.elsewhere.get()).isEqualTo(101);
	}

	@Test
	void comparisonDecidesWhetherTheNumberIsSet() {
		assertThat(this.number.compareAndSet(1, 2)).isFalse();
		assertThat(this.number.compareAndSet(0, Long.MIN_VALUE)).isTrue();
		assertThat(this.elsewhere.compareAndSet(Long.MIN_VALUE + 1, 0)).isFalse();
		assertThat(this.elsewhere.compareAndSet(Long.MIN_VALUE, Long.MAX_VALUE)).isTrue();
		assertThat(this.number.get()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void numberCanBeInitializedOnceAndDeleted() {
		assertThat(this.number.setIfAbsent(7)).isTrue();
		assertThat(this.elsewhere.setIfAbsent(8)).isFalse();
		assertThat(this.elsewhere.getAndDelete()).isEqualTo(7);
		assertThat(this.number.get()).isZero();
		assertThat(this.number.delete()).isFalse();
		assertThat(this.number.setIfAbsent(8)).isTrue();
		assertThat(this.number.delete()).isTrue();
		assertThat(this.number.getAndDelete()).isZero();
	}

	@Test
	void overflowIsAnError() {
		this.number.set(Long.MAX_VALUE - 1);
		assertThat(this.number.incrementAndGet()).isEqualTo(Long.MAX_VALUE);
		assertThatExceptionOfType(ArithmeticException.class).isThrownBy(this.number::incrementAndGet)
			.withMessageContaining(this.key);
		assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> this.elsewhere.getAndAdd(Long.MAX_VALUE));
		assertThat(this.number.get()).isEqualTo(Long.MAX_VALUE);
		this.number.set(Long.MIN_VALUE);
		assertThatExceptionOfType(ArithmeticException.class).isThrownBy(this.number::decrementAndGet);
		assertThat(this.elsewhere.get()).isEqualTo(Long.MIN_VALUE);
	}

	@Test
	@Tag(EVERYWHERE)
	void incrementsOfManyThreadsAreAllCounted() {
		int increments = 20;
		List<TestThread<List<Long>>> threads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			DistributedAtomicLong shared = (i % 2 == 0) ? this.number : this.elsewhere;
			threads
				.add(start(() -> LongStream.range(0, increments).mapToObj((n) -> shared.incrementAndGet()).toList()));
		}
		List<Long> all = threads.stream().flatMap((thread) -> thread.get().stream()).sorted().toList();
		assertThat(all).isEqualTo(LongStream.rangeClosed(1, 8 * increments).boxed().toList());
		assertThat(this.number.get()).isEqualTo(8 * increments);
	}

	@Test
	void updatesOfManyThreadsAreAllApplied() {
		List<TestThread<Long>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			DistributedAtomicLong shared = (i % 2 == 0) ? this.number : this.elsewhere;
			threads.add(start(() -> {
				for (int n = 0; n < 5; n++) {
					shared.accumulateAndGet(3, Long::sum);
				}
				return shared.get();
			}));
		}
		threads.forEach(TestThread::get);
		assertThat(this.number.get()).isEqualTo(4 * 5 * 3);
	}

	@Test
	void interruptIsPreservedAndChangesNothing() {
		Thread.currentThread().interrupt();
		assertThat(this.number.incrementAndGet()).isEqualTo(1);
		assertThat(this.number.updateAndGet((n) -> n + 1)).isEqualTo(2);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.elsewhere.get()).isEqualTo(2);
	}

	@Test
	void numbersOfTwoKeysAndKindsAreIndependent() {
		this.number.set(1);
		assertThat(this.one.client.atomicLong(this.key + ":other").get()).isZero();
		assertThat(this.one.client.sharedCount(this.key).getCount()).isZero();
		assertThat(this.one.client.countDownLatch(this.key).getCount()).isZero();
		assertThat(this.one.client.barrier(this.key).isSet()).isFalse();
	}

	@Test
	void asynchronousFormsDoTheSame() {
		assertThat(result(this.number.setAsync(5))).isNull();
		assertThat(result(this.elsewhere.getAsync())).isEqualTo(5);
		assertThat(result(this.number.addAndGetAsync(2))).isEqualTo(7);
		assertThat(result(this.number.getAndAddAsync(2))).isEqualTo(7);
		assertThat(result(this.number.incrementAndGetAsync())).isEqualTo(10);
		assertThat(result(this.number.decrementAndGetAsync())).isEqualTo(9);
		assertThat(result(this.number.getAndSetAsync(1))).isEqualTo(9);
		assertThat(result(this.number.compareAndSetAsync(2, 3))).isFalse();
		assertThat(result(this.number.compareAndSetAsync(1, 3))).isTrue();
		assertThat(result(this.number.updateAndGetAsync((n) -> n * n))).isEqualTo(9);
		assertThat(result(this.number.getAndDeleteAsync())).isEqualTo(9);
		this.number.set(Long.MAX_VALUE);
		assertThat(this.number.incrementAndGetAsync()).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(ArithmeticException.class);
	}

	@Test
	void numberIsDeletedWhenItsTimeToLiveIsOver() {
		requireExpiry();
		assertThat(this.number.expire(SHORT)).isFalse();
		assertThat(this.number.persist()).isFalse();
		this.number.set(7);
		assertThat(this.elsewhere.expire(Duration.ofNanos(1))).isTrue();
		await().until(() -> this.number.get() == 0);
		assertThat(this.elsewhere.delete()).isFalse();
		assertThat(this.elsewhere.incrementAndGet()).isOne();
	}

	@Test
	void timeToLiveCanBeReplaced() {
		requireExpiry();
		Duration life = expireUntil(() -> this.elsewhere.expire(Duration.ofSeconds(Long.MAX_VALUE)));
		awaitEndOf(life);
		assertThat(this.number.incrementAndGet()).isEqualTo(8);
	}

	@Test
	void timeToLiveCanBeRemoved() {
		requireExpiry();
		Duration life = expireUntil(() -> result(this.elsewhere.persistAsync()));
		awaitEndOf(life);
		assertThat(this.number.get()).isEqualTo(7);
	}

	/**
	 * Gives the number a time to live that is long enough for the next call to find it.
	 */
	private Duration expireUntil(BooleanSupplier found) {
		Duration life = Duration.ofMillis(200);
		do {
			life = life.multipliedBy(2);
			assertThat(life).isLessThan(LONG);
			this.number.set(7);
			assertThat(result(this.number.expireAsync(life))).isTrue();
		}
		while (!found.getAsBoolean());
		return life;
	}

	/**
	 * Waits until a number has ended whose time to live began later.
	 */
	private void awaitEndOf(Duration life) {
		DistributedAtomicLong later = this.one.client.atomicLong(this.key + ":later");
		later.set(1);
		assertThat(later.expire(life)).isTrue();
		await().until(() -> later.get() == 0);
	}

	@Test
	void timeToLiveIsPositive() {
		for (Duration invalid : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.number.expire(invalid))
				.withMessageContaining("'timeToLive' must be positive");
		}
	}

	@Test
	void timeToLiveIsRejectedWhereItIsNotSupported() {
		assumeFalse(expiresValues());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> this.number.expire(LONG))
			.withMessageContaining("time to live");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.number::persist);
	}

	@Test
	void isNotAccessedOnceTheApplicationShutsDown() {
		this.one.close();
		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(this.number::incrementAndGet)
			.withMessageStartingWith("Could not access the value");
	}

	@Test
	void invalidKeysAreRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.one.client.atomicLong(" "));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.one.client.atomicLong(null));
		String longest = this.key + "x".repeat(512 - this.key.length());
		assertThat(this.one.client.atomicLong(longest).incrementAndGet()).isEqualTo(1);
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.one.client.atomicLong(longest + 'x'));
	}

}
