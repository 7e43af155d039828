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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.SqlParameterValue;
import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockSuspendedException;

/**
 * An update of a row under a lock, see {@link FencedUpdates}. Names of columns are
 * written as in SQL: quoted if the database requires it, such as for reserved words. A
 * value can be a {@link SqlParameterValue} if its SQL type cannot be derived from its
 * Java type.
 * <p>
 * Not thread-safe.
 */
public final class FencedUpdate {

	/**
	 * Whichever way a database reads it, nothing of it can end before its last character.
	 */
	private static final String NAME = "(?:[\\p{L}_][\\p{L}\\p{N}_$]*|\"[\\p{L}\\p{N}_$ -]+\"|`[\\p{L}\\p{N}_$ -]+`)";

	private static final Pattern COLUMN = Pattern.compile(NAME);

	private static final Pattern TABLE = Pattern.compile(NAME + "(?:\\." + NAME + ")*");

	private final JdbcOperations jdbc;

	private final String table;

	private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

	private final List<Map.Entry<String, Object>> conditions = new ArrayList<>();

	private String fence = "fence";

	FencedUpdate(JdbcOperations jdbc, String table) {
		this.jdbc = jdbc;
		this.table = verify(table, TABLE);
	}

	/**
	 * Set the column of the fencing token, {@code fence} unless set.
	 * @param column the name of the column
	 * @return this update
	 * @throws IllegalArgumentException if it is not a name
	 */
	public FencedUpdate fencedBy(String column) {
		this.fence = verify(column, COLUMN);
		return this;
	}

	/**
	 * Set a column to a value.
	 * @param column the name of the column
	 * @param value its new value
	 * @return this update
	 * @throws IllegalArgumentException if it is not a name
	 */
	public FencedUpdate set(String column, @Nullable Object value) {
		this.values.put(verify(column, COLUMN), value);
		return this;
	}

	/**
	 * Require that a column has a value. All conditions must be true.
	 * @param column the name of the column
	 * @param value its value
	 * @return this update
	 * @throws IllegalArgumentException if it is not a name, or the value is null
	 */
	public FencedUpdate where(String column, Object value) {
		Assert.notNull(value, "'value' must not be null");
		this.conditions.add(Map.entry(verify(column, COLUMN), value));
		return this;
	}

	private static String verify(String name, Pattern pattern) {
		Assert.hasText(name, "The name of a table or a column must not be empty");
		Assert.isTrue(pattern.matcher(name).matches(),
				() -> "Not a name of a table or a column: [" + name
						+ "]; expressions and further conditions belong in a statement of the application that compares"
						+ " fencingToken()");
		return name;
	}

	/**
	 * Update the row, unless it has been updated under a later acquisition of the lock.
	 * Sets only the fencing token if there are no other columns. Participates in the
	 * transaction of the calling thread, if any.
	 * @param lock the lock under which to write
	 * @return the number of rows updated, 1 or more
	 * @throws LockLostException if the lease is known to be lost; no statement has been
	 * sent then
	 * @throws LockSuspendedException while it is unknown whether the lock is still held;
	 * no statement has been sent then
	 * @throws StaleLockException if no row was updated
	 * @throws IllegalStateException if there is no condition, if the column of the
	 * fencing token is set as well, or if the handle is closed, or represents several
	 * keys that were acquired one after the other; no statement has been sent then
	 * @throws UnsupportedOperationException if the backend of the lock does not support
	 * fencing tokens
	 * @throws DataAccessException if the database is unavailable or rejects the statement
	 */
	public int execute(LockHandle lock) {
		Assert.notNull(lock, "'lock' must not be null");
		Assert.state(!this.conditions.isEmpty(), "An update of all rows is not protected: add where(column, value)");
		Assert.state(this.values.keySet().stream().noneMatch(this::isFence),
				() -> this.fence + " is set to the fencing token of the lock, and cannot be set to a value");
		long token = lock.fencingToken();
		int rows = this.jdbc.update(sql(), arguments(token));
		if (rows == 0) {
			throw new StaleLockException(lock.storeKey(), token);
		}
		return rows;
	}

	private boolean isFence(String column) {
		return withoutQuotes(column).equalsIgnoreCase(withoutQuotes(this.fence));
	}

	private static String withoutQuotes(String name) {
		return name.replaceAll("[\"`]", "");
	}

	/**
	 * The comparison comes first, and is followed by nothing but {@code AND} and
	 * equations.
	 */
	private String sql() {
		StringBuilder sql = new StringBuilder("UPDATE ").append(this.table).append(" SET ");
		this.values.keySet().forEach((column) -> sql.append(column).append(" = ?, "));
		sql.append(this.fence).append(" = ? WHERE COALESCE(").append(this.fence).append(", 0) <= ?");
		this.conditions.forEach((condition) -> sql.append(" AND ").append(condition.getKey()).append(" = ?"));
		return sql.toString();
	}

	private @Nullable Object[] arguments(long token) {
		List<@Nullable Object> arguments = new ArrayList<>(this.values.values());
		arguments.add(token);
		arguments.add(token);
		this.conditions.forEach((condition) -> arguments.add(condition.getValue()));
		return arguments.toArray();
	}

}
