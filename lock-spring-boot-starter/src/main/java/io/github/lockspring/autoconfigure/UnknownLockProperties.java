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
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Checks the properties below {@code lock} before their values are validated. Logs a
 * warning for unknown properties, which may be misspelled or may belong to the
 * application, for those without a value, and for environment variables with settings of
 * lock names that are not applied. Rejects durations without a unit, which would silently
 * be interpreted as milliseconds.
 */
final class UnknownLockProperties {

	private static final Log logger = LogFactory.getLog(UnknownLockProperties.class);

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final ConfigurationPropertyName NAMES = ConfigurationPropertyName.of("lock.names");

	private final Environment environment;

	UnknownLockProperties(Environment environment) {
		this.environment = environment;
	}

	void check() {
		KnownProperties known = new KnownProperties(new DurationsWithUnit(this.environment));
		try {
			Binder.get(this.environment)
				.bind("lock", Bindable.of(LockProperties.class),
						new NoUnboundElementsBindHandler(known, new UnboundElementsSourceFilter()));
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
				warnOf(unbound.getUnboundProperties(), known);
			}
			else if (ex.getCause() instanceof InvalidConfigurationPropertyValueException invalid) {
				throw invalid;
			}
		}
		warnOfVariables(known);
	}

	private void warnOf(Collection<ConfigurationProperty> unbound, KnownProperties known) {
		warn("Ignoring properties without a value: ",
				unbound.stream().filter(this::isEmpty).map((each) -> each.getName().toString()));
		warn("Unknown properties: ",
				unbound.stream()
					.filter((property) -> !isEmpty(property))
					.map((property) -> known.withSuggestion(property.getName().toString())));
	}

	private boolean isEmpty(ConfigurationProperty property) {
		return property.getValue() instanceof CharSequence text
				&& this.environment.resolvePlaceholders(text.toString()).isEmpty();
	}

	/**
	 * Log a warning for variables with the settings of a lock name that do not arrive:
	 * between its words, an underscore would be a dot. Other variables may belong to
	 * other programs.
	 */
	private void warnOfVariables(KnownProperties known) {
		warn("Environment variables that are not applied, because the name of the lock must consist of letters and"
				+ " digits only, such as LOCK_NAMES_ORDERPAY_WAITTIME for the lock 'order-pay': ",
				StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
					.filter((source) -> source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)
					.flatMap((source) -> ((IterableConfigurationPropertySource) source).stream())
					.filter((name) -> NAMES.isAncestorOf(name) && !known.isBound(name))
					.map((name) -> name.toString().toUpperCase(Locale.ROOT).replace('.', '_')));
	}

	private static void warn(String message, Stream<String> names) {
		List<String> all = names.toList();
		if (!all.isEmpty()) {
			logger.warn(message + all);
		}
	}

	/**
	 * {@link BindHandler} that knows all properties, and which of them were bound.
	 */
	private static final class KnownProperties extends AbstractBindHandler {

		private static final int MAX_DISTANCE = 4;

		private final Set<String> all = new TreeSet<>();

		private final Set<String> bound = new HashSet<>();

		KnownProperties(BindHandler parent) {
			super(parent);
		}

		@Override
		public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
				BindContext context) {
			this.all.add(name.toString());
			return super.onStart(name, target, context);
		}

		@Override
		public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			if (NAMES.isAncestorOf(name)) {
				this.bound.add(settingOf(name));
			}
			return super.onSuccess(name, target, context, result);
		}

		boolean isBound(ConfigurationPropertyName name) {
			return this.bound.contains(settingOf(name));
		}

		/**
		 * Return the key in the map of names, and the letters of what follows: an
		 * underscore can be a hyphen there.
		 */
		private static String settingOf(ConfigurationPropertyName name) {
			String key = name.getElement(NAMES.getNumberOfElements(), Form.UNIFORM);
			StringBuilder setting = new StringBuilder(key).append('.');
			for (int i = NAMES.getNumberOfElements() + 1; i < name.getNumberOfElements(); i++) {
				setting.append(name.getElement(i, Form.UNIFORM));
			}
			return setting.toString();
		}

		String withSuggestion(String unknown) {
			return this.all.stream()
				.filter((name) -> distance(unknown, name) <= MAX_DISTANCE)
				.min(Comparator.comparingInt((name) -> distance(unknown, name)))
				.map((name) -> unknown + " (did you mean " + name + "?)")
				.orElse(unknown);
		}

		/**
		 * Return the number of characters to add, remove or replace.
		 */
		private static int distance(String one, String other) {
			int[] row = IntStream.rangeClosed(0, other.length()).toArray();
			for (int i = 1; i <= one.length(); i++) {
				int diagonal = row[0];
				row[0] = i;
				for (int j = 1; j <= other.length(); j++) {
					int replaced = diagonal + ((one.charAt(i - 1) != other.charAt(j - 1)) ? 1 : 0);
					diagonal = row[j];
					row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
				}
			}
			return row[other.length()];
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
