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

import org.junit.jupiter.api.Nested;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.MySqlServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.Torture;

/**
 * Tests for values on every database.
 */
class JdbcValueServerTests {

	/**
	 * On PostgreSQL.
	 */
	@Nested
	class Postgres extends SqlValueTests {

		Postgres() {
			super(TestDatabase.on(PostgresServer.shared()), 1);
		}

	}

	/**
	 * On MariaDB.
	 */
	@Nested
	@Torture(alsoIn = { "JdbcValueServerTests.Postgres", "MariaDbLockBackendServerTests" })
	class MariaDb extends SqlValueTests {

		MariaDb() {
			super(TestDatabase.on(MariaDbServer.shared()), 2);
		}

	}

	/**
	 * On MySQL.
	 */
	@Nested
	class MySql extends SqlValueTests {

		MySql() {
			super(TestDatabase.on(MySqlServer.shared()), 2);
		}

	}

	/**
	 * On H2.
	 */
	@Nested
	class H2 extends SqlValueTests {

		H2() {
			super(TestDatabase.inMemory(), 1);
		}

	}

}
