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

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.time.Instant;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.bridge.LeaseLockProvider;
import io.github.lockspring.bridge.LeaseLockRegistry;
import io.github.lockspring.concurrent.LockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that uses this library together with Spring Integration, ShedLock, and
 * what else is on the class path with which it is loaded: Lock4j, Redisson.
 */
public final class ManyLibrariesApplication {

	private ManyLibrariesApplication() {
	}

	/**
	 * Starts the application, uses its locks, and closes it.
	 * @param properties properties of the application
	 */
	public static void run(String... properties) throws ClassNotFoundException {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, schedulerLock())
			.web(WebApplicationType.NONE)
			.properties(properties)
			.run()) {
			assertThat(context.getBean(Service.class).pay(42)).isEqualTo(42);
			new DefaultLockingTaskExecutor(context.getBean(LockProvider.class)).executeWithLock(
					(Runnable) LockAssert::assertLocked,
					new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ofSeconds(1)));
			assertThat(context.getBean(LockRegistry.class).obtain("registry").tryLock()).isTrue();
			assertThat(context.getBean(LockTemplate.class)).isSameAs(context.getBean(LockOperations.class));
			assertThat(context.getBean(LockClient.class).lock("client").tryLock()).isTrue();
			assertThat(context.getBean("lockTemplate").getClass().getName()).startsWith("com.baomidou.lock.");
			assertThat(context.getBean("redisson").getClass().getName()).startsWith("org.redisson.");
			StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
			assertThat(template.getConnectionFactory()).as("the application's")
				.isNotInstanceOf(LettuceConnectionFactory.class);
			assertThat(template.keys("*lock:*")).isNotEmpty();
		}
	}

	/**
	 * Create a configuration with ShedLock's annotation, which the compiler does not see.
	 */
	@SuppressWarnings("unchecked")
	private static Class<?> schedulerLock() throws ClassNotFoundException {
		ClassLoader loader = ManyLibrariesApplication.class.getClassLoader();
		Class<? extends Annotation> enable = (Class<? extends Annotation>) loader
			.loadClass("net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock");
		return new ByteBuddy().subclass(Object.class)
			.annotateType(AnnotationDescription.Builder.ofType(enable).define("defaultLockAtMostFor", "1m").build())
			.make()
			.load(loader)
			.getLoaded();
	}

	/**
	 * The annotations of all of them.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableIntegration
	@Import(OwnConnections.class)
	static class Application {

		@Bean
		Service service() {
			return new Service();
		}

		@Bean
		LockProvider lockProvider(LockTemplate locks) {
			return new LeaseLockProvider(locks);
		}

		@Bean
		LockRegistry<?> lockRegistry(LockTemplate locks) {
			return new LeaseLockRegistry(locks, "registry");
		}

	}

	/**
	 * What the message about Redisson's connection factory says.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty("lock.redis.connection-factory")
	static class OwnConnections {

		@Bean(defaultCandidate = false)
		LettuceConnectionFactory lockConnectionFactory(@Value("${spring.data.redis.port}") int port) {
			return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", port));
		}

	}

	/**
	 * A method with a lock.
	 */
	static class Service {

		@DistributedLock(name = "pay", key = "#id")
		public long pay(long id) {
			LockContext.current().checkpoint();
			return id;
		}

	}

}
