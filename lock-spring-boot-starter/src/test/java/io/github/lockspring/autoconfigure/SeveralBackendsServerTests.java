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

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for several backends in one application.
 */
@Timeout(300)
class SeveralBackendsServerTests {

	private static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	/**
	 * Unlike the common pool, which has one thread on a small machine.
	 */
	private static final Executor THREAD_PER_TASK = (task) -> new Thread(task).start();

	private final String key = "order:" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class,
					HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class));

	private final ApplicationContextRunner three = this.runner
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.url=" + RedisServer.shared().uri(),
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "lock.backend=redis",
				"lock.additional-backends=jdbc,local", "lock.shutdown-timeout=0s", "lock.operation-timeout=10s");

	private final LocalStore store = new LocalStore();

	private final RecordingBackend first = new RecordingBackend(new LocalStore(), "first");

	private final RecordingBackend second = new RecordingBackend(this.store, "second");

	private final ApplicationContextRunner two = this.runner
		.withBean("firstBackend", RecordingBackend.class, () -> this.first)
		.withBean("secondBackend", RecordingBackend.class, () -> this.second)
		.withPropertyValues("lock.backend=first", "lock.shutdown-timeout=30s");

	@Test
	void beansAreThoseOfTheDefault() {
		this.three.run((context) -> {
			assertThat(context).hasSingleBean(LockOperations.class);
			assertThat(context.getBean(LockEngine.class).backendName()).isEqualTo("redis");
			assertThat(context.getBean(LockTemplate.class).backendName()).isEqualTo("redis");
			assertThat(context.getBean(LockTemplate.class).backendNames()).containsExactly("redis", "jdbc", "local");
		});
	}

	@ParameterizedTest
	@CsvSource({ "redis", "jdbc", "local" })
	void lockOnOneBackendKeepsOthersOutThereAndNowhereElse(String backend) {
		this.three.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			warmUp(locks);
			try (LockHandle lock = locks.on(backend).acquire(this.key, LockOptions.defaults())) {
				assertThat(lock.isHeld()).isTrue();
				for (String other : locks.backendNames()) {
					assertThat(isFree(locks.on(other))).as(other).isEqualTo(!other.equals(backend));
				}
			}
			assertThat(isFree(locks.on(backend))).isTrue();
		});
	}

	/**
	 * Opens connections and loads scripts, for which a single try has no time.
	 */
	private void warmUp(LockTemplate locks) {
		for (String backend : locks.backendNames()) {
			locks.on(backend).acquire("warm-up of " + this.key, LockOptions.defaults()).close();
		}
	}

	/**
	 * Asks in another thread, which is another owner.
	 */
	private boolean isFree(LockTemplate locks) {
		return CompletableFuture.supplyAsync(() -> {
			try (@Nullable
			LockHandle lock = locks.tryAcquire(this.key, TRY_ONCE)) {
				return lock != null;
			}
		}, THREAD_PER_TASK).join();
	}

	@Test
	void clientAndTemplateOnOneBackendShareTheirKeys() {
		this.two.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			Lock lock = context.getBean(LockClient.class).on("second").lock(this.key);
			lock.lock();
			assertThat(isFree(locks.on("second"))).isFalse();
			assertThat(isFree(locks)).isTrue();
			lock.unlock();
			assertThat(this.second.keys()).contains("lock:" + this.key);
		});
	}

	@Test
	void templateOnABackendKeepsItsKeysAndOptions() {
		this.two.withPropertyValues("lock.wait-time=7s").run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class).named("order").on("second");
			assertThat(locks.storeKey("42")).isEqualTo("lock:order:42");
			assertThat(locks.defaultOptions().waitTime()).isEqualTo(Duration.ofSeconds(7));
			assertThat(locks.named("x").backendName()).isEqualTo("second");
			assertThat(locks.on("first").backendName()).isEqualTo("first");
		});
	}

	@Test
	void unknownBackendIsRejected() {
		this.two.run((context) -> {
			assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(LockTemplate.class).on("third"))
				.withMessageContaining("'third'")
				.withMessageContaining("first, second");
			assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(LockClient.class).on("third"))
				.withMessageContaining("first, second");
		});
	}

	@Test
	void shutdownReleasesAllLocks() {
		this.three.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			locks.acquire(this.key, LockOptions.defaults());
			locks.on("jdbc").acquire(this.key, LockOptions.defaults());
			context.close();
			for (String backend : locks.backendNames()) {
				assertThatExceptionOfType(LockShutdownException.class)
					.isThrownBy(() -> locks.on(backend).acquire("other", TRY_ONCE));
			}
		});
		this.three.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			warmUp(locks);
			assertThat(isFree(locks)).isTrue();
			assertThat(isFree(locks.on("jdbc"))).isTrue();
		});
	}

	@ParameterizedTest
	@CsvSource({ "first, second", "second, first" })
	void holderOnOneBackendDoesNotKeepTheOtherOpen(String held, String other) {
		this.two.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			CountDownLatch holding = new CountDownLatch(1);
			CountDownLatch rejected = new CountDownLatch(1);
			CompletableFuture<Boolean> holder = CompletableFuture
				.supplyAsync(() -> locks.on(held).execute(this.key, (lock) -> {
					holding.countDown();
					await(rejected);
					return lock.isHeld();
				}), THREAD_PER_TASK);
			await(holding);
			CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close, THREAD_PER_TASK);
			awaitRejection(locks.on(other));
			rejected.countDown();
			assertThat(holder.get(1, TimeUnit.MINUTES)).isTrue();
			assertThat(closed).succeedsWithin(1, TimeUnit.MINUTES);
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void awaitRejection(LockTemplate locks) {
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.untilAsserted(() -> assertThatExceptionOfType(LockShutdownException.class)
				.isThrownBy(() -> locks.executeWithoutResult("other", (lock) -> {
				})));
	}

	@Test
	void healthHasOneComponentPerBackend() {
		this.three.run((context) -> {
			CompositeHealthContributor health = health(context);
			assertThat(health.stream().map(HealthContributors.Entry::name)).containsExactly("redis", "jdbc", "local");
			assertThat(health.stream().map((entry) -> statusOf(health, entry.name()))).containsOnly(Status.UP);
		});
	}

	@Test
	void whenOneStoreIsDownThenItsComponentIsDown() {
		this.second.setDown(true);
		this.two.run((context) -> {
			assertThat(statusOf(health(context), "first")).isEqualTo(Status.UP);
			assertThat(statusOf(health(context), "second")).isEqualTo(Status.DOWN);
		});
	}

	private static CompositeHealthContributor health(AssertableApplicationContext context) {
		return (CompositeHealthContributor) context.getBean(HealthContributorRegistry.class).getContributor("lock");
	}

	private static Status statusOf(CompositeHealthContributor health, String backend) {
		return ((HealthIndicator) health.getContributor(backend)).health().getStatus();
	}

	@Test
	void whenOneStoreIsDownAndFailFastThenApplicationDoesNotStart() {
		this.second.setDown(true);
		this.two.withPropertyValues("lock.fail-fast=true")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("'second' is unavailable"));
	}

	@Test
	void lossesAreCountedPerBackend() {
		this.two.withPropertyValues("lock.shutdown-timeout=0s")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LockHandle lock = context.getBean(LockTemplate.class).on("second").acquire(this.key, TRY_ONCE);
				this.store.expire(this.second.requests().get(0));
				Awaitility.await()
					.until(() -> context.getBean(MeterRegistry.class)
						.get("lock.lost")
						.tag("backend", "second")
						.counter()
						.count() == 1);
				assertThat(lock.isHeld()).isFalse();
				assertThat(
						context.getBean(MeterRegistry.class).get("lock.lost").tag("backend", "first").counter().count())
					.isZero();
			});
	}

	@Test
	void contextsLeaveNoThreads() {
		for (int i = 0; i < 5; i++) {
			this.two.run((context) -> context.getBean(LockTemplate.class)
				.on("second")
				.executeWithoutResult(this.key, (lock) -> {
				}));
		}
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().startsWith("lock-") && thread.getName().contains("second")));
	}

	@Test
	void whenOneEngineIsRejectedThenNoThreadsAreLeft() {
		this.two.withPropertyValues("lock.names.order.backend=third").run((context) -> {
			assertThat(context).hasFailed();
			Awaitility.await()
				.atMost(1, TimeUnit.MINUTES)
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch(
							(thread) -> thread.getName().startsWith("lock-") && thread.getName().contains("second")));
		});
	}

}
