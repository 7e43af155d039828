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

import org.junit.jupiter.api.BeforeEach;

import io.github.lockspring.concurrent.LeaderElectionContract;
import io.github.lockspring.faults.Store;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.Torture;

/**
 * {@link LeaderElectionContract} on PostgreSQL.
 */
@Torture(alsoIn = { "H2LeaderElectionTests", "RedisLeaderElectionServerTests", "PostgresLockBackendServerTests" })
class PostgresLeaderElectionTortureTests extends LeaderElectionContract {

	private final JdbcStore store = JdbcStore.on(PostgresServer.shared(), JdbcLockSchema.DEFAULT_TABLE_NAME);

	@BeforeEach
	void createTable() {
		this.store.createTable();
	}

	@Override
	protected Store store() {
		return this.store;
	}

}
