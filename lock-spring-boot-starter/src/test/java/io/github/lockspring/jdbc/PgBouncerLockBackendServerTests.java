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

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on PostgreSQL behind a PgBouncer, through which waiters do not listen: see
 * {@link PgBouncerServerTests}.
 */
class PgBouncerLockBackendServerTests {

	private static PostgresServer server;

	private static PgBouncer sessions;

	private static PgBouncer transactions;

	@BeforeAll
	static void start(@TempDir Path folder) throws Exception {
		server = PostgresServer.start();
		sessions = PgBouncer.start(server, folder, "session", 60);
		transactions = PgBouncer.start(server, folder, "transaction", 5);
	}

	@AfterAll
	static void stop() throws Exception {
		for (AutoCloseable started : new AutoCloseable[] { transactions, sessions, server }) {
			if (started != null) {
				started.close();
			}
		}
	}

	@Test
	void sessionsAreRecognisedAsThoseOfAPooler() throws Exception {
		for (PgBouncer pooler : List.of(sessions, transactions)) {
			try (Connection connection = DriverManager.getConnection(pooler.url(), server.user(), server.password())) {
				assertThat(PostgresSession.of(connection).pooled()).as(pooler.url()).isTrue();
			}
		}
	}

	/**
	 * With a session for each connection of a client.
	 */
	@Nested
	@Torture(alsoIn = "PostgresLockBackendServerTests.Polling")
	class OfSessions extends Pooled {

		OfSessions() {
			super(sessions);
		}

	}

	/**
	 * With few sessions, each of which serves all clients.
	 */
	@Nested
	@Torture(alsoIn = "PostgresLockBackendServerTests.Polling")
	class OfTransactions extends Pooled {

		OfTransactions() {
			super(transactions);
		}

	}

	private abstract static class Pooled extends SqlLockBackendContractTests {

		Pooled(PgBouncer pooler) {
			super(server, pooler.url());
		}

	}

}
