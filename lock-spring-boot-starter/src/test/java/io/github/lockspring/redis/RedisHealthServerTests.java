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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.autoconfigure.LockHealthContributorAutoConfiguration;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The health endpoint while the server is paused, as by SIGSTOP: connections remain open,
 * and nothing answers.
 */
@Timeout(300)
class RedisHealthServerTests {

	/**
	 * Much less than the default timeouts of the clients.
	 */
	private static final Duration IN_TIME = Duration.ofMinutes(1);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
				LockHealthContributorAutoConfiguration.class, EndpointAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class, HealthContributorAutoConfiguration.class,
				HealthEndpointAutoConfiguration.class))
		.withPropertyValues("lock.shutdown-timeout=0s", "management.endpoint.health.group.readiness.include=lock");

	@Test
	void pausedServerIsDownInTimeAndComesUpAgain() {
		try (RedisServer server = RedisServer.start()) {
			this.runner
				.withPropertyValues("spring.data.redis.host=" + server.host(),
						"spring.data.redis.port=" + server.port())
				.run((context) -> {
					HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
					FaultRun.eventually().until(() -> statusOf(endpoint), Status.UP::equals);
					server.pause();
					FaultRun.eventually().until(() -> inTime(endpoint), Status.DOWN::equals);
					assertThat(inTime(endpoint)).isEqualTo(Status.DOWN);
					server.resume();
					FaultRun.eventually().until(() -> statusOf(endpoint), Status.UP::equals);
				});
		}
	}

	/**
	 * A response that is a second old at most may come first.
	 */
	private static Status inTime(HealthEndpoint endpoint) {
		CompletableFuture<Status> status = CompletableFuture.supplyAsync(() -> statusOf(endpoint));
		assertThat(status).succeedsWithin(IN_TIME);
		return status.join();
	}

	private static Status statusOf(HealthEndpoint endpoint) {
		HealthDescriptor health = endpoint.healthForPath("readiness");
		return health.getStatus();
	}

}
