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

import com.zaxxer.hikari.HikariConfig;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.Torture;

/**
 * Locks in MariaDB while something goes wrong.
 */
class MariaDbFaultServerTests {

	@Torture(alsoIn = { "PostgresFaultServerTests.ReplyDropped", "MariaDbLockBackendServerTests" })
	@Nested
	class ReplyDropped extends SqlReplyDroppedTests {

		ReplyDropped() {
			super(MariaDbServer.shared());
		}

	}

	@Nested
	@Torture(alsoIn = { "PostgresFaultServerTests.ServerAway", "JdbcLockServerTests.MariaDb" })
	class ServerAway extends SqlServerAwayTests {

		ServerAway() {
			super(MariaDbServer.shared(), MariaDbServer::startDurable);
		}

	}

	@Torture(alsoIn = "PostgresFaultServerTests.PoolExhausted")
	@Nested
	class PoolExhausted extends SqlPoolExhaustedTests {

		PoolExhausted() {
			super(MariaDbServer.shared());
		}

	}

	@Nested
	@Torture(alsoIn = { "PostgresFaultServerTests.TableChanged", "H2FaultServerTests.TableChanged" })
	class TableChanged extends SqlTableChangedTests {

		TableChanged() {
			super(MariaDbServer.shared());
		}

	}

	@Nested
	@Torture(alsoIn = { "PostgresFaultServerTests.RowBlocked", "H2FaultServerTests.RowBlocked" })
	class RowBlocked extends SqlRowBlockedTests {

		RowBlocked() {
			super(MariaDbServer.shared());
		}

	}

	@Nested
	class Contention extends SqlContentionTests {

		Contention() {
			super(MariaDbServer.shared());
		}

		@Override
		void configure(HikariConfig config) {
			config.setConnectionInitSql("SET SESSION innodb_snapshot_isolation = OFF");
		}

		@Test
		void noErrorReachesAnyoneWithSnapshotIsolation() throws Exception {
			contend(this.store.withPool((config) -> {
				config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
				config.setConnectionInitSql("SET SESSION innodb_snapshot_isolation = ON");
			}));
		}

	}

	@Torture(alsoIn = { "PostgresFaultServerTests.Workers", "MariaDbFaultServerTests.Contention" })
	@Nested
	class Workers extends SqlWorkersTests {

		Workers() {
			super(MariaDbServer.shared());
		}

	}

}
