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

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import io.github.lockspring.autoconfigure.JdbcLockProperties.ReleaseNotification;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.JdbcLockSettings;
import io.github.lockspring.jdbc.PromptSocketFactory;

/**
 * Configuration of locks in a SQL database. The table is created or validated after the
 * scripts and migrations of the application, which may create it as well.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ DataSource.class, EmbeddedDatabaseConnection.class, EmbeddedDatabaseType.class })
@ConditionalOnLockBackend(value = LockBackendType.JDBC, client = DataSource.class)
@ImportRuntimeHints(JdbcLockConfiguration.Hints.class)
class JdbcLockConfiguration {

	private static final ClientBeanSelector<DataSource> CLIENT = new ClientBeanSelector<>(DataSource.class,
			"data source", "a SQL database", "lock.jdbc.data-source", "spring.datasource.url");

	@Bean("io.github.lockspring.jdbcLockTable")
	JdbcLockTable jdbcLockTable(LockProperties lockProperties, ListableBeanFactory beanFactory) {
		JdbcLockProperties properties = lockProperties.getJdbc();
		DataSource dataSource = CLIENT.requireOne(beanFactory, properties.getDataSource());
		RoutingDataSources.reject(dataSource);
		return new JdbcLockTable(dataSource, properties);
	}

	@Bean(name = "io.github.lockspring.jdbcLockBackend", destroyMethod = "")
	@DependsOnDatabaseInitialization
	JdbcLockBackend jdbcLockBackend(LockProperties lockProperties, JdbcLockTable table,
			ObjectProvider<DataSourcePoolMetadataProvider> pools) {
		DataSource dataSource = table.dataSource();
		DataSource unpooled = UnpooledHikariDataSource.of(dataSource);
		table.prepare();
		int size = poolSize(dataSource, pools);
		int connections = connections(lockProperties.getJdbc(), size);
		if (connections > 0 && (unpooled != null || size == 0)) {
			return backend((unpooled != null) ? unpooled : dataSource, lockProperties.getJdbc(), table,
					JdbcLockSettings.ofOwnConnections(lockProperties.getJdbc().getTableName(), connections));
		}
		return backend(dataSource, lockProperties.getJdbc(), table, shared(lockProperties.getJdbc(), size));
	}

	private static JdbcLockBackend backend(DataSource dataSource, JdbcLockProperties properties, JdbcLockTable table,
			JdbcLockSettings settings) {
		boolean listening = properties.getNotify() == ReleaseNotification.AUTO && table.supportsNotifications()
				&& !settings.isSmallPool();
		return new JdbcLockBackend(dataSource, settings.withListening(listening));
	}

	/**
	 * Return the number of dedicated connections. The size of a pool selected by name is
	 * an upper limit, because such a pool may be dedicated to locks.
	 */
	private static int connections(JdbcLockProperties properties, int poolSize) {
		int connections = properties.getConnections();
		boolean limited = properties.getDataSource() != null && poolSize > 0;
		return limited ? Math.min(connections, poolSize) : connections;
	}

	/**
	 * Return settings for connections from the pool. A pool selected by name is assumed
	 * to be dedicated to locks.
	 */
	private static JdbcLockSettings shared(JdbcLockProperties properties, int poolSize) {
		return (properties.getDataSource() == null && poolSize > 0)
				? JdbcLockSettings.ofSharedPool(properties.getTableName(), poolSize)
				: JdbcLockSettings.of(properties.getTableName());
	}

	private static int poolSize(DataSource dataSource, ObjectProvider<DataSourcePoolMetadataProvider> pools) {
		return pools.orderedStream()
			.map((provider) -> provider.getDataSourcePoolMetadata(dataSource))
			.filter(Objects::nonNull)
			.map(DataSourcePoolMetadata::getMax)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(0);
	}

	@Bean("io.github.lockspring.jdbcLockMaintenance")
	JdbcLockMaintenance jdbcLockMaintenance(LockProperties lockProperties, JdbcLockTable table,
			JdbcLockBackend backend) {
		return new JdbcLockMaintenance(table, lockProperties.getJdbc());
	}

	/**
	 * Hints for the statements that create the lock table, a property that is read from a
	 * pool, and the class that a driver creates.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/github/lockspring/jdbc/*.sql");
			hints.reflection().registerType(PromptSocketFactory.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
			for (String type : List.of("com.zaxxer.hikari.HikariDataSource",
					"io.github.lockspring.autoconfigure.UnpooledHikariDataSource")) {
				hints.reflection()
					.registerTypeIfPresent(classLoader, type,
							(hint) -> hint.withMethod("getJdbcUrl", List.of(), ExecutableMode.INVOKE));
			}
		}

	}

}
