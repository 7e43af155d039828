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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.github.lockspring.server.H2Server;
import io.github.lockspring.server.Torture;

/**
 * Locks in H2 while something goes wrong.
 */
class H2FaultServerTests {

	/**
	 * How long HikariCP does not look whether a connection is alive after its last use.
	 * It does not see by the errors of H2 that a connection is broken, and would hand out
	 * the same one again and again.
	 */
	private static final String ALIVE_BYPASS_WINDOW = "com.zaxxer.hikari.aliveBypassWindowMs";

	private static H2Server server;

	@BeforeAll
	static void startServer() {
		System.setProperty(ALIVE_BYPASS_WINDOW, "0");
		server = H2Server.start();
	}

	@AfterAll
	static void stopServer() {
		System.clearProperty(ALIVE_BYPASS_WINDOW);
		server.close();
	}

	@Nested
	@Torture(alsoIn = { "PostgresFaultServerTests.ReplyDropped", "JdbcLockBackendTests" })
	class ReplyDropped extends SqlReplyDroppedTests {

		ReplyDropped() {
			super(H2FaultServerTests.server);
		}

	}

	@Nested
	class TableChanged extends SqlTableChangedTests {

		TableChanged() {
			super(H2FaultServerTests.server);
		}

		@Override
		void rename(String column, String name) {
			this.server.execute("ALTER TABLE %s ALTER COLUMN %s RENAME TO %s".formatted(this.table, column, name));
		}

	}

	@Nested
	class RowBlocked extends SqlRowBlockedTests {

		RowBlocked() {
			super(H2FaultServerTests.server);
		}

		/**
		 * A statement goes by the time of its beginning, and so does its holder.
		 */
		@Override
		Duration shortening() {
			return Duration.ofSeconds(2);
		}

	}

	@Nested
	class Contention extends SqlContentionTests {

		Contention() {
			super(H2FaultServerTests.server);
		}

	}

}
