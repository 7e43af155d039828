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

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.DriverDataSource;
import com.zaxxer.hikari.util.PropertyElf;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.PromptSocketFactory;

/**
 * Data source that opens connections with the settings of a HikariCP pool, but outside
 * the pool: they are available when the pool is exhausted, and the pool neither logs
 * their failures nor reports them as leaks. User and password are the current ones of the
 * pool.
 */
final class UnpooledHikariDataSource extends AbstractDataSource {

	/**
	 * Timeout of a response of the server while a connection is being opened, in seconds.
	 */
	private static final int TIMEOUT_SECONDS = 5;

	/**
	 * Default settings of drivers, which the URL or the pool can override: timeouts,
	 * which are unlimited in some drivers, statements that are prepared by the server,
	 * and sockets that do not delay notifications.
	 */
	private static final Map<String, Map<String, String>> DEFAULTS = Map.of("jdbc:postgresql:",
			Map.of("connectTimeout", "" + TIMEOUT_SECONDS, "socketTimeout", "" + TIMEOUT_SECONDS, "socketFactory",
					PromptSocketFactory.class.getName()),
			"jdbc:mariadb:", Map.of("connectTimeout", TIMEOUT_SECONDS + "000", "useServerPrepStmts", "true"),
			"jdbc:mysql:", Map.of("connectTimeout", TIMEOUT_SECONDS + "000", "socketTimeout", TIMEOUT_SECONDS + "000",
					"useServerPrepStmts", "true"));

	private final HikariDataSource pool;

	private final DataSource target;

	private UnpooledHikariDataSource(HikariDataSource pool, DataSource target) {
		this.pool = pool;
		this.target = target;
	}

	/**
	 * Create a data source for the HikariCP pool behind a data source.
	 * @param dataSource the data source, which may be a proxy
	 * @return the unpooled data source, or {@code null} if there is no HikariCP pool, or
	 * if it customizes how connections are obtained
	 */
	static @Nullable DataSource of(DataSource dataSource) {
		return ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", null) ? Finder.find(dataSource) : null;
	}

	/**
	 * Return the URL of the pool, which is part of messages.
	 * @return the URL, or {@code null} if the pool has another data source instead
	 */
	public @Nullable String getJdbcUrl() {
		return this.pool.getJdbcUrl();
	}

	public DataSource getTargetDataSource() {
		return this.target;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Credentials credentials = this.pool.getCredentials();
		return getConnection(credentials.getUsername(), credentials.getPassword());
	}

	@Override
	public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
		Connection connection = (username != null) ? this.target.getConnection(username, password)
				: this.target.getConnection();
		try {
			prepare(connection);
			return connection;
		}
		catch (Throwable ex) {
			connection.close();
			throw ex;
		}
	}

	private void prepare(Connection connection) throws SQLException {
		if (this.pool.getCatalog() != null) {
			connection.setCatalog(this.pool.getCatalog());
		}
		if (this.pool.getSchema() != null) {
			connection.setSchema(this.pool.getSchema());
		}
		if (this.pool.getConnectionInitSql() != null) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(this.pool.getConnectionInitSql());
			}
		}
	}

	/**
	 * Access to the classes of HikariCP, which is an optional dependency.
	 */
	private static final class Finder {

		static @Nullable DataSource find(DataSource dataSource) {
			HikariDataSource pool = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
					HikariDataSource.class);
			if (pool == null || !isOrdinary(pool)) {
				return null;
			}
			DataSource target = target(pool);
			return (target != null) ? new UnpooledHikariDataSource(pool, target) : null;
		}

		/**
		 * Return whether a pool has the standard behavior. A subclass may select
		 * connections, for example by tenant.
		 */
		private static boolean isOrdinary(HikariDataSource pool) {
			Class<?> type = ClassUtils.getUserClass(pool);
			return ClassUtils.getMethod(type, "getConnection").getDeclaringClass() == HikariDataSource.class
					&& pool.getCredentialsProvider() == null && pool.getCredentialsProviderClassName() == null;
		}

		private static @Nullable DataSource target(HikariDataSource pool) {
			if (pool.getDataSource() != null) {
				RoutingDataSources.reject(pool.getDataSource());
				return pool.getDataSource();
			}
			if (pool.getDataSourceClassName() != null) {
				return newDataSource(pool.getDataSourceClassName(), pool.getDataSourceProperties());
			}
			return (pool.getJdbcUrl() != null) ? ofUrl(pool, pool.getJdbcUrl()) : null;
		}

		private static DataSource newDataSource(String className, Properties properties) {
			Class<?> type = ClassUtils.resolveClassName(className, null);
			DataSource dataSource = (DataSource) BeanUtils.instantiateClass(type);
			PropertyElf.setTargetFromProperties(dataSource, properties);
			return dataSource;
		}

		private static DataSource ofUrl(HikariDataSource pool, String url) {
			JdbcLockBackend.requireOneServer(url + '?' + pool.getDataSourceProperties());
			Properties properties = new Properties();
			DEFAULTS.forEach((start, defaults) -> {
				if (url.startsWith(start)) {
					defaults.forEach((name, value) -> {
						// not every driver prefers its URL
						if (!url.contains(name + '=')) {
							properties.put(name, value);
						}
					});
				}
			});
			if (!isVisibleToDriver(url)) {
				properties.remove("socketFactory");
			}
			properties.putAll(pool.getDataSourceProperties());
			Credentials credentials = pool.getCredentials();
			return new DriverDataSource(url, pool.getDriverClassName(), properties, credentials.getUsername(),
					credentials.getPassword());
		}

		/**
		 * Return whether the driver can load classes of this library, which it cannot if
		 * it belongs to a server that contains the application.
		 */
		private static boolean isVisibleToDriver(String url) {
			try {
				ClassLoader classLoader = DriverManager.getDriver(url).getClass().getClassLoader();
				return ClassUtils.isVisible(PromptSocketFactory.class, classLoader);
			}
			catch (SQLException ex) {
				return false;
			}
		}

	}

}
