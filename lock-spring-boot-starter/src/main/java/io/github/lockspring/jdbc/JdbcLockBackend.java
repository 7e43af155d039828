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

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;

/**
 * Keeps leases in a table of a SQL database.
 */
public final class JdbcLockBackend implements LockBackend {

	/**
	 * Creates a backend on the {@linkplain JdbcLockSchema#DEFAULT_TABLE_NAME default
	 * table}.
	 * @param dataSource where connections come from
	 */
	public JdbcLockBackend(DataSource dataSource) {
		this(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME);
	}

	/**
	 * Creates a backend. Does not talk to the database yet.
	 * @param dataSource where connections come from
	 * @param tableName the table, with or without its schema
	 * @throws IllegalArgumentException if the table name is none
	 */
	public JdbcLockBackend(DataSource dataSource, String tableName) {
	}

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of();
	}

	@Override
	public void start(BackendListener listener) {
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Set<LeaseRequest> renew(Collection<LeaseRequest> leases, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void probe(Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
	}

}
