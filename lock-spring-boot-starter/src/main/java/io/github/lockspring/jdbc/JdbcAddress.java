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

package io.github.lockspring.jdbc;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.util.StringUtils;

/**
 * Address of the database of a data source, as far as it is available.
 */
final class JdbcAddress {

	private static final List<String> URLS = List.of("jdbcUrl", "url", "URL");

	/**
	 * Properties with the data source that a wrapper, or a pool, uses.
	 */
	private static final List<String> TARGETS = List.of("targetDataSource", "dataSource");

	private static final int MAX_DEPTH = 8;

	/**
	 * URL of a server, in the parts that may be shown and those that may not. Text after
	 * the database must not contain an {@code @}: the text before it could be a part of a
	 * password that is not percent-encoded.
	 */
	private static final Pattern SERVER = Pattern.compile(
			"(jdbc:[\\w+:-]*://)(?:[^/?#;@]*@)?((?:[\\w.-]+|\\[[\\da-fA-F:]+])?(?::\\d+)?"
					+ "(?:,(?:[\\w.-]+|\\[[\\da-fA-F:]+])(?::\\d+)?)*(?:/[\\w.~$:/-]*)?)(?:[?;][^@]*)?",
			Pattern.DOTALL);

	/**
	 * URL of an embedded database, or the beginning of any other.
	 */
	private static final Pattern BEGINNING = Pattern.compile("jdbc:h2:(?!.*(?:@|//))[^;]*|jdbc:[a-z0-9+-]*:",
			Pattern.DOTALL);

	private JdbcAddress() {
	}

	/**
	 * Return the URL of a data source without parameters, user names and passwords.
	 * @param dataSource the data source
	 * @return the URL, or the class of a data source that does not provide one
	 */
	static String of(DataSource dataSource) {
		return url(dataSource).map(JdbcAddress::withoutSecrets)
			.filter(StringUtils::hasLength)
			.orElseGet(() -> dataSource.getClass().getSimpleName());
	}

	/**
	 * Return the whole URL of a data source, which may contain a password.
	 */
	static Optional<String> url(DataSource dataSource) {
		return url(dataSource, 0);
	}

	private static Optional<String> url(@Nullable Object dataSource, int depth) {
		if (dataSource == null || depth > MAX_DEPTH) {
			return Optional.empty();
		}
		Object target = AopProxyUtils.getSingletonTarget(dataSource);
		if (target != null) {
			return url(target, depth + 1);
		}
		BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(dataSource);
		return values(properties, URLS, String.class).findFirst()
			.or(() -> values(properties, TARGETS, DataSource.class).flatMap((next) -> url(next, depth + 1).stream())
				.findFirst());
	}

	private static <T> Stream<T> values(BeanWrapper properties, List<String> names, Class<T> type) {
		return names.stream()
			.filter(properties::isReadableProperty)
			.map((name) -> value(properties, name))
			.filter(type::isInstance)
			.map(type::cast);
	}

	private static @Nullable Object value(BeanWrapper properties, String name) {
		try {
			return properties.getPropertyValue(name);
		}
		catch (BeansException ex) {
			return null;
		}
	}

	/**
	 * Return the parts of a URL that are certain to contain no secret. Of a URL that
	 * cannot be parsed, only the beginning is returned.
	 */
	static String withoutSecrets(String url) {
		Matcher server = SERVER.matcher(url);
		if (server.matches()) {
			return server.group(1) + server.group(2);
		}
		Matcher beginning = BEGINNING.matcher(url);
		return beginning.lookingAt() ? beginning.group() : "";
	}

}
