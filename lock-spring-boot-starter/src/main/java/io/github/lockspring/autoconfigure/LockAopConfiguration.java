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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.InterceptionCheck;
import io.github.lockspring.aop.LeaseTimeCheck;
import io.github.lockspring.aop.LockDeclarationCheck;
import io.github.lockspring.autoconfigure.LockProperties.AopMode;
import io.github.lockspring.engine.LockEngines;

/**
 * Advice for annotated methods. The interceptor is there before most beans are, so that
 * it must not ask for any of them.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockAopModeSelector.class)
@ImportRuntimeHints(LockAopRuntimeHints.class)
class LockAopConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockInterceptor distributedLockInterceptor(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockProperties> properties, Environment environment) {
		return new DistributedLockInterceptor(beanFactory,
				() -> LockSettings.of(properties.getObject()).annotationDefaults(),
				LockAopModeSelector.modeIn(environment) == AopMode.PROXY);
	}

	@Bean
	static LockDeclarationCheck lockDeclarationCheck(ConfigurableListableBeanFactory beanFactory,
			DistributedLockInterceptor interceptor, LockTemplate template, LockProperties properties,
			InterceptionCheck interception) {
		return new LockDeclarationCheck(beanFactory, interceptor, template,
				LockSettings.of(properties).annotationDefaults(), interception);
	}

	@Bean
	static LeaseTimeCheck lockLeaseTimeCheck(DistributedLockInterceptor interceptor, LockTemplate template,
			LockEngines engines, LockProperties properties) {
		return new LeaseTimeCheck(interceptor, template, (backend) -> engines.require(backend).probe(),
				properties.getOperationTimeout());
	}

}
