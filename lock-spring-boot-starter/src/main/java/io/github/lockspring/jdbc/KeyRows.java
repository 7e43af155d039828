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
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.support.Durations;

/**
 * Reads rows of the table without a lock, and writes them back only if they were not
 * changed meanwhile (optimistic locking).
 */
final class KeyRows {

	/**
	 * Ends the name of the process whose lease is recallable. It is no character of
	 * names.
	 */
	static final String RECALLABLE = "!";

	/**
	 * Maximum length of the entries in every database.
	 */
	private static final int MAX_LINES_LENGTH = 1_000_000;

	private KeyRows() {
	}

	static Map<String, KeyRow> read(LockConnection connection, Collection<String> keys) throws SQLException {
		return read(connection, keys, KeyRows::row);
	}

	/**
	 * Read rows, except those that were written by a later version.
	 */
	static Map<String, KeyRow> readKnown(LockConnection connection, Collection<String> keys) throws SQLException {
		return read(connection, keys, KeyRows::knownRow);
	}

	private static Map<String, KeyRow> read(LockConnection connection, Collection<String> keys, RowReader reader)
			throws SQLException {
		Map<String, KeyRow> read = new HashMap<>();
		connection.query(SqlStatement.READ, keys, (rows) -> {
			Instant now = Durations.ofMicros(rows.getLong(1));
			if (read.isEmpty()) {
				keys.forEach((key) -> read.put(key, KeyRow.absent(now)));
			}
			byte[] key = rows.getBytes(2);
			if (key != null) {
				KeyRow row = reader.read(rows, now);
				read.compute(new String(key, StandardCharsets.UTF_8), (name, absent) -> row);
			}
		});
		return read;
	}

	private static @Nullable KeyRow knownRow(ResultSet rows, Instant now) throws SQLException {
		try {
			return row(rows, now);
		}
		catch (BackendUnavailableException ex) {
			return null;
		}
	}

	private static KeyRow row(ResultSet rows, Instant now) throws SQLException {
		long token = rows.getLong(5);
		String owner = rows.getString(4);
		KeyEntry exclusive = (owner != null)
				? exclusive(owner, token, Durations.ofMicros(rows.getLong(6)), rows.getString(7)) : null;
		String waiting = rows.getString(11);
		return KeyRow
			.of(rows.getLong(3), now, token, exclusive, rows.getLong(8), rows.getString(9),
					(waiting != null) ? List.of(waiting.split(" ")) : List.of())
			.awaited(rows.getBoolean(10));
	}

	private static KeyEntry exclusive(String owner, long token, Instant end, @Nullable String process) {
		if (process == null) {
			return KeyEntry.reservation(owner, end);
		}
		boolean recallable = process.endsWith(RECALLABLE);
		String name = recallable ? process.substring(0, process.length() - RECALLABLE.length()) : process;
		return new KeyEntry(owner, LeaseMode.EXCLUSIVE, false, token, end, name, recallable);
	}

	/**
	 * Write the row of a key.
	 * @param change the statement for the kind of the change
	 * @return the new version of the row
	 * @throws RowChangedException if the row has been changed since it was read
	 */
	static long write(LockConnection connection, String key, KeyRow row, SqlStatement change) throws SQLException {
		return (row.version() == KeyRow.ABSENT) ? insert(connection, key, row) : update(connection, key, row, change);
	}

	/**
	 * Write rows in one batch and one transaction.
	 * @return the keys whose rows have been changed since they were read, as far as the
	 * driver returns it
	 */
	static Set<String> update(LockConnection connection, Map<String, KeyRow> rows) throws SQLException {
		if (rows.size() > 1) {
			return Objects.requireNonNull(connection.inTransaction(() -> updateInBatch(connection, rows)));
		}
		Set<String> changed = new HashSet<>();
		for (Map.Entry<String, KeyRow> entry : rows.entrySet()) {
			if (prepareUpdate(connection, SqlStatement.WRITE, entry.getKey(), entry.getValue()).executeUpdate() == 0) {
				changed.add(entry.getKey());
			}
		}
		return changed;
	}

	private static Set<String> updateInBatch(LockConnection connection, Map<String, KeyRow> rows) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.WRITE);
		try {
			for (Map.Entry<String, KeyRow> entry : rows.entrySet()) {
				prepareUpdate(connection, SqlStatement.WRITE, entry.getKey(), entry.getValue()).addBatch();
			}
			int[] counts = statement.executeBatch();
			Set<String> changed = new HashSet<>();
			int i = 0;
			for (String key : rows.keySet()) {
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

	private static PreparedStatement prepareUpdate(LockConnection connection, SqlStatement change, String key,
			KeyRow row) throws SQLException {
		PreparedStatement statement = connection.prepare(change);
		KeyEntry exclusive = row.state().exclusive();
		statement.setString(1, owner(exclusive));
		statement.setLong(2, end(exclusive));
		if (exclusive != null) {
			statement.setLong(3, end(exclusive) - Durations.micros(row.state().now()));
		}
		else {
			statement.setNull(3, Types.BIGINT);
		}
		bind(statement, 4, key, row, row.version());
		return statement;
	}

	/**
	 * Leave a mark in the row of a key, so that its release sends a notification.
	 * @throws RowChangedException if the row has been changed since it was read
	 */
	static void mark(LockConnection connection, String key, KeyRow row) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.MARK);
		statement.setBytes(1, SqlParameters.bytes(key));
		statement.setLong(2, row.version());
		requireWritten(statement.executeUpdate(), row.version());
	}

	/**
	 * Leave marks in the rows of several keys, except rows that are locked by other
	 * sessions.
	 * @return the versions of the rows that have a mark now
	 */
	static Map<String, Long> mark(LockConnection connection, Collection<String> keys) throws SQLException {
		Map<String, Long> versions = new HashMap<>();
		connection.query(SqlStatement.MARK_ALL, keys,
				(rows) -> versions.put(new String(rows.getBytes(1), StandardCharsets.UTF_8), rows.getLong(2)));
		return versions;
	}

	/**
	 * Return the keys whose leases are recallable.
	 */
	static Set<String> recallable(Map<String, KeyRow> rows, Stream<String> keys) {
		return keys.filter((key) -> KeyRow.of(key, rows).isRecallable()).collect(Collectors.toSet());
	}

	/**
	 * Recall the leases of keys that were recallable when their rows were read.
	 * @return whether there is any that still is
	 */
	static boolean recall(LockConnection connection, Set<String> recallable) throws SQLException {
		return !recallable.isEmpty() && connection.query(SqlStatement.RECALL, recallable, (row) -> {
		}) > 0;
	}

	private static long insert(LockConnection connection, String key, KeyRow row) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.INSERT);
		long now = Durations.micros(row.state().now());
		statement.setLong(1, end(row.state().exclusive()));
		bind(statement, 2, key, row, now);
		return requireWritten(statement.executeUpdate(), now);
	}

	private static long update(LockConnection connection, String key, KeyRow row, SqlStatement change)
			throws SQLException {
		PreparedStatement statement = prepareUpdate(connection, change, key, row);
		int rows = (change == SqlStatement.WRITE) ? statement.executeUpdate()
				: connection.dialect().updateAndNotify(statement).rows();
		return requireWritten(rows, row.version() + 1);
	}

	private static long requireWritten(int rows, long version) throws RowChangedException {
		if (rows == 0) {
			throw new RowChangedException();
		}
		return version;
	}

	private static void bind(PreparedStatement statement, int index, String key, KeyRow row, long version)
			throws SQLException {
		KeyState state = row.state();
		KeyEntry exclusive = state.exclusive();
		statement.setString(index, owner(exclusive));
		statement.setLong(index + 1, state.token());
		statement.setString(index + 2, holder(exclusive));
		statement.setLong(index + 3, row.sharedUntil());
		statement.setString(index + 4, lines(row));
		statement.setString(index + 5, waiting(state));
		statement.setBytes(index + 6, SqlParameters.bytes(key));
		statement.setLong(index + 7, version);
	}

	private static @Nullable String lines(KeyRow row) {
		String lines = row.toLines();
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
		return (exclusive != null) ? Durations.micros(exclusive.end()) : 0;
	}

	private static @Nullable String holder(@Nullable KeyEntry exclusive) {
		return (exclusive == null || exclusive.isReservation()) ? null
				: exclusive.recallable() ? exclusive.process() + RECALLABLE : exclusive.process();
	}

	private static @Nullable String owner(@Nullable KeyEntry exclusive) {
		return (exclusive != null) ? exclusive.owner() : null;
	}

	private interface RowReader {

		@Nullable KeyRow read(ResultSet row, Instant now) throws SQLException;

	}

}
