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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.BackendUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link JdbcLockSchema}.
 */
class JdbcLockSchemaTests {

	private final TestDatabase database = TestDatabase.inMemory();

	private final JdbcLockSchema schema = new JdbcLockSchema(this.database.dataSource(),
			JdbcLockSchema.DEFAULT_TABLE_NAME);

	@AfterEach
	void close() {
		this.database.close();
	}

	@Test
	void createdTableIsValid() {
		this.schema.initialize();
		this.schema.validate();
	}

	@Test
	void presentTableIsLeftAlone() {
		this.schema.initialize();
		JdbcLockBackend backend = new JdbcLockBackend(this.database.dataSource());
		Requests.acquired(backend, "key");
		this.schema.initialize();
		assertThat(backend.inspect("key", Requests.TIMEOUT)).hasSize(1);
		backend.close();
	}

	@Test
	void tableInAnotherSchemaWorks() {
		this.database.jdbc().execute("CREATE SCHEMA locks");
		JdbcLockSchema elsewhere = new JdbcLockSchema(this.database.dataSource(), "locks.held");
		elsewhere.initialize();
		elsewhere.validate();
		JdbcLockBackend backend = new JdbcLockBackend(this.database.dataSource(), "locks.held");
		Requests.acquired(backend, "key");
		assertThat(Requests.acquires(backend, Requests.of("key"))).isFalse();
		backend.close();
	}

	@Test
	void manyNodesCreateTheTableAtOnce() throws Exception {
		for (int i = 0; i < 20; i++) {
			JdbcLockSchema shared = new JdbcLockSchema(this.database.dataSource(), "lock_" + i);
			inParallel(8, () -> {
				shared.initialize();
				shared.validate();
				return true;
			});
		}
	}

	@Test
	void tableIsCreatedWithoutAutoCommit() {
		HikariConfig config = this.database.poolConfig(1);
		config.setAutoCommit(false);
		try (HikariDataSource pool = new HikariDataSource(config)) {
			new JdbcLockSchema(pool, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
		}
		this.schema.validate();
	}

	@Test
	void whenTableIsMissingThenDefinitionIsShown() {
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("'distributed_lock' is missing")
			.withMessageContaining("CREATE TABLE IF NOT EXISTS distributed_lock (")
			.withMessageContaining("lock_key     VARBINARY(1024) NOT NULL PRIMARY KEY")
			.satisfies((ex) -> assertThat(ex.definition()).startsWith("--").contains("CREATE TABLE"));
	}

	@Test
	void shownDefinitionCreatesTheTable() {
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.satisfies((ex) -> this.database.jdbc().execute(ex.definition()));
		this.schema.validate();
	}

	@ParameterizedTest
	@CsvSource({ "lock_key, VARCHAR(1024), VARBINARY(1024)", "lock_key, VARBINARY(100), VARBINARY(1024)",
			"owner, VARCHAR(10), VARCHAR(64)", "token, INT, BIGINT", "expires_at, TIMESTAMP, BIGINT",
			"held_since, TIMESTAMP, TIMESTAMP(6) WITH TIME ZONE" })
	void whenColumnHasWrongTypeThenColumnAndExpectedTypeAreNamed(String column, String type, String expected) {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock DROP COLUMN " + column);
		this.database.jdbc().execute("ALTER TABLE distributed_lock ADD COLUMN " + column + " " + type);
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("Its column '" + column + "' must be " + expected + ", not ");
	}

	@Test
	void whenColumnIsMissingThenColumnAndExpectedTypeAreNamed() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock DROP COLUMN token");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("It has no column 'token', which must be BIGINT.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "owner", "holder", "held_since", "entries" })
	void whenColumnThatIsEmptyAtTimesMayNotBeThenItIsNamed(String column) {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock ALTER COLUMN " + column + " SET NOT NULL");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("Its column '" + column + "' must be nullable.");
	}

	@ParameterizedTest
	@CsvSource({ "value_key, VARBINARY(100), VARBINARY(1024)", "number, INT, BIGINT", "version, TIMESTAMP, BIGINT",
			"format, BIGINT, SMALLINT", "updates, VARCHAR(2000), VARCHAR(20000)" })
	void whenColumnOfValuesHasWrongTypeThenTableIsNamed(String column, String type, String expected) {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock_value DROP COLUMN " + column);
		this.database.jdbc().execute("ALTER TABLE distributed_lock_value ADD COLUMN " + column + " " + type);
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("The value table 'distributed_lock_value' is incompatible. Its column '" + column
					+ "' must be " + expected + ", not ");
	}

	@Test
	void whenNumberMayNotBeEmptyThenItIsNamed() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock_value ALTER COLUMN number SET NOT NULL");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("Its column 'number' must be nullable.");
	}

	/**
	 * As after an update of an application whose lock table is older.
	 */
	@Test
	void whenTableOfValuesIsMissingThenItIsNamedAndCreated() {
		this.schema.initialize();
		this.database.jdbc().execute("DROP TABLE distributed_lock_value");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("The value table 'distributed_lock_value' is missing")
			.withMessageContaining("CREATE TABLE IF NOT EXISTS distributed_lock_value (");
		this.schema.initialize();
		this.schema.validate();
	}

	@Test
	void whenConstraintKeepsValuesFromChangingThenTableIsNamed() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock_value ADD CONSTRAINT small CHECK (number < 2)");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("The value table 'distributed_lock_value' cannot be used for values");
	}

	@Test
	void whenPrimaryKeyIsMissingThenItIsNamed() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock DROP PRIMARY KEY");
		assertThatExceptionOfType(JdbcLockSchemaException.class).isThrownBy(this.schema::validate)
			.withMessageContaining("Its primary key must be the column 'lock_key' alone.");
	}

	@Test
	void additionalColumnsAreLeftToLaterVersions() {
		this.schema.initialize();
		this.database.jdbc().execute("ALTER TABLE distributed_lock ADD COLUMN remark VARCHAR(10)");
		this.schema.validate();
	}

	@ParameterizedTest
	@ValueSource(strings = { "INSERT", "UPDATE", "DELETE" })
	void whenUserMayNotChangeTheTableThenReasonIsShown(String right) {
		this.schema.initialize();
		this.database.jdbc().execute("CREATE USER guest PASSWORD 'guest'");
		for (String granted : List.of("SELECT", "INSERT", "UPDATE", "DELETE")) {
			if (!granted.equals(right)) {
				this.database.jdbc().execute("GRANT " + granted + " ON distributed_lock TO guest");
				this.database.jdbc().execute("GRANT SELECT ON distributed_lock_value TO guest");
			}
		}
		DataSource ofGuest = this.database.dataSourceOf("guest", "guest");
		assertThatExceptionOfType(JdbcLockSchemaException.class)
			.isThrownBy(() -> new JdbcLockSchema(ofGuest, JdbcLockSchema.DEFAULT_TABLE_NAME).validate())
			.withMessageContaining("cannot be used for locks")
			.withMessageContaining("Not enough rights");
	}

	@Test
	void whenUserMayNotCreateTheTableThenDefinitionIsShown() {
		this.database.jdbc().execute("CREATE USER guest PASSWORD 'guest'");
		DataSource ofGuest = this.database.dataSourceOf("guest", "guest");
		assertThatExceptionOfType(JdbcLockSchemaException.class)
			.isThrownBy(() -> new JdbcLockSchema(ofGuest, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize())
			.withMessageContaining("could not be created")
			.withMessageContaining("CREATE TABLE");
	}

	@Test
	void whenDatabaseIsUnknownThenItIsNamedWithThoseThatAreKnown() throws SQLException {
		DataSource oracle = mock();
		Connection connection = mock();
		DatabaseMetaData metaData = mock();
		given(oracle.getConnection()).willReturn(connection);
		given(connection.getMetaData()).willReturn(metaData);
		given(metaData.getDatabaseProductName()).willReturn("Oracle");
		given(metaData.getDatabaseProductVersion()).willReturn("23.4");
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> new JdbcLockSchema(oracle, "distributed_lock").validate())
			.withMessage("Unsupported database for locks: Oracle 23.4; supported are PostgreSQL 13 and later, "
					+ "MariaDB 10.6 and later, MySQL 8.0 and later, H2 2.x");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> Requests.acquired(new JdbcLockBackend(oracle), "key"))
			.withMessageContaining("Oracle 23.4");
	}

	@Test
	void whenDatabaseIsAwayThenItIsUnavailable() {
		JdbcDataSource unreachable = new JdbcDataSource();
		unreachable.setUrl("jdbc:h2:tcp://localhost:1/mem:unreachable");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> new JdbcLockSchema(unreachable, "distributed_lock").validate())
			.withMessageContaining("could not be reached");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1lock", "a.b.c", "a..b", ".a", "a.", "a b", "a;b", "a\"b", "a`b", "a'b", "a--",
			"läuse", "a\nb", "lock\n", "lock; DROP TABLE x" })
	void hostileTableNameIsRejected(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new JdbcLockSchema(this.database.dataSource(), name))
			.withMessageContaining("The name of the lock table must be");
		assertThatIllegalArgumentException().isThrownBy(() -> new JdbcLockBackend(this.database.dataSource(), name))
			.withMessageContaining("The name of the lock table must be");
	}

	@Test
	void longestTableNameIsThatOfWhichTheOtherTableCanHaveAName() {
		JdbcLockSchema longest = new JdbcLockSchema(this.database.dataSource(), "x".repeat(57));
		longest.initialize();
		longest.validate();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new JdbcLockSchema(this.database.dataSource(), "x".repeat(58)))
			.withMessageContaining("at most 57 for the table");
	}

	@Test
	void tableNameThatIsTooLongIsRejectedAndNotRepeatedInFull() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new JdbcLockSchema(this.database.dataSource(), "x".repeat(100_000)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(500));
	}

	private static <T> void inParallel(int threads, Callable<T> action) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<T>> futures = IntStream.range(0, threads).mapToObj((i) -> executor.submit(action)).toList();
			for (Future<T> future : futures) {
				future.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
