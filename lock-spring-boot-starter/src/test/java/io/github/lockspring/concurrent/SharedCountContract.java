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

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What {@link SharedCount} promises on every backend, as tests.
 */
public abstract class SharedCountContract extends LockClientContract {

	private SharedCount count;

	/**
	 * The same count in another process.
	 */
	private SharedCount elsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected SharedCountContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createCounts() {
		requiresValues();
		this.count = this.one.client.sharedCount(this.key);
		this.elsewhere = this.two.client.sharedCount(this.key);
	}

	@Test
	void countIsZeroUntilItIsSet() {
		assertThat(this.count.getVersionedValue()).isEqualTo(new SharedCount.Versioned(0, 0));
		this.count.setCount(Integer.MIN_VALUE);
		assertThat(this.elsewhere.getCount()).isEqualTo(Integer.MIN_VALUE);
		this.elsewhere.setCount(Integer.MAX_VALUE);
		assertThat(this.count.getCount()).isEqualTo(Integer.MAX_VALUE);
		assertThat(this.count.delete()).isTrue();
		assertThat(this.elsewhere.getCount()).isZero();
	}

	@Test
	@Tag(EVERYWHERE)
	void countIsSetUnlessItWasChangedInTheMeantime() {
		SharedCount.Versioned absent = this.count.getVersionedValue();
		assertThat(this.count.trySetCount(absent, 1)).isTrue();
		assertThat(this.elsewhere.trySetCount(absent, 2)).isFalse();
		SharedCount.Versioned first = this.elsewhere.getVersionedValue();
		assertThat(first.count()).isEqualTo(1);
		this.count.setCount(1);
		assertThat(this.elsewhere.trySetCount(first, 3)).isFalse();
		assertThat(this.elsewhere.trySetCount(this.elsewhere.getVersionedValue(), 3)).isTrue();
		assertThat(this.count.getCount()).isEqualTo(3);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.count.trySetCount(new SharedCount.Versioned(3, -1), 4));
	}

	@Test
	@Tag(EVERYWHERE)
	void listenersOfAllProcessesGetTheLastCount() {
		List<Integer> here = listen(this.count);
		List<Integer> there = listen(this.elsewhere);
		for (int i = 1; i <= 10; i++) {
			this.count.setCount(i);
		}
		await().until(() -> here.contains(10) && there.contains(10));
		assertThat(here).isSorted().doesNotHaveDuplicates().endsWith(10).doesNotContain(0);
		assertThat(there).isSorted().doesNotHaveDuplicates().endsWith(10).doesNotContain(0);
		this.elsewhere.delete();
		await().until(() -> here.contains(0) && there.contains(0));
	}

	@Test
	void listenersGetTheEndOfTheTimeToLive() {
		requireExpiry();
		List<Integer> counts = listen(this.count);
		assertThat(this.count.expire(SHORT)).isFalse();
		this.count.setCount(1);
		SharedCount.Versioned former = this.count.getVersionedValue();
		assertThat(this.elsewhere.expire(LONG)).isTrue();
		assertThat(this.elsewhere.persist()).isTrue();
		assertThat(this.count.trySetCount(former, 2)).as("changed since").isFalse();
		await().until(() -> counts.contains(1));
		assertThat(this.elsewhere.expire(SHORT)).isTrue();
		await().until(() -> counts.contains(0));
		assertThat(this.count.getVersionedValue()).isEqualTo(new SharedCount.Versioned(0, 0));
	}

	private static List<Integer> listen(SharedCount count) {
		List<Integer> counts = new CopyOnWriteArrayList<>();
		count.addListener(counts::add);
		return counts;
	}

	@Test
	void listenerThatFailsOrBlocksHarmsNoOther() throws InterruptedException {
		CountDownLatch end = new CountDownLatch(1);
		BlockingQueue<Integer> blocked = new LinkedBlockingQueue<>();
		this.count.addListener((newCount) -> {
			throw new IllegalStateException("test");
		});
		for (int i = 0; i < 100; i++) {
			SharedCountListener blocking = (newCount) -> {
				blocked.add(newCount);
				awaitUninterruptibly(end);
			};
			if (i % 2 == 0) {
				this.count.addListener(blocking);
			}
			else {
				this.count.addListener(blocking, Runnable::run);
			}
		}
		List<Integer> counts = listen(this.count);
		this.count.setCount(1);
		for (int i = 0; i < 100; i++) {
			assertThat(blocked.poll(1, TimeUnit.MINUTES)).isEqualTo(1);
		}
		this.count.setCount(2);
		await().until(() -> counts.contains(2));
		this.count.setCount(3);
		await().until(() -> counts.contains(3));
		assertThat(blocked).isEmpty();
		end.countDown();
		await().until(() -> blocked.contains(3));
		assertThat(blocked).doesNotContain(1);
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await(5, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void listenerIsCalledByItsExecutorUntilItIsRemoved() {
		BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
		List<Integer> counts = new CopyOnWriteArrayList<>();
		SharedCountListener listener = counts::add;
		this.count.addListener(listener, tasks::add);
		this.count.addListener(listener, tasks::add);
		this.elsewhere.setCount(1);
		await().until(() -> !tasks.isEmpty());
		assertThat(counts).isEmpty();
		tasks.remove().run();
		assertThat(counts).containsExactly(1);
		this.count.removeListener(listener);
		this.count.removeListener(listener);
		List<Integer> others = listen(this.count);
		this.elsewhere.setCount(2);
		await().until(() -> others.contains(2));
		assertThat(tasks).isEmpty();
		this.count.close();
		List<Integer> remaining = listen(this.elsewhere);
		this.elsewhere.setCount(3);
		await().until(() -> remaining.contains(3));
		assertThat(others).doesNotContain(3);
	}

	@Test
	void asynchronousFormsDoTheSame() {
		assertThat(result(this.count.setCountAsync(5))).isNull();
		SharedCount.Versioned five = result(this.elsewhere.getVersionedValueAsync());
		assertThat(five.count()).isEqualTo(5);
		assertThat(result(this.elsewhere.trySetCountAsync(five, 6))).isTrue();
		assertThat(result(this.count.trySetCountAsync(five, 7))).isFalse();
	}

}
