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
import java.util.Objects;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockBackend;

/**
 * {@link SpringBootCondition} for {@link ConditionalOnLockBackend}, evaluated when the
 * bean definitions of the application are registered.
 */
final class OnLockBackendCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnLockBackend> annotation = metadata.getAnnotations()
			.get(ConditionalOnLockBackend.class);
		LockBackendType backend = annotation.getEnum(MergedAnnotation.VALUE, LockBackendType.class);
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockBackend.class, backend);
		ListableBeanFactory beanFactory = Objects.requireNonNull(context.getBeanFactory());
		if (hasBeanOrAncestorHas(beanFactory, LockEngines.class)) {
			return ConditionOutcome.noMatch(message.because("a parent context has locks"));
		}
		if (hasBean(beanFactory, LockBackendReplacement.class)) {
			return ConditionOutcome.noMatch(message.because("a replacement of all backends was found"));
		}
		Binder binder = Binder.get(context.getEnvironment());
		BindResult<List<String>> additional = binder.bind("lock.additional-backends", Bindable.listOf(String.class));
		if (additional.isBound() && additional.get().stream().anyMatch(backend.name()::equalsIgnoreCase)) {
			return ConditionOutcome.match(message.because("lock.additional-backends contains it"));
		}
		if (!hasBean(beanFactory, WithoutOwnLockBackend.class)) {
			return ConditionOutcome.noMatch(message.because("the application defines its own backend"));
		}
		String chosen = binder.bind("lock.backend", String.class).orElse(null);
		if (chosen != null) {
			return new ConditionOutcome(backend.name().equalsIgnoreCase(chosen),
					message.because("lock.backend is " + chosen));
		}
		String property = annotation.getString("property");
		if (!property.isEmpty() && binder.bind(property, String.class).isBound()) {
			return ConditionOutcome.match(message.because("lock.backend is not set, and " + property + " is"));
		}
		boolean hasClient = hasClient(beanFactory, annotation.getClassArray("client"));
		return new ConditionOutcome(hasClient,
				message.because("lock.backend is not set, and " + (hasClient ? "a" : "no") + " client bean was found"));
	}

	/**
	 * Return whether there is a bean. It is looked up by type, because applications may
	 * change the names of beans.
	 */
	private static boolean hasBean(ListableBeanFactory beanFactory, Class<?> type) {
		return beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	private static boolean hasClient(ListableBeanFactory beanFactory, Class<?>[] clients) {
		return clients.length > 0 && hasBeanOrAncestorHas(beanFactory, clients[0]);
	}

	private static boolean hasBeanOrAncestorHas(ListableBeanFactory beanFactory, Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false).length > 0;
	}

	/**
	 * Marker that is registered if the application does not define a backend. Imported
	 * before the configurations of the supported backends, each of which adds one.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockBackend.class)
	static class WithoutOwnLockBackend {

	}

}
