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

package io.github.lockspring.fencing;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockSuspendedException;

/**
 * Updates of a SQL database that are protected against late writes of former lock
 * holders. A lease expires without the knowledge of its holder, and a holder that was
 * paused at the wrong moment writes after its successor has. The row stores the greatest
 * fencing token under which it was written and rejects smaller ones, in the same
 * statement as the write:
 *
 * <pre>{@code
 * UPDATE account SET balance = :balance, fence = :fence
 * WHERE id = :id AND fence <= :fence
 * }</pre>
 *
 * The column {@code fence} is a {@code BIGINT NOT NULL}, with 0 for rows that have not
 * been written under a lock yet. {@code <=} allows one holder to write more than once.
 * <p>
 * Limitations:
 * <ul>
 * <li>Writes of a former holder are not rejected before the first write of its successor
 * to the row: until then the row does not contain the token of the successor.</li>
 * <li>Reads are not protected. A successor whose decision depends on a row must read it
 * in the transaction that writes it; otherwise it may act on a value that its predecessor
 * is about to change.</li>
 * <li>Rows are protected individually. Address a single row in each update: an update of
 * several rows is rejected only if every one of them rejects it.</li>
 * <li>Statements that bypass this class are not detected.</li>
 * <li>Tokens are counted per key and per lock store. All writers of a row must hold the
 * same key, exclusively, because the older of two readers would be rejected; and if the
 * locks are moved to another backend, or their store is restored to an earlier state, its
 * tokens must be greater than those in the rows.</li>
 * </ul>
 * <p>
 * Participates in the transaction of the calling thread, if any. Thread-safe.
 */
public final class FencedUpdates {

	private final NamedParameterJdbcOperations jdbc;

	/**
	 * Create an instance.
	 * @param jdbc the operations used to run the updates
	 */
	public FencedUpdates(NamedParameterJdbcOperations jdbc) {
		Assert.notNull(jdbc, "'jdbc' must not be null");
		this.jdbc = jdbc;
	}

	/**
	 * Create an instance.
	 * @param jdbc the operations used to run the updates
	 */
	public FencedUpdates(JdbcOperations jdbc) {
		this(new NamedParameterJdbcTemplate(jdbc));
	}

	/**
	 * Update a row, unless it has been updated under a later acquisition of the lock.
	 * @param lock the lock under which to write
	 * @param sql an {@code UPDATE} statement in the form shown in the class description,
	 * with named parameters
	 * @param parameters the values of the named parameters other than {@code :fence}
	 * @return the number of rows updated, 1 or more
	 * @throws IllegalArgumentException if the statement does not set and compare
	 * {@code :fence}; no statement has been sent then
	 * @throws LockLostException if the lease is known to be lost; no statement has been
	 * sent then
	 * @throws LockSuspendedException while it is unknown whether the lock is still held;
	 * no statement has been sent then
	 * @throws StaleLockException if no row was updated
	 * @throws IllegalStateException if the handle is closed, or represents several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend of the lock does not support
	 * fencing tokens
	 * @throws DataAccessException if the database is unavailable or rejects the statement
	 */
	public int update(LockHandle lock, String sql, Map<String, ? extends @Nullable Object> parameters) {
		return update(lock, sql, new MapSqlParameterSource(parameters));
	}

	/**
	 * Update a row, unless it has been updated under a later acquisition of the lock.
	 * @param lock the lock under which to write
	 * @param sql an {@code UPDATE} statement in the form shown in the class description,
	 * with named parameters
	 * @param parameters the values of the named parameters; a value for {@code :fence},
	 * such as a bean property of that name, is ignored
	 * @return the number of rows updated, 1 or more
	 * @throws IllegalArgumentException if the statement does not set and compare
	 * {@code :fence}; no statement has been sent then
	 * @throws LockLostException if the lease is known to be lost; no statement has been
	 * sent then
	 * @throws LockSuspendedException while it is unknown whether the lock is still held;
	 * no statement has been sent then
	 * @throws StaleLockException if no row was updated
	 * @throws IllegalStateException if the handle is closed, or represents several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend of the lock does not support
	 * fencing tokens
	 * @throws DataAccessException if the database is unavailable or rejects the statement
	 */
	public int update(LockHandle lock, String sql, SqlParameterSource parameters) {
		FencedSql.check(sql);
		long token = lock.fencingToken();
		int rows = this.jdbc.update(sql, new FencedParameters(parameters, token));
		if (rows == 0) {
			throw new StaleLockException(lock.storeKey(), token);
		}
		return rows;
	}

	/**
	 * Parameter values of the caller, and the token.
	 */
	private record FencedParameters(SqlParameterSource parameters, long token) implements SqlParameterSource {

		@Override
		public boolean hasValue(String name) {
			return isFence(name) || this.parameters.hasValue(name);
		}

		@Override
		public @Nullable Object getValue(String name) {
			return isFence(name) ? (Object) this.token : this.parameters.getValue(name);
		}

		@Override
		public int getSqlType(String name) {
			return isFence(name) ? TYPE_UNKNOWN : this.parameters.getSqlType(name);
		}

		@Override
		public @Nullable String getTypeName(String name) {
			return isFence(name) ? null : this.parameters.getTypeName(name);
		}

		private static boolean isFence(String name) {
			return FencedSql.FENCE.equals(name);
		}

	}

}
