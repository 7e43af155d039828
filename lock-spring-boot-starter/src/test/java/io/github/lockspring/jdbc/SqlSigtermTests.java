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

import org.junit.jupiter.api.AfterEach;

import io.github.lockspring.faults.SigtermTests;
import io.github.lockspring.server.SqlServer;

/**
 * A process with locks in a database is terminated.
 */
abstract class SqlSigtermTests extends SigtermTests {

	private final SqlServer server;

	private final JdbcStore store;

	SqlSigtermTests(SqlServer server) {
		this.server = server;
		this.store = JdbcStore.on(server, "sigterm_" + ProcessHandle.current().pid());
	}

	@AfterEach
	void dropTable() {
		this.store.dropTable();
	}

	@Override
	protected String[] properties() {
		return new String[] { "lock.backend=jdbc", "lock.jdbc.table-name=" + this.store.table(),
				"lock.jdbc.initialize-schema=always", "spring.datasource.url=" + this.server.jdbcUrl(),
				"spring.datasource.username=" + this.server.user(),
				"spring.datasource.password=" + this.server.password() };
	}

	@Override
	protected void assertNothingHeld() {
		this.store.assertNothingLeft();
	}

}
