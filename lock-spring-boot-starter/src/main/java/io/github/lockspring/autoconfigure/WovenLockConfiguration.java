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

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.aspectj.DistributedLockAspectConfigurer;
import io.github.lockspring.aop.aspectj.WeavingCheck;

/**
 * Configuration of the advice with AspectJ weaving.
 */
@Configuration(proxyBeanMethods = false)
class WovenLockConfiguration {

	@Bean("io.github.lockspring.distributedLockAspectConfigurer")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAspectConfigurer distributedLockAspectConfigurer(DistributedLockInterceptor interceptor) {
		return new DistributedLockAspectConfigurer(interceptor);
	}

	@Bean("io.github.lockspring.lockWeavingCheck")
	static WeavingCheck lockWeavingCheck(ConfigurableListableBeanFactory beanFactory,
			DistributedLockInterceptor interceptor) {
		return new WeavingCheck(beanFactory, interceptor);
	}

}
