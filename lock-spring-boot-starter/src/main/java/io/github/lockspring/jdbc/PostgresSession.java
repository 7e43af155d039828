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

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

import org.postgresql.PGConnection;

/**
 * Session of PostgreSQL behind a connection. A pooler, such as PgBouncer, shares its
 * sessions between clients, so that settings of a session must not be changed.
 *
 * @param pooled whether the connection leads to a pooler
 * @param isolation the isolation of transactions, as PostgreSQL writes it
 */
record PostgresSession(boolean pooled, String isolation) {

	private static final String READ_COMMITTED = "read committed";

	private static final Map<String, Integer> OTHERS = Map.of("read uncommitted",
			Connection.TRANSACTION_READ_UNCOMMITTED, "repeatable read", Connection.TRANSACTION_REPEATABLE_READ,
			"serializable", Connection.TRANSACTION_SERIALIZABLE);

	/**
	 * Sessions that need no configuration, by the connections of the driver.
	 */
	private static final Map<Object, PostgresSession> FIT = Collections.synchronizedMap(new WeakHashMap<>());

	/**
	 * Return the session of a connection, with one round trip unless the session is
	 * cached because it needed no configuration. If its isolation has become stricter
	 * since, statements that conflict with another one on the same row fail, and are
	 * retried.
	 */
	static PostgresSession ofKnown(Connection connection) throws SQLException {
		Object physical = physical(connection);
		PostgresSession known = FIT.get(physical);
		if (known != null) {
			return known;
		}
		PostgresSession session = of(connection);
		if (!session.isIsolationToBeSet()) {
			FIT.put(physical, session);
		}
		return session;
	}

	/**
	 * Return the connection of the driver, which a pool reuses.
	 */
	private static Object physical(Connection connection) {
		try {
			return connection.unwrap(PGConnection.class);
		}
		catch (SQLException | LinkageError ex) {
			return connection;
		}
	}

	/**
	 * Return the session of a connection, with one round trip. A pooler is detected by
	 * the id of the server process: it reports another one to clients when they connect.
	 * @throws UnsupportedDatabaseException if it is a session of a distributed database
	 */
	static PostgresSession of(Connection connection) throws SQLException {
		return JdbcDialect.firstRow(connection,
				"SELECT pg_backend_pid(), current_setting('transaction_isolation'), version()", (row) -> {
					SingleServer.requireOneClock(row.getString(3));
					return new PostgresSession(isOtherProcess(connection, row.getInt(1)), row.getString(2));
				})
			.orElseThrow();
	}

	/**
	 * Return whether the server process is another one than the driver reports. Drivers
	 * other than the usual one do not report it.
	 */
	private static boolean isOtherProcess(Connection connection, int process) {
		try {
			return connection.unwrap(PGConnection.class).getBackendPID() != process;
		}
		catch (SQLException | LinkageError ex) {
			return false;
		}
	}

	/**
	 * Return whether the isolation must be set for locks.
	 */
	boolean isIsolationToBeSet() {
		return !this.pooled && !READ_COMMITTED.equals(this.isolation);
	}

	/**
	 * Return the isolation as the constant of JDBC.
	 */
	int level() {
		return OTHERS.getOrDefault(this.isolation, Connection.TRANSACTION_READ_COMMITTED);
	}

}
