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

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.aop.DistributedLockAdvisor;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAopConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAopConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void annotatedBeanIsProxied() {
		this.runner.run((context) -> {
			context.getBean(Orders.class).pay(42);
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42");
		});
	}

	@Test
	void beanWithoutAnnotationIsNotProxied() {
		this.runner.withBean("plain", StringBuilder.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean("plain"))).isFalse());
	}

	@Test
	void proxyIsOfTheClass() {
		this.runner.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean("orders"))).isTrue());
	}

	@Test
	void whenClassProxiesAreOffThenProxyIsOfTheInterface() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean("callable"))).isTrue());
	}

	@Test
	void whenClassProxiesAreOnThenBeanWithAnInterfaceIsProxiedByItsClass() {
		this.runner.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean("callable"))).isTrue());
	}

	@Test
	void beanIsProxiedOnceTogetherWithTheAdviceOfSpringBoot() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class)).run((context) -> {
			context.getBean(Orders.class).pay(42);
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42");
		});
	}

	@Test
	void beanIsProxiedWithoutTheAdviceOfSpringBoot() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.auto=false")
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean("orders"))).isTrue());
	}

	@Test
	void orderIsOutsideTransactionsAndCaches() {
		this.runner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isEqualTo(Integer.MAX_VALUE - 1));
	}

	@Test
	void orderIsThatOfTheProperty() {
		this.runner.withPropertyValues("LOCK_AOP_ORDER=5", "lock.aop.order=7")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(7));
	}

	@Test
	void convertersOfTheApplicationAreAsked() {
		this.runner.withBean(LockKeyConverter.class, () -> (key) -> (key instanceof Thread) ? "thread" : null)
			.run((context) -> {
				context.getBean(Orders.class).payBy(Thread.currentThread());
				assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:payer:thread");
			});
	}

	@Test
	void wrongAnnotationIsExplained() {
		this.runner.withUserConfiguration(WrongKeyConfiguration.class).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains(WrongKey.class.getName() + ".pay(long)", "'#oder'", "#id");
			assertThat(analysis.getAction()).isEqualTo("Correct the expression.");
		});
	}

	@Test
	void missingPlaceholderIsExplained() {
		this.runner.withUserConfiguration(PlaceholderConfiguration.class)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("${shop.lock.name}"));
	}

	@Test
	void missingPlaceholderIsExplainedWithThePlaceholdersOfSpringBoot() {
		this.runner.withUserConfiguration(PlaceholderConfiguration.class)
			.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("shop.lock.name"));
	}

	@Test
	void placeholderIsResolved() {
		this.runner.withUserConfiguration(PlaceholderConfiguration.class)
			.withPropertyValues("shop.lock.name=shop")
			.run((context) -> {
				context.getBean(Placeholder.class).pay();
				assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:shop");
			});
	}

	@Test
	void renewIntervalOfThePropertiesIsHeldAgainstLeasesOfAnnotations() {
		this.runner.withPropertyValues("lock.renew-interval=5s")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("leaseTime = '5s'",
					"lock.renew-interval, which is PT5S"));
	}

	@Test
	void whenABeanIsCreatedVeryEarlyThenAdviceAsksForNoBeansOfItsOwn(CapturedOutput output) {
		this.runner.withUserConfiguration(PostProcessorConfiguration.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.toString().lines().filter((line) -> line.contains("is not eligible"))).singleElement()
				.asString()
				.contains("Bean 'early'");
		});
	}

	/**
	 * The mode is changed after the beans were defined, as it may be after a build.
	 */
	@Test
	@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
	void methodMayBeCalledByAnotherThreadWhileBeansAreCreated() {
		this.runner.withUserConfiguration(EarlyThread.class).run((context) -> {
			context.getBean(Thread.class).join();
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:order:42");
		});
	}

	@Test
	void modeThatIsNotThatOfTheBuildIsExplained() {
		this.runner
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beanFactory) -> TestPropertyValues.of("lock.aop.mode=aspectj").applyTo(context)))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("lock.aop.mode is aspectj", "built ahead of time"));
	}

	@Test
	void lazyBeanIsProxied() {
		this.runner.run((context) -> {
			context.getBean(LazyOrders.class).pay();
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:lazy");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		RecordingBackend backend() {
			return new RecordingBackend(new LocalStore());
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

		@Bean
		LockedCallable callable() {
			return new LockedCallable();
		}

		@Bean
		@Lazy
		LazyOrders lazyOrders() {
			return new LazyOrders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongKeyConfiguration {

		@Bean
		WrongKey wrongKey() {
			return new WrongKey();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlaceholderConfiguration {

		@Bean
		Placeholder placeholder() {
			return new Placeholder();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PostProcessorConfiguration {

		@Bean
		static Early early() {
			return new Early();
		}

		@Bean
		static BeanPostProcessor postProcessor(Early early) {
			return new BeanPostProcessor() {
			};
		}

	}

	/**
	 * A thread that calls a locked method. Because of its name, which is that of the
	 * creating thread, Spring lets it wait for what is being created.
	 */
	@Configuration(proxyBeanMethods = false)
	static class EarlyThread {

		@Bean
		Thread thread(Orders orders) {
			Thread thread = new Thread(() -> orders.pay(42), Thread.currentThread().getName());
			thread.setDaemon(true);
			thread.start();
			while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
				Thread.onSpinWait();
			}
			return thread;
		}

	}

	static class Early {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id", leaseTime = "5s")
		void pay(long id) {
		}

		@DistributedLock(name = "payer", key = "#payer", leaseTime = "5s")
		void payBy(Thread payer) {
		}

	}

	static class LockedCallable implements Callable<String> {

		@Override
		@DistributedLock(leaseTime = "7s")
		public String call() {
			return "called";
		}

	}

	static class LazyOrders {

		@DistributedLock(name = "lazy")
		void pay() {
		}

	}

	static class WrongKey {

		@DistributedLock(key = "#oder")
		void pay(long id) {
		}

	}

	static class Placeholder {

		@DistributedLock(name = "${shop.lock.name}")
		void pay() {
		}

	}

}
