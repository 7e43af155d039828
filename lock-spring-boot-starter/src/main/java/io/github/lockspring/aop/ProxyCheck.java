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

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.github.lockspring.support.KeyFormat;

/**
 * Check that annotated beans are proxies: rejects beans that were created too early to be
 * proxied. A test that overrides beans, for example with mocks, registers them without
 * proxies, which is only logged.
 */
public final class ProxyCheck implements InterceptionCheck {

	private static final Log logger = LogFactory.getLog(StartupCheck.class);

	/**
	 * Bean of the Spring TestContext Framework that is present if a test overrides beans.
	 */
	private static final String TEST_OVERRIDES = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockInterceptor interceptor;

	/**
	 * Create a check.
	 * @param beanFactory the bean factory
	 * @param interceptor the interceptor that must be part of the proxies
	 */
	public ProxyCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockInterceptor interceptor) {
		this.beanFactory = beanFactory;
		this.interceptor = interceptor;
	}

	@Override
	public void run() {
		List<String> unguarded = Arrays.stream(this.beanFactory.getSingletonNames()).filter(this::isUnguarded).toList();
		if (this.beanFactory.containsSingleton(TEST_OVERRIDES)) {
			warnOfOverrides(unguarded);
		}
		else {
			unguarded.forEach(this::reject);
		}
	}

	private boolean isUnguarded(String name) {
		Object bean = this.beanFactory.getSingleton(name);
		return bean != null && !isAdvised(bean) && this.interceptor.source().hasLocks(userClass(bean));
	}

	private static Class<?> userClass(Object bean) {
		return ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
	}

	private static void warnOfOverrides(List<String> names) {
		if (!names.isEmpty()) {
			logger.warn("Bean overriding is active in this test: calls of the following beans are not locked: "
					+ names.stream().map(KeyFormat::quote).collect(Collectors.joining(", ")));
		}
	}

	private void reject(String name) {
		Object bean = this.beanFactory.getSingleton(name);
		if (bean != null) {
			AnnotatedMethod method = this.interceptor.source().siteIn(userClass(bean));
			if (isAspect(bean)) {
				reject(method, name, "is an aspect or advice, which is not proxied",
						"Move the method to another bean.");
			}
			else if (this.beanFactory.containsBeanDefinition(name)) {
				reject(method, name, "was created before it could be proxied",
						"Do not let a BeanPostProcessor or a BeanFactoryPostProcessor depend on it, or let it"
								+ " depend on an ObjectProvider of it, and declare the post-processor with a static"
								+ " @Bean method.");
			}
			else {
				reject(method, name, "was registered as an object, which is not proxied",
						"Let the container create it, with a @Bean method or with registerBean and a supplier,"
								+ " instead of registerSingleton.");
			}
		}
	}

	private void reject(AnnotatedMethod method, String name, String problem, String remedy) {
		this.interceptor.reject(method,
				"the bean " + KeyFormat.quote(name) + ' ' + problem + ", so that calls of it are not intercepted",
				remedy);
	}

	/**
	 * Return whether Spring does not proxy a bean because it is meant for proxies.
	 */
	private static boolean isAspect(Object bean) {
		return bean instanceof Advice || bean instanceof Advisor || bean instanceof Pointcut
				|| MergedAnnotations.from(bean.getClass(), SearchStrategy.TYPE_HIERARCHY).isPresent(ASPECT);
	}

	/**
	 * Return whether one of the proxies of a bean has this advice, or may have it because
	 * its advisors or its target are unknown.
	 */
	private static boolean isAdvised(Object bean) {
		Object proxy = bean;
		while (proxy instanceof Advised advised) {
			if (!advised.getTargetSource().isStatic() || Arrays.stream(advised.getAdvisors())
				.anyMatch((advisor) -> advisor.getAdvice() instanceof DistributedLockInterceptor)) {
				return true;
			}
			proxy = AopProxyUtils.getSingletonTarget(proxy);
		}
		return proxy != null && AopUtils.isAopProxy(proxy);
	}

}
