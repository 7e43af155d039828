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
 * Predicate that determines, by the rules of Spring, whether a bean is proxied with a
 * subclass of its class.
 */
final class ClassProxies extends ProxyProcessorSupport implements Predicate<Class<?>> {

	private final transient @Nullable BeanFactory beanFactory;

	/**
	 * Create a predicate.
	 * @param beanFactory the bean factory that creates the proxies, or {@code null} if
	 * there are none
	 */
	ClassProxies(@Nullable BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Return whether the bean that is being created is proxied with a subclass. Spring
	 * does not provide its name any more if another bean was created in the meantime.
	 * @param type the class of the bean
	 * @return {@code true} if a subclass is certain
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
