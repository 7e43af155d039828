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

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

/**
 * Reads the annotations of the classes of all beans, which no proxy has read when they
 * are woven, and finds methods that have annotations but were not woven. Beans that were
 * not created yet are known by their types, and what factory beans make as well. Classes
 * that are no beans are read when they are first called.
 */
final class WeavingCheck {

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockInterceptor interceptor;

	WeavingCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockInterceptor interceptor) {
		this.beanFactory = beanFactory;
		this.interceptor = interceptor;
	}

	void run() {
		classesOfBeans().forEach(this::check);
	}

	private Set<Class<?>> classesOfBeans() {
		Set<Class<?>> classes = new LinkedHashSet<>();
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Object bean = this.beanFactory.getSingleton(name);
			if (bean != null) {
				addOf(bean, classes);
			}
			Class<?> type = this.beanFactory.getType(name, false);
			if (type != null && ((bean != null) ? bean instanceof FactoryBean : isConcrete(type))) {
				classes.add(ClassUtils.getUserClass(type));
			}
		}
		return classes;
	}

	/**
	 * The class that does the work, and the interfaces for which a proxy does it.
	 */
	private static void addOf(Object bean, Set<Class<?>> classes) {
		Class<?> target = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
		classes.add(target);
		if (AopUtils.isJdkDynamicProxy(bean)) {
			Arrays.stream(bean.getClass().getInterfaces())
				.filter((type) -> !type.isAssignableFrom(target))
				.forEach(classes::add);
		}
	}

	private static boolean isConcrete(Class<?> type) {
		return !Modifier.isAbstract(type.getModifiers());
	}

	private void check(Class<?> type) {
		if (this.interceptor.source().hasLocks(type) && !NativeDetector.inNativeImage()) {
			this.interceptor.source().sitesIn(type).forEach(this::requireWoven);
		}
	}

	private void requireWoven(AnnotatedMethod site) {
		if (!WovenMethods.isWoven(site.method())) {
			this.interceptor.checks().run(() -> {
				throw site.refuse("the method is not woven, so that its calls are not locked", "Weave "
						+ site.method().getDeclaringClass().getName() + " with " + DistributedLockAspect.class.getName()
						+ ", using the AspectJ agent and a META-INF/aop.xml, or the AspectJ compiler. The annotation"
						+ " must be on the implementing method or on the class that declares it. Or set the property"
						+ " lock.aop.mode to proxy.", null);
			});
		}
	}

}
