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

package io.github.lockspring.aop.check;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import io.github.lockspring.JpaMode;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.annotation.AnnotatedMethod;
import io.github.lockspring.aop.annotation.AnnotationText;
import io.github.lockspring.aop.annotation.FailurePolicy;
import io.github.lockspring.aop.annotation.InvalidLockDeclarationException;
import io.github.lockspring.aop.annotation.LockAttributes;
import io.github.lockspring.aop.annotation.LockDefaults;
import io.github.lockspring.engine.KeyFormat;
import io.github.lockspring.internal.LockAccess;

/**
 * Detects problems that are not visible until all singletons have been created: backends
 * and handlers that do not exist, annotated methods that are not intercepted, and
 * settings for lock names that are not used.
 */
public final class LockDeclarationCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockDeclarationCheck.class);

	/**
	 * Bean name used by Spring Boot.
	 */
	private static final String OPEN_IN_VIEW = "openEntityManagerInViewInterceptor";

	private static final List<String> OPEN_IN_VIEW_TYPES = List.of(
			"org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor",
			"org.springframework.orm.jpa.support.OpenEntityManagerInViewFilter");

	private static final String FILTER_REGISTRATION = "org.springframework.boot.web.servlet.FilterRegistrationBean";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockInterceptor interceptor;

	private final LockTemplate template;

	private final LockDefaults defaults;

	private final InterceptionCheck interception;

	/**
	 * Create a check.
	 * @param beanFactory the bean factory
	 * @param interceptor the interceptor that has read the annotations
	 * @param template the template, which provides the backends
	 * @param defaults the configuration of annotations
	 * @param interception the check that annotated methods are intercepted
	 */
	public LockDeclarationCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockInterceptor interceptor,
			LockTemplate template, LockDefaults defaults, InterceptionCheck interception) {
		this.beanFactory = beanFactory;
		this.interceptor = interceptor;
		this.template = template;
		this.defaults = defaults;
		this.interception = interception;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.interceptor.use(this.template);
		this.interception.run();
		this.interceptor.source().known().forEach(this::registerName);
		this.interceptor.source().known().forEach(this::checkLock);
		warnOfUnknownNames();
		warnOfOpenInView();
	}

	/**
	 * Register the name of a lock before its method is called for the first time.
	 */
	private void registerName(LockAttributes lock) {
		LockAccess.get().registerName(this.template, lock.name());
	}

	private void checkLock(LockAttributes lock) {
		try {
			this.interceptor.checks().run(() -> check(lock));
		}
		catch (InvalidLockDeclarationException ex) {
			throw ofBean(lock.site(), ex);
		}
	}

	/**
	 * Add the name of the bean, as if the failure had occurred while the bean was
	 * created.
	 */
	private RuntimeException ofBean(AnnotatedMethod site, InvalidLockDeclarationException failure) {
		String[] names = this.beanFactory.getBeanNamesForType(site.method().getDeclaringClass(), true, false);
		return (names.length > 0) ? new BeanCreationException(names[0], String.valueOf(failure.getMessage()), failure)
				: failure;
	}

	private void check(LockAttributes lock) {
		String backend = lock.backend();
		if (backend != null && !this.template.backendNames().contains(backend)) {
			throw new AnnotationText(lock.site(), "backend", backend).rejection(
					"is not the name of a backend of this application, which has "
							+ String.join(", ", this.template.backendNames()),
					"Correct the name, or add the backend to the property lock.additional-backends.", null);
		}
		if (lock.failurePolicy() instanceof FailurePolicy.Handle handler) {
			handler.requireHandler();
		}
	}

	private void warnOfUnknownNames() {
		Set<String> unknown = new TreeSet<>(this.defaults.configuredNames());
		this.interceptor.source().known().forEach((lock) -> unknown.remove(lock.name()));
		if (!unknown.isEmpty()) {
			logger.warn("No lock annotation uses the names configured by lock.names.*: "
					+ unknown.stream().map(KeyFormat::quote).collect(Collectors.joining(", "))
					+ " (checked for the beans created so far)");
		}
	}

	/**
	 * Log a warning for open-in-view, because most locked methods that use JPA in a web
	 * application are called by a controller that has loaded entities already.
	 */
	private void warnOfOpenInView() {
		if (this.defaults.jpa() != JpaMode.WARN || this.interceptor.source().known().isEmpty()) {
			return;
		}
		String bean = openInViewBean();
		if (bean != null) {
			boolean configured = bean.equals(OPEN_IN_VIEW);
			logger.warn("Locked methods may work on stale entities: "
					+ (configured ? "spring.jpa.open-in-view is enabled"
							: "the bean " + KeyFormat.quote(bean) + " keeps an EntityManager open in view")
					+ ", so that entities"
					+ " loaded in a web request before a lock is acquired are not read again under the lock, changes"
					+ " of the previous holder may be overwritten, and each request keeps a connection until its end. "
					+ (configured ? "Set spring.jpa.open-in-view to false" : "Remove that bean")
					+ ", or set lock.jpa to clear, or, if locked methods refresh what they change, to ignore");
		}
	}

	/**
	 * Find the bean of Spring Boot, or one of the application, including a filter with
	 * its own registration.
	 */
	private @Nullable String openInViewBean() {
		if (this.beanFactory.containsBean(OPEN_IN_VIEW)) {
			return OPEN_IN_VIEW;
		}
		Class<?> registration = classOf(FILTER_REGISTRATION);
		return OPEN_IN_VIEW_TYPES.stream()
			.map(this::classOf)
			.filter(Objects::nonNull)
			.flatMap((type) -> (registration != null)
					? Stream.of(ResolvableType.forClass(type), ResolvableType.forClassWithGenerics(registration, type))
					: Stream.of(ResolvableType.forClass(type)))
			.flatMap((type) -> Arrays.stream(this.beanFactory.getBeanNamesForType(type, true, false)))
			.findFirst()
			.orElse(null);
	}

	private @Nullable Class<?> classOf(String name) {
		try {
			return ClassUtils.forName(name, this.beanFactory.getBeanClassLoader());
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return null;
		}
	}

}
