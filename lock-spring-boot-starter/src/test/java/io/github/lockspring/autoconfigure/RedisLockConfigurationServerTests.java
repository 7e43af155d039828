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

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.actuate.LockHealthIndicator;
import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockConfigurationServerTests {

	private final RedisServer server = RedisServer.shared();

	private final String key = "order:" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
				LockHealthContributorAutoConfiguration.class));

	private final ApplicationContextRunner withServer = this.runner
		.withPropertyValues("spring.data.redis.url=" + this.server.uri(), "lock.operation-timeout=10s");

	@Test
	void lockIsAKeyInRedis() {
		this.withServer.run((context) -> {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			context.getBean(LockOperations.class)
				.executeWithoutResult(this.key, (lock) -> assertThat(stateOf(redis)).asString().startsWith("1 x "));
			assertThat(stateOf(redis)).asString().matches("1 \\d+");
		});
	}

	private Object stateOf(StringRedisTemplate redis) {
		return redis.opsForHash().get("{lock:" + this.key + '}', "state");
	}

	@Test
	void whenThereIsADatabaseAsWellThenOneMustBeChosen() {
		ApplicationContextRunner both = this.withServer
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true");
		both.run((context) -> assertThat(FailureAnalyses.of(context).getAction()).contains("redis", "jdbc"));
		both.withPropertyValues("lock.backend=redis")
			.run((context) -> assertThat(context).hasSingleBean(RedisLockBackend.class));
	}

	@Test
	void whenThereAreSeveralConnectionFactoriesThenOneMustBeNamed() {
		ApplicationContextRunner several = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean("cache", RedisConnectionFactory.class, this::factory)
			.withBean("sessions", RedisConnectionFactory.class, this::factory);
		several.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("cache", "sessions", "Redis connection factories");
			assertThat(analysis.getAction()).contains("lock.redis.connection-factory");
		});
		several.withPropertyValues("lock.redis.connection-factory=sessions")
			.run((context) -> assertThat(context).hasSingleBean(RedisLockBackend.class));
		several.withPropertyValues("lock.redis.connection-factory=typo")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("typo"));
	}

	private LettuceConnectionFactory factory() {
		return new LettuceConnectionFactory(this.server.host(), this.server.port());
	}

	@Test
	void whenChosenWithoutItsLibraryThenTheDependencyIsNamed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.withPropertyValues("lock.backend=redis")
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction())
				.contains("org.springframework.boot:spring-boot-starter-data-redis"));
	}

	@Test
	void whenServerIsDownAtStartThenItStartsAndSaysSo() {
		this.runner.withPropertyValues("spring.data.redis.port=1", "lock.operation-timeout=300ms").run((context) -> {
			assertThat(context).hasNotFailed();
			Health health = context.getBean(LockHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			LockOperations locks = context.getBean(LockOperations.class);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> locks.acquire(this.key, LockOptions.defaults().withWaitTime(Duration.ofMillis(100))))
				.withMessageContaining("'redis' at localhost:1");
		});
	}

	@Test
	@Timeout(300)
	void whenServerDoesNotAnswerThenItStartsWithoutWaiting() throws IOException {
		try (ServerSocket silent = new ServerSocket(0)) {
			this.runner
				.withPropertyValues("spring.data.redis.port=" + silent.getLocalPort(), "lock.operation-timeout=1d")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void whenServerIsDownAndFailFastIsSetThenItDoesNotStart() {
		this.runner.withPropertyValues("spring.data.redis.port=1", "lock.operation-timeout=10s", "lock.fail-fast=true")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("'redis' is unavailable", "Connection refused");
				assertThat(analysis.getAction()).contains("lock.fail-fast");
			});
	}

	@Test
	void whenPasswordIsWrongAndFailFastIsSetThenItDoesNotStart() {
		try (RedisServer secured = RedisServer.builder().password("secret").start()) {
			this.runner
				.withPropertyValues("spring.data.redis.port=" + secured.port(), "spring.data.redis.password=very-wrong",
						"lock.operation-timeout=10s", "lock.fail-fast=true")
				.run((context) -> {
					FailureAnalysis analysis = FailureAnalyses.of(context);
					assertThat(analysis.getDescription()).contains("'redis' rejects the credentials", "WRONGPASS")
						.doesNotContain("very-wrong");
					assertThat(analysis.getAction()).contains("spring.data.redis.password");
				});
			this.runner
				.withPropertyValues("spring.data.redis.port=" + secured.port(), "spring.data.redis.password=secret",
						"lock.operation-timeout=10s", "lock.fail-fast=true")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void whenServerExpectsNoEncryptionThenEncryptedConnectionFailsInTime() {
		this.withServer
			.withPropertyValues("spring.data.redis.url=" + this.server.uri().toString().replace("redis:", "rediss:"),
					"lock.operation-timeout=300ms", "lock.fail-fast=true")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("is unavailable",
					"encryption (TLS)"));
	}

	@Test
	void setupThatWeakensLocksIsAHealthDetailAndALineInTheLog(CapturedOutput output) {
		try (RedisServer careless = RedisServer.builder().option("maxmemory-policy", "allkeys-lru").start()) {
			this.runner.withPropertyValues("spring.data.redis.port=" + careless.port()).run((context) -> {
				LockHealthIndicator indicator = context.getBean(LockHealthIndicator.class);
				await().untilAsserted(() -> assertThat(indicator.health().getDetails().get("warnings")).asString()
					.contains("maxmemory-policy allkeys-lru", "appendonly no"));
				assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
				assertThat(output.toString().lines().filter((line) -> line.contains("WARN")))
					.filteredOn((line) -> line.contains("maxmemory-policy allkeys-lru"))
					.hasSize(1);
			});
		}
	}

	@Test
	void numberOfReplicasMustNotBeNegative() {
		this.withServer.withPropertyValues("lock.redis.wait-replicas=-1")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("lock.redis.wait-replicas"));
	}

	@Test
	void whenContextIsClosedThenNoThreadAndNoConnectionIsLeft() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		try (RedisServer own = RedisServer.start()) {
			for (int i = 0; i < 5; i++) {
				this.runner.withPropertyValues("spring.data.redis.port=" + own.port())
					.run((context) -> context.getBean(LockOperations.class).executeWithoutResult(this.key, (lock) -> {
					}));
			}
			await().untilAsserted(() -> {
				Set<Thread> more = new HashSet<>(Thread.getAllStackTraces().keySet());
				more.removeAll(before);
				assertThat(more).extracting(Thread::getName)
					.noneMatch((name) -> name.startsWith("lock-") || name.startsWith("lettuce-"));
				assertThat(own.info("clients").get("connected_clients")).isEqualTo("1");
			});
		}
	}

}
