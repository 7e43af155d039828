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

import javax.sql.DataSource;

import org.junit.jupiter.api.Nested;

import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.Torture;

/**
 * The contract on PostgreSQL.
 */
class PostgresLockBackendServerTests {

	/**
	 * With waiters that ask again and again.
	 */
	@Nested
	class Polling extends SqlLockBackendContractTests {

		Polling() {
			super(PostgresServer.shared(), PostgresServer.shared().jdbcUrl());
		}

	}

	/**
	 * With waiters that listen to releases.
	 */
	@Nested
	@Torture(alsoIn = "PostgresLockBackendServerTests.Polling")
	class Listening extends SqlLockBackendContractTests {

		Listening() {
			super(PostgresServer.shared(), PostgresServer.shared().jdbcUrl());
		}

		@Override
		JdbcLockBackend backend(DataSource dataSource) {
			return new JdbcLockBackend(dataSource, new JdbcLockSettings(JdbcLockSchema.DEFAULT_TABLE_NAME, 3, 0, true));
		}

	}

}
