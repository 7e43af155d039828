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

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Checks the properties below {@code lock} before they are bound. Logs a warning for
 * unknown properties, which may be misspelled or may belong to the application, and for
 * those without a value. Rejects durations without a unit, which would silently be
 * interpreted as milliseconds.
 */
final class UnknownLockProperties implements InitializingBean {

	private static final Log logger = LogFactory.getLog(UnknownLockProperties.class);

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private final Environment environment;

	UnknownLockProperties(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void afterPropertiesSet() {
		try {
			Binder.get(this.environment)
				.bind("lock", Bindable.of(LockProperties.class), new NoUnboundElementsBindHandler(
						new DurationsWithUnit(this.environment), new UnboundElementsSourceFilter()));
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
				warnOf(unbound.getUnboundProperties());
			}
			else if (ex.getCause() instanceof InvalidConfigurationPropertyValueException invalid) {
				throw invalid;
			}
		}
	}

	private static void warnOf(Collection<ConfigurationProperty> unbound) {
		warn("Ignoring properties without a value: ", unbound, UnknownLockProperties::isEmpty);
		warn("Unknown properties: ", unbound, (property) -> !isEmpty(property));
	}

	private static boolean isEmpty(ConfigurationProperty property) {
		return property.getValue() instanceof CharSequence text && text.isEmpty();
	}

	private static void warn(String message, Collection<ConfigurationProperty> properties,
			Predicate<ConfigurationProperty> which) {
		List<String> names = properties.stream()
			.filter(which)
			.map((property) -> property.getName().toString())
			.toList();
		if (!names.isEmpty()) {
			logger.warn(message + names);
		}
	}

	/**
	 * {@link BindHandler} that rejects durations without a unit, except for zero.
	 */
	private static final class DurationsWithUnit implements BindHandler {

		private final Environment environment;

		DurationsWithUnit(Environment environment) {
			this.environment = environment;
		}

		@Override
		public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			ConfigurationProperty property = context.getConfigurationProperty();
			if (property != null && result instanceof Duration duration && !duration.isZero()) {
				requireUnit(name, String.valueOf(property.getValue()));
			}
			return result;
		}

		private void requireUnit(ConfigurationPropertyName name, String value) {
			if (NUMBER.matcher(this.environment.resolvePlaceholders(value).strip()).matches()) {
				throw new InvalidConfigurationPropertyValueException(name.toString(), value,
						"It has no unit. Write " + value + "s for seconds, or " + value + "ms for milliseconds.");
			}
		}

	}

}
