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

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.aop.DistributedLockAdvisor;
import io.github.lockspring.aop.aspectj.DistributedLockAspectConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WovenLockConfiguration} in a process in which nothing is woven.
 */
@ExtendWith(OutputCaptureExtension.class)
class WovenLockConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local", "lock.aop.mode=aspectj");

	@Test
	void nothingIsProxied() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLockAdvisor.class);
			assertThat(context).doesNotHaveBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
			assertThat(context).hasSingleBean(DistributedLockAspectConfigurer.class);
		});
	}

	@Test
	void withProxiesNothingIsWoven() {
		this.runner.withPropertyValues("lock.aop.mode=proxy")
			.run((context) -> assertThat(context).hasSingleBean(DistributedLockAdvisor.class)
				.doesNotHaveBean(DistributedLockAspectConfigurer.class));
	}

	@Test
	void modeIsReadAsLenientlyAsItIsBound() {
		this.runner.withPropertyValues("lock.aop.mode=Aspect-J")
			.run((context) -> assertThat(context).hasSingleBean(DistributedLockAspectConfigurer.class)
				.doesNotHaveBean(DistributedLockAdvisor.class));
	}

	@Test
	void unknownModeIsRejected() {
		this.runner.withPropertyValues("lock.aop.mode=weaver").run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void methodThatIsNotWovenIsExplained() {
		this.runner.withBean(Orders.class).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains(Orders.class.getName() + ".pay()", "is not woven");
			assertThat(analysis.getAction()).contains("Weave " + Orders.class.getName(), "META-INF/aop.xml",
					"lock.aop.mode");
		});
	}

	@Test
	void methodThatIsNotWovenIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("lock.checks=warn").withBean(Orders.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse();
			assertThat(output).contains(Orders.class.getName() + ".pay()", "Weave " + Orders.class.getName());
		});
	}

	@Test
	void lazyBeanIsCheckedByItsClass() {
		this.runner.withBean(Orders.class, Orders::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("is not woven"));
	}

	@Test
	void finalClassIsOnlyAskedToBeWoven() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("lock.checks=warn")
			.withBean(FinalOrders.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void beanBehindAProxyOfOthersIsCheckedByItsClass() {
		this.runner.withBean(Object.class, () -> new ProxyFactory(new Task()).getProxy())
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("is not woven"));
	}

	@Test
	void interfaceThatAProxyImplementsIsChecked() {
		this.runner.withUserConfiguration(RepositoryConfiguration.class)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains(Repository.class.getName() + ".save()", "is not woven"));
	}

	@Test
	void interfaceThatAPlainProxyImplementsIsChecked() {
		this.runner
			.withBean(Object.class,
					() -> Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Repository.class },
							(proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains(Repository.class.getName() + ".save()", "is not woven"));
	}

	@Test
	void interfaceThatAFactoryBeanImplementsIsChecked() {
		this.runner.withBean(RepositoryFactory.class)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains(Repository.class.getName() + ".save()", "is not woven"));
	}

	@Test
	void lazyBeanOfAnInterfaceIsLeftToItsClass() {
		this.runner.withBean(Repository.class, () -> Repository.NONE, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class RepositoryConfiguration {

		@Bean
		Repository repository() {
			ProxyFactory factory = new ProxyFactory(new StringBuilder());
			factory.setInterfaces(Repository.class);
			return (Repository) factory.getProxy();
		}

	}

	interface Repository {

		Repository NONE = () -> {
		};

		@DistributedLock
		void save();

	}

	static final class FinalOrders {

		@DistributedLock
		void pay() {
		}

	}

	static class Task implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static class RepositoryFactory implements FactoryBean<Repository> {

		@Override
		public Repository getObject() {
			return Repository.NONE;
		}

		@Override
		public Class<?> getObjectType() {
			return Repository.class;
		}

	}

	static class Orders {

		@DistributedLock
		void pay() {
		}

	}

}
