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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.support.Durations;

/**
 * Deletes the rows of keys that have not been locked for a long time, and those of values
 * that were deleted. It walks through each table in the order of the keys, a thousand
 * rows at a time, and releases its connection between them. No statement reads more rows
 * than that, and no index besides the primary key is needed, which each acquisition would
 * have to update.
 * <ol>
 * <li>Old rows are read first: those whose last token and ends of leases are older than
 * the retention by the clock of the database.</li>
 * <li>Those without waiting requests are deleted by one statement, which checks that they
 * are still as old. Therefore any number of processes can clean up at the same time.</li>
 * <li>A row that has entries is removed if all of them have expired and it was not
 * written since it was read. All rows are removed one by one in that way if some are
 * locked by other sessions.</li>
 * <li>The next token of the key is the clock of the database, which is larger than the
 * one that was removed with the row: by the retention, unless the clock is changed.</li>
 * <li>The row of a deleted value is removed if its last version is older than the
 * retention. The same holds for its next version.</li>
 * </ol>
 * Thread-safe.
 */
public final class JdbcLockCleanup implements AutoCloseable {

	/**
	 * Minimum time for which a row must have been unused: longer than any running
	 * statement that would insert the row again with the time of its beginning.
	 */
	public static final Duration MIN_RETENTION = Duration.ofHours(1);

	private static final int PAGE_SIZE = 1000;

	/**
	 * Value greater than every key: no text in UTF-8 contains such a byte.
	 */
	private static final byte[] MAX_KEY = { (byte) 0xFF };

	private static final Duration PAUSE = Duration.ofMillis(5);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final JdbcCalls calls;

	private final long retentionMicros;

	private volatile boolean closed;

	/**
	 * Create a clean-up. Does not talk to the database yet.
	 * @param dataSource the data source of the connections
	 * @param tableName the table, with or without its schema
	 * @param retention the time for which a row must have been unused, at least
	 * {@link #MIN_RETENTION}
	 * @throws IllegalArgumentException if the table name is invalid or the retention too
	 * short
	 */
	public JdbcLockCleanup(DataSource dataSource, String tableName, Duration retention) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		Assert.isTrue(retention.compareTo(MIN_RETENTION) >= 0,
				() -> "'retention' must be at least one hour, not " + retention);
		TableName table = new TableName(tableName);
		this.calls = new JdbcCalls(new JdbcConnections(LockConnection.opener(dataSource, table),
				ConnectionLimits.ofPool(0, 0), () -> false, () -> () -> {
				}));
		this.retentionMicros = SqlParameters.micros(retention);
	}

	/**
	 * Remove the old rows of the tables, until this cleanup is closed.
	 * @return the number of removed rows
	 * @throws BackendException if the database failed
	 */
	public long removeOldRows() {
		return walk(SqlStatement.LAST_OF_PAGE, this::removeRows)
				+ walk(SqlStatement.LAST_OF_VALUE_PAGE, this::removeValues);
	}

	private long walk(SqlStatement lastOfPage, Removal removal) {
		long removed = 0;
		byte[] last = new byte[0];
		while (last != MAX_KEY && !this.closed) {
			byte[] first = last;
			Page page = this.calls.run(TIMEOUT, (connection, mayBeDone) -> {
				byte[] end = lastOfPageAfter(connection, lastOfPage, first);
				return new Page(end, removal.remove(connection, first, end));
			});
			removed += page.removed();
			last = page.last();
			LockSupport.parkNanos(PAUSE.toNanos());
		}
		return removed;
	}

	private byte[] lastOfPageAfter(LockConnection connection, SqlStatement lastOfPage, byte[] first)
			throws SQLException {
		PreparedStatement statement = connection.prepare(lastOfPage);
		statement.setBytes(1, first);
		statement.setInt(2, PAGE_SIZE - 1);
		try (ResultSet result = statement.executeQuery()) {
			return result.next() ? result.getBytes(1) : MAX_KEY;
		}
	}

	private long removeRows(LockConnection connection, byte[] first, byte[] last) throws SQLException {
		List<byte[]> empty = new ArrayList<>();
		List<Row> others = new ArrayList<>();
		try (ResultSet rows = old(connection, SqlStatement.OLD_ROWS, first, last)) {
			while (rows.next()) {
				Row row = new Row(rows.getBytes(1), rows.getLong(2), rows.getLong(3), rows.getLong(4),
						rows.getString(5), rows.getLong(6));
				if (row.entries() == null) {
					empty.add(row.key());
				}
				else if (row.isUnused()) {
					others.add(row);
				}
			}
		}
		long removed = removeOld(connection, SqlStatement.DELETE_OLD, empty);
		for (Row row : others) {
			removed += (!this.closed && remove(connection, row)) ? 1 : 0;
		}
		return removed;
	}

	private long removeValues(LockConnection connection, byte[] first, byte[] last) throws SQLException {
		List<byte[]> keys = new ArrayList<>();
		try (ResultSet rows = old(connection, SqlStatement.OLD_VALUES, first, last)) {
			while (rows.next()) {
				keys.add(rows.getBytes(1));
			}
		}
		return removeOld(connection, SqlStatement.DELETE_OLD_VALUES, keys);
	}

	private ResultSet old(LockConnection connection, SqlStatement query, byte[] first, byte[] last)
			throws SQLException {
		PreparedStatement statement = connection.prepare(query);
		statement.setBytes(1, first);
		statement.setBytes(2, last);
		statement.setLong(3, this.retentionMicros);
		return statement.executeQuery();
	}

	/**
	 * Remove rows, except those that are locked or were changed by other sessions.
	 */
	private long removeOld(LockConnection connection, SqlStatement deletion, List<byte[]> keys) throws SQLException {
		if (keys.isEmpty() || this.closed) {
			return 0;
		}
		SqlParameters parameters = new SqlParameters(keys);
		PreparedStatement statement = connection.prepare(deletion, parameters.placeholders());
		statement.setLong(parameters.bind(statement, 1), this.retentionMicros);
		Integer together = connection.unlessContended(statement::executeUpdate);
		if (together != null) {
			return together;
		}
		long removed = 0;
		for (byte[] key : (keys.size() > 1) ? keys : List.<byte[]>of()) {
			removed += removeOld(connection, deletion, List.of(key));
		}
		return removed;
	}

	/**
	 * Remove a row, unless it is locked or was changed by another session.
	 */
	private boolean remove(LockConnection connection, Row row) throws SQLException {
		PreparedStatement statement = connection.prepare(SqlStatement.DELETE);
		statement.setBytes(1, row.key());
		statement.setLong(2, row.version());
		Integer removed = connection.unlessContended(statement::executeUpdate);
		return removed != null && removed > 0;
	}

	/**
	 * Stop a cleanup in progress, after its current statement.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.calls.close();
	}

	/**
	 * Row whose leases and token are old.
	 */
	private record Row(byte[] key, long version, long token, long sharedUntil, @Nullable String entries, long now) {

		/**
		 * Return whether no request waits for the key. Entries written by a later version
		 * count as used.
		 */
		boolean isUnused() {
			try {
				return KeyRow
					.of(this.version, Durations.ofMicros(this.now), this.token, null, this.sharedUntil, this.entries,
							List.of())
					.state()
					.isUnused();
			}
			catch (BackendException | IllegalArgumentException ex) {
				return false;
			}
		}

	}

	/**
	 * Removal of the old rows of a part of a table.
	 */
	private interface Removal {

		/**
		 * Remove the rows.
		 * @param first the key before the first one
		 * @param last the last key
		 * @return the number of removed rows
		 */
		long remove(LockConnection connection, byte[] first, byte[] last) throws SQLException;

	}

	/**
	 * Part of a table.
	 *
	 * @param last its last key
	 * @param removed the number of removed rows
	 */
	private record Page(byte[] last, long removed) {
	}

}
