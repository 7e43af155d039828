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

import io.github.lockspring.server.SqlServer;

/**
 * Locks in a database that is a server of its own, while something goes wrong.
 */
abstract class SqlFaultContract {

	/**
	 * Return the server that is shared by the tests.
	 * @return the server
	 */
	abstract SqlServer server();

	/**
	 * Start a server that survives a crash, for one test.
	 * @return the server
	 */
	abstract SqlServer startDurable();

	@Nested
	class ReplyDropped extends SqlReplyDroppedTests {

		ReplyDropped() {
			super(SqlFaultContract.this.server());
		}

	}

	@Nested
	class ServerAway extends SqlServerAwayTests {

		ServerAway() {
			super(SqlFaultContract.this.server(), SqlFaultContract.this::startDurable);
		}

	}

	@Nested
	class PoolExhausted extends SqlPoolExhaustedTests {

		PoolExhausted() {
			super(SqlFaultContract.this.server());
		}

	}

	@Nested
	class TableChanged extends SqlTableChangedTests {

		TableChanged() {
			super(SqlFaultContract.this.server());
		}

	}

	@Nested
	class RowBlocked extends SqlRowBlockedTests {

		RowBlocked() {
			super(SqlFaultContract.this.server());
		}

	}

	@Nested
	class Contention extends SqlContentionTests {

		Contention() {
			super(SqlFaultContract.this.server());
		}

	}

	@Nested
	class Workers extends SqlWorkersTests {

		Workers() {
			super(SqlFaultContract.this.server());
		}

	}

}
