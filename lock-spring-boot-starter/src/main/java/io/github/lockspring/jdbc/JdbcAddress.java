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

import javax.sql.DataSource;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;

/**
 * Address of the database of a data source, as far as it is available.
 */
final class JdbcAddress {

	private static final List<String> PROPERTIES = List.of("jdbcUrl", "url", "URL");

	private JdbcAddress() {
	}

	/**
	 * Return the URL of a data source without parameters, user names and passwords.
	 * @param dataSource the data source
	 * @return the URL, or the class of a data source that does not provide one
	 */
	static String of(DataSource dataSource) {
		BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(dataSource);
		return PROPERTIES.stream()
			.filter(properties::isReadableProperty)
			.map(properties::getPropertyValue)
			.filter(String.class::isInstance)
			.map((url) -> withoutSecrets((String) url))
			.findFirst()
			.orElse(dataSource.getClass().getSimpleName());
	}

	static String withoutSecrets(String url) {
		return url.replaceFirst("[?;].*", "").replaceFirst("//[^/]*@", "//");
	}

}
