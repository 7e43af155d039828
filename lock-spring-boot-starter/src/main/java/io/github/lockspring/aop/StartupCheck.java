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

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.KeyFormat;

/**
 * Detects problems that are not visible until all singletons have been created: backends
 * and handlers that do not exist, annotated methods that are not intercepted, and
 * settings for lock names that are not used.
 */
public final class StartupCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartupCheck.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockInterceptor interceptor;

	private final LockTemplate template;

	private final LockDefaults defaults;

	private final InterceptionCheck interception;

	/**
	 * Create a check.
	 * @param beanFactory the bean factory
	 * @param interceptor the interceptor that has read the annotations
	 * @param defaults the configuration of annotations
	 * @param interception the check that annotated methods are intercepted
	 */
	public StartupCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockInterceptor interceptor,
			LockDefaults defaults, InterceptionCheck interception) {
		this.beanFactory = beanFactory;
		this.interceptor = interceptor;
		this.template = interceptor.template();
		this.defaults = defaults;
		this.interception = interception;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.interception.run();
		this.interceptor.source().known().forEach(this::registerName);
		this.interceptor.source().known().forEach(this::checkLock);
		warnOfUnknownNames();
	}

	/**
	 * Register the name of a lock before its method is called for the first time.
	 */
	private void registerName(LockAttributes lock) {
		LockUtils.registerName(this.template, lock.name());
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
		LockEngine engine = LockUtils.engine((backend != null) ? this.template.on(backend) : this.template);
		AcquireOptions options = LockUtils.acquireOptions(lock.options());
		if (options.isRetained() && !engine.supports(options)) {
			throw new AnnotationText(lock.site(), "retain", LockUtils.text(lock.options().retain())).rejection(
					"is not supported by the lock backend '" + engine.backendName()
							+ "', which cannot recall a lease for another process",
					"Remove the attribute or the property lock.names.<name>.retain, or use another backend.", null);
		}
		if (lock.failurePolicy() instanceof FailurePolicy.Handle handler) {
			handler.requireHandler();
		}
	}

	private void warnOfUnknownNames() {
		Set<String> unknown = new TreeSet<>(this.defaults.configuredNames());
		this.interceptor.source()
			.known()
			.forEach((lock) -> unknown.remove(this.defaults.configuredNameOf(lock.name())));
		if (!unknown.isEmpty()) {
			logger.warn("No lock annotation uses the names configured by lock.names.*: "
					+ unknown.stream().map(KeyFormat::quote).collect(Collectors.joining(", "))
					+ " (checked for the beans created so far)");
		}
	}

}
