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

import io.github.lockspring.server.MySqlServer;

/**
 * Locks in MySQL while something goes wrong.
 */
class MySqlFaultServerTests {

	@Nested
	class ReplyDropped extends SqlReplyDroppedTests {

		ReplyDropped() {
			super(MySqlServer.shared());
		}

	}

	@Nested
	class ServerAway extends SqlServerAwayTests {

		ServerAway() {
			super(MySqlServer.shared(), MySqlServer::startDurable);
		}

	}

	@Nested
	class PoolExhausted extends SqlPoolExhaustedTests {

		PoolExhausted() {
			super(MySqlServer.shared());
		}

	}

	@Nested
	class TableChanged extends SqlTableChangedTests {

		TableChanged() {
			super(MySqlServer.shared());
		}

	}

	@Nested
	class RowBlocked extends SqlRowBlockedTests {

		RowBlocked() {
			super(MySqlServer.shared());
		}

	}

	@Nested
	class Contention extends SqlContentionTests {

		Contention() {
			super(MySqlServer.shared());
		}

	}

	@Nested
	class Workers extends SqlWorkersTests {

		Workers() {
			super(MySqlServer.shared());
		}

	}

}
