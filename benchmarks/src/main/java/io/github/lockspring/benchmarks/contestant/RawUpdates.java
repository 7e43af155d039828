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

package io.github.lockspring.benchmarks.contestant;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * The least that a lock in a database can cost: one statement in autocommit to take a row
 * and one to release it, each on a pooled connection. No thread is excluded, whatever the
 * statements answer.
 */
public final class RawUpdates implements Contestant {

	private final HikariDataSource dataSource;

	private final Set<String> keys = ConcurrentHashMap.newKeySet();

	public RawUpdates(HikariDataSource dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	public Hold acquire(String key) {
		if (this.keys.add(key)) {
			execute("MERGE INTO raw_lock (lock_key) KEY (lock_key) VALUES (?)", key);
		}
		String owner = Thread.currentThread().getName();
		execute("UPDATE raw_lock SET owner = ? WHERE lock_key = ?", owner, key);
		return () -> execute("UPDATE raw_lock SET owner = NULL WHERE lock_key = ? AND owner = ?", key, owner);
	}

	@Override
	public @Nullable Hold tryAcquire(String key) {
		return acquire(key);
	}

	private void execute(String sql, String... values) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			for (int i = 0; i < values.length; i++) {
				statement.setString(i + 1, values[i]);
			}
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.dataSource.close();
	}

}
