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

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * The contract of {@link LockBackend} on every database that {@link JdbcLockBackend}
 * knows.
 */
class JdbcLockBackendTests {

	/**
	 * H2 in memory. Every backend has a pool of its own, as every process has.
	 */
	@Nested
	class H2 extends LockBackendContractTests {

		private final List<HikariDataSource> pools = new ArrayList<>();

		private final TestDatabase database = TestDatabase.inMemory();

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
			return new JdbcLockBackend(pool);
		}

		@Override
		protected void expire(LeaseRequest lease) {
			this.database.expire(lease);
		}

		@Override
		protected LockBackend unreachableBackend() {
			JdbcDataSource unreachable = new JdbcDataSource();
			unreachable.setUrl("jdbc:h2:tcp://localhost:1/mem:unreachable");
			return new JdbcLockBackend(unreachable);
		}

	}

}
