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

import org.jspecify.annotations.Nullable;

/**
 * Configuration properties below {@code lock.jdbc}, for locks stored in a SQL database.
 */
public class JdbcLockProperties {

	/**
	 * Name of the lock table, with or without its schema. At most 57 characters. The
	 * value table has the same name with the suffix '_value'.
	 */
	private String tableName = "distributed_lock";

	/**
	 * Creation of the tables at startup: in an in-memory database, in every database, or
	 * never. Existing tables are checked.
	 */
	private SchemaInitialization initializeSchema = SchemaInitialization.EMBEDDED;

	/**
	 * Name of the data source bean. Defaults to the only or primary bean of that type.
	 */
	private @Nullable String dataSource;

	/**
	 * Maximum number of connections dedicated to locks, in addition to the pool of the
	 * application and one connection reserved for renewals. At least 0, which takes
	 * connections from the pool.
	 */
	private int connections = 8;

	/**
	 * Whether to receive release notifications from the database, on one additional
	 * connection.
	 */
	private ReleaseNotification notify = ReleaseNotification.AUTO;

	private final Cleanup cleanup = new Cleanup();

	public String getTableName() {
		return this.tableName;
	}

	public void setTableName(String tableName) {
		this.tableName = tableName;
	}

	public SchemaInitialization getInitializeSchema() {
		return this.initializeSchema;
	}

	public void setInitializeSchema(SchemaInitialization initializeSchema) {
		this.initializeSchema = initializeSchema;
	}

	public @Nullable String getDataSource() {
		return this.dataSource;
	}

	public void setDataSource(@Nullable String dataSource) {
		this.dataSource = dataSource;
	}

	public int getConnections() {
		return this.connections;
	}

	public void setConnections(int connections) {
		this.connections = connections;
	}

	public ReleaseNotification getNotify() {
		return this.notify;
	}

	public void setNotify(ReleaseNotification notify) {
		this.notify = notify;
	}

	public Cleanup getCleanup() {
		return this.cleanup;
	}

	/**
	 * Removal of unused rows from the lock table and the value table.
	 */
	public static class Cleanup {

		/**
		 * Whether to remove rows of keys that have not been locked for the retention
		 * time, and of deleted values.
		 */
		private boolean enabled = true;

		/**
		 * Interval at which unused rows are removed, in the background. At least 1s.
		 */
		private Duration interval = Duration.ofHours(1);

		/**
		 * Time since a key was last locked, or a value was deleted, after which its row
		 * is removed. At least 1h.
		 */
		private Duration retention = Duration.ofDays(1);

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public Duration getInterval() {
			return this.interval;
		}

		public void setInterval(Duration interval) {
			this.interval = interval;
		}

		public Duration getRetention() {
			return this.retention;
		}

		public void setRetention(Duration retention) {
			this.retention = retention;
		}

	}

	/**
	 * Modes of release notifications from a database.
	 */
	public enum ReleaseNotification {

		/**
		 * Enabled on PostgreSQL without an intermediate connection pooler, unless the
		 * connection would have to be taken from a small pool that the application uses
		 * as well.
		 */
		AUTO,

		/**
		 * Disabled: waiting threads poll.
		 */
		OFF

	}

	/**
	 * Modes of lock table creation at startup.
	 */
	public enum SchemaInitialization {

		/**
		 * Always create the table at startup, unless it exists.
		 */
		ALWAYS,

		/**
		 * Create the table at startup, unless it exists, if the database is an in-memory
		 * database of this process.
		 */
		EMBEDDED,

		/**
		 * Never create the table.
		 */
		NEVER

	}

}
