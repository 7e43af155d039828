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

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.actuate.LockHealthIndicator;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockHealthContributorAutoConfiguration}.
 */
class LockHealthContributorAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean("recordingBackend", RecordingBackend.class, () -> new RecordingBackend(new LocalStore()))
		.withConfiguration(
				AutoConfigurations.of(LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class,
						HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class));

	@Test
	void contributorIsNamedLock() {
		this.runner.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("lock"))
			.isInstanceOf(LockHealthIndicator.class));
	}

	@Test
	void whenStoreAnswersThenItIsUp() {
		this.runner.run((context) -> assertThat(context.getBean(LockHealthIndicator.class).health().getStatus())
			.isEqualTo(Status.UP));
	}

	@Test
	void whenStoreIsDownAtStartupThenItIsDownAndComesUp() {
		RecordingBackend backend = new RecordingBackend(new LocalStore());
		backend.setDown(true);
		new ApplicationContextRunner().withBean(RecordingBackend.class, () -> backend)
			.withConfiguration(
					AutoConfigurations.of(LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class))
			.run((context) -> {
				LockHealthIndicator indicator = context.getBean(LockHealthIndicator.class);
				assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
				backend.setDown(false);
				Awaitility.await().untilAsserted(() -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
			});
	}

	@Test
	void storeThatIsDownMakesTheApplicationUnready() {
		readiness().withPropertyValues("management.endpoint.health.group.readiness.include=readinessState,lock")
			.run((context) -> {
				HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
				AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
				AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
				assertThat(endpoint.healthForPath("readiness").getStatus()).isEqualTo(Status.UP);
				context.getBean(RecordingBackend.class).setDown(true);
				await(endpoint, "readiness", Status.DOWN);
				assertThat(endpoint.healthForPath("liveness").getStatus()).isEqualTo(Status.UP);
				context.getBean(RecordingBackend.class).setDown(false);
				await(endpoint, "readiness", Status.UP);
			});
	}

	@Test
	void storeThatIsDownLeavesTheApplicationReadyByDefault() {
		readiness().run((context) -> {
			HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
			AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			context.getBean(RecordingBackend.class).setDown(true);
			await(endpoint, "lock", Status.DOWN);
			assertThat(endpoint.healthForPath("readiness").getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void eachBackendHasAnEntry() {
		readiness().withBean("other", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "other"))
			.withPropertyValues("lock.backend=recording",
					"management.endpoint.health.group.readiness.include=readinessState,lock/recording")
			.run((context) -> {
				HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
				context.getBean("other", RecordingBackend.class).setDown(true);
				await(endpoint, "lock/other", Status.DOWN);
				await(endpoint, "lock", Status.DOWN);
				assertThat(endpoint.healthForPath("lock", "recording").getStatus()).isEqualTo(Status.UP);
				AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
				assertThat(endpoint.healthForPath("readiness").getStatus()).isEqualTo(Status.UP);
				context.getBean("recordingBackend", RecordingBackend.class).setDown(true);
				await(endpoint, "readiness", Status.DOWN);
			});
	}

	private ApplicationContextRunner readiness() {
		return this.runner
			.withConfiguration(AutoConfigurations.of(ApplicationAvailabilityAutoConfiguration.class,
					AvailabilityHealthContributorAutoConfiguration.class, AvailabilityProbesAutoConfiguration.class,
					EndpointAutoConfiguration.class, HealthEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoint.health.probes.enabled=true");
	}

	private static void await(HealthEndpoint endpoint, String path, Status status) {
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.until(() -> endpoint.healthForPath(path.split("/")).getStatus(), status::equals);
	}

	@Test
	void whenDisabledThenThereIsNone() {
		this.runner.withPropertyValues("management.health.lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void whenApplicationHasItsOwnThenThatIsUsed() {
		HealthIndicator own = () -> null;
		this.runner.withBean("lockHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context).doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void whenHealthIsNotOnTheClassPathThenThereIsNone() {
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).doesNotHaveBean("lockHealthIndicator"));
	}

}
