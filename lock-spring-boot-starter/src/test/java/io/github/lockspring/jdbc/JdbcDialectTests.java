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

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link JdbcDialects} and what the dialects make of failures.
 */
class JdbcDialectTests {

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 13.0, 13, PostgreSQL 13 and later", "PostgreSQL, 18.6, 18, PostgreSQL 13 and later",
			"MySQL, 8.0.33, 8, MySQL 8.0 and later", "MySQL, 9.1.0, 9, MySQL 8.0 and later",
			"MariaDB, 10.6.0-MariaDB, 10, MariaDB 10.6 and later",
			"MariaDB, 11.4.5-MariaDB-log, 11, MariaDB 10.6 and later",
			"MySQL, 11.4.5-MariaDB, 11, MariaDB 10.6 and later",
			"MySQL, 5.5.5-10.11.6-MariaDB-0+deb12u1, 5, MariaDB 10.6 and later", "H2, 2.4.240, 2, H2 2.x" })
	void databaseIsRecognisedByProductAndVersion(String product, String version, int major, String expected)
			throws SQLException {
		assertThat(JdbcDialects.of(connection(product, version, major)).databases()).contains(expected);
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 12.22, 12", "MySQL, 5.7.44, 5", "MariaDB, 10.5.28-MariaDB, 10",
			"MySQL, 5.5.5-10.3.39-MariaDB, 5", "MySQL, 10.5.28-MariaDB, 10", "H2, 1.4.200, 1", "SQLite, 3.45.0, 3",
			"Oracle, 23.4, 23" })
	void otherDatabaseIsRejectedWithTheListOfThoseThatAreKnown(String product, String version, int major) {
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> JdbcDialects.of(connection(product, version, major)))
			.withMessage(
					"Unsupported database for locks: %s %s; supported are PostgreSQL 13 and later, MariaDB 10.6 and later, "
							+ "MySQL 8.0 and later, H2 2.x",
					product, version);
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 15.12-YB-2025.1.0.0-b0, 15, YugabyteDB", "MySQL, 8.0.11-TiDB-v8.5.0, 8, TiDB",
			"MySQL, 8.0.30-Vitess, 8, Vitess" })
	void distributedDatabaseIsRejected(String product, String version, int major, String name) {
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> JdbcDialects.of(connection(product, version, major)))
			.withMessageContainingAll(name, "clocks");
	}

	private static Connection connection(String product, String version, int major) throws SQLException {
		Connection connection = mock();
		DatabaseMetaData metaData = mock();
		given(connection.getMetaData()).willReturn(metaData);
		given(metaData.getDatabaseProductName()).willReturn(product);
		given(metaData.getDatabaseProductVersion()).willReturn(version);
		given(metaData.getDatabaseMajorVersion()).willReturn(major);
		return connection;
	}

	@ParameterizedTest
	@CsvSource({ "40001, 0", "40P01, 0", "HY000, 1205", "40001, 1213", "HY000, 1020" })
	void contentionIsRecognised(String state, int code) {
		SQLException failure = new SQLException("", state, code);
		assertThat(new MySqlDialect().isContended(failure)).isTrue();
		assertThat(new MySqlDialect().isRejected(failure)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "3F000, 0, true", "P0001, 0, true", "54001, 0, true", "53100, 0, true", "57P01, 0, true",
			"40001, 0, true", "40003, 0, false", "57P02, 0, false", "08006, 0, false", "58030, 0, false",
			", 0, false" })
	void errorOfPostgresHasAKnownOutcomeUnlessTheConnectionHasFailed(String state, int code, boolean rejected) {
		assertThat(new PostgresDialect().isRejected(new SQLException("", state, code))).isEqualTo(rejected);
		SQLException withFailedConnection = new SQLException("", state, code);
		withFailedConnection.setNextException(new SQLException("", "08006"));
		assertThat(new PostgresDialect().isRejected(withFailedConnection))
			.isEqualTo("57P01".equals(state) || "40001".equals(state));
	}

	@ParameterizedTest
	@CsvSource({ "45000, 1644, true", "HY000, 1364, true", "70100, 1317, true", "70100, 1927, true",
			"HY000, 1180, false", "08S01, 1053, false", "08S01, 0, false", "S1009, 0, false", "HY000, 0, false",
			"08000, -1, false" })
	void errorOfMySqlHasAKnownOutcomeIfTheServerSentIt(String state, int code, boolean rejected) {
		assertThat(new MySqlDialect().isRejected(new SQLException("", state, code))).isEqualTo(rejected);
	}

	@ParameterizedTest
	@CsvSource({ "90079, 90079, true", "90007, 90007, true", "42S02, 42102, true", "23505, 23505, true",
			"HY000, 50000, false", "90067, 90067, false", "90098, 90098, false", "08000, 8000, false" })
	void errorOfH2HasAKnownOutcomeUnlessTheDatabaseIsClosedOrBroken(String state, int code, boolean rejected) {
		assertThat(new H2Dialect().isRejected(new SQLException("", state, code))).isEqualTo(rejected);
	}

	@Test
	void lockThatIsNotAvailableIsContention() {
		assertThat(new PostgresDialect().isContended(new SQLException("", "55P03"))).isTrue();
		assertThat(new PostgresDialect().isContended(new SQLException("", "40P01"))).isTrue();
		assertThat(new PostgresDialect().isContended(new SQLException("", "08006"))).isFalse();
	}

}
