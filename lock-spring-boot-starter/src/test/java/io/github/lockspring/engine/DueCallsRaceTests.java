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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.TimeSource;

import static io.github.lockspring.engine.Harness.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link DueCalls} with many threads, calls that fail, and an executor that
 * rejects some.
 */
class DueCallsRaceTests {

	private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

	private static final int ITEMS = 200;

	private static final int THREADS = 8;

	private final Harness harness = new Harness();

	private final ExecutorService executor = Executors.newCachedThreadPool();

	private final EngineContext context = new EngineContext(this.harness.backend(), EngineSettings.defaults(),
			TimeSource.SYSTEM, EngineThreads.of(this.executor));

	private final CountingWork work = new CountingWork();

	private final DueCalls<Counted> calls = new DueCalls<>(this.context, this::execute, this.work);

	private final List<Counted> items = Stream.generate(Counted::new).limit(ITEMS).toList();

	private volatile boolean faulty = true;

	private volatile boolean down;

	@AfterEach
	void close() {
		this.context.stopTasks();
		this.executor.shutdownNow();
		this.harness.close();
	}

	private void execute(Runnable call) {
		if (this.faulty && ThreadLocalRandom.current().nextInt(10) == 0) {
			throw new RejectedExecutionException("a test");
		}
		this.executor.execute(call);
	}

	@Test
	void noItemIsForgottenOrCalledTwiceAtATimeAndCallsShrinkAndRecover() throws Exception {
		this.context.startTasks();
		List<Thread> threads = IntStream.range(0, THREADS).mapToObj((i) -> new Thread(this::schedule)).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		await().untilAsserted(() -> assertThat(this.items).allMatch(Counted::isServed));
		assertThat(this.work.violations).hasValue(0);
		this.faulty = false;
		this.down = true;
		this.items.forEach((item) -> this.calls.schedule(item, System.nanoTime()));
		await().untilAsserted(() -> assertThat(this.work.sizeAfterFailures).hasValueLessThan(ITEMS / 10));
		this.down = false;
		await().until(() -> {
			this.work.largest.set(0);
			this.items.forEach((item) -> this.calls.schedule(item, System.nanoTime()));
			await().until(() -> this.work.largest.get() > 0);
			return this.work.largest.get() == ITEMS;
		});
	}

	private void schedule() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		for (int i = 0; i < 2000 * SCALE; i++) {
			Counted item = this.items.get(random.nextInt(ITEMS));
			if (random.nextInt(10) == 0) {
				this.calls.remove(item);
			}
			item.wanted.incrementAndGet();
			this.calls.schedule(item, System.nanoTime() + random.nextLong(Duration.ofMillis(2).toNanos()));
			if (random.nextInt(100) == 0) {
				Thread.yield();
			}
		}
	}

	/**
	 * Work that fails at random.
	 */
	private final class CountingWork implements DueCalls.Work<Counted> {

		private final AtomicBoolean busy = new AtomicBoolean();

		private final AtomicInteger violations = new AtomicInteger();

		private final AtomicInteger sizeAfterFailures = new AtomicInteger(ITEMS);

		private final AtomicInteger largest = new AtomicInteger();

		@Override
		public void call(List<Counted> due) {
			if (!this.busy.compareAndSet(false, true)) {
				this.violations.incrementAndGet();
			}
			if (DueCallsRaceTests.this.down) {
				this.sizeAfterFailures.set(due.size());
			}
			this.largest.accumulateAndGet(due.size(), Math::max);
			List<Long> wanted = due.stream().map((item) -> item.wanted.get()).toList();
			try {
				if (DueCallsRaceTests.this.down
						|| (DueCallsRaceTests.this.faulty && ThreadLocalRandom.current().nextInt(3) == 0)) {
					throw new BackendUnavailableException("a test", null);
				}
				for (int i = 0; i < due.size(); i++) {
					due.get(i).served = wanted.get(i);
				}
			}
			finally {
				this.busy.set(false);
			}
		}

		@Override
		public long soonNanos(Counted item) {
			return Duration.ofMillis(1).toNanos();
		}

		@Override
		public long pauseAfterFailure() {
			return 10_000;
		}

	}

	/**
	 * Item with a count of the requests for a call.
	 */
	private static final class Counted extends DueCalls.Item {

		private final AtomicLong wanted = new AtomicLong();

		private volatile long served;

		boolean isServed() {
			return this.served == this.wanted.get();
		}

	}

}
