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

package io.github.lockspring.aop.aspectj;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.aspectj.lang.JoinPoint;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

import io.github.lockspring.aop.AnnotatedMethod;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.InterceptionCheck;

/**
 * Check that annotated methods were woven with the {@link DistributedLockAspect}. Reads
 * the annotations of all beans, including those that have not been created yet and those
 * created by factory beans, which are known by their types. Classes that are not beans
 * are read when one of their methods is first called.
 */
public final class WeavingCheck implements InterceptionCheck {

	private static final String BODY = "_aroundBody";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockInterceptor interceptor;

	/**
	 * Create a check.
	 * @param beanFactory the bean factory
	 * @param interceptor the interceptor that the aspect delegates to
	 */
	public WeavingCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockInterceptor interceptor) {
		this.beanFactory = beanFactory;
		this.interceptor = interceptor;
	}

	@Override
	public void run() {
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
			if (type != null
					&& ((bean != null) ? bean instanceof FactoryBean : !Modifier.isAbstract(type.getModifiers()))) {
				classes.add(ClassUtils.getUserClass(type));
			}
		}
		return classes;
	}

	/**
	 * Add the target class, and the interfaces that only the proxy implements.
	 */
	private static void addOf(Object bean, Set<Class<?>> classes) {
		Class<?> target = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		classes.add(target);
		if (AopUtils.isJdkDynamicProxy(bean)) {
			Arrays.stream(bean.getClass().getInterfaces())
				.filter((type) -> !type.isAssignableFrom(target))
				.forEach(classes::add);
		}
	}

	private void check(Class<?> type) {
		Collection<AnnotatedMethod> methods = this.interceptor.annotatedMethodsOf(type);
		if (!NativeDetector.inNativeImage()) {
			methods.stream().filter((method) -> !isWoven(method.method())).forEach(this::reject);
		}
	}

	private void reject(AnnotatedMethod method) {
		this.interceptor.reject(method, "the method is not woven, so that its calls are not locked",
				"Weave " + method.method().getDeclaringClass().getName() + " with "
						+ DistributedLockAspect.class.getName()
						+ ", using the AspectJ agent and a META-INF/aop.xml, or the AspectJ compiler. The annotation"
						+ " must be on the implementing method or on the class that declares it. Or set the property"
						+ " lock.aop.mode to proxy.");
	}

	/**
	 * Return whether a method was woven. The weaver moves the body of such a method to a
	 * static method whose last parameter is the join point. Without this parameter, the
	 * method was woven by advice that does not use the join point, such as that of
	 * Spring's transactions. Other advice that uses the join point cannot be
	 * distinguished from this aspect.
	 */
	private static boolean isWoven(Method method) {
		Class<?>[] parameters = parametersOfBody(method);
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.anyMatch((body) -> body.getName().startsWith(method.getName() + BODY)
					&& Arrays.equals(body.getParameterTypes(), parameters));
	}

	private static Class<?>[] parametersOfBody(Method method) {
		List<Class<?>> types = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
		if (!Modifier.isStatic(method.getModifiers())) {
			types.add(0, method.getDeclaringClass());
		}
		types.add(JoinPoint.class);
		return types.toArray(Class<?>[]::new);
	}

}
