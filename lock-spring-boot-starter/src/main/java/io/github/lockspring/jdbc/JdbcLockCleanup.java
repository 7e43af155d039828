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

import io.github.lockspring.spi.BackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Removes the rows of keys that nobody has locked for long. It walks through the table in
 * the order of the keys, a hundred rows at a time, and gives its connection back between
 * them.
 * <ol>
 * <li>A row is read first. It is removed if nobody holds the key or waits for it, and if
 * its last token and the ends of its leases are older than the retention by the clock of
 * the database.</li>
 * <li>It is removed only if nobody has written it since it was read. So any number of
 * processes may clean up at once.</li>
 * <li>The next token of the key is the clock of the database, which is larger than the
 * one that is gone with the row: by the retention, if nobody sets the clock.</li>
 * </ol>
 * Safe for use by many threads at once.
 */
public final class JdbcLockCleanup implements AutoCloseable {

	/**
	 * The least that a row must have been unused: longer than any statement can be under
	 * way that would insert it again with the time of its beginning.
	 */
	public static final Duration MIN_RETENTION = Duration.ofHours(1);

	private static final int BATCH_SIZE = 100;

	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final String OLD_ROWS = """
			SELECT lock_key, version, token, shared_until, entries, now_micros
			FROM (SELECT @@now@@ AS now_micros) AS present, @@table@@
			WHERE lock_key > ? AND token <= now_micros - ? AND expires_at <= now_micros - ?
			  AND shared_until <= now_micros - ?
			ORDER BY lock_key
			LIMIT %d
			""".formatted(BATCH_SIZE);

	private final JdbcCalls calls;

	private final TableName table;

	private final long retentionMicros;

	private volatile boolean closed;

	/**
	 * Creates a clean-up. Does not talk to the database yet.
	 * @param dataSource where connections come from
	 * @param tableName the table, with or without its schema
	 * @param retention how long a row must have been unused, {@link #MIN_RETENTION} at
	 * least
	 * @throws IllegalArgumentException if the table name is none or the retention too
	 * short
	 */
	public JdbcLockCleanup(DataSource dataSource, String tableName, Duration retention) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		Assert.isTrue(retention.compareTo(MIN_RETENTION) >= 0,
				() -> "Rows must stay for an hour at least, not for " + retention);
		this.table = new TableName(tableName);
		this.calls = new JdbcCalls(new JdbcConnections(() -> LockConnection.open(dataSource, this.table), 0));
		this.retentionMicros = LeaseTable.micros(retention);
	}

	/**
	 * Walks through the table once, or until this clean-up is closed.
	 * @return the number of rows that are gone
	 * @throws BackendException if the database failed
	 */
	public long removeOldRows() {
		Progress progress = new Progress(new byte[0], 0);
		byte[] last = progress.last();
		while (last != null && !this.closed) {
			long removed = progress.removed();
			progress = this.calls.run(TIMEOUT, batchAfter(last, removed));
			last = progress.last();
			LockSupport.parkNanos(PAUSE.toNanos());
		}
		return progress.removed();
	}

	private JdbcCalls.Call<Progress> batchAfter(byte[] last, long removed) {
		return (connection, mayBeDone) -> {
			List<Row> rows = read(connection, last);
			long count = removed;
			for (Row row : rows) {
				count += (!this.closed && row.isUnused() && remove(connection, row)) ? 1 : 0;
			}
			return new Progress((rows.size() == BATCH_SIZE) ? rows.get(BATCH_SIZE - 1).key() : null, count);
		};
	}

	private List<Row> read(LockConnection connection, byte[] last) throws SQLException {
		PreparedStatement statement = connection.prepare(connection.dialect().complete(OLD_ROWS, this.table, 0));
		statement.setBytes(1, last);
		statement.setLong(2, this.retentionMicros);
		statement.setLong(3, this.retentionMicros);
		statement.setLong(4, this.retentionMicros);
		List<Row> rows = new ArrayList<>();
		try (ResultSet result = statement.executeQuery()) {
			while (result.next()) {
				rows.add(new Row(result.getBytes(1), result.getLong(2), result.getLong(3), result.getLong(4),
						result.getString(5), result.getLong(6)));
			}
		}
		return rows;
	}

	/**
	 * Leaves a row alone that another session works on.
	 */
	private boolean remove(LockConnection connection, Row row) throws SQLException {
		PreparedStatement statement = connection
			.prepare(connection.dialect().complete(connection.dialect().delete(), this.table, 0));
		statement.setBytes(1, row.key());
		statement.setLong(2, row.version());
		try {
			return statement.executeUpdate() > 0;
		}
		catch (SQLException ex) {
			if (connection.dialect().isContended(ex)) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * Ends a walk that is under way, after the row that it is at.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.calls.close();
	}

	/**
	 * A row whose leases and token are old.
	 */
	private record Row(byte[] key, long version, long token, long sharedUntil, @Nullable String entries, long now) {

		/**
		 * Whether nobody waits for the key either. What a later version has written is
		 * left to that.
		 */
		boolean isUnused() {
			try {
				KeyState state = KeyState.of(this.version, this.now, this.token, null, this.sharedUntil, this.entries);
				return state.holders().isEmpty() && state.places().isEmpty();
			}
			catch (BackendException | IllegalArgumentException ex) {
				return false;
			}
		}

	}

	/**
	 * How far a walk has come.
	 *
	 * @param last the last key that was read, or {@code null} if there are no more
	 * @param removed the number of rows that are gone
	 */
	private record Progress(byte @Nullable [] last, long removed) {
	}

}
