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

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.state.ValueState;

/**
 * Row of a value as it was read, without a lock.
 *
 * @param now the clock of the database when the row was read, in microseconds
 * @param present whether there is a row
 * @param stored the state of the value in the row
 */
record ValueRow(long now, boolean present, ValueState stored) {

	/**
	 * Read a row.
	 * @throws BackendUnavailableException if it cannot be read
	 */
	static ValueRow read(LockConnection connection, byte[] key) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.READ_VALUE);
		statement.setBytes(1, key);
		try (ResultSet rows = statement.executeQuery()) {
			rows.next();
			String updates = rows.getString(5);
			return (updates != null) ? new ValueRow(rows.getLong(1), true, state(rows, updates))
					: new ValueRow(rows.getLong(1), false, ValueState.NONE);
		}
	}

	private static ValueState state(ResultSet rows, String updates) throws SQLException {
		Value value = value(rows, 2);
		try {
			return new ValueState(value.exists() ? value.number() : null, rows.getLong(3), rows.getLong(6),
					ValueEntry.all(updates));
		}
		catch (IllegalArgumentException ex) {
			throw new BackendUnavailableException("The updates in a row of the value table cannot be read", ex);
		}
	}

	/**
	 * Return the state of the value when the row was read.
	 */
	ValueState state() {
		return this.stored.at(this.now);
	}

	/**
	 * Return whether the row has a value whose time to live is over.
	 */
	boolean isExpired() {
		return this.stored.exists() && !state().exists();
	}

	/**
	 * Read a value from a row.
	 * @param index the index of the number, which is followed by version and format
	 * @throws BackendUnavailableException if the row has another format
	 */
	static Value value(ResultSet rows, int index) throws SQLException {
		if (rows.getInt(index + 2) != ValueDialect.FORMAT) {
			throw new BackendUnavailableException("A row of the value table cannot be read: "
					+ "it was written by a later version, or by other software", null);
		}
		long number = rows.getLong(index);
		return rows.wasNull() ? Value.ABSENT : new Value(number, rows.getLong(index + 1));
	}

}
