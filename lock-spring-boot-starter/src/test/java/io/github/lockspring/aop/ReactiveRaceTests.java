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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for asynchronous calls that are cancelled at random moments, and for many that
 * wait.
 */
class ReactiveRaceTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final int CALLS = 4000;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofHours(1));

	private final LockedProxies proxies = new LockedProxies();

	private final Races target = new Races();

	private final Races races = this.proxies.proxy(this.target);

	private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(4);

	@AfterEach
	void close() {
		this.target.executor.shutdownNow();
		this.executor.shutdownNow();
		this.proxies.close();
	}

	@Test
	void cancelledMonosLeaveNothingBehind() throws InterruptedException {
		run(() -> {
			CountDownLatch end = new CountDownLatch(1);
			Disposable call = this.races.mono("a").doFinally((signal) -> end.countDown()).subscribe();
			return new Call(call::dispose, end::getCount);
		});
	}

	@Test
	void cancelledFluxesLeaveNothingBehind() throws InterruptedException {
		run(() -> {
			CountDownLatch end = new CountDownLatch(1);
			Disposable call = this.races.flux("a").doFinally((signal) -> end.countDown()).subscribe();
			return new Call(call::dispose, end::getCount);
		});
	}

	@Test
	void cancelledStagesLeaveNothingBehind() throws InterruptedException {
		run(() -> {
			CompletableFuture<String> call = this.races.stage("a");
			return new Call(() -> call.cancel(true), () -> call.isDone() ? 0 : 1);
		});
	}

	/**
	 * Cancels half of the calls soon, while another process takes its turns.
	 */
	private void run(Supplier<Call> start) throws InterruptedException {
		List<Call> calls = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			if (i % 20 == 0) {
				elsewhere();
			}
			Call call = start.get();
			calls.add(call);
			if (ThreadLocalRandom.current().nextBoolean()) {
				this.executor.schedule(call.cancel(), ThreadLocalRandom.current().nextInt(2000), TimeUnit.MICROSECONDS);
			}
			if (i % 50 == 0) {
				Thread.sleep(1);
			}
		}
		Awaitility.await().atMost(LONG).until(() -> calls.stream().allMatch((call) -> call.left().getAsLong() == 0));
		Awaitility.await().atMost(LONG).until(this.proxies::isEmpty);
		assertThat(this.target.most).hasValue(1);
		assertThat(this.target.runs).hasPositiveValue();
	}

	private void elsewhere() {
		this.proxies.elsewhere().acquireAsync("race:a", PATIENT).thenAccept((lock) -> {
			this.target.enter();
			this.target.leave();
			lock.closeAsync();
		});
	}

	@Test
	void thousandsWaitWithoutThreads() {
		LockHandle elsewhere = this.proxies.holdElsewhere("race:a");
		AtomicInteger ended = new AtomicInteger();
		int before = Thread.activeCount();
		Mono<String> mono = this.races.mono("a");
		for (int i = 0; i < 10_000; i++) {
			mono.subscribe((result) -> ended.incrementAndGet());
		}
		assertThat(Thread.activeCount() - before).isLessThan(20);
		elsewhere.close();
		Awaitility.await().atMost(LONG).until(() -> ended.get() == 10_000);
		assertThat(this.target.most).hasValue(1);
		Awaitility.await().atMost(LONG).until(this.proxies::isEmpty);
	}

	private record Call(Runnable cancel, LongSupplier left) {

	}

	static class Races {

		final AtomicInteger runs = new AtomicInteger();

		final AtomicInteger inside = new AtomicInteger();

		final AtomicInteger most = new AtomicInteger();

		final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);

		void enter() {
			this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
		}

		void leave() {
			this.inside.decrementAndGet();
		}

		@DistributedLock(name = "race", key = "#key", waitTime = "1h")
		Mono<String> mono(String key) {
			return work().next();
		}

		@DistributedLock(name = "race", key = "#key", waitTime = "1h")
		Flux<String> flux(String key) {
			return work();
		}

		private Flux<String> work() {
			return Flux.defer(() -> {
				Sinks.One<String> end = Sinks.one();
				AtomicInteger left = new AtomicInteger();
				this.runs.incrementAndGet();
				enter();
				this.executor.execute(() -> end.tryEmitValue("done"));
				return end.asMono().flux().doOnTerminate(() -> leaveOnce(left)).doOnCancel(() -> leaveOnce(left));
			});
		}

		/**
		 * The one that returns from here, the call has left.
		 */
		private void leaveOnce(AtomicInteger left) {
			synchronized (left) {
				if (left.getAndIncrement() == 0) {
					leave();
				}
			}
		}

		@DistributedLock(name = "race", key = "#key", waitTime = "1h")
		CompletableFuture<String> stage(String key) {
			this.runs.incrementAndGet();
			enter();
			AtomicInteger left = new AtomicInteger();
			CompletableFuture<String> work = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					leaveOnce(left);
					return super.cancel(mayInterruptIfRunning);
				}

			};
			this.executor.execute(() -> {
				leaveOnce(left);
				work.complete("done");
			});
			return work;
		}

	}

}
