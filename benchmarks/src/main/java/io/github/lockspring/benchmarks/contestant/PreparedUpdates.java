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
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * The least that a lock on a database server can cost: one statement in autocommit to
 * take a row and one to release it, both prepared, on connections that never go back to
 * the pool. Each thread gets the connection that was used last, so that a thread alone
 * has one of its own. No thread is excluded, whatever the statements return.
 */
public final class PreparedUpdates implements Contestant {

	private static final String TAKE = "UPDATE raw_lock SET owner = ? WHERE lock_key = ?";

	private static final String RELEASE = "UPDATE raw_lock SET owner = NULL WHERE owner = ? AND lock_key = ?";

	private final HikariDataSource dataSource;

	private final String insert;

	private final BlockingDeque<Session> sessions = new LinkedBlockingDeque<>();

	private final Set<String> keys = ConcurrentHashMap.newKeySet();

	/**
	 * Takes all connections of a pool.
	 * @param dataSource the pool, which is closed in the end
	 * @param insert inserts a row with a key unless it is there
	 */
	public PreparedUpdates(HikariDataSource dataSource, String insert) {
		this.dataSource = dataSource;
		this.insert = insert;
		for (int i = 0; i < dataSource.getMaximumPoolSize(); i++) {
			this.sessions.add(newSession());
		}
	}

	private Session newSession() {
		try {
			Connection connection = this.dataSource.getConnection();
			return new Session(connection.prepareStatement(this.insert), connection.prepareStatement(TAKE),
					connection.prepareStatement(RELEASE));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		if (this.keys.add(key)) {
			execute(Session::insert, key);
		}
		String owner = Thread.currentThread().getName();
		execute(Session::take, owner, key);
		return () -> release(owner, key);
	}

	private void release(String owner, String key) {
		try {
			execute(Session::release, owner, key);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public @Nullable Hold tryAcquire(String key) throws InterruptedException {
		return acquire(key);
	}

	private void execute(Choice choice, String... values) throws InterruptedException {
		Session session = this.sessions.take();
		try {
			PreparedStatement statement = choice.of(session);
			for (int i = 0; i < values.length; i++) {
				statement.setString(i + 1, values[i]);
			}
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.sessions.addFirst(session);
		}
	}

	@Override
	public void close() {
		this.dataSource.close();
	}

	/**
	 * The statements of a connection.
	 */
	private record Session(PreparedStatement insert, PreparedStatement take, PreparedStatement release) {
	}

	@FunctionalInterface
	private interface Choice {

		PreparedStatement of(Session session);

	}

}
