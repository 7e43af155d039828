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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The threads that run methods that return a stage.
 */
class StageThreadsTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final int CALLS = 200;

	private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private final LockedProxies proxies = new LockedProxies();

	private final Orders orders = this.proxies.proxy(new Orders());

	@AfterEach
	void close() {
		USER.remove();
		TENANT.remove();
		this.proxies.close();
	}

	private static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

	private void awaitEmptiness() {
		Awaitility.await().atMost(LONG).until(this.proxies::isEmpty);
	}

	@Test
	void methodNeverRunsInTheThreadOfItsCallerNorInItsTransaction() {
		assertThat(callsInTransaction(() -> this.orders.pay(42))).noneMatch(Place::isOfTheCaller);
	}

	@Test
	void methodThatIsNotLockedNeverRunsInTheThreadOfItsCaller() {
		assertThat(callsInTransaction(() -> this.orders.payIf(42, false))).noneMatch(Place::isOfTheCaller);
	}

	@Test
	void fallbackNeverRunsInTheThreadOfItsCaller() {
		this.proxies.holdElsewhere("order:42");
		assertThat(callsInTransaction(() -> this.orders.payOrLater(42))).noneMatch(Place::isOfTheCaller);
	}

	@Test
	void whenTheExecutorOfTheApplicationRunsInTheThreadOfTheCallerThenAnotherIsTaken() {
		register(new SyncTaskExecutor());
		assertThat(callsInTransaction(() -> this.orders.pay(42))).noneMatch(Place::isOfTheCaller);
	}

	private static List<Place> callsInTransaction(Supplier<CompletableFuture<Place>> call) {
		List<Place> places = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			CompletableFuture<Place> place;
			try {
				place = call.get();
			}
			finally {
				TransactionSynchronizationManager.clear();
			}
			places.add(await(place));
		}
		return places;
	}

	@Test
	void methodRunsInTheExecutorOfTheApplication() {
		register((task) -> new Thread(task, "acme").start());
		assertThat(await(this.orders.pay(42)).thread().getName()).isEqualTo("acme");
	}

	@Test
	void fallbackRunsInTheExecutorOfTheApplicationInTheSurroundingsOfTheCaller() {
		register((task) -> new Thread(task, "acme").start());
		this.proxies.context.registerBean("tenants", TaskDecorator.class, () -> StageThreadsTests::withTenant);
		this.proxies.holdElsewhere("order:42");
		TENANT.set("t1");
		Place place = await(this.orders.payOrLater(42));
		assertThat(place.thread().getName()).isEqualTo("acme");
		assertThat(place.tenant()).isEqualTo("t1");
	}

	private static Runnable withTenant(Runnable task) {
		String tenant = TENANT.get();
		return () -> {
			TENANT.set(tenant);
			task.run();
		};
	}

	@Test
	void whenTheExecutorOfTheApplicationRejectsThenTheStageFailsAndTheLockIsReleased() {
		register((task) -> {
			throw new RejectedExecutionException("full");
		});
		assertThat(this.orders.pay(42)).failsWithin(LONG).withThrowableThat().havingRootCause().withMessage("full");
		awaitEmptiness();
	}

	@Test
	void whenTimedOutWhileThereIsNoThreadThenMethodDoesNotRunAndTheLockIsReleased() {
		LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
		register(tasks::add);
		CompletableFuture<Place> paid = this.orders.pay(42);
		Awaitility.await().atMost(LONG).until(() -> tasks.size() == 1);
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		paid.completeExceptionally(new TimeoutException());
		awaitEmptiness();
		tasks.remove().run();
		assertThat(Orders.RUNS).hasValue(0);
	}

	@Test
	void threadsOfOurOwnInheritNothingFromCallers() {
		USER.set("alice");
		assertThat(await(this.orders.pay(42)).user()).isNull();
	}

	@Test
	void threadsOfOurOwnAreBounded() {
		CompletableFuture<Void> gate = new CompletableFuture<>();
		List<CompletableFuture<Place>> calls = new ArrayList<>();
		for (int i = 0; i < 2 * StageExecutor.THREADS; i++) {
			calls.add(this.orders.wait(i, gate));
		}
		Awaitility.await().atMost(LONG).until(() -> Orders.INSIDE.get() == StageExecutor.THREADS);
		gate.complete(null);
		calls.forEach(StageThreadsTests::await);
		assertThat(calls.stream().map((call) -> call.join().thread()).distinct().count())
			.isLessThanOrEqualTo(StageExecutor.THREADS);
	}

	private void register(Executor executor) {
		this.proxies.context.registerBean("applicationTaskExecutor", Executor.class, () -> executor);
	}

	record Place(Thread thread, boolean inTransaction, @Nullable String user, @Nullable String tenant) {

		static CompletableFuture<Place> here() {
			return CompletableFuture.completedFuture(new Place(Thread.currentThread(),
					TransactionSynchronizationManager.isActualTransactionActive(), USER.get(), TENANT.get()));
		}

		boolean isOfTheCaller() {
			return this.thread == Thread.currentThread() || this.inTransaction;
		}

	}

	static class Orders {

		static final AtomicInteger RUNS = new AtomicInteger();

		static final AtomicInteger INSIDE = new AtomicInteger();

		Orders() {
			RUNS.set(0);
			INSIDE.set(0);
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "1m")
		CompletableFuture<Place> pay(long id) {
			RUNS.incrementAndGet();
			return Place.here();
		}

		@DistributedLock(name = "order", key = "#id", condition = "#locked")
		CompletableFuture<Place> payIf(long id, boolean locked) {
			return Place.here();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "later")
		CompletableFuture<Place> payOrLater(long id) {
			return Place.here();
		}

		CompletableFuture<Place> later(long id) {
			return Place.here();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<Place> wait(long id, CompletableFuture<Void> gate) {
			INSIDE.incrementAndGet();
			gate.join();
			return Place.here();
		}

	}

}
