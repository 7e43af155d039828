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

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockMetricsConfiguration}.
 */
class LockMetricsConfigurationTests {

	private final LocalStore store = new LocalStore();

	private final RecordingBackend backend = new RecordingBackend(this.store);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(RecordingBackend.class, () -> this.backend)
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void lossesAreCounted() {
		this.runner.withPropertyValues("lock.shutdown-timeout=0s")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				for (int i = 1; i <= 3; i++) {
					int losses = i;
					LockHandle lock = locks.acquire("key-" + i, locks.defaultOptions());
					this.store.expire(this.backend.requests().get(i - 1));
					await().until(() -> context.getBean(MeterRegistry.class).counter("lock.lost").count() == losses);
					assertThat(lock.isHeld()).isFalse();
				}
			});
	}

	@Test
	void withoutMeterRegistryNothingIsCounted() {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withoutMicrometerThereIsNoCounter() {
		this.runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lockLossCounter"));
	}

}
