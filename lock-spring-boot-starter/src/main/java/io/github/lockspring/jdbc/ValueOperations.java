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

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.spi.state.AppliedUpdate;
import io.github.lockspring.spi.state.ValueState;

/**
 * Operations on values, on a given connection.
 * <ol>
 * <li>One statement changes the row of a value if the condition of the change is met and
 * the update is newer than the last one of its process, and adds the update to those
 * recorded in the row.</li>
 * <li>If no row was changed, the row is read, and {@link ValueState} determines the
 * reason: the update was applied before, is late, or its condition is not met.</li>
 * <li>If the time to live of the value is over, the value is deleted in its row.</li>
 * <li>If there is no row, it is inserted. If the row was changed meanwhile, the operation
 * is repeated: another session has made progress.</li>
 * <li>An update that may have been applied by an earlier attempt begins with reading the
 * row.</li>
 * </ol>
 */
final class ValueOperations {

	/**
	 * Value that no row contains.
	 */
	private static final Value UNKNOWN = new Value(0, -1);

	private final LockConnection connection;

	private final ValueDialect dialect;

	ValueOperations(LockConnection connection) {
		this.connection = connection;
		this.dialect = connection.dialect().values();
	}

	/**
	 * Update a value.
	 * @param expected the value that the row is likely to have, if one is known
	 * @throws RowChangedException if the row was changed by others meanwhile
	 */
	ValueUpdateResult update(ValueUpdate update, @Nullable Value expected) throws SQLException {
		byte[] key = SqlParameters.bytes(update.key());
		ValueUpdateResult former = update.repeated() ? ValueRow.read(this.connection, key).state().answer(update)
				: null;
		if (former != null) {
			return former;
		}
		PreparedStatement statement = this.connection.prepare(SqlStatement.UPDATE_VALUE);
		bind(statement, key, update, expected);
		ValueDialect.UpdatedRow row = this.dialect.update(statement);
		if (row == null) {
			return explain(key, update);
		}
		if (row.entry() != null) {
			return ValueEntry.first(row.entry()).result(update.change());
		}
		return (expected != null && row.version() != 0)
				? new AppliedUpdate(update.id(), expected, row.version()).result(update.change())
				: readResult(key, update);
	}

	private void bind(PreparedStatement statement, byte[] key, ValueUpdate update, @Nullable Value expected)
			throws SQLException {
		OwnerId id = update.id();
		int index = 1;
		statement.setString(index++, ValueEntry.beginning(id));
		statement.setString(index++, id.instance());
		if (this.dialect.isValueCompared()) {
			Value value = (expected != null && expected.exists()) ? expected : UNKNOWN;
			statement.setLong(index++, value.number());
			statement.setLong(index++, value.version());
		}
		ValueTerms terms = ValueTerms.of(update.change());
		statement.setLong(index++, terms.minKept());
		index = bindExpiry(statement, index, update.change());
		index = terms.bind(statement, index, key);
		statement.setString(index++, id.instance());
		statement.setString(index, ValueEntry.sequence(id.sequence()));
	}

	/**
	 * Bind the end of the time to live, which only some changes do not keep.
	 */
	private static int bindExpiry(PreparedStatement statement, int index, ValueChange change) throws SQLException {
		long millis = (change instanceof ValueChange.Expire expire) ? expire.millis() : 0;
		boolean kept = !(change instanceof ValueChange.Expire || change instanceof ValueChange.Delete);
		statement.setLong(index, kept ? 1 : 0);
		statement.setLong(index + 1, (millis != 0) ? 1 : 0);
		statement.setLong(index + 2, TimeUnit.MILLISECONDS.toMicros(millis));
		return index + 3;
	}

	/**
	 * Read the result of an update that was just applied.
	 */
	private ValueUpdateResult readResult(byte[] key, ValueUpdate update) throws SQLException {
		try {
			ValueUpdateResult result = ValueRow.read(this.connection, key).state().answer(update.again());
			if (result != null && result.applied()) {
				return result;
			}
		}
		catch (SQLException ex) {
			if (!this.connection.dialect().isRejected(ex)) {
				throw ex;
			}
			throw new OutcomeUnknownException("The result of an update could not be read", ex);
		}
		throw new OutcomeUnknownException("The row of a value was removed right after an update", null);
	}

	/**
	 * Return the reason why no row was changed, or insert the row, or delete the value in
	 * it whose time to live is over.
	 */
	private ValueUpdateResult explain(byte[] key, ValueUpdate update) throws SQLException {
		ValueRow row = ValueRow.read(this.connection, key);
		ValueUpdateResult result = row.state().answer(update);
		if (result != null) {
			return result;
		}
		if (row.isExpired()) {
			end(key, row.state().version());
		}
		ValueState next = row.state().next(update, row.now(), row.now());
		if (row.present() || !insert(key, next)) {
			throw new RowChangedException();
		}
		return next.resultOf(update);
	}

	private void end(byte[] key, long version) throws SQLException {
		PreparedStatement statement = this.connection.prepare(SqlStatement.END_VALUE);
		statement.setBytes(1, key);
		statement.setLong(2, version);
		statement.executeUpdate();
	}

	private boolean insert(byte[] key, ValueState state) throws SQLException {
		PreparedStatement statement = this.connection.prepare(SqlStatement.INSERT_VALUE);
		statement.setBytes(1, key);
		statement.setLong(2, state.value().number());
		statement.setLong(3, state.version());
		statement.setString(4, ValueEntry.of(state.updates().get(0)));
		return statement.executeUpdate() > 0;
	}

	/**
	 * Read values.
	 * @param watch whether changes are to be notified, if the database supports that
	 * @throws BackendUnavailableException if a row cannot be read
	 */
	Map<String, Value> read(Collection<String> keys, boolean watch) throws SQLException {
		Map<String, Value> values = new HashMap<>();
		List<String> all = keys.stream().distinct().toList();
		for (int i = 0; i < all.size(); i += SqlParameters.MAX_KEYS) {
			List<String> some = all.subList(i, Math.min(i + SqlParameters.MAX_KEYS, all.size()));
			List<String> unwatched = read(some, values);
			if (watch && !unwatched.isEmpty() && this.connection.dialect().has(SqlStatement.WATCH_VALUES)) {
				unwatched.forEach(values::remove);
				this.connection.query(SqlStatement.WATCH_VALUES, unwatched, (row) -> put(values, key(row), row));
			}
		}
		return values;
	}

	/**
	 * Read values.
	 * @return the keys whose changes may not be notified
	 */
	private List<String> read(List<String> keys, Map<String, Value> values) throws SQLException {
		List<String> unwatched = new ArrayList<>(keys);
		this.connection.query(SqlStatement.READ_VALUES, keys, (row) -> {
			put(values, key(row), row);
			if (row.getBoolean(5)) {
				unwatched.remove(key(row));
			}
		});
		return unwatched;
	}

	private static String key(ResultSet row) throws SQLException {
		return new String(row.getBytes(1), StandardCharsets.UTF_8);
	}

	private static void put(Map<String, Value> values, String key, ResultSet row) throws SQLException {
		Value value = ValueRow.value(row, 2);
		if (value.exists()) {
			values.put(key, value);
		}
	}

}
