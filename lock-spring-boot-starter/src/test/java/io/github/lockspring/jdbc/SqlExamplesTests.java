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
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.support.PageBlock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the {@link SqlExamples}: the tables are those that other tests use, other
 * statements are executed on H2.
 */
class SqlExamplesTests {

	static Stream<PageBlock> tables() {
		return SqlExamples.tables();
	}

	@ParameterizedTest
	@MethodSource("tables")
	void tablesAreThoseThatAreCreated(PageBlock block) throws Exception {
		assertThat(block.text().strip()).isEqualTo(SqlExamples.schemaOf(SqlExamples.databaseOf(block)));
	}

	static Stream<Path> pages() {
		return SqlExamples.statementsOn("H2").map(PageBlock::page).distinct();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void statementsAreExecuted(Path page) throws Exception {
		try (TestDatabase database = TestDatabase.inMemory(); Connection connection = database.connection()) {
			SqlExamples.prepare("H2", connection);
			for (PageBlock block : SqlExamples.statementsOn("H2").filter((each) -> each.page().equals(page)).toList()) {
				SqlExamples.execute(block.text(), connection);
			}
		}
	}

}
