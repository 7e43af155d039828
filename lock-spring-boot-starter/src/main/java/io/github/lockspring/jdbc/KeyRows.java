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
import java.sql.Types;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;

/**
 * Rows of the table as {@linkplain KeyState states} of their keys: read without a lock,
 * and written back only if they were not changed meanwhile (optimistic locking).
 */
final class KeyRows {

	/**
	 * Maximum length of the entries in every database.
	 */
	private static final int MAX_LINES_LENGTH = 1_000_000;

	private KeyRows() {
	}

	static Map<String, KeyState> read(LockConnection connection, Collection<String> keys) throws SQLException {
		return read(connection, keys, KeyRows::state);
	}

	/**
	 * Read rows, except those that were written by a later version.
	 */
	static Map<String, KeyState> readKnown(LockConnection connection, Collection<String> keys) throws SQLException {
		return read(connection, keys, KeyRows::knownState);
	}

	private static Map<String, KeyState> read(LockConnection connection, Collection<String> keys, RowReader reader)
			throws SQLException {
		SqlParameters parameters = SqlParameters.ofKeys(keys);
		PreparedStatement statement = connection.prepare(connection.sql().read(parameters.placeholders()));
		parameters.bind(statement, 1);
		Map<String, KeyState> states = new HashMap<>();
		try (ResultSet rows = statement.executeQuery()) {
			boolean first = true;
			while (rows.next()) {
				long now = rows.getLong(1);
				if (first) {
					keys.forEach((key) -> states.put(key, KeyState.absent(now)));
					first = false;
				}
				byte[] key = rows.getBytes(2);
				if (key != null) {
					put(states, new String(key, StandardCharsets.UTF_8), reader.read(rows, now));
				}
			}
		}
		return states;
	}

	private static void put(Map<String, KeyState> states, String key, @Nullable KeyState state) {
		if (state != null) {
			states.put(key, state);
		}
		else {
			states.remove(key);
		}
	}

	private static @Nullable KeyState knownState(ResultSet rows, long now) throws SQLException {
		try {
			return state(rows, now);
		}
		catch (BackendUnavailableException ex) {
			return null;
		}
	}

	private static KeyState state(ResultSet rows, long now) throws SQLException {
		long token = rows.getLong(5);
		String owner = rows.getString(4);
		KeyEntry exclusive = (owner != null) ? exclusive(owner, token, rows.getLong(6), rows.getString(7)) : null;
		boolean expiredReservation = exclusive != null && exclusive.isReservation() && exclusive.end() <= now;
		return KeyState.of(rows.getLong(3), now, token, exclusive, rows.getLong(8), rows.getString(9))
			.waiting(expiredReservation ? List.of() : waiting(rows.getString(11)))
			.awaited(rows.getBoolean(10));
	}

	private static KeyEntry exclusive(String owner, long token, long end, @Nullable String holder) {
		return (holder != null) ? new KeyEntry(owner, LeaseMode.EXCLUSIVE, false, token, end, holder)
				: KeyEntry.reservation(owner, end);
	}

	/**
	 * Parse the waiting owners. They are discarded when a reservation has expired: their
	 * processes may have ended as well, and requests that still wait are entered again.
	 */
	private static List<String> waiting(@Nullable String owners) {
		return (owners != null) ? List.of(owners.split(" ")) : List.of();
	}

	/**
	 * Write the state of a key.
	 * @param notifying whether waiting requests of the key are notified, if the database
	 * supports that
	 * @return the new version of the row
	 * @throws RowChangedException if the row has been changed since it was read
	 */
	static long write(LockConnection connection, String key, KeyState state, boolean notifying) throws SQLException {
		return (state.version() == KeyState.ABSENT) ? insert(connection, key, state)
				: update(connection, key, state, notifying);
	}

	/**
	 * Write the states of rows in one batch and one transaction.
	 * @return the keys whose rows have been changed since they were read, as far as the
	 * driver returns it
	 */
	static Set<String> update(LockConnection connection, Map<String, KeyState> states) throws SQLException {
		if (states.size() > 1) {
			return Objects.requireNonNull(connection.inTransaction(() -> updateInBatch(connection, states)));
		}
		Set<String> changed = new HashSet<>();
		for (Map.Entry<String, KeyState> entry : states.entrySet()) {
			if (bindUpdate(connection, entry.getKey(), entry.getValue()).executeUpdate() == 0) {
				changed.add(entry.getKey());
			}
		}
		return changed;
	}

	private static Set<String> updateInBatch(LockConnection connection, Map<String, KeyState> states)
			throws SQLException {
		PreparedStatement statement = connection.prepare(connection.sql().write());
		try {
			for (Map.Entry<String, KeyState> entry : states.entrySet()) {
				bindUpdate(connection, entry.getKey(), entry.getValue()).addBatch();
			}
			int[] counts = statement.executeBatch();
			Set<String> changed = new HashSet<>();
			int i = 0;
			for (String key : states.keySet()) {
				if (counts[i++] <= 0) {
					changed.add(key);
				}
			}
			return changed;
		}
		finally {
			statement.clearBatch();
		}
	}

	private static PreparedStatement bindUpdate(LockConnection connection, String key, KeyState state)
			throws SQLException {
		PreparedStatement statement = connection.prepare(connection.sql().write());
		bindUpdate(statement, key, state);
		return statement;
	}

	private static void bindUpdate(PreparedStatement statement, String key, KeyState state) throws SQLException {
		KeyEntry exclusive = state.exclusive();
		statement.setString(1, owner(exclusive));
		statement.setLong(2, end(exclusive));
		if (exclusive != null) {
			statement.setLong(3, exclusive.end() - state.now());
		}
		else {
			statement.setNull(3, Types.BIGINT);
		}
		bind(statement, 4, key, state, state.version());
	}

	/**
	 * Leave a mark in the row of a key, so that its release sends a notification.
	 * @throws RowChangedException if the row has been changed since it was read
	 */
	static void mark(LockConnection connection, String sql, String key, KeyState state) throws SQLException {
		PreparedStatement statement = connection.prepare(sql);
		statement.setBytes(1, SqlParameters.bytes(key));
		statement.setLong(2, state.version());
		if (statement.executeUpdate() == 0) {
			throw new RowChangedException();
		}
	}

	/**
	 * Leave marks in the rows of several keys, except rows that are locked by other
	 * sessions.
	 * @return the versions of the rows that have a mark now
	 */
	static Map<String, Long> mark(LockConnection connection, Collection<String> keys) throws SQLException {
		SqlParameters parameters = SqlParameters.ofKeys(keys);
		PreparedStatement statement = connection.prepare(connection.sql().markAll(parameters.placeholders()));
		parameters.bind(statement, 1);
		Map<String, Long> versions = new HashMap<>();
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				versions.put(new String(rows.getBytes(1), StandardCharsets.UTF_8), rows.getLong(2));
			}
		}
		return versions;
	}

	private static long insert(LockConnection connection, String key, KeyState state) throws SQLException {
		PreparedStatement statement = connection.prepare(connection.sql().insert());
		statement.setLong(1, end(state.exclusive()));
		bind(statement, 2, key, state, state.now());
		return requireWritten(statement.executeUpdate(), state.now());
	}

	private static long update(LockConnection connection, String key, KeyState state, boolean notifying)
			throws SQLException {
		PreparedStatement statement = connection
			.prepare(notifying ? connection.sql().writeAndNotify() : connection.sql().write());
		bindUpdate(statement, key, state);
		int rows = notifying ? connection.dialect().updateAndNotify(statement) : statement.executeUpdate();
		return requireWritten(rows, state.version() + 1);
	}

	private static long requireWritten(int rows, long version) throws RowChangedException {
		if (rows == 0) {
			throw new RowChangedException();
		}
		return version;
	}

	private static void bind(PreparedStatement statement, int index, String key, KeyState state, long version)
			throws SQLException {
		KeyEntry exclusive = state.exclusive();
		statement.setString(index, owner(exclusive));
		statement.setLong(index + 1, state.token());
		statement.setString(index + 2, (exclusive != null && !exclusive.isReservation()) ? exclusive.holder() : null);
		statement.setLong(index + 3, state.sharedUntil());
		statement.setString(index + 4, lines(state));
		statement.setString(index + 5, waiting(state));
		statement.setBytes(index + 6, SqlParameters.bytes(key));
		statement.setLong(index + 7, version);
	}

	private static @Nullable String lines(KeyState state) {
		String lines = state.toLines();
		if (lines != null && lines.length() > MAX_LINES_LENGTH) {
			throw new BackendUnavailableException("The row of the key in the lock table has no room for more holders",
					null);
		}
		return lines;
	}

	private static @Nullable String waiting(KeyState state) {
		return state.waiting().isEmpty() ? null : String.join(" ", state.waiting()) + ' ';
	}

	private static long end(@Nullable KeyEntry exclusive) {
		return (exclusive != null) ? exclusive.end() : 0;
	}

	private static @Nullable String owner(@Nullable KeyEntry exclusive) {
		return (exclusive != null) ? exclusive.owner() : null;
	}

	private interface RowReader {

		@Nullable KeyState read(ResultSet row, long now) throws SQLException;

	}

}
