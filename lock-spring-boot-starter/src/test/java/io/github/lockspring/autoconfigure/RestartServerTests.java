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
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that is stopped or paused, and started again, has its locks again.
 */
@Timeout(300)
class RestartServerTests {

	private static final int CYCLES = 3;

	/**
	 * Of tests before these, such as those of contexts that are kept.
	 */
	private final Set<Thread> othersThreads = threads();

	private final String key = "order-" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(Orders.class)
		.withPropertyValues("lock.shutdown-timeout=0s", "lock.wait-time=5s", "lock.operation-timeout=5s");

	@ParameterizedTest
	@EnumSource
	void locksOfAStoppedApplicationAreBackAfterItsStart(Application application) {
		application.in(this.runner).run((context) -> {
			for (int i = 0; i < CYCLES; i++) {
				assertLocked(context);
				context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
				assertRejected(context);
				context.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
			}
			assertLocked(context);
		});
		assertNoThreads();
	}

	@ParameterizedTest
	@EnumSource
	void locksOfAPausedApplicationAreBackAfterItsRestart(Application application) {
		application.in(this.runner).run((context) -> {
			for (int i = 0; i < CYCLES; i++) {
				assertLocked(context);
				context.getSourceApplicationContext(ConfigurableApplicationContext.class).pause();
				assertRejected(context);
				assertNoThreads();
				context.getSourceApplicationContext(ConfigurableApplicationContext.class).restart();
			}
			assertLocked(context);
		});
	}

	@ParameterizedTest
	@EnumSource
	void beanThatStartsBeforeOthersHasItsLocks(Application application) {
		application.in(this.runner).withUserConfiguration(EarlyConfiguration.class).run((context) -> {
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
			assertThat(context.getBean(EarlyBean.class).starts).isEqualTo(2);
		});
	}

	@Test
	void whatWasHeldIsLostAndFree() {
		Application.REDIS.in(this.runner).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			LockHandle held = locks.acquire(this.key, LockOptions.defaults());
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
			assertThat(held.isLost()).isTrue();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
			assertThat(held.isHeld()).isFalse();
			assertThat(locks.acquireAsync(this.key, LockOptions.defaults()).thenApply(LockHandle::isHeld).join())
				.isTrue();
		});
	}

	private void assertLocked(AssertableApplicationContext context) {
		LockOperations locks = context.getBean(LockOperations.class);
		locks.executeWithoutResult(this.key, (lock) -> lock.checkpoint());
		context.getBean(LockClient.class).lock(this.key).lock();
		context.getBean(LockClient.class).lock(this.key).unlock();
		context.getBean(Orders.class).pay(this.key);
		assertThat(locks.acquireAsync(this.key, LockOptions.defaults()).join().closeAsync())
			.succeedsWithin(Duration.ofMinutes(1));
	}

	private void assertRejected(AssertableApplicationContext context) {
		LockOperations locks = context.getBean(LockOperations.class);
		assertThatExceptionOfType(LockShutdownException.class)
			.isThrownBy(() -> locks.acquire(this.key, LockOptions.defaults()))
			.withMessageContaining("shutting down");
	}

	private void assertNoThreads() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(threads()).isSubsetOf(this.othersThreads));
	}

	/**
	 * Threads of engines and backends, but for those of other tests' servers and clients.
	 */
	private static Set<Thread> threads() {
		List<String> prefixes = List.of("lock-redis", "lock-jdbc", "lock-zookeeper", "lock-local", "lock-timer");
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> prefixes.stream().anyMatch(thread.getName()::startsWith))
			.collect(Collectors.toSet());
	}

	/**
	 * Applications on one store each.
	 */
	enum Application {

		LOCAL {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withPropertyValues("lock.backend=local");
			}

		},

		H2 {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
					.withPropertyValues(
							"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
			}

		},

		REDIS {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
					.withPropertyValues("spring.data.redis.url=" + RedisServer.shared().uri());
			}

		},

		REDIS_WITH_JEDIS {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return REDIS.in(runner).withPropertyValues("spring.data.redis.client-type=jedis");
			}

		},

		/**
		 * The factory ends its client resources when it stops.
		 */
		REDIS_WITH_OWN_FACTORY {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withBean(LettuceConnectionFactory.class,
						() -> new LettuceConnectionFactory(server(), LettuceClientConfiguration.builder().build()));
			}

		},

		REDIS_WITH_OWN_RESOURCES {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withBean(DefaultClientResources.class, DefaultClientResources::create)
					.withInitializer((context) -> ((GenericApplicationContext) context).registerBean("connections",
							LettuceConnectionFactory.class,
							() -> new LettuceConnectionFactory(server(),
									LettuceClientConfiguration.builder()
										.clientResources(context.getBean(ClientResources.class))
										.build())));
			}

		},

		ZOOKEEPER {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner.withPropertyValues(
						"lock.zookeeper.connect-string=" + ZooKeeperServer.shared().connectString(),
						"lock.zookeeper.namespace=locks-" + UUID.randomUUID());
			}

		},

		ZOOKEEPER_WITH_OWN_CLIENT {

			@Override
			ApplicationContextRunner in(ApplicationContextRunner runner) {
				return runner
					.withBean(CuratorFramework.class,
							() -> CuratorFrameworkFactory.newClient(ZooKeeperServer.shared().connectString(),
									new RetryOneTime(100)),
							(definition) -> definition.setInitMethodName("start"))
					.withPropertyValues("lock.backend=zookeeper",
							"lock.zookeeper.namespace=locks-" + UUID.randomUUID());
			}

		};

		abstract ApplicationContextRunner in(ApplicationContextRunner runner);

		static RedisStandaloneConfiguration server() {
			return new RedisStandaloneConfiguration(RedisServer.shared().host(), RedisServer.shared().port());
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		public void pay(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		EarlyBean earlyBean(LockOperations locks) {
			return new EarlyBean(locks);
		}

	}

	/**
	 * Starts in the phase in which connection factories start.
	 */
	static class EarlyBean implements SmartLifecycle {

		private final LockOperations locks;

		private int starts;

		private boolean running;

		EarlyBean(LockOperations locks) {
			this.locks = locks;
		}

		@Override
		public void start() {
			this.locks.executeWithoutResult("early-" + UUID.randomUUID(), (lock) -> this.starts++);
			this.running = true;
		}

		@Override
		public void stop() {
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

	}

}
