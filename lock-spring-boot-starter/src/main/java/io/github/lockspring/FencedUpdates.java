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

package io.github.lockspring;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.util.Assert;

/**
 * Writes to a SQL database that a former holder of the lock cannot undo. A lease ends
 * without asking its holder, and one that was paused at the wrong moment writes after its
 * successor has. The row keeps the largest fencing token that has written to it and
 * refuses smaller ones, in the same statement as the write:
 *
 * <pre>{@code
 * UPDATE account SET balance = :balance, fence = :fence
 * WHERE id = :id AND fence <= :fence
 * }</pre>
 *
 * The column {@code fence} is a {@code BIGINT NOT NULL}, with 0 for rows that nobody has
 * written under a lock. {@code <=} lets one holder write more than once.
 * <p>
 * What this does not do:
 * <ul>
 * <li>It refuses nothing before the successor's own first write to the row: until then
 * the row does not know of the successor.</li>
 * <li>It does not guard what was read. A successor that decides by a row reads it in the
 * transaction that writes it, or may decide by what its predecessor is about to
 * change.</li>
 * <li>It guards rows, one by one. Name one row in each update: an update of several rows
 * is refused only if none of them lets it pass.</li>
 * <li>It guards nothing against statements that do not go this way.</li>
 * <li>Tokens are counted for each key and in each store of locks. All that write to a row
 * hold the same key, exclusively, since of two readers the older one would be refused;
 * and when the locks move to another backend, or their store to an older state, its
 * tokens must be larger than those in the rows.</li>
 * </ul>
 * <p>
 * Takes part in the transaction of the calling thread, if there is one. Safe for use by
 * many threads.
 */
public final class FencedUpdates {

	private final NamedParameterJdbcOperations jdbc;

	/**
	 * Creates fenced updates of a database.
	 * @param jdbc what runs them
	 */
	public FencedUpdates(NamedParameterJdbcOperations jdbc) {
		Assert.notNull(jdbc, "'jdbc' must not be null");
		this.jdbc = jdbc;
	}

	/**
	 * Creates fenced updates of a database.
	 * @param jdbc what runs them
	 */
	public FencedUpdates(JdbcOperations jdbc) {
		this(new NamedParameterJdbcTemplate(jdbc));
	}

	/**
	 * Writes to a row, unless one that acquired the lock later has written to it.
	 * @param lock the lock under which to write
	 * @param sql an {@code UPDATE} in the shape that the description of this class shows,
	 * with named parameters
	 * @param parameters values for the named parameters but {@code :fence}
	 * @return the number of rows written to, 1 or more
	 * @throws IllegalArgumentException if the statement does not set and compare
	 * {@code :fence}; nothing has been sent then
	 * @throws LockLostException if the lease is known to be lost; nothing has been sent
	 * then
	 * @throws StaleLockException if no row was written to
	 * @throws IllegalStateException if the handle is closed, or stands for several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend of the lock has no fencing
	 * tokens
	 * @throws DataAccessException if the database is down or refuses the statement
	 */
	public int update(LockHandle lock, String sql, Map<String, ? extends @Nullable Object> parameters) {
		return update(lock, sql, new MapSqlParameterSource(parameters));
	}

	/**
	 * Writes to a row, unless one that acquired the lock later has written to it.
	 * @param lock the lock under which to write
	 * @param sql an {@code UPDATE} in the shape that the description of this class shows,
	 * with named parameters
	 * @param parameters values for the named parameters; one for {@code :fence}, which a
	 * bean may have, is not used
	 * @return the number of rows written to, 1 or more
	 * @throws IllegalArgumentException if the statement does not set and compare
	 * {@code :fence}; nothing has been sent then
	 * @throws LockLostException if the lease is known to be lost; nothing has been sent
	 * then
	 * @throws StaleLockException if no row was written to
	 * @throws IllegalStateException if the handle is closed, or stands for several keys
	 * that were acquired one after the other
	 * @throws UnsupportedOperationException if the backend of the lock has no fencing
	 * tokens
	 * @throws DataAccessException if the database is down or refuses the statement
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
	 * The values of the caller, and the token.
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
