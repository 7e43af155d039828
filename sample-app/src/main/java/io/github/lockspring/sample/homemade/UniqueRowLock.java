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

import javax.sql.DataSource;

/**
 * A row with a unique key: the database lets only one insert it. If its holder dies, it
 * remains.
 */
public final class UniqueRowLock implements HomemadeLock {

	/**
	 * Its table.
	 */
	public static final String TABLE = "CREATE TABLE IF NOT EXISTS unique_row (name VARCHAR(100) PRIMARY KEY)";

	private final DataSource database;

	private final String name;

	public UniqueRowLock(DataSource database, String name) {
		this.database = database;
		this.name = name;
	}

	@Override
	public boolean tryLock() throws SQLException {
		try {
			return execute("INSERT INTO unique_row (name) VALUES (?)") == 1;
		}
		catch (SQLIntegrityConstraintViolationException ex) {
			return false;
		}
	}

	@Override
	public void unlock() throws SQLException {
		execute("DELETE FROM unique_row WHERE name = ?");
	}

	private int execute(String sql) throws SQLException {
		try (Connection connection = this.database.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, this.name);
			return statement.executeUpdate();
		}
	}

}
