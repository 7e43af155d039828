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

import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import io.github.lockspring.actuate.LockMetrics;
import io.github.lockspring.actuate.LockObservationConvention;
import io.github.lockspring.engine.LockEngines;

/**
 * Configuration of meters and observations, if Micrometer and one of its registries are
 * present.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ MeterRegistry.class, ObservationRegistry.class })
class LockMetricsConfiguration {

	private static final String REGISTRAR = "io.github.lockspring.lockMetricsRegistrar";

	private static final String REGISTRY_CUSTOMIZER = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer";

	/**
	 * Register meters when all other singletons have been created, so that the registries
	 * are complete. The locks of a parent context are measured by that context.
	 */
	@Bean(REGISTRAR)
	@ConditionalOnMissingBean(name = REGISTRAR)
	static SmartInitializingSingleton lockMetricsRegistrar(ListableBeanFactory beanFactory, LockEngines engines) {
		return () -> {
			MeterRegistry meters = beanFactory.getBeanProvider(MeterRegistry.class).getIfUnique();
			ObservationRegistry observations = observations(beanFactory, meters);
			if (meters != null || observations != null) {
				new LockMetrics((meters != null) ? meters : new CompositeMeterRegistry(), observations,
						beanFactory.getBeanProvider(LockObservationConvention.class).getIfUnique())
					.observe(engines);
			}
		};
	}

	private static @Nullable ObservationRegistry observations(ListableBeanFactory beanFactory,
			@Nullable MeterRegistry meters) {
		ObservationRegistry registry = beanFactory.getBeanProvider(ObservationRegistry.class).getIfUnique();
		return (registry == null || registry.isNoop() || (meters != null && isForMetersOnly(beanFactory))) ? null
				: registry;
	}

	/**
	 * Return whether observations would only be converted to meters, as they are without
	 * tracing. Recording the meters then takes less time.
	 */
	private static boolean isForMetersOnly(ListableBeanFactory beanFactory) {
		List<ObservationHandler<?>> handlers = beanFactory
			.<ObservationHandler<?>>getBeanProvider(ResolvableType.forClass(ObservationHandler.class))
			.stream()
			.toList();
		return !handlers.isEmpty() && handlers.stream().allMatch(MeterObservationHandler.class::isInstance)
				&& !hasBean(beanFactory, LockObservationConvention.class)
				&& !hasBean(beanFactory, GlobalObservationConvention.class) && !isFiltered(beanFactory)
				&& !isCustomized(beanFactory);
	}

	/**
	 * Return whether the application changes observations before they become meters. The
	 * filter of Spring Boot, which is a predicate as well, applies properties.
	 */
	private static boolean isFiltered(ListableBeanFactory beanFactory) {
		return beanFactory.getBeanProvider(ObservationFilter.class)
			.stream()
			.anyMatch((filter) -> !(filter instanceof ObservationPredicate));
	}

	/**
	 * Return whether the registry may have handlers that are not beans.
	 */
	private static boolean isCustomized(ListableBeanFactory beanFactory) {
		ClassLoader classLoader = LockMetricsConfiguration.class.getClassLoader();
		return ClassUtils.isPresent(REGISTRY_CUSTOMIZER, classLoader)
				&& hasBean(beanFactory, ClassUtils.resolveClassName(REGISTRY_CUSTOMIZER, classLoader));
	}

	private static boolean hasBean(ListableBeanFactory beanFactory, Class<?> type) {
		return beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

}
