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

import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.OnFailure;
import io.github.lockspring.concurrent.LockClient;

/**
 * An application that {@link AheadOfTimeTortureTests} process ahead of time and then
 * start.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class, EndpointAutoConfiguration.class,
		HealthContributorRegistryAutoConfiguration.class, HealthContributorAutoConfiguration.class,
		HealthEndpointAutoConfiguration.class })
public class AheadOfTimeApplication {

	static final String DONE = "All locks work in ";

	public static void main(String... arguments) {
		try (ConfigurableApplicationContext context = SpringApplication.run(AheadOfTimeApplication.class, arguments)) {
			use(context.getBean(Service.class));
			use(context.getBean(LockOperations.class), context.getBean(LockClient.class));
			require(context.getBean(HealthEndpoint.class).healthForPath("lock").getStatus() == Status.UP, "health");
			System.out.println(DONE + context.getBean(LockTemplate.class).backendNames());
		}
	}

	private static void use(Service service) {
		require(service.pay(new Order(new Customer("a"), 42), null) > 0, "a lock on properties of an argument");
		require(service.quote(() -> inAnotherThread(() -> service.quote(() -> 1))) == -1, "a fallback");
		require(service.report(2026) == 2026, "a semaphore");
	}

	private static long inAnotherThread(Supplier<Long> call) {
		return CompletableFuture.supplyAsync(call).join();
	}

	private static void use(LockOperations locks, LockClient client) {
		locks.executeWithoutResult("order:42", LockHandle::checkpoint);
		require(client.lock("order:42").tryLock(), "a lock in code");
		require(client.atomicLong("orders").incrementAndGet() > 0, "a counter");
	}

	private static void require(boolean condition, String what) {
		if (!condition) {
			throw new IllegalStateException(what + " does not work");
		}
	}

	@Bean
	Service service() {
		return new Service();
	}

	/**
	 * An argument whose properties are used as key.
	 */
	record Order(Customer customer, long id) {
	}

	record Customer(String name) {
	}

	/**
	 * Methods with locks.
	 */
	static class Service {

		@DistributedLock(name = "order", key = "#order.customer.name + '/' + #order.id")
		public long pay(Order order, LockHandle lock) {
			return lock.fencingToken();
		}

		@DistributedSemaphore(name = "quote", permits = "1", waitTime = "0s", onFailure = OnFailure.FALLBACK,
				fallback = "lastQuote")
		public long quote(LongSupplier work) {
			return work.getAsLong();
		}

		private long lastQuote(LongSupplier work) {
			return -1;
		}

		@DistributedSemaphore(name = "reports", permits = "3")
		public long report(int year) {
			return year;
		}

	}

}
