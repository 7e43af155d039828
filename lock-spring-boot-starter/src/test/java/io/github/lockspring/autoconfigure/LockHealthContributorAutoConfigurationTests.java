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

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
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
		.withBean(RecordingBackend.class, () -> new RecordingBackend(new LocalStore()))
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
