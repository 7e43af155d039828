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

import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Detects data sources that route to several databases. A lock must be stored in a single
 * database: a routing data source selects one by the state of the calling thread, such as
 * its tenant, and the connections for locks are opened by dedicated threads.
 */
final class RoutingDataSources {

	private RoutingDataSources() {
	}

	/**
	 * Reject a data source that routes to several databases, as far as that can be
	 * detected.
	 * @param dataSource the data source
	 * @throws LockConfigurationException if the data source is a routing one, or a proxy
	 * of one
	 */
	static void reject(DataSource dataSource) {
		if (isRouting(dataSource)) {
			throw new LockConfigurationException(
					"Locks are configured to be stored in a SQL database, but the data source is an "
							+ "AbstractRoutingDataSource: the same key could be locked once in each of its targets.",
					"Define a data source for the single database that stores the locks, and set the property "
							+ "lock.jdbc.data-source to its name, or select another backend with lock.backend.");
		}
	}

	private static boolean isRouting(DataSource dataSource) {
		return DataSourceUnwrapper.unwrap(dataSource, AbstractRoutingDataSource.class) != null
				|| AbstractRoutingDataSource.class.isAssignableFrom(AopProxyUtils.ultimateTargetClass(dataSource))
				|| isWrapperOfRouting(dataSource);
	}

	private static boolean isWrapperOfRouting(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class);
		}
		catch (SQLException | RuntimeException ex) {
			return false;
		}
	}

}
