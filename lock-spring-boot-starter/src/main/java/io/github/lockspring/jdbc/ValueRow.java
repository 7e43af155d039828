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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.jdbc.dialect.ValueEntry;
import io.github.lockspring.jdbc.dialect.ValueSql;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Row of a value as it was read, without a lock.
 *
 * @param now the clock of the database when the row was read, in microseconds
 * @param present whether there is a row
 * @param value the value
 * @param updates the last updates of processes
 */
record ValueRow(long now, boolean present, Value value, String updates) {

	static ValueRow read(LockConnection connection, byte[] key) throws SQLException {
		PreparedStatement statement = connection.prepare(connection.valueSql().readOne());
		statement.setBytes(1, key);
		try (ResultSet rows = statement.executeQuery()) {
			rows.next();
			String updates = rows.getString(5);
			return (updates != null) ? new ValueRow(rows.getLong(1), true, value(rows, 2), updates)
					: new ValueRow(rows.getLong(1), false, Value.ABSENT, "");
		}
	}

	/**
	 * Read a value from a row.
	 * @param index the index of the number, which is followed by version and format
	 * @throws BackendUnavailableException if the row has another format
	 */
	static Value value(ResultSet rows, int index) throws SQLException {
		if (!ValueSql.isKnown(rows.getInt(index + 2))) {
			throw new BackendUnavailableException("A row of the value table cannot be read: "
					+ "it was written by a later version, or by other software", null);
		}
		long number = rows.getLong(index);
		return rows.wasNull() ? Value.ABSENT : new Value(number, rows.getLong(index + 1));
	}

	/**
	 * Return the answer to an update if, according to this row, it was applied, or that
	 * it is not to be applied.
	 * @param repeated whether an earlier attempt may have been applied
	 * @return the result, or {@code null} if the update is to be applied
	 * @throws OutcomeUnknownException if it is unknown whether the update was applied
	 */
	@Nullable ValueUpdateResult answer(ValueUpdate update, ValueTerms terms, boolean repeated) {
		ValueEntry last = lastOf(update.id().instance());
		long sequence = update.id().sequence();
		if (last != null && last.sequence() == sequence) {
			return terms.applied(before(last), last.version());
		}
		if (last == null && repeated && ValueEntry.areFull(this.updates)) {
			throw new OutcomeUnknownException("Unknown whether a repeated update of '" + update.key()
					+ "' was applied: the store no longer has a record of it", null);
		}
		boolean late = last != null && last.sequence() > sequence;
		return (late || !terms.areMetBy(this.value)) ? new ValueUpdateResult(this.value, this.value) : null;
	}

	/**
	 * Return the value before an update.
	 */
	static Value before(ValueEntry entry) {
		return new Value(entry.numberBefore(), entry.versionBefore());
	}

	private @Nullable ValueEntry lastOf(String instance) {
		try {
			return ValueEntry.find(this.updates, instance);
		}
		catch (IllegalArgumentException ex) {
			throw new BackendUnavailableException("The updates in a row of the value table cannot be read", ex);
		}
	}

}
