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

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * The contract of {@link LockBackend} on a database server. Every backend has a pool of
 * its own, as every process has.
 */
abstract class SqlLockBackendContractTests extends LockBackendContractTests {

	private final List<HikariDataSource> pools = new ArrayList<>();

	private final TestDatabase database;

	private final String urlOfNoOne;

	/**
	 * Tests a server.
	 * @param server the server
	 * @param url the URL of its database, or one for another driver
	 */
	SqlLockBackendContractTests(SqlServer server, String url) {
		this.database = TestDatabase.on(server, url);
		this.urlOfNoOne = url.replaceFirst(":\\d+", ":1");
	}

	@BeforeAll
	void createTable() {
		this.database.createTable();
	}

	@Override
	protected void disconnect() {
		this.pools.forEach(HikariDataSource::close);
		this.database.close();
	}

	@Override
	protected LockBackend backend() {
		HikariDataSource pool = this.database.pool(4);
		this.pools.add(pool);
		return backend(pool);
	}

	JdbcLockBackend backend(DataSource dataSource) {
		return new JdbcLockBackend(dataSource);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		this.database.expire(lease);
	}

	@Override
	protected LockBackend unreachableBackend() {
		return backend(new DriverManagerDataSource(this.urlOfNoOne, "nobody", ""));
	}

}
