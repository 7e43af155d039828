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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Users with and without threads on a few keys, who wait, time out, try once, and cancel
 * at random: never are two of them inside, and tokens grow.
 */
public final class MixedRun {

	/**
	 * What the keys begin with.
	 */
	public static final String PREFIX = "mixed:";

	private static final int THREADS = 8;

	private static final int KEYS = 3;

	private static final int UNDER_WAY = 200;

	private final List<LockEngine> engines;

	private final AcquireOptions options;

	private final boolean sound;

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private final ConcurrentMap<String, AtomicInteger> inside = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, Long> lastTokens = new ConcurrentHashMap<>();

	private final AtomicInteger acquired = new AtomicInteger();

	private final AtomicInteger cancelled = new AtomicInteger();

	/**
	 * Creates the run.
	 * @param engines the engines, on one store
	 * @param options the options of the acquisitions
	 * @param sound whether the store never fails
	 */
	public MixedRun(List<LockEngine> engines, AcquireOptions options, boolean sound) {
		this.engines = engines;
		this.options = options;
		this.sound = sound;
	}

	/**
	 * Runs.
	 * @param attempts how many times each of the threads begins to acquire
	 */
	public void run(int attempts) throws InterruptedException {
		CountDownLatch ends = new CountDownLatch(THREADS * attempts);
		Semaphore underWay = new Semaphore(UNDER_WAY);
		List<Thread> threads = IntStream.range(0, THREADS)
			.mapToObj((i) -> new Thread(() -> work(attempts, ends, underWay), "worker-" + i))
			.toList();
		threads.forEach(Thread::start);
		assertThat(ends.await(120, TimeUnit.SECONDS)).as(() -> ends + " " + this.violations).isTrue();
		assertThat(this.violations).isEmpty();
		assertThat(this.acquired.get()).isPositive();
		assertThat(this.cancelled.get()).isPositive();
	}

	private void work(int attempts, CountDownLatch ends, Semaphore underWay) {
		for (int i = 0; i < attempts; i++) {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			LockEngine engine = this.engines.get(random.nextInt(this.engines.size()));
			String key = PREFIX + random.nextInt(KEYS);
			underWay.acquireUninterruptibly();
			CompletableFuture<?> end = (random.nextInt(3) == 0) ? block(engine, key) : begin(engine, key);
			end.whenComplete((result, failure) -> {
				underWay.release();
				ends.countDown();
			});
		}
	}

	private CompletableFuture<?> block(LockEngine engine, String key) {
		try {
			Hold hold = engine.acquireUninterruptibly(key, this.options, new Object(), someWait());
			if (hold != null) {
				enter(hold);
				note(hold.release());
			}
		}
		catch (RuntimeException | Error ex) {
			note(ex);
		}
		return CompletableFuture.completedFuture(null);
	}

	private CompletableFuture<?> begin(LockEngine engine, String key) {
		CompletableFuture<@Nullable Hold> future = engine.acquireAsync(key, this.options, new Object(), someWait());
		CompletableFuture<?> end = future.thenCompose(this::enterAndLeave).handle((kept, failure) -> {
			if (failure != null && !future.isCancelled()) {
				note((failure.getCause() != null) ? failure.getCause() : failure);
			}
			return kept;
		});
		if (ThreadLocalRandom.current().nextInt(4) == 0 && future.cancel(false)) {
			this.cancelled.incrementAndGet();
		}
		return end;
	}

	private CompletableFuture<?> enterAndLeave(@Nullable Hold hold) {
		if (hold == null) {
			return CompletableFuture.completedFuture(null);
		}
		enter(hold);
		return hold.releaseAsync().thenAccept(this::note).toCompletableFuture();
	}

	private static long someWait() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		return switch (random.nextInt(4)) {
			case 0 -> 0;
			case 1 -> random.nextLong(TimeUnit.MILLISECONDS.toNanos(5));
			default -> TimeUnit.SECONDS.toNanos(30);
		};
	}

	/**
	 * The section that only one may be in.
	 */
	private void enter(Hold hold) {
		AtomicInteger inside = this.inside.computeIfAbsent(hold.key(), (key) -> new AtomicInteger());
		if (inside.incrementAndGet() != 1) {
			this.violations.add("two inside");
		}
		Long before = this.lastTokens.put(hold.key(), hold.token());
		if (before != null && before >= hold.token()) {
			this.violations.add(hold.token() + " is not larger than " + before);
		}
		this.acquired.incrementAndGet();
		inside.decrementAndGet();
	}

	private void note(boolean kept) {
		if (!kept) {
			this.violations.add("lost at release");
		}
	}

	private void note(Throwable failure) {
		boolean unavailable = failure instanceof EngineException ex
				&& ex.getReason() == EngineException.Reason.UNAVAILABLE;
		if (this.sound || !unavailable) {
			this.violations.add(failure.toString());
		}
	}

}
