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

package io.github.lockspring.sample.homemade;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

/**
 * A row with its owner, and a job that deletes rows that are too old. But the job cannot
 * know whether the holder of an old row is dead, or works longer than others.
 */
public final class CleanedRowLock implements HomemadeLock {

	/**
	 * Its table.
	 */
	public static final String TABLE = """
			CREATE TABLE IF NOT EXISTS cleaned_row (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(100),
				locked_at TIMESTAMP(3) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP)
			""";

	private final DataSource database;

	private final String name;

	private final String owner = UUID.randomUUID().toString();

	public CleanedRowLock(DataSource database, String name) {
		this.database = database;
		this.name = name;
	}

	@Override
	public boolean tryLock() throws SQLException {
		try {
			return execute("INSERT INTO cleaned_row (name, owner) VALUES (?, ?)", this.name, this.owner) == 1;
		}
		catch (SQLIntegrityConstraintViolationException ex) {
			return false;
		}
	}

	@Override
	public void unlock() throws SQLException {
		execute("DELETE FROM cleaned_row WHERE name = ? AND owner = ?", this.name, this.owner);
	}

	/**
	 * The job, which runs now and then.
	 * @param expiry the age of a row that is too old
	 */
	public void cleanUp(Duration expiry) throws SQLException {
		execute("DELETE FROM cleaned_row WHERE locked_at < DATEADD(MILLISECOND, ?, CURRENT_TIMESTAMP)",
				-expiry.toMillis());
	}

	private int execute(String sql, Object... values) throws SQLException {
		try (Connection connection = this.database.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			for (int i = 0; i < values.length; i++) {
				statement.setObject(i + 1, values[i]);
			}
			return statement.executeUpdate();
		}
	}

}
