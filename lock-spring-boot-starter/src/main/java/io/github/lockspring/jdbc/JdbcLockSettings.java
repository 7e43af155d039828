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
 * Settings of a {@link JdbcLockBackend}: its table and its connections.
 *
 * @param tableName the table, with or without its schema
 * @param keptConnections the maximum number of connections that are kept, for a second at
 * most after their last use, for the next call; 0 releases each immediately; ignored with
 * dedicated connections
 * @param sharedConnections the maximum number of connections of a pool that is shared
 * with the application; 0 if it is not known, or the pool is for locks only
 * @param ownConnections the maximum number of dedicated connections, besides one that is
 * reserved for renewals; two are opened at start and kept; 0 if connections are taken
 * from a pool when they are needed
 * @param listening whether to listen for notifications of releases, so that waiting
 * requests need not be polled: on one additional connection, which is kept as long as
 * there are waiting requests from time to time; of use with PostgreSQL only, and not
 * behind a pooler in transaction mode
 */
public record JdbcLockSettings(String tableName, int keptConnections, int sharedConnections, int ownConnections,
		boolean listening) {

	private static final int DEFAULT_KEPT_CONNECTIONS = 4;

	private static final int SMALL = 4;

	private static final int MAX_RESERVED = 2;

	/**
	 * Check the numbers.
	 * @throws IllegalArgumentException if one of them is negative
	 */
	public JdbcLockSettings {
		Assert.isTrue(keptConnections >= 0, "'keptConnections' must not be negative");
		Assert.isTrue(sharedConnections >= 0, "'sharedConnections' must not be negative");
		Assert.isTrue(ownConnections >= 0, "'ownConnections' must not be negative");
	}

	/**
	 * Create settings for connections that are taken from a pool.
	 * @param tableName the table, with or without its schema
	 * @param keptConnections the maximum number of connections that are kept for the next
	 * call
	 * @param sharedConnections the maximum number of connections of a pool that is shared
	 * with the application, or 0
	 * @param listening whether to listen for notifications of releases
	 */
	public JdbcLockSettings(String tableName, int keptConnections, int sharedConnections, boolean listening) {
		this(tableName, keptConnections, sharedConnections, 0, listening);
	}

	/**
	 * Return settings for a data source with many connections, or one for locks only.
	 * @param tableName the table, with or without its schema
	 * @return the settings
	 */
	public static JdbcLockSettings of(String tableName) {
		return new JdbcLockSettings(tableName, DEFAULT_KEPT_CONNECTIONS, 0, false);
	}

	/**
	 * Return settings for a pool that the application uses as well: no more than half of
	 * its connections are kept between two calls. Two of them are taken at start and kept
	 * if it has eight at least, and one if it has four.
	 * @param tableName the table, with or without its schema
	 * @param connections the maximum number of connections of the pool
	 * @return the settings
	 * @throws IllegalArgumentException if the number is negative
	 */
	public static JdbcLockSettings ofSharedPool(String tableName, int connections) {
		return new JdbcLockSettings(tableName, Math.min(connections / 2, DEFAULT_KEPT_CONNECTIONS), connections, false);
	}

	/**
	 * Return settings for a data source that opens a connection whenever it is asked for
	 * one. Two of them are opened at start and kept; the others are opened when many
	 * calls come together, and closed when they have not been used for a minute.
	 * @param tableName the table, with or without its schema
	 * @param connections the maximum number of connections, besides one that is reserved
	 * for renewals
	 * @return the settings
	 * @throws IllegalArgumentException if the number is not positive
	 */
	public static JdbcLockSettings ofOwnConnections(String tableName, int connections) {
		Assert.isTrue(connections > 0, "'connections' must be positive");
		return new JdbcLockSettings(tableName, connections, 0, connections, false);
	}

	/**
	 * Return these settings with or without notifications from the database.
	 * @param listening whether to listen for notifications of releases
	 * @return the settings
	 */
	public JdbcLockSettings withListening(boolean listening) {
		return new JdbcLockSettings(this.tableName, this.keptConnections, this.sharedConnections, this.ownConnections,
				listening);
	}

	/**
	 * Return whether the pool is shared with the application and has few connections.
	 * @return whether no connection should be kept for long
	 */
	public boolean isSmallPool() {
		return this.sharedConnections > 0 && this.sharedConnections <= SMALL;
	}

	/**
	 * Return the limits of the number and lifetime of connections.
	 */
	ConnectionLimits limits() {
		if (this.ownConnections > 0) {
			return ConnectionLimits.ofOwn(this.ownConnections, Math.min(this.ownConnections, MAX_RESERVED));
		}
		return ConnectionLimits.ofPool(this.keptConnections, Math.min(this.sharedConnections / SMALL, MAX_RESERVED));
	}

	/**
	 * Return a warning about the pool.
	 */
	Optional<String> warning() {
		if (!isSmallPool()) {
			return Optional.empty();
		}
		String size = (this.sharedConnections == 1) ? "one connection" : this.sharedConnections + " connections";
		return Optional.of("The connection pool that locks share with the application has at most " + size
				+ ": a call that locks inside a transaction holds one connection and briefly needs another");
	}

}
