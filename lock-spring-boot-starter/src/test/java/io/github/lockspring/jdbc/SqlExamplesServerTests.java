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

import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.support.PageBlock;

/**
 * Tests of the {@link SqlExamples} that are of one database.
 */
class SqlExamplesServerTests {

	static Stream<PageBlock> statements() {
		return Stream.of("PostgreSQL", "MariaDB", "MySQL").flatMap(SqlExamples::statementsOn);
	}

	@ParameterizedTest
	@MethodSource("statements")
	void statementsAreExecuted(PageBlock block) {
		String database = SqlExamples.databaseOf(block);
		if (database.equals("PostgreSQL")) {
			PostgresServer.shared().asAdmin((connection) -> {
				connection.setAutoCommit(false);
				SqlExamples.prepare(database, connection);
				SqlExamples.execute(block.text(), connection);
				connection.rollback();
				return null;
			});
		}
		else {
			MariaDbServer.shared().asAdmin((connection) -> {
				try {
					SqlExamples.prepare(database, connection);
					SqlExamples.execute(block.text(), connection);
				}
				finally {
					SqlExamples.execute("DROP DATABASE shop; DROP USER shop", connection);
				}
				return null;
			});
		}
	}

}
