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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.actuate.LockObservationContext;
import io.github.lockspring.actuate.LockObservationConvention;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockNames;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockMetricsConfiguration}.
 */
class LockMetricsConfigurationTests {

	private static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final LocalStore store = new LocalStore();

	private final RecordingBackend backend = new RecordingBackend(this.store);

	private final SettableTime time = new SettableTime();

	/**
	 * On a backend whose time cannot be moved.
	 */
	private final ApplicationContextRunner recording = new ApplicationContextRunner()
		.withBean(RecordingBackend.class, () -> this.backend)
		.withPropertyValues("lock.shutdown-timeout=0s")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	/**
	 * On a backend whose time is moved.
	 */
	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(TimeSource.class, () -> this.time)
		.withPropertyValues("lock.backend=local", "lock.shutdown-timeout=0s");

	private final ApplicationContextRunner metered = this.runner.withBean(MeterRegistry.class,
			SimpleMeterRegistry::new);

	/**
	 * With all that Spring Boot configures.
	 */
	private final ApplicationContextRunner actuated = this.runner.withConfiguration(
			AutoConfigurations.of(MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, ObservationAutoConfiguration.class));

	private static RequiredSearch meter(ApplicationContext context, String name, String... tags) {
		return context.getBean(MeterRegistry.class).get(name).tags(tags);
	}

	private static double count(ApplicationContext context, String name, String... tags) {
		return meter(context, name, tags).counter().count();
	}

	private static Timer timer(ApplicationContext context, String name, String... tags) {
		return meter(context, name, tags).timer();
	}

	private static Set<String> metersOf(ApplicationContext context, String name) {
		return context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.filter((meter) -> name.equals(meter.getId().getTag("name")))
			.map((meter) -> meter.getId().getName())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@Test
	void allMetersExistAtStart() {
		this.metered.withUserConfiguration(Application.class).run((context) -> {
			for (String name : List.of("none", "order", "report", "limited")) {
				assertThat(metersOf(context, name)).containsExactly("lock.acquire", "lock.contended", "lock.denied",
						"lock.handoffs", "lock.held", "lock.hold", "lock.lost", "lock.release", "lock.renewal.margin",
						"lock.renewals", "lock.timeouts", "lock.unavailable", "lock.waiting");
			}
			assertThat(context.getBean(MeterRegistry.class).getMeters()).extracting((meter) -> meter.getId().getTags())
				.allSatisfy(
						(tags) -> assertThat(tags).contains(Tag.of("backend", "local"), Tag.of("type", "exclusive")));
		});
	}

	@Test
	void metersOfANameExistAsSoonAsItIsKnown() {
		this.metered.run((context) -> {
			assertThat(metersOf(context, "item")).isEmpty();
			context.getBean(LockOperations.class).named("item");
			assertThat(metersOf(context, "item")).hasSize(13);
		});
	}

	@Test
	void annotatedCallIsMeasured() {
		this.metered.withUserConfiguration(Application.class).run((context) -> {
			context.getBean(Orders.class).pay(42, () -> {
				this.time.advance(Duration.ofSeconds(3));
				assertThat(meter(context, "lock.held", "name", "order").gauge().value()).isOne();
			});
			assertThat(timer(context, "lock.acquire", "name", "order", "outcome", "acquired", "error", "none").count())
				.isOne();
			Timer hold = timer(context, "lock.hold", "name", "order", "outcome", "released");
			assertThat(hold.count()).isOne();
			assertThat(hold.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
			assertThat(timer(context, "lock.release", "name", "order").count()).isOne();
			assertThat(meter(context, "lock.held", "name", "order").gauge().value()).isZero();
			context.getBean(Orders.class).report();
			assertThat(timer(context, "lock.hold", "name", "report", "outcome", "released").count()).isOne();
			context.getBean(Orders.class).limit();
			assertThat(
					timer(context, "lock.hold", "name", "limited", "type", "semaphore", "outcome", "released").count())
				.isOne();
		});
	}

	@Test
	void callInAChildContextIsMeasuredOnce() {
		this.metered.run((parent) -> this.runner.withParent(parent.getSourceApplicationContext()).run((child) -> {
			child.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(timer(parent, "lock.release").count()).isOne();
		}));
	}

	@Test
	void typesAreTags() {
		this.metered.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			for (LockType type : LockType.values()) {
				locks.acquire("a", TRY_ONCE.withType(type)).close();
			}
			assertThat(timer(context, "lock.release", "type", "exclusive").count()).isEqualTo(2);
			assertThat(timer(context, "lock.release", "type", "fair").count()).isOne();
			assertThat(timer(context, "lock.release", "type", "read").count()).isOne();
		});
	}

	@Test
	void reentryIsNotMeasured() {
		this.metered.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			try (LockHandle lock = locks.acquire("a", TRY_ONCE); LockHandle again = locks.acquire("a", TRY_ONCE)) {
				assertThat(meter(context, "lock.held").gauge().value()).isOne();
			}
			assertThat(timer(context, "lock.acquire", "outcome", "acquired").count()).isOne();
		});
	}

	@Test
	void deniedAndTimedOutAcquisitionsAreCounted() {
		this.metered.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			LockTemplate others = locks.ownedBy(this);
			locks.acquire("a", TRY_ONCE);
			assertThat(others.tryAcquire("a", TRY_ONCE)).isNull();
			CompletableFuture<LockHandle> waiting = others.tryAcquireAsync("a",
					TRY_ONCE.withWaitTime(Duration.ofSeconds(5)));
			assertThat(meter(context, "lock.waiting").gauge().value()).isOne();
			this.time.advance(Duration.ofSeconds(6));
			assertThat(waiting.get(1, TimeUnit.MINUTES)).isNull();
			assertThat(meter(context, "lock.waiting").gauge().value()).isZero();
			assertThat(count(context, "lock.contended")).isEqualTo(2);
			assertThat(count(context, "lock.denied")).isOne();
			assertThat(count(context, "lock.timeouts")).isOne();
			assertThat(timer(context, "lock.acquire", "outcome", "timeout").totalTime(TimeUnit.SECONDS)).isEqualTo(6);
			assertThat(timer(context, "lock.acquire", "outcome", "denied").count()).isOne();
		});
	}

	@Test
	void handOffsAreCounted() {
		this.metered.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class).named("order");
			List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
			LockHandle first = locks.acquire("42", TRY_ONCE);
			for (int i = 0; i < 5; i++) {
				waiting.add(locks.ownedBy(new Object()).acquireAsync("42"));
			}
			first.close(); // not handed off, since it was acquired before others waited
			for (CompletableFuture<LockHandle> next : waiting) {
				next.get(1, TimeUnit.MINUTES).close();
			}
			assertThat(count(context, "lock.handoffs", "name", "order")).isEqualTo(4);
			assertThat(count(context, "lock.contended", "name", "order")).isEqualTo(5);
			assertThat(timer(context, "lock.hold", "name", "order", "outcome", "released").count()).isEqualTo(6);
		});
	}

	@Test
	void renewalsAreCounted() {
		this.metered.run((context) -> {
			LockOperations orders = context.getBean(LockOperations.class).named("order");
			List.of("1", "2", "3").forEach((key) -> orders.acquire(key, TRY_ONCE));
			this.time.advance(Duration.ofSeconds(10));
			await().until(() -> count(context, "lock.renewals", "name", "order", "outcome", "success") == 3);
			Timer margin = timer(context, "lock.renewal.margin", "name", "order");
			await().until(() -> margin.count() == 3);
			await().untilAsserted(() -> assertThat(margin.max(TimeUnit.SECONDS)).isBetween(19.0, 20.0));
			assertThat(count(context, "lock.renewals", "name", "order", "outcome", "failure")).isZero();
		});
	}

	@Test
	void lossesAreCounted() {
		this.recording.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			for (int i = 1; i <= 3; i++) {
				int losses = i;
				LockHandle lock = locks.acquire("key-" + i, locks.defaultOptions());
				this.store.expire(this.backend.requests().get(i - 1));
				await().until(() -> count(context, "lock.lost") == losses);
				assertThat(lock.isHeld()).isFalse();
			}
			await().until(() -> context.getBean(MeterRegistry.class)
				.get("lock.hold")
				.tag("outcome", "lost")
				.timer()
				.count() == 3);
			assertThat(meter(context, "lock.held").gauge().value()).isZero();
		});
	}

	@Test
	void failuresOfTheStoreAreCounted() {
		this.recording.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			this.backend.setDown(true);
			LockOperations locks = context.getBean(LockOperations.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire("a", TRY_ONCE));
			assertThat(count(context, "lock.unavailable")).isOne();
			assertThat(timer(context, "lock.acquire", "outcome", "unavailable", "error", "BackendUnavailableException")
				.count()).isOne();
		});
	}

	@Test
	void manyKeysHaveTheMetersOfOne() {
		this.metered.withUserConfiguration(Application.class).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			LockTemplate orders = locks.named("order");
			orders.acquire(-1, TRY_ONCE).close();
			int meters = context.getBean(MeterRegistry.class).getMeters().size();
			for (int i = 0; i < 10_000; i++) {
				orders.acquire(i, TRY_ONCE).close();
				locks.acquire("key-" + i, TRY_ONCE).close();
			}
			assertThat(context.getBean(MeterRegistry.class).getMeters()).hasSize(meters);
			assertThat(timer(context, "lock.release", "name", "order").count()).isEqualTo(10_001);
			assertThat(timer(context, "lock.release", "name", "none").count()).isEqualTo(10_000);
		});
	}

	@Test
	void manyNamesHaveALimitedNumberOfMeters() {
		this.metered.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			for (int i = 0; i < LockNames.MAX_NAMES + 100; i++) {
				locks.named("tenant-" + i).acquire("a", TRY_ONCE).close();
			}
			assertThat(timer(context, "lock.release", "name", "other").count()).isEqualTo(100);
			assertThat(context.getBean(MeterRegistry.class).find("lock.lost").counters())
				.hasSize(LockNames.MAX_NAMES + 2);
		});
	}

	@Test
	void locksOfADatabaseAreMeasured() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true", "lock.backend=jdbc")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LockTemplate locks = context.getBean(LockTemplate.class).named("order");
				try (LockHandle lock = locks.acquire("42", TRY_ONCE)) {
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> locks.ownedBy(this).acquire("42", TRY_ONCE));
				}
				assertThat(count(context, "lock.denied", "backend", "jdbc", "name", "order")).isOne();
				assertThat(
						timer(context, "lock.hold", "backend", "jdbc", "name", "order", "outcome", "released").count())
					.isOne();
			});
	}

	@Test
	void metersCanBeDisabled() {
		this.actuated.withPropertyValues("management.metrics.enable.lock=false").run((context) -> {
			context.getBean(LockTemplate.class).named("order").acquire("42", TRY_ONCE).close();
			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("lock"));
		});
	}

	@Test
	void singleMeterCanBeDisabled() {
		this.actuated.withPropertyValues("management.metrics.enable.lock.hold=false").run((context) -> {
			context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
			assertThat(metersOf(context, "none")).contains("lock.acquire").doesNotContain("lock.hold");
		});
	}

	@Test
	void withoutTracingMetersAreRecordedDirectly() {
		this.actuated.run((context) -> {
			assertThat(metersOf(context, "none")).hasSize(13);
			context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
			assertThat(timer(context, "lock.acquire", "outcome", "acquired").count()).isOne();
			assertThat(metersOf(context, "none")).doesNotContain("lock.acquire.active");
		});
	}

	@Test
	void filterOfTheApplicationChangesTheTags() {
		this.actuated
			.withBean(ObservationFilter.class,
					() -> (context) -> context.addLowCardinalityKeyValue(KeyValue.of("region", "eu")))
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
				assertThat(timer(context, "lock.acquire", "region", "eu").count()).isOne();
			});
	}

	@Test
	void withOtherHandlersThereAreObservations() {
		RecordingHandler handler = new RecordingHandler();
		this.actuated.withBean("recordingHandler", RecordingHandler.class, () -> handler).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class).named("order");
			LockHandle lock = locks.acquire("42", TRY_ONCE);
			assertThat(locks.ownedBy(this).tryAcquire("42", TRY_ONCE)).isNull();
			lock.close();
			assertThat(handler.stopped).extracting(RecordingHandler::describe)
				.containsExactly(
						"lock.acquire|backend=local,name=order,outcome=acquired,type=exclusive|key=lock:order:42",
						"lock.acquire|backend=local,name=order,outcome=denied,type=exclusive|key=lock:order:42",
						"lock.hold|backend=local,name=order,outcome=released,type=exclusive|key=lock:order:42");
			assertThat(timer(context, "lock.acquire", "outcome", "acquired", "error", "none").count()).isOne();
			assertThat(timer(context, "lock.acquire", "outcome", "denied").count()).isOne();
			assertThat(timer(context, "lock.hold", "outcome", "released").count()).isOne();
			assertThat(metersOf(context, "order")).contains("lock.acquire.active", "lock.hold.active");
			assertThat(context.getBean(MeterRegistry.class).getMeters()).extracting(Meter::getId)
				.allMatch((id) -> id.getTag("key") == null);
		});
	}

	@Test
	void observationOfAFailureHasItsError() {
		RecordingHandler handler = new RecordingHandler();
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(handler);
		this.recording.withBean(ObservationRegistry.class, () -> registry).run((context) -> {
			this.backend.setDown(true);
			LockOperations locks = context.getBean(LockOperations.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire("a", TRY_ONCE));
			assertThat(handler.stopped).singleElement()
				.satisfies((observed) -> assertThat(observed.getError()).isNotNull());
		});
	}

	@Test
	void withObservationsThatAreNotMeasuredMetersAreRecordedDirectly() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new RecordingHandler());
		this.metered.withBean(ObservationRegistry.class, () -> registry).run((context) -> {
			context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
			assertThat(timer(context, "lock.acquire", "outcome", "acquired").count()).isOne();
			assertThat(timer(context, "lock.hold", "outcome", "released").count()).isOne();
		});
	}

	@Test
	void withObservationsThatAreMeasuredMetersAreRecordedOnce() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		this.runner.withBean(MeterRegistry.class, () -> meters)
			.withBean(ObservationRegistry.class, () -> registry)
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
				assertThat(timer(context, "lock.acquire", "outcome", "acquired").count()).isOne();
				assertThat(timer(context, "lock.hold", "outcome", "released").count()).isOne();
			});
	}

	@Test
	void conventionIsReplacedByABean() {
		RecordingHandler handler = new RecordingHandler();
		this.actuated.withBean("recordingHandler", RecordingHandler.class, () -> handler)
			.withBean(LockObservationConvention.class, OwnConvention::new)
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
				assertThat(handler.stopped).extracting(RecordingHandler::describe)
					.contains(
							"lock.acquire|backend=local,name=none,outcome=acquired,team=a,type=exclusive|key=lock:42");
				assertThat(timer(context, "lock.acquire", "team", "a").count()).isOne();
			});
	}

	@Test
	void conventionIsUsedWithoutTracing() {
		this.actuated.withBean(LockObservationConvention.class, OwnConvention::new).run((context) -> {
			context.getBean(LockTemplate.class).acquire("42", TRY_ONCE).close();
			assertThat(timer(context, "lock.acquire", "team", "a").count()).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.acquire", "lock.hold" })
	void handlerThatThrowsHarmsNoLock(String observation) {
		Supplier<FailingHandler> handler = () -> new FailingHandler(observation);
		this.actuated.withBean("failingHandler", FailingHandler.class, handler).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			for (int i = 0; i < 3; i++) {
				try (LockHandle lock = locks.acquire("42", TRY_ONCE)) {
					assertThat(lock.isHeld()).isTrue();
					assertThat(locks.ownedBy(this).tryAcquire("42", TRY_ONCE)).isNull();
				}
			}
			assertThat(context.getBean(LockEngine.class).size()).isZero();
			assertThat(meter(context, "lock.held").gauge().value()).isZero();
			assertThat(count(context, "lock.denied")).isEqualTo(3);
		});
	}

	@Test
	void registryThatThrowsHarmsNoLock() {
		this.runner.withBean(MeterRegistry.class, FailingRegistry::new).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class).named("order");
			locks.acquire("42", TRY_ONCE).close();
			locks.acquireAsync("42").get(1, TimeUnit.MINUTES).closeAsync().get(1, TimeUnit.MINUTES);
			assertThat(context.getBean(LockEngine.class).size()).isZero();
		});
	}

	@Test
	void metersAreRegisteredWithLazyInitialization() {
		this.metered
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(metersOf(context, "none")).hasSize(13));
	}

	@Test
	void withoutMeterRegistryNothingIsCounted() {
		this.recording.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void withoutMicrometerThereAreNoMeters() {
		this.recording.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("io.github.lockspring.lockMetricsRegistrar"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void pay(long id, Runnable body) {
			body.run();
		}

		@DistributedLock(name = "report")
		void report() {
		}

		@DistributedSemaphore(name = "limited", permits = "2")
		void limit() {
		}

	}

	static class OwnConvention implements LockObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return LockObservationConvention.super.getLowCardinalityKeyValues(context).and(KeyValue.of("team", "a"));
		}

	}

	static class RecordingHandler implements ObservationHandler<Observation.Context> {

		private final BlockingQueue<Observation.Context> stopped = new LinkedBlockingQueue<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.add(context);
		}

		static String describe(Observation.Context context) {
			return context.getName() + '|' + join(context.getLowCardinalityKeyValues()) + '|'
					+ join(context.getHighCardinalityKeyValues());
		}

		private static String join(KeyValues values) {
			return values.stream()
				.map((value) -> value.getKey() + '=' + value.getValue())
				.collect(Collectors.joining(","));
		}

	}

	static class FailingHandler implements ObservationHandler<Observation.Context> {

		private final String observation;

		FailingHandler(String observation) {
			this.observation = observation;
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStart(Observation.Context context) {
			if (context.getName().equals(this.observation)) {
				throw new LinkageError("A handler may fail");
			}
		}

		@Override
		public void onStop(Observation.Context context) {
			throw new StackOverflowError("A handler may fail");
		}

	}

	static class FailingRegistry extends SimpleMeterRegistry {

		@Override
		protected Timer newTimer(Meter.Id id, DistributionStatisticConfig distributionStatisticConfig,
				PauseDetector pauseDetector) {
			throw new OutOfMemoryError("A registry may fail");
		}

	}

}
