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

package io.github.lockspring.sample.reminder;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.lockspring.sample.SampleApplication;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.stock.UnsupportedStrategyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the hourly jobs of two instances on one database in memory.
 */
class ReminderTests {

	private static final long CUSTOMER = 7;

	private static List<ConfigurableApplicationContext> instances;

	@BeforeAll
	static void start() {
		instances = Stream.of("1", "2").map(ReminderTests::start).toList();
	}

	private static ConfigurableApplicationContext start(String name) {
		return new SpringApplicationBuilder(SampleApplication.class).web(WebApplicationType.NONE)
			.run("--sample.instance=" + name,
					"--spring.datasource.url=jdbc:h2:mem:reminder;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000");
	}

	@AfterAll
	static void stop() {
		instances.forEach(ConfigurableApplicationContext::close);
	}

	@AfterEach
	void switchOffAndForget() {
		controllers().forEach(ReminderController::switchOff);
		controllers().findFirst().orElseThrow().reset(CUSTOMER);
	}

	@Test
	void withoutLockEachInstanceSends() {
		switchOn(Strategy.NO_LOCK);
		awaitHours((hours) -> assertThat(hours).extracting(ReminderService.Hour::count).contains(2));
	}

	@Test
	void withLockOneInstanceSends() {
		switchOn(Strategy.DISTRIBUTED_LOCK);
		awaitHours((hours) -> assertThat(hours).hasSizeGreaterThan(2));
		ReminderController.Reminders reminders = show();
		assertThat(reminders.hours()).extracting(ReminderService.Hour::count).containsOnly(1);
		assertThat(reminders.messages()).isEqualTo(reminders.hours().size());
		assertThat(controllers().findFirst().orElseThrow().show(8).messages()).isZero();
	}

	@Test
	void otherStrategiesAreRefused() {
		assertThatExceptionOfType(UnsupportedStrategyException.class).isThrownBy(() -> switchOn(Strategy.SYNCHRONIZED));
	}

	private static void switchOn(Strategy strategy) {
		controllers().forEach((controller) -> controller.switchOn(strategy, CUSTOMER));
	}

	private static void awaitHours(Consumer<List<ReminderService.Hour>> assertion) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertion.accept(show().hours()));
	}

	private static ReminderController.Reminders show() {
		return controllers().findFirst().orElseThrow().show(CUSTOMER);
	}

	private static Stream<ReminderController> controllers() {
		return instances.stream().map((instance) -> instance.getBean(ReminderController.class));
	}

}
