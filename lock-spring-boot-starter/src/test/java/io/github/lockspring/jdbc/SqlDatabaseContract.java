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

/**
 * What must be the same on every database beyond the contract of backends: who waits and
 * in which order, rows that others change, removal of rows, and values.
 */
abstract class SqlDatabaseContract {

	/**
	 * Return the database, to be closed after a test.
	 * @return the database
	 */
	abstract TestDatabase database();

	/**
	 * Return how many statements an update of a value takes after one of another process.
	 * @return the number of statements
	 */
	abstract int statementsAfterOthers();

	/**
	 * Removal of rows.
	 */
	@Nested
	class Cleanup extends SqlLockCleanupTests {

		Cleanup() {
			super(SqlDatabaseContract.this.database());
		}

	}

	/**
	 * Requests that wait and are looked after together.
	 */
	@Nested
	class Poll extends SqlPollTests {

		Poll() {
			super(SqlDatabaseContract.this.database());
		}

	}

	/**
	 * The order of those that wait.
	 */
	@Nested
	class Queue extends SqlQueueTests {

		Queue() {
			super(SqlDatabaseContract.this.database());
		}

	}

	/**
	 * Rows that are changed by others.
	 */
	@Nested
	class RowChanged extends SqlRowChangedTests {

		RowChanged() {
			super(SqlDatabaseContract.this.database());
		}

	}

	/**
	 * Values.
	 */
	@Nested
	class Values extends SqlValueTests {

		Values() {
			super(SqlDatabaseContract.this.database(), SqlDatabaseContract.this.statementsAfterOthers());
		}

	}

}
