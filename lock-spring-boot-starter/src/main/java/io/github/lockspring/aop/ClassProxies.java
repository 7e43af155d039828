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

package io.github.lockspring.aop;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds out whether Spring proxies a bean with a subclass of its class, in the way in
 * which Spring decides it.
 */
final class ClassProxies extends ProxyProcessorSupport implements Predicate<Class<?>> {

	private final transient @Nullable BeanFactory beanFactory;

	/**
	 * Creates the test.
	 * @param beanFactory what makes the proxies, or {@code null} if there are none
	 */
	ClassProxies(@Nullable BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Whether a bean of a class, the one that is being created, is to have a subclass.
	 * Spring forgets which one that is when it creates another bean meanwhile.
	 * @param type the class of the bean
	 * @return whether that is so and known
	 */
	@Override
	public boolean test(Class<?> type) {
		return this.beanFactory instanceof ConfigurableListableBeanFactory beans
				&& beans.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
				&& isSubclassed(type, config, definitionIn(beans));
	}

	private static @Nullable BeanDefinition definitionIn(ConfigurableListableBeanFactory beans) {
		String name = ProxyCreationContext.getCurrentProxiedBeanName();
		return (name != null && beans.containsBeanDefinition(name)) ? beans.getMergedBeanDefinition(name) : null;
	}

	private boolean isSubclassed(Class<?> type, ProxyConfig config, @Nullable BeanDefinition bean) {
		if (bean != null && bean.hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE)) {
			return false;
		}
		if (config.isProxyTargetClass() || (bean != null
				&& Boolean.TRUE.equals(bean.getAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE)))) {
			return true;
		}
		ProxyFactory factory = new ProxyFactory();
		evaluateProxyInterfaces(type, factory);
		return factory.isProxyTargetClass();
	}

}
