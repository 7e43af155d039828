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

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * Prefix of all keys in the store. It separates applications that use the same store, and
 * is the same for all instances of an application.
 *
 * @param text the prefix, without the colon that follows it
 * @param description the prefix and its origin, for the log
 */
record KeyPrefix(String text, String description) {

	private static final String PROPERTY = "lock.key-prefix";

	private static final String DEFAULT = "lock";

	private static final int MAX_BYTES = 126;

	/**
	 * Determine the prefix.
	 * @param configured the prefix that is configured, or {@code null}
	 * @param applicationName the name of the application, or {@code null}
	 * @return the prefix
	 * @throws InvalidConfigurationPropertyValueException if it is blank or too long
	 */
	static KeyPrefix of(@Nullable String configured, @Nullable String applicationName) {
		if (configured != null) {
			return checked(configured, "");
		}
		if (StringUtils.hasText(applicationName)) {
			return checked(DEFAULT + ':' + applicationName,
					", with spring.application.name; applications that share locks need the same " + PROPERTY);
		}
		return checked(DEFAULT,
				", shared with all applications that have neither spring.application.name nor " + PROPERTY);
	}

	private static KeyPrefix checked(String text, String origin) {
		require(StringUtils.hasText(text), text, "It must not be blank.");
		require(text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES, text, "It must not be longer than "
				+ MAX_BYTES + " bytes in UTF-8. By default, it contains spring.application.name.");
		return new KeyPrefix(text, "Key prefix '" + text + '\'' + origin);
	}

	private static void require(boolean condition, String text, String reason) {
		if (!condition) {
			throw new InvalidConfigurationPropertyValueException(PROPERTY, text, reason);
		}
	}

}
