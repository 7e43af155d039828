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

import java.util.Collection;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;

/**
 * How many idle connections of the application's pool the locks may keep for their next
 * call: a quarter of the pool at most, so that a small pool is not starved by them.
 */
final class JdbcPoolShare {

	private static final Log logger = LogFactory.getLog(JdbcPoolShare.class);

	private static final int MOST = 4;

	private final DataSourcePoolMetadataProvider pools;

	JdbcPoolShare(Collection<DataSourcePoolMetadataProvider> pools) {
		this.pools = new CompositeDataSourcePoolMetadataProvider(pools);
	}

	int of(DataSource dataSource) {
		DataSourcePoolMetadata pool = this.pools.getDataSourcePoolMetadata(dataSource);
		Integer size = (pool != null) ? pool.getMax() : null;
		if (size == null || size < 0) {
			return MOST;
		}
		if (size == 1) {
			logger.warn("The pool of the data source has one connection. Locks need one of their own for each call: "
					+ "acquiring a lock inside a transaction will fail");
		}
		return Math.min(MOST, size / 4);
	}

}
