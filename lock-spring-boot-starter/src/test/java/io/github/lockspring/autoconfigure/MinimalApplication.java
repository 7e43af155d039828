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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.OnFailure;
import io.github.lockspring.concurrent.LockClient;

/**
 * An application that uses its locks in each way that needs nothing but the starter and
 * one store. Loaded with whatever class path it is to be tried on.
 */
public final class MinimalApplication {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono", null);

	private MinimalApplication() {
	}

	/**
	 * Starts the application, uses its locks, and closes it.
	 * @param properties properties of the application
	 */
	public static void run(String... properties) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties(properties)
			.run()) {
			use(context.getBean(Service.class));
			use(context.getBean(LockOperations.class));
			use(context.getBean(LockClient.class).lock("by-client"));
			if (REACTOR) {
				ReactiveService.use(context);
			}
		}
	}

	private static void use(Service service) {
		require(service.pay(42) == 42, "a locked method");
		require(service.payLater(42).toCompletableFuture().join() == 42, "a locked method that returns a stage");
		require(service.report(2026) == 2026, "a method with permits");
	}

	private static void use(LockOperations locks) {
		require(locks.execute("by-operations", LockHandle::isHeld), "a lock in code");
		try (LockHandle lock = locks.acquire("by-handle", locks.defaultOptions())) {
			lock.checkpoint();
		}
	}

	private static void use(Lock lock) {
		require(lock.tryLock(), "a lock of the client");
		lock.unlock();
	}

	private static void require(boolean condition, String what) {
		if (!condition) {
			throw new IllegalStateException(what + " did not work");
		}
	}

	/**
	 * What a real application has.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ReactiveConfiguration.class)
	static class Application {

		@Bean
		Service service() {
			return new Service();
		}

	}

	/**
	 * More of that, if Reactor is there.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "reactor.core.publisher.Mono")
	static class ReactiveConfiguration {

		@Bean
		ReactiveService reactiveService() {
			return new ReactiveService();
		}

	}

	/**
	 * A bean with locked methods.
	 */
	static class Service {

		@DistributedLock(name = "order", key = "#id", waitTime = "5s")
		public long pay(long id) {
			return again(id);
		}

		@DistributedLock(name = "order", key = "'later-' + #id", waitTime = "5s")
		public CompletionStage<Long> payLater(long id) {
			return CompletableFuture.supplyAsync(() -> id, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
		}

		@DistributedSemaphore(name = "reports", permits = "3", waitTime = "5s", onFailure = OnFailure.THROW)
		public int report(int year) {
			return year;
		}

		private long again(long id) {
			return id;
		}

	}

	/**
	 * A bean with a locked method that returns a reactive type.
	 */
	static class ReactiveService {

		static void use(ConfigurableApplicationContext context) {
			Long paid = context.getBean(ReactiveService.class).pay(42).block(Duration.ofSeconds(10));
			require(paid != null && paid == 42, "a locked method that returns a Mono");
		}

		@DistributedLock(name = "order", key = "'reactive-' + #id", waitTime = "5s")
		public Mono<Long> pay(long id) {
			return Mono.just(id);
		}

	}

}
