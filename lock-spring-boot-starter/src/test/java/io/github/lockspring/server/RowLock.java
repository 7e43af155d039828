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

package io.github.lockspring.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A transaction that locks rows and is open until {@link #close()}.
 */
public final class RowLock implements AutoCloseable {

	private final Connection connection;

	RowLock(Connection connection) {
		this.connection = connection;
	}

	void lock(String table, String column, Object value) throws SQLException {
		this.connection.setAutoCommit(false);
		String sql = "SELECT 1 FROM %s WHERE %s = ? FOR UPDATE".formatted(table, column);
		try (PreparedStatement statement = this.connection.prepareStatement(sql)) {
			statement.setObject(1, value);
			try (ResultSet rows = statement.executeQuery()) {
				if (!rows.next()) {
					throw new IllegalArgumentException("No row in " + table + " with " + column + " " + value);
				}
			}
		}
	}

	/**
	 * Lock the rows that a table has now.
	 */
	void lock(String table) throws SQLException {
		this.connection.setAutoCommit(false);
		SqlServer.execute(this.connection, "SELECT 1 FROM " + table + " FOR UPDATE");
	}

	/**
	 * Roll back, if the server still has the transaction.
	 */
	@Override
	public void close() {
		try (this.connection) {
			this.connection.rollback();
		}
		catch (SQLException ex) {
			// The server has ended the transaction before
		}
	}

}
