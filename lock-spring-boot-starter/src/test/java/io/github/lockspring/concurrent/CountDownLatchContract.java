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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What {@link DistributedCountDownLatch} promises on every backend, as tests.
 */
public abstract class CountDownLatchContract extends LockClientContract {

	private DistributedCountDownLatch latch;

	/**
	 * The same latch in another process.
	 */
	private DistributedCountDownLatch elsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected CountDownLatchContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createLatches() {
		requiresValues();
		this.latch = this.one.client.countDownLatch(this.key);
		this.elsewhere = this.two.client.countDownLatch(this.key);
	}

	@Test
	void latchWithoutCountIsOpen() throws InterruptedException {
		assertThat(this.latch.getCount()).isZero();
		this.latch.countDown();
		assertThat(this.latch.getCount()).isZero();
		this.latch.await();
		assertThat(this.latch.await(0, TimeUnit.SECONDS)).isTrue();
		assertThat(this.latch.trySetCount(0)).isTrue();
		assertThat(this.latch.delete()).isFalse();
	}

	@Test
	void lastCountDownLeavesNoValue() {
		this.latch.trySetCount(1);
		this.elsewhere.countDown();
		assertThat(this.one.update("lock:" + this.key + ":latch", new ValueChange.Delete(ValueChange.ANY_VERSION))
			.applied()).isFalse();
	}

	@Test
	void countIsSetOnceUntilItHasReachedZero() {
		assertThat(this.latch.trySetCount(2)).isTrue();
		assertThat(this.elsewhere.trySetCount(3)).isFalse();
		assertThat(this.elsewhere.trySetCount(0)).isFalse();
		assertThat(this.elsewhere.getCount()).isEqualTo(2);
		this.elsewhere.countDown();
		assertThat(this.latch.getCount()).isEqualTo(1);
		assertThat(this.latch.trySetCount(3)).isFalse();
		this.latch.countDown();
		assertThat(this.latch.getCount()).isZero();
		this.latch.countDown();
		assertThat(this.latch.getCount()).isZero();
		assertThat(this.elsewhere.trySetCount(DistributedCountDownLatch.MAX_COUNT)).isTrue();
		this.latch.countDown();
		assertThat(this.latch.getCount()).isEqualTo(DistributedCountDownLatch.MAX_COUNT - 1);
		assertThat(this.latch.delete()).isTrue();
		assertThat(this.elsewhere.getCount()).isZero();
	}

	@Test
	void countDownBeforeTheTimeIsOverIsNoticed() {
		for (int i = 0; i < 5; i++) {
			this.latch.trySetCount(1);
			long start = System.nanoTime();
			TestThread<Boolean> waiting = start(() -> this.elsewhere.await(60, TimeUnit.MILLISECONDS));
			await().until(() -> this.two.awaitedValues() > 0 || waiting.result.isDone());
			this.latch.countDown();
			boolean inTime = System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(60);
			assertThat(waiting.get() || !inTime).isTrue();
		}
	}

	@Test
	void countOutOfRangeIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.latch.trySetCount(-1)).withMessageContaining("-1");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.latch.trySetCount(DistributedCountDownLatch.MAX_COUNT + 1));
	}

	@Test
	@Tag(EVERYWHERE)
	void lastCountDownReleasesTheThreadsOfAllProcesses() {
		this.latch.trySetCount(3);
		List<TestThread<Boolean>> waiting = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiting.add(start(() -> this.latch.await(LONG)));
			waiting.add(start(() -> {
				this.elsewhere.await();
				return true;
			}));
		}
		this.latch.countDown();
		this.elsewhere.countDown();
		assertThat(waiting).allSatisfy((thread) -> assertThat(thread.result).isNotDone());
		this.latch.countDown();
		assertThat(waiting).allSatisfy((thread) -> assertThat(thread.get()).isTrue());
	}

	@Test
	void deletionReleasesWaitingThreads() {
		this.latch.trySetCount(3);
		TestThread<Boolean> waiting = start(() -> this.latch.await(LONG));
		this.elsewhere.delete();
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void endOfTheTimeToLiveReleasesWaitingThreads() {
		requireExpiry();
		assertThat(this.latch.expire(LONG)).isFalse();
		this.latch.trySetCount(3);
		TestThread<Boolean> waiting = start(() -> this.latch.await(LONG));
		awaitWatch(this.one, waiting);
		assertThat(this.elsewhere.expire(LONG)).isTrue();
		this.elsewhere.countDown();
		assertThat(waiting.result).isNotDone();
		assertThat(this.elsewhere.persist()).isTrue();
		assertThat(this.elsewhere.getCount()).isEqualTo(2);
		assertThat(this.elsewhere.expire(SHORT)).isTrue();
		assertThat(waiting.get()).isTrue();
		assertThat(this.latch.getCount()).isZero();
		assertThat(this.latch.delete()).isFalse();
		assertThat(this.latch.trySetCount(1)).isTrue();
	}

	@Test
	void countThatFollowsAnOpenedLatchHasNoTimeToLive() {
		requireExpiry();
		DistributedCountDownLatch expired = this.one.client.countDownLatch(this.key + "2");
		expired.trySetCount(1);
		this.latch.trySetCount(1);
		assertThat(this.latch.expire(Duration.ofSeconds(1))).isTrue();
		assertThat(expired.expire(Duration.ofSeconds(1))).isTrue();
		this.elsewhere.countDown();
		assertThat(this.latch.getCount()).isZero();
		assertThat(this.elsewhere.trySetCount(2)).isTrue();
		await().until(() -> expired.getCount() == 0);
		assertThat(this.latch.getCount()).isEqualTo(2);
	}

	@Test
	void threadThatWaitedForAFormerCountIsReleased() throws InterruptedException {
		this.latch.trySetCount(1);
		TestThread<Boolean> waiting = start(() -> this.latch.await(LONG));
		awaitWatch(this.one, waiting);
		for (int i = 0; i < 5; i++) {
			this.elsewhere.countDown();
			assertThat(this.elsewhere.trySetCount(1)).isTrue();
		}
		assertThat(waiting.get()).isTrue();
		assertThat(this.latch.await(SHORT)).isFalse();
	}

	@Test
	void waitEndsWithItsTime() throws InterruptedException {
		this.latch.trySetCount(1);
		assertThat(this.latch.await(SHORT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.latch.await(0, TimeUnit.SECONDS)).isFalse();
		assertThat(this.latch.await(-1, TimeUnit.DAYS)).isFalse();
		assertThat(this.latch.await(Duration.ofSeconds(Long.MIN_VALUE))).isFalse();
	}

	@Test
	void waitIsInterruptible() {
		assertInterruptedOnEntry(this.latch::await);
		assertInterruptedOnEntry(() -> this.latch.await(1, TimeUnit.SECONDS));
		this.latch.trySetCount(1);
		TestThread<Boolean> waiting = start(() -> this.latch.await(Duration.ofSeconds(Long.MAX_VALUE)));
		awaitWatch(this.one, waiting);
		assertInterrupted(waiting);
	}

	@Test
	void manyCountDownsAreAllCounted() {
		this.latch.trySetCount(101);
		List<TestThread<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			DistributedCountDownLatch shared = (i % 2 == 0) ? this.latch : this.elsewhere;
			threads.add(start(() -> {
				for (int n = 0; n < 25; n++) {
					shared.countDown();
				}
				return true;
			}));
		}
		threads.forEach(TestThread::get);
		assertThat(this.latch.getCount()).isEqualTo(1);
		this.latch.countDown();
		assertThat(this.elsewhere.getCount()).isZero();
	}

	@Test
	void asynchronousFormsDoTheSame() {
		assertThat(result(this.latch.trySetCountAsync(2))).isTrue();
		CompletableFuture<Boolean> opened = this.elsewhere.awaitAsync(LONG);
		assertThat(result(this.latch.awaitAsync(SHORT))).isFalse();
		assertThat(result(this.latch.countDownAsync())).isNull();
		assertThat(result(this.latch.getCountAsync())).isEqualTo(1);
		CompletableFuture<Boolean> cancelled = this.elsewhere.awaitAsync(LONG);
		cancelled.cancel(true);
		assertThat(opened).isNotDone();
		this.latch.countDown();
		assertThat(result(opened)).isTrue();
		assertThat(cancelled).isCancelled();
	}

}
