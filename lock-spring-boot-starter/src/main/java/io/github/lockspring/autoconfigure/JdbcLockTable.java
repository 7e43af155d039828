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

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;

import io.github.lockspring.autoconfigure.JdbcLockProperties.SchemaInitialization;
import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Lock table, which is created if configured, and validated.
 */
final class JdbcLockTable {

	private static final Log logger = LogFactory.getLog(JdbcLockTable.class);

	private final DataSource dataSource;

	private final JdbcLockProperties properties;

	private final JdbcLockSchema schema;

	private volatile boolean prepared;

	private volatile @Nullable String lastProblem;

	JdbcLockTable(DataSource dataSource, JdbcLockProperties properties) {
		this.dataSource = dataSource;
		this.properties = properties;
		this.schema = schema(dataSource, properties.getTableName());
	}

	private static JdbcLockSchema schema(DataSource dataSource, String tableName) {
		try {
			return new JdbcLockSchema(dataSource, tableName);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidConfigurationPropertyValueException("lock.jdbc.table-name", tableName, ex.getMessage());
		}
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Create and validate the table. A database that is unavailable or read-only is only
	 * logged: no lock can be acquired until it is back.
	 */
	void prepare() {
		try {
			createAndCheck();
		}
		catch (BackendUnavailableException ex) {
			logger.warn("Could not validate the lock table: the database is unavailable or read-only", ex);
		}
	}

	/**
	 * Return whether the table has been created, if configured, and validated.
	 */
	boolean isPrepared() {
		return this.prepared;
	}

	/**
	 * Return whether the database notifies of releases, by its URL if it was unavailable
	 * at startup.
	 */
	boolean supportsNotifications() {
		return this.schema.areReleasesNotified();
	}

	/**
	 * Create and validate the table if it was not possible at startup.
	 * @return whether the table is prepared
	 */
	boolean prepareLater() {
		try {
			createAndCheck();
			logger.info("Lock table validated");
		}
		catch (BackendUnavailableException ex) {
			logger.debug("Could not validate the lock table yet", ex);
		}
		catch (RuntimeException ex) {
			logOnce(String.valueOf(ex.getMessage()));
		}
		return this.prepared;
	}

	private void logOnce(String problem) {
		if (!problem.equals(this.lastProblem)) {
			logger.error(problem);
		}
		this.lastProblem = problem;
	}

	private void createAndCheck() {
		if (isToBeCreated()) {
			this.schema.initialize();
		}
		this.schema.validate();
		this.prepared = true;
	}

	private boolean isToBeCreated() {
		SchemaInitialization initialization = this.properties.getInitializeSchema();
		return initialization == SchemaInitialization.ALWAYS
				|| (initialization == SchemaInitialization.EMBEDDED && isEmbedded());
	}

	private boolean isEmbedded() {
		try {
			return EmbeddedDatabaseConnection.isEmbedded(this.dataSource);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not determine whether the database is embedded", ex);
			return false;
		}
	}

}
