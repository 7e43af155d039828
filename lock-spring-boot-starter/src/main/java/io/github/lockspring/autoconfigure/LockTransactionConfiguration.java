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

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.github.lockspring.aop.LockTransactionListener;

/**
 * Has all transaction managers look at the locks of a transaction before it commits, and
 * at what JPA has read before them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
class LockTransactionConfiguration {

	@Bean
	static SmartInitializingSingleton lockTransactionListenerRegistrar(ListableBeanFactory beanFactory,
			LockProperties properties) {
		LockTransactionListener listener = new LockTransactionListener(properties.getJpa());
		return () -> beanFactory.getBeansOfType(ConfigurableTransactionManager.class, false, false)
			.values()
			.forEach((manager) -> manager.addListener(listener));
	}

}
