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

package io.github.lockspring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockLifecycle}.
 */
@Timeout(300)
class LockLifecycleTests {

	/**
	 * Unlike the common pool, which has one thread on a small machine.
	 */
	private static final Executor THREAD_PER_TASK = (task) -> new Thread(task).start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("lock.shutdown-timeout=0s");

	@Test
	void whenContextIsClosedThenMethodIsRejected() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			orders.pay(42);
			orders.payOrHandle(42);
			orders.payLater(42).join();
			context.close();
			assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> orders.pay(42))
				.withMessageContainingAll("order:42", "shutting down");
			assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> orders.payOrHandle(42));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> orders.payLater(42).join())
				.withCauseInstanceOf(LockShutdownException.class);
		});
	}

	@Test
	void whenContextIsClosedThenMethodIsSkipped() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.payOrSkip(42)).isTrue();
			assertThat(orders.payLaterOrSkip(42).join()).isTrue();
			context.close();
			assertThat(orders.payOrSkip(42)).isNull();
			assertThat(orders.payLaterOrSkip(42)).isCompletedWithValue(null);
		});
	}

	@Test
	void whenContextIsClosedThenMethodThatWasNeverCalledIsRejectedOrSkipped() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			context.close();
			assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> orders.pay(42))
				.withMessageContainingAll("order:42", "shutting down");
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> orders.payLater(42).join())
				.withCauseInstanceOf(LockShutdownException.class);
			assertThat(orders.payOrSkip(42)).isNull();
			assertThat(orders.payLaterOrSkip(42)).isCompletedWithValue(null);
		});
	}

	@Test
	void whenContextIsClosedThenMethodThatWaitsIsSkipped() {
		this.runner.withPropertyValues("lock.shutdown-timeout=30s").run((context) -> {
			Orders orders = context.getBean(Orders.class);
			LockHandle held = context.getBean(LockTemplate.class)
				.ownedBy(this)
				.acquire("order:42", LockOptions.defaults());
			CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> orders.payOrSkip(42),
					THREAD_PER_TASK);
			CompletableFuture<Boolean> later = orders.payLaterOrSkip(42);
			CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close, THREAD_PER_TASK);
			assertThat(waiting).succeedsWithin(1, TimeUnit.MINUTES).isNull();
			assertThat(later).succeedsWithin(1, TimeUnit.MINUTES).isNull();
			held.close();
			assertThat(closed).succeedsWithin(1, TimeUnit.MINUTES);
		});
	}

	@Test
	void whenContextIsClosedThenTemplateIsRejected() {
		this.runner.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			context.close();
			assertThatExceptionOfType(LockShutdownException.class)
				.isThrownBy(() -> locks.acquire("42", locks.defaultOptions()));
			assertThatExceptionOfType(LockShutdownException.class)
				.isThrownBy(() -> locks.acquireAll(List.of("42", "43"), locks.defaultOptions()));
			assertThat(locks.acquireAsync("42", locks.defaultOptions())).failsWithin(1, TimeUnit.MINUTES)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockShutdownException.class);
		});
	}

	@Test
	void whenContextIsClosedThenLocksAreReleasedBeforeTheStoreIsDestroyed() {
		this.runner.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			Store store = context.getBean(Store.class);
			locks.acquire("42", locks.defaultOptions());
			context.close();
			assertThat(store.events).hasSize(2).endsWith("destroyed");
			assertThat(store.events.get(0)).as("released once, or again by the last round")
				.matches("released \\[lock:42(, lock:42)?] before stop");
		});
	}

	@Test
	void holderMayFinish() {
		this.runner.withPropertyValues("lock.shutdown-timeout=30s").run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			CountDownLatch held = new CountDownLatch(1);
			CountDownLatch closing = new CountDownLatch(1);
			CompletableFuture<Boolean> holder = CompletableFuture
				.supplyAsync(() -> locks.execute("42", (lock) -> finish(lock, held, closing)), THREAD_PER_TASK);
			held.await();
			CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close, THREAD_PER_TASK);
			awaitRejection(locks);
			closing.countDown();
			assertThat(holder.get(1, TimeUnit.MINUTES)).isTrue();
			assertThat(closed).succeedsWithin(1, TimeUnit.MINUTES);
		});
	}

	private static boolean finish(LockHandle lock, CountDownLatch held, CountDownLatch closing)
			throws RuntimeException {
		held.countDown();
		try {
			closing.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return lock.isHeld();
	}

	private static void awaitRejection(LockOperations locks) {
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.untilAsserted(() -> assertThatExceptionOfType(LockShutdownException.class)
				.isThrownBy(() -> locks.executeWithoutResult("other", (lock) -> {
				})));
	}

	@Test
	void executorsStopBeforeLocksAndConnectionsAfter() {
		assertThat(LockLifecycle.PHASE).isLessThan(new ThreadPoolTaskExecutor().getPhase()).isPositive();
	}

	@Test
	void fiftyContextsLeaveNoThreads() {
		for (int i = 0; i < 50; i++) {
			this.runner.run((context) -> context.getBean(Orders.class).pay(42));
		}
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().startsWith("lock-") && thread.getName().contains("recording")));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Store store() {
			return new Store();
		}

		@Bean
		RecordingBackend backend(Store store) {
			return store.backend;
		}

		@Bean
		LockFailureHandler handler() {
			return (invocation, failure) -> invocation.proceed();
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	/**
	 * Like a connection factory: stops at the phase 0, and is destroyed at last.
	 */
	static class Store implements SmartLifecycle, DisposableBean {

		private final RecordingBackend backend = new RecordingBackend(new LocalStore());

		private final List<String> events = new ArrayList<>();

		private boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.events.add("released " + this.backend.released() + " before stop");
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 0;
		}

		@Override
		public void destroy() {
			this.events.add("destroyed");
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void pay(long id) {
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		@Nullable Boolean payOrSkip(long id) {
			return true;
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.HANDLE, handler = "handler")
		void payOrHandle(long id) {
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<@Nullable Boolean> payLater(long id) {
			return CompletableFuture.completedFuture(true);
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		CompletableFuture<@Nullable Boolean> payLaterOrSkip(long id) {
			return CompletableFuture.completedFuture(true);
		}

	}

}
