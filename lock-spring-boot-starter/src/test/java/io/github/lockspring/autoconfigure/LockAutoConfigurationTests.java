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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostEvent;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.TimeSource;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	private final ApplicationContextRunner withDataSource = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));

	@Test
	void whenBackendIsLocalThenLocalLockBackendIsConfigured() {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).hasSingleBean(LocalLockBackend.class));
	}

	@Test
	void whenBackendIsLocalThenItIsAnnounced(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(output).contains("no other process is kept out"));
	}

	@Test
	void whenThereIsADataSourceThenJdbcLockBackendIsConfigured() {
		this.withDataSource
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void whenBackendIsJdbcThenJdbcLockBackendIsConfigured() {
		this.withDataSource.withPropertyValues("lock.backend=JDBC")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void whenBackendIsLocalThenDataSourceIsLeftAlone() {
		this.withDataSource.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(LocalLockBackend.class));
	}

	@Test
	void whenApplicationHasABackendThenItIsUsed() {
		this.withDataSource.withUserConfiguration(BackendConfiguration.class)
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(RecordingBackend.class));
	}

	@Test
	void whenApplicationHasABackendThenPropertyDoesNotMatter() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).getBean(LockBackend.class).isInstanceOf(RecordingBackend.class));
	}

	@Test
	void whenNothingIsConfiguredThenChoicesAreListed() {
		this.runner.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.backend is not set");
			assertThat(analysis.getAction()).contains("- jdbc: ", "- local: ", LockBackend.class.getName());
		});
	}

	@Test
	void whenLibraryOfTheBackendIsMissingThenItsCoordinatesAreNamed() {
		this.runner.withPropertyValues("lock.backend=jdbc")
			.withClassLoader(new FilteredClassLoader(EmbeddedDatabaseType.class))
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.backend is jdbc");
				assertThat(analysis.getAction()).contains("org.springframework.boot:spring-boot-starter-jdbc");
			});
	}

	@Test
	void whenLibraryOfABackendIsMissingThenOthersWork() {
		this.runner.withPropertyValues("lock.backend=local")
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc",
					"org.springframework.boot.sql", "org.springframework.boot.health", "org.springframework.dao"))
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class));
	}

	@Test
	void whenBackendIsMisspeltThenValuesAreListed() {
		this.withDataSource.withPropertyValues("lock.backend=zokeeper")
			.run((context) -> assertThat(FailureAnalyses.of(context)).satisfies((analysis) -> {
				assertThat(analysis.getDescription()).contains("lock.backend", "zokeeper");
				assertThat(analysis.getAction()).contains("jdbc", "local");
			}));
	}

	@Test
	void whenApplicationHasSeveralBackendsThenTheyAreListed() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean("other", RecordingBackend.class, () -> new RecordingBackend(new LocalStore()))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("several",
					"recording, recording"));
	}

	@Test
	void whenApplicationHasAnEngineThenItIsUsed() {
		this.runner
			.withBean("myEngine", LockEngine.class,
					() -> new LockEngine(new LocalLockBackend(), EngineSettings.defaults(), EngineListener.NONE,
							TimeSource.SYSTEM))
			.run((context) -> assertThat(context).getBeanNames(LockEngine.class).containsExactly("myEngine"));
	}

	@Test
	void whenApplicationHasATemplateThenItIsUsed() {
		this.runner.withPropertyValues("lock.backend=local")
			.withUserConfiguration(TemplateConfiguration.class)
			.run((context) -> assertThat(context).getBeanNames(LockOperations.class).containsExactly("myTemplate"));
	}

	@Test
	void templateAndClientAreConfigured() {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).hasSingleBean(LockOperations.class)
				.hasSingleBean(LockTemplate.class)
				.hasSingleBean(LockClient.class));
	}

	@Test
	void keysBeginWithThePrefix() {
		this.runner.withUserConfiguration(BackendConfiguration.class).run((context) -> {
			context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
			});
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42");
		});
	}

	@Test
	void keysBeginWithTheConfiguredPrefix() {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withPropertyValues("lock.key-prefix=shop")
			.run((context) -> {
				context.getBean(LockOperations.class).executeWithoutResult("order:42", (lock) -> {
				});
				assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("shop:order:42");
			});
	}

	@Test
	void clientAndTemplateShareTheirKeys() {
		this.runner.withUserConfiguration(BackendConfiguration.class).run((context) -> {
			Lock lock = context.getBean(LockClient.class).lock("order:42");
			lock.lock();
			lock.unlock();
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42");
		});
	}

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

	@Test
	void unknownPropertiesAreNamed(CapturedOutput output) {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.jdbc.tabel-name=a", "lock.wait-tine=2s",
					"lock.wait-time=1s")
			.run((context) -> assertThat(output)
				.contains("Unknown properties: [lock.jdbc.tabel-name, lock.wait-tine]"));
	}

	@Test
	void knownPropertiesAreNotNamed(CapturedOutput output) {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.jdbc.table-name=a", "lock.aop.order=1",
					"lock.hand-over.span=1ms", "lock.renew-interval=1s", "locks.other=1")
			.run((context) -> assertThat(output).doesNotContain("Unknown properties"));
	}

	@Test
	void lossIsPublished() {
		this.runner.withUserConfiguration(BackendConfiguration.class, LossConfiguration.class)
			.withPropertyValues("lock.lease-time=150ms", "lock.auto-renew=false")
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				LockHandle lock = locks.acquire("order:42", locks.getDefaultOptions());
				long token = lock.fencingToken();
				LockLostEvent event = context.getBean(LossConfiguration.class).events.poll(20, TimeUnit.SECONDS);
				assertThat(event).isEqualTo(new LockLostEvent("lock:order:42", token));
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			});
	}

	@Test
	void whenStoreIsDownAndFailFastThenApplicationDoesNotStart() {
		this.runner.withUserConfiguration(DownConfiguration.class)
			.withPropertyValues("lock.fail-fast=true")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("'recording' cannot be reached: connection refused");
				assertThat(analysis.getAction()).contains("lock.fail-fast");
			});
	}

	@Test
	void whenStoreIsDownThenApplicationStarts() {
		this.runner.withUserConfiguration(DownConfiguration.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void backendTypesAreListedInOrderOfPrecedence() {
		assertThat(List.of(LockBackendType.values())).containsExactly(LockBackendType.JDBC, LockBackendType.LOCAL);
	}

	@Configuration(proxyBeanMethods = false)
	static class BackendConfiguration {

		@Bean
		RecordingBackend recordingBackend() {
			return new RecordingBackend(new LocalStore());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DownConfiguration {

		@Bean
		RecordingBackend recordingBackend() {
			RecordingBackend backend = new RecordingBackend(new LocalStore());
			backend.setDown(true);
			return backend;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TemplateConfiguration {

		@Bean
		LockTemplate myTemplate(LockEngine engine) {
			return new LockTemplate(engine, "mine:", LockOptions.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LossConfiguration {

		private final BlockingQueue<LockLostEvent> events = new LinkedBlockingQueue<>();

		@EventListener
		void on(LockLostEvent event) {
			this.events.add(event);
			throw new IllegalStateException("listeners may fail");
		}

	}

}
