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

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.lockspring.aop.DistributedLockAdvisor;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.ProxyCheck;

/**
 * Configuration of the advice with proxies. The advisor is created before most other
 * beans and must not depend on them.
 */
@Configuration(proxyBeanMethods = false)
@Import(ProxiedLockConfiguration.AutoProxyRegistrar.class)
class ProxiedLockConfiguration {

	@Bean("io.github.lockspring.distributedLockAdvisor")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor distributedLockAdvisor(Environment environment,
			DistributedLockInterceptor interceptor) {
		DistributedLockAdvisor advisor = new DistributedLockAdvisor(interceptor);
		Binder.get(environment).bind("lock.aop.order", Integer.class).ifBound(advisor::setOrder);
		return advisor;
	}

	@Bean("io.github.lockspring.lockProxyCheck")
	static ProxyCheck lockProxyCheck(ConfigurableListableBeanFactory beanFactory,
			DistributedLockInterceptor interceptor) {
		return new ProxyCheck(beanFactory, interceptor);
	}

	/**
	 * Registers the auto-proxy creator, even if {@code spring.aop.auto} is disabled, and
	 * applies {@code spring.aop.proxy-target-class}.
	 */
	static final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		AutoProxyRegistrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
