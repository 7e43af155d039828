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

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.aop.LockTransactionListener;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.event.LockLostEvent;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void whenApplicationHasAnEngineThenItIsNotUsed() {
		this.runner.withPropertyValues("lock.backend=local")
			.withBean("myEngine", LockEngine.class,
					() -> new LockEngine(new LocalLockBackend(), EngineSettings.defaults(), EngineListener.NONE,
							TimeSource.SYSTEM))
			.run((context) -> assertThat(context.getBean(LockEngines.class).all())
				.containsExactly(context.getBean("io.github.lockspring.lockEngine", LockEngine.class)));
	}

	@Test
	void whenApplicationHasATemplateThenItIsUsed() {
		this.runner.withPropertyValues("lock.backend=local")
			.withUserConfiguration(TemplateConfiguration.class)
			.run((context) -> assertThat(context).getBeanNames(LockOperations.class).containsExactly("myTemplate"));
	}

	@Test
	void templateThatIsDerivedMayBeABean() {
		this.runner.withUserConfiguration(BackendConfiguration.class, DerivedConfiguration.class).run((context) -> {
			context.getBean(LockClient.class).lock("a").lock();
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42", "lock:a");
		});
	}

	@Test
	void templateAndClientAreConfigured() {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).hasSingleBean(LockOperations.class)
				.hasSingleBean(LockTemplate.class)
				.hasSingleBean(LockClient.class));
	}

	@ParameterizedTest
	@CsvSource({ "unlimited, unlimited", "12h, PT12H" })
	void limitIsReportedWithItsValue(String value, String reported) {
		this.runner.withPropertyValues("lock.backend=local", "lock.max-hold-time=" + value)
			.withBean(ConfigurationPropertiesReportEndpoint.class,
					() -> new ConfigurationPropertiesReportEndpoint(List.of(), Show.ALWAYS))
			.run((context) -> assertThat(context.getBean(ConfigurationPropertiesReportEndpoint.class)
				.configurationPropertiesWithPrefix("lock")
				.getContexts()
				.values()).singleElement()
				.satisfies((reports) -> assertThat(reports.getBeans().values()).singleElement()
					.satisfies((bean) -> assertThat(bean.getProperties()).containsEntry("maxHoldTime", reported))));
	}

	@Test
	void contextUsesTheLocksOfItsParent() {
		ApplicationContextRunner runner = this.runner.withPropertyValues("lock.additional-backends=local")
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
		runner.run((parent) -> {
			LockTemplate locks = parent.getBean(LockTemplate.class);
			runner.withParent(parent.getSourceApplicationContext()).run((child) -> {
				assertThat(child.getBean(LockTemplate.class)).isSameAs(locks);
				assertThat(child.getBean(LockEngine.class)).isSameAs(parent.getBean(LockEngine.class));
				assertThat(child.getBeanNamesForType(LockBackend.class)).isEmpty();
			});
			locks.acquire("after the end of the child").close();
			locks.on("local").acquire("after the end of the child").close();
		});
	}

	@Test
	void transactionsOfTheParentAreCheckedOnce() {
		ApplicationContextRunner runner = this.runner.withPropertyValues("lock.backend=local");
		new ApplicationContextRunner().withUserConfiguration(TransactionConfiguration.class).run((parent) -> {
			runner.withParent(parent.getSourceApplicationContext()).run((child) -> assertThat(child).hasNotFailed());
			runner.withParent(parent.getSourceApplicationContext()).run((child) -> assertThat(child).hasNotFailed());
			assertThat(parent.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.singleElement()
				.isInstanceOf(LockTransactionListener.class);
		});
	}

	/**
	 * As that of JPA, whose bean method declares no more than what all have in common.
	 */
	@Test
	void transactionsOfALazyManagerAreChecked() {
		this.runner.withPropertyValues("lock.backend=local")
			.withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class))
			.withUserConfiguration(CustomizedTransactionConfiguration.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(
					((ConfigurableTransactionManager) context.getBean(PlatformTransactionManager.class))
						.getTransactionExecutionListeners())
				.singleElement()
				.isInstanceOf(LockTransactionListener.class));
	}

	@Test
	void transactionsOfACustomizedManagerAreCheckedOnce() {
		this.runner.withPropertyValues("lock.backend=local")
			.withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class))
			.withUserConfiguration(CustomizedTransactionConfiguration.class)
			.run((context) -> assertThat(
					context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.singleElement()
				.isInstanceOf(LockTransactionListener.class));
	}

	/**
	 * Two definitions with one name would prevent the start of an application.
	 */
	@Test
	void beansHaveNamesThatNoOneElseUses() {
		this.runner.withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class))
			.withPropertyValues("lock.backend=local", "management.endpoints.web.exposure.include=locks")
			.run((context) -> {
				ConfigurableListableBeanFactory beans = context.getSourceApplicationContext().getBeanFactory();
				assertThat(Arrays.stream(beans.getBeanDefinitionNames())
					.filter((name) -> isOurs(beans.getBeanDefinition(name)))).hasSizeGreaterThan(20)
					.allMatch((name) -> name.contains("io.github.lockspring."));
			});
	}

	private static boolean isOurs(BeanDefinition definition) {
		return String.valueOf(definition.getResourceDescription()).contains("lockspring")
				|| String.valueOf(definition.getFactoryBeanName()).contains("lockspring")
				|| String.valueOf(definition.getBeanClassName()).contains("lockspring");
	}

	/**
	 * The annotation, the template and the client use the same keys.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			spring.application.name=      | lock:order:42      | Key prefix 'lock', shared with all
			spring.application.name=shop  | lock:shop:order:42 | Key prefix 'lock:shop', with spring.application.name
			spring.application.name=a b:c | lock:a b:c:order:42 | Key prefix 'lock:a b:c', with
			lock.key-prefix=shop          | shop:order:42      | Key prefix 'shop'
			""")
	void keysBeginWithThePrefix(String property, String key, String message, CapturedOutput output) {
		this.runner.withUserConfiguration(BackendConfiguration.class)
			.withBean(Orders.class)
			.withPropertyValues(property)
			.run((context) -> {
				context.getBean(LockOperations.class).executeWithoutResult("order:42", LockHandle::checkpoint);
				context.getBean(Orders.class).pay(42);
				Lock lock = context.getBean(LockClient.class).lock("order:42");
				lock.lock();
				lock.unlock();
				assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly(key, key, key);
				assertThat(output).containsOnlyOnce(message);
			});
	}

	@Test
	void onlyInstancesOfTheSameApplicationExcludeEachOther() {
		LocalStore store = new LocalStore();
		application(store, "orders", (orders) -> {
			orders.acquire("cleanup");
			application(store, "orders", (other) -> assertThat(other.tryAcquire("cleanup")).isNull());
			application(store, "bills", (bills) -> assertThat(bills.tryAcquire("cleanup")).isNotNull());
		});
	}

	@Test
	void applicationsWithTheSamePrefixExcludeEachOther() {
		LocalStore store = new LocalStore();
		application(store, "orders", (orders) -> {
			orders.acquire("cleanup");
			application(store, "bills", (bills) -> assertThat(bills.tryAcquire("cleanup")).isNull(),
					"lock.key-prefix=lock:orders");
		});
	}

	private void application(LocalStore store, String name, Consumer<LockOperations> use, String... properties) {
		this.runner.withBean(RecordingBackend.class, () -> new RecordingBackend(store))
			.withPropertyValues("spring.application.name=" + name, "lock.wait-time=0s", "lock.shutdown-timeout=0s")
			.withPropertyValues(properties)
			.run((context) -> use.accept(context.getBean(LockOperations.class)));
	}

	@Test
	void clockThatIsABeanMovesTheLeases() {
		this.runner.withPropertyValues("lock.backend=local", "lock.auto-renew=false", "lock.wait-time=0s")
			.withBean(SettableTime.class)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				LockHandle lock = locks.ownedBy(new Object()).acquire("order:42");
				assertThat(locks.tryAcquire("order:42")).isNull();
				context.getBean(SettableTime.class).advance(Duration.ofSeconds(31));
				assertThat(lock.isLost()).isTrue();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
				try (LockHandle next = locks.acquire("order:42")) {
					assertThat(next.isHeld()).isTrue();
				}
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
	void unknownPropertiesAreNamed(CapturedOutput output) {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.jdbc.tabel-name=a", "lock.wait-tine=2s",
					"lock.wait-time=1s", "lock.what-else-there-is=1")
			.run((context) -> assertThat(output)
				.contains("Unknown properties: [lock.jdbc.tabel-name (did you mean lock.jdbc.table-name?),"
						+ " lock.wait-tine (did you mean lock.wait-time?), lock.what-else-there-is]"));
	}

	@Test
	void unknownPropertiesAreNamedAlsoIfBeansAreCreatedLazily(CapturedOutput output) {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("lock.backend=local", "lock.wait-tine=2s")
			.run((context) -> assertThat(output).contains("lock.wait-tine (did you mean lock.wait-time?)"));
	}

	@Test
	void knownPropertiesAreNotNamed(CapturedOutput output) {
		this.runner
			.withPropertyValues("lock.backend=local", "lock.jdbc.table-name=a", "lock.aop.order=1",
					"lock.hand-off.span=1ms", "lock.renew-interval=1s", "locks.other=1")
			.run((context) -> assertThat(output).doesNotContain("Unknown properties"));
	}

	@Test
	void propertiesWithoutAValueAreNamedAsSuch(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local", "lock.wait-time=")
			.run((context) -> assertThat(output).contains("Ignoring properties without a value: [lock.wait-time]")
				.doesNotContain("Unknown properties"));
	}

	@Test
	void propertiesWithoutAValueInTheirPlaceholderAreNamedAsSuch(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local", "lock.wait-time=${wait:}")
			.run((context) -> assertThat(output).contains("Ignoring properties without a value: [lock.wait-time]")
				.doesNotContain("Unknown properties"));
	}

	@Test
	void durationWithoutUnitIsRejected() {
		ApplicationContextRunner local = this.runner.withPropertyValues("lock.backend=local", "seconds=7");
		for (String property : List.of("lock.wait-time=5", "lock.hand-off.span=20", "lock.names.order.wait-time=5",
				"lock.shutdown-timeout=${seconds}", "lock.lease-time=30")) {
			local.withPropertyValues(property).run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains(property.substring(0, property.indexOf('=')), "no unit");
			});
		}
		local.withPropertyValues("lock.wait-time=0", "lock.lease-time=${seconds}s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void backendIsAnnouncedOnce(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=local", "lock.lease-time=7s")
			.run((context) -> assertThat(output).containsOnlyOnce("Lock backend 'local'").contains("lease time PT7S"));
	}

	@Test
	void lossIsPublished() {
		LocalStore store = new LocalStore();
		RecordingBackend backend = new RecordingBackend(store);
		this.runner.withBean(RecordingBackend.class, () -> backend)
			.withUserConfiguration(LossConfiguration.class)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				LockHandle lock = locks.acquire("order:42", locks.defaultOptions());
				long token = lock.fencingToken();
				store.expire(backend.requests().get(0));
				LockLostEvent event = context.getBean(LossConfiguration.class).events.poll(1, TimeUnit.MINUTES);
				assertThat(event).isEqualTo(new LockLostEvent("lock:order:42", token, "recording"));
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			});
	}

	static Stream<Supplier<Throwable>> kindsOfThrowables() {
		return Stream.of(() -> new IllegalStateException("x"), () -> new IOException("x"),
				() -> new StackOverflowError("x"), () -> new NoClassDefFoundError("x"));
	}

	@ParameterizedTest
	@MethodSource("kindsOfThrowables")
	void listenerThatThrowsKeepsNoLossFromBeingPublishedAndNoLeaseFromBeingRenewed(Supplier<Throwable> kind) {
		LocalStore store = new LocalStore();
		RecordingBackend backend = new RecordingBackend(store);
		this.runner.withBean(RecordingBackend.class, () -> backend)
			.withPropertyValues("lock.renew-interval=300ms", "lock.shutdown-timeout=0s")
			.withBean(FailingListener.class, () -> new FailingListener(kind))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				LockHandle other = locks.acquire("other", locks.defaultOptions());
				FailingListener listener = context.getBean(FailingListener.class);
				BlockingQueue<String> callbacks = new LinkedBlockingQueue<>();
				for (int i = 1; i <= 5; i++) {
					String key = "order:" + i;
					LockHandle lock = locks.acquire(key, locks.defaultOptions());
					lock.onLost(() -> FailingListener.<Object, RuntimeException>rethrow(kind.get()));
					lock.onLost(() -> callbacks.add(key));
					store.expire(backend.requests().get(i));
					assertThat(listener.keys.poll(1, TimeUnit.MINUTES)).isEqualTo("lock:" + key);
					assertThat(callbacks.poll(1, TimeUnit.MINUTES)).isEqualTo(key);
					assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
				}
				await().until(() -> context.getBean(MeterRegistry.class).get("lock.lost").counter().count() == 5);
				long renewals = backend.renewals();
				await().until(() -> backend.renewals() > renewals + 3);
				other.close();
			});
	}

	@ParameterizedTest
	@MethodSource("kindsOfThrowables")
	void meterRegistryThatThrowsKeepsNoLossFromBeingPublished(Supplier<Throwable> kind) {
		LocalStore store = new LocalStore();
		RecordingBackend backend = new RecordingBackend(store);
		this.runner.withBean(RecordingBackend.class, () -> backend)
			.withPropertyValues("lock.shutdown-timeout=0s")
			.withUserConfiguration(LossConfiguration.class)
			.withBean(MeterRegistry.class, () -> new SimpleMeterRegistry() {

				@Override
				protected Counter newCounter(Meter.Id id) {
					return FailingListener.<Counter, RuntimeException>rethrow(kind.get());
				}

			})
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				for (int i = 0; i < 3; i++) {
					locks.acquire("order:" + i, locks.defaultOptions());
					store.expire(backend.requests().get(i));
					assertThat(context.getBean(LossConfiguration.class).events.poll(1, TimeUnit.MINUTES))
						.extracting(LockLostEvent::storeKey)
						.isEqualTo("lock:order:" + i);
				}
			});
	}

	@Test
	void whenStoreIsDownAndFailFastThenApplicationDoesNotStart() {
		this.runner.withUserConfiguration(DownConfiguration.class)
			.withPropertyValues("lock.fail-fast=true")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("'recording' is unavailable: connection refused");
				assertThat(analysis.getAction()).contains("lock.fail-fast");
			});
	}

	@Test
	void whenStoreIsDownThenApplicationStarts() {
		this.runner.withUserConfiguration(DownConfiguration.class).run((context) -> assertThat(context).hasNotFailed());
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
	static class TransactionConfiguration {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new DataSourceTransactionManager(new DriverManagerDataSource());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CustomizedTransactionConfiguration {

		@Bean
		PlatformTransactionManager transactionManager(TransactionManagerCustomizers customizers) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(new DriverManagerDataSource());
			customizers.customize(manager);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TemplateConfiguration {

		@Bean
		LockTemplate myTemplate(LockEngine engine) {
			return LockUtils.template(LockEngines.of(engine), "mine:", LockOptions.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DerivedConfiguration {

		@Bean
		LockOperations reports(LockTemplate locks) {
			return locks.named("report");
		}

		@Bean
		Orders orders(LockOperations reports) {
			return new Orders();
		}

		@Bean
		String payment(Orders orders) {
			orders.pay(42);
			return "paid while beans are created";
		}

	}

	/**
	 * Comes before all others, where there is no order.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE + 1)
	static class FailingListener implements ApplicationListener<PayloadApplicationEvent<LockLostEvent>> {

		private final BlockingQueue<String> keys = new LinkedBlockingQueue<>();

		private final Supplier<Throwable> kind;

		FailingListener(Supplier<Throwable> kind) {
			this.kind = kind;
		}

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<LockLostEvent> event) {
			this.keys.add(event.getPayload().storeKey());
			FailingListener.<Object, RuntimeException>rethrow(this.kind.get());
		}

		@SuppressWarnings("unchecked")
		private static <T, E extends Throwable> T rethrow(Throwable thrown) throws E {
			throw (E) thrown;
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

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void pay(long id) {
		}

	}

}
