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
import java.util.function.Consumer;

import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Channel on which PostgreSQL notifies of releases in one table. Separate from its
 * listener because the driver is an optional dependency.
 */
final class ReleaseChannel implements AutoCloseable {

	/**
	 * Timeout for an answer of the server, after which the connection counts as broken. A
	 * connection that only listens would not detect that.
	 */
	private static final int ANSWER_MILLIS = 1000;

	private final Connection connection;

	private final PGConnection session;

	private final TableName table;

	private final String name;

	ReleaseChannel(Connection connection, TableName table) throws SQLException {
		this.connection = connection;
		this.connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
		this.session = connection.unwrap(PGConnection.class);
		this.table = table;
		this.name = currentName();
		JdbcDialect.execute(connection, "LISTEN " + this.name);
	}

	private String currentName() throws SQLException {
		return JdbcDialect.firstRow(this.connection, PostgresStatements.channel(this.table), (row) -> row.getString(1))
			.orElseThrow();
	}

	/**
	 * Return whether releases in the table are still notified on this channel, which is
	 * the case until the table is dropped and created again.
	 */
	boolean isCurrent() throws SQLException {
		return this.name.equals(currentName());
	}

	/**
	 * Wait for messages.
	 * @param millis the maximum time to wait
	 * @param listener the listener for the messages
	 */
	void receive(int millis, Consumer<String> listener) throws SQLException {
		PGNotification[] notifications = this.session.getNotifications(millis);
		if (notifications != null) {
			for (PGNotification notification : notifications) {
				listener.accept(notification.getParameter());
			}
		}
	}

	@Override
	public void close() throws SQLException {
		JdbcDialect.execute(this.connection, "UNLISTEN " + this.name);
	}

}
