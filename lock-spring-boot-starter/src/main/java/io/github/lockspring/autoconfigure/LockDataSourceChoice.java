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

import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Takes the data source that is named, or else the only or the primary one.
 */
final class LockDataSourceChoice {

	private final @Nullable String chosen;

	LockDataSourceChoice(@Nullable String chosen) {
		this.chosen = chosen;
	}

	DataSource requireOne(ListableBeanFactory beanFactory) {
		List<String> names = Arrays
			.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class));
		if (this.chosen != null) {
			return named(this.chosen, names, beanFactory);
		}
		DataSource dataSource = beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		if (dataSource == null) {
			throw names.isEmpty() ? none() : several(names);
		}
		return dataSource;
	}

	private static DataSource named(String name, List<String> names, ListableBeanFactory beanFactory) {
		if (!names.contains(name)) {
			throw new LockConfigurationException(
					"The property lock.jdbc.data-source is '" + name + "', but there is no such data source.",
					"Set it to one of the data sources: " + String.join(", ", names) + '.');
		}
		return beanFactory.getBean(name, DataSource.class);
	}

	private static LockConfigurationException none() {
		return new LockConfigurationException("Locks are to be kept in a SQL database, but there is no data source.",
				"Define a data source, for example with spring.datasource.url, or choose another backend with "
						+ "lock.backend.");
	}

	private static LockConfigurationException several(List<String> names) {
		return new LockConfigurationException(
				"Locks are to be kept in a SQL database, but there are several data sources, none of them primary: "
						+ String.join(", ", names) + '.',
				"Set the property lock.jdbc.data-source to the name of one of them.");
	}

}
