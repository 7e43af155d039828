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

import java.util.Optional;

import org.springframework.util.Assert;

/**
 * How a {@link JdbcLockBackend} goes about its table and its connections.
 *
 * @param tableName the table, with or without its schema
 * @param keptConnections how many connections may be kept, for a second at most, for the
 * next call; 0 gives each back at once
 * @param sharedConnections how many connections the pool has at most if the application
 * uses it as well; 0 if that is not known, or the pool is for locks only
 * @param listening whether the database is asked to tell of releases, so that those who
 * wait need not ask again and again: on one more connection, which is kept as long as
 * somebody waits now and then; of use with PostgreSQL only, and not behind a pooler in
 * transaction mode
 */
public record JdbcLockSettings(String tableName, int keptConnections, int sharedConnections, boolean listening) {

	private static final int DEFAULT_KEPT_CONNECTIONS = 4;

	private static final int SMALL = 4;

	/**
	 * Checks the numbers.
	 * @throws IllegalArgumentException if one of them is negative
	 */
	public JdbcLockSettings {
		Assert.isTrue(keptConnections >= 0, "'keptConnections' must not be negative");
		Assert.isTrue(sharedConnections >= 0, "'sharedConnections' must not be negative");
	}

	/**
	 * Settings for a data source with many connections, or one for locks only.
	 * @param tableName the table, with or without its schema
	 * @return the settings
	 */
	public static JdbcLockSettings of(String tableName) {
		return new JdbcLockSettings(tableName, DEFAULT_KEPT_CONNECTIONS, 0, false);
	}

	/**
	 * Settings for a pool that the application uses as well: no more than half of its
	 * connections are kept between two calls.
	 * @param tableName the table, with or without its schema
	 * @param connections how many connections the pool has at most
	 * @return the settings
	 * @throws IllegalArgumentException if the number is negative
	 */
	public static JdbcLockSettings ofSharedPool(String tableName, int connections) {
		return new JdbcLockSettings(tableName, Math.min(connections / 2, DEFAULT_KEPT_CONNECTIONS), connections, false);
	}

	/**
	 * These settings, with or without news from the database.
	 * @param listening whether to listen to releases
	 * @return the settings
	 */
	public JdbcLockSettings withListening(boolean listening) {
		return new JdbcLockSettings(this.tableName, this.keptConnections, this.sharedConnections, listening);
	}

	/**
	 * Tells whether the pool is used by the application as well and has few connections.
	 * @return whether nothing should keep one of them for long
	 */
	public boolean isSmallPool() {
		return this.sharedConnections > 0 && this.sharedConnections <= SMALL;
	}

	/**
	 * Tells in a sentence what is bad about the pool.
	 */
	Optional<String> warning() {
		if (!isSmallPool()) {
			return Optional.empty();
		}
		String size = (this.sharedConnections == 1) ? "one connection" : this.sharedConnections + " connections";
		return Optional.of("The pool that locks share with the application has " + size + " at most: a call that "
				+ "locks inside a transaction holds one of them and needs another for a moment");
	}

}
