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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.engine.EngineSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockSettings}.
 */
class LockSettingsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void optionsAreThoseOfTheProperties() {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.wait-time=2s", "lock.lease-time=PT1M",
					"lock.auto-renew=false")
			.run((context) -> {
				LockOptions options = context.getBean(LockOperations.class).getDefaultOptions();
				assertThat(options.waitTime()).isEqualTo(Duration.ofSeconds(2));
				assertThat(options.leaseTime()).isEqualTo(Duration.ofMinutes(1));
				assertThat(options.autoRenew()).isFalse();
			});
	}

	@Test
	void settingsAreThoseOfTheProperties() {
		LockProperties properties = new LockProperties();
		properties.setOperationTimeout(Duration.ofSeconds(3));
		properties.setRenewInterval(Duration.ofSeconds(4));
		properties.setMaxHoldTime(Duration.ofHours(5));
		properties.setMaxKeys(6);
		properties.getHandOver().setLimit(7);
		properties.getHandOver().setSpan(Duration.ofMillis(8));
		assertThat(LockSettings.of(properties).engineSettings()).isEqualTo(EngineSettings.defaults()
			.withOperationTimeout(Duration.ofSeconds(3))
			.withRenewInterval(Duration.ofSeconds(4))
			.withMaxHoldTime(Duration.ofHours(5))
			.withMaxKeys(6)
			.withHandOver(7, Duration.ofMillis(8)));
	}

	@Test
	void defaultsOfThePropertiesAreThoseOfTheLibrary() {
		LockSettings settings = LockSettings.of(new LockProperties());
		assertThat(settings.engineSettings()).isEqualTo(EngineSettings.defaults());
		assertThat(settings.options()).hasToString(LockOptions.defaults().toString());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lock.wait-time=-1s           | zero, to try once, or longer
			lock.lease-time=0s           | between PT0.1S and PT24H
			lock.lease-time=-1s          | between PT0.1S and PT24H
			lock.lease-time=99ms         | between PT0.1S and PT24H
			lock.lease-time=25h          | between PT0.1S and PT24H
			lock.renew-interval=30s      | shorter than lock.lease-time, which is PT30S
			lock.renew-interval=0s       | longer than zero
			lock.operation-timeout=0s    | longer than zero
			lock.max-hold-time=-1d       | longer than zero
			lock.shutdown-timeout=-1s    | zero or longer
			lock.max-keys=0              | at least 1
			lock.hand-over.limit=-1      | between 0 and 256
			lock.hand-over.limit=257     | between 0 and 256
			lock.hand-over.span=-1s      | zero or longer
			lock.key-prefix=             | must not be blank
			""")
	void valueOutOfRangeIsExplained(String property, String reason) {
		this.runner.withPropertyValues("lock.backend=local", property).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains(property.substring(0, property.indexOf('=')), reason);
		});
	}

	@Test
	void prefixThatIsTooLongIsExplained() {
		this.runner.withPropertyValues("lock.backend=local", "lock.key-prefix=" + "ü".repeat(64))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("126 bytes"));
	}

	@ParameterizedTest
	@CsvSource({ "lock.wait-time=abc", "lock.lease-time=99999999999999999999s", "lock.max-keys=many",
			"lock.aop.order=first", "lock.auto-renew=perhaps" })
	void valueOfAnotherTypeIsExplained(String property) {
		this.runner.withPropertyValues("lock.backend=local", property)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains(property.substring(0, property.indexOf('='))));
	}

	@Test
	void threeHundredYearsOfWaitingAreTaken() {
		this.runner.withPropertyValues("lock.backend=local", "lock.wait-time=109500d")
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
