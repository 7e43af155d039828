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
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.MySqlServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the lock table on servers that tests may change.
 */
class JdbcLockServerTests {

	/**
	 * On PostgreSQL.
	 */
	@Nested
	class Postgres extends SqlLockServerTests {

		private static @Nullable PostgresServer server;

		Postgres() {
			super(server, "postgres", "");
		}

		@BeforeAll
		static void start() {
			server = PostgresServer.start();
		}

		@AfterAll
		static void stop() {
			if (server != null) {
				server.close();
			}
		}

		@Override
		String createGuest() {
			return "DO $$ BEGIN CREATE USER guest; EXCEPTION WHEN duplicate_object THEN NULL; END $$";
		}

		@Override
		String guest() {
			return "guest";
		}

		@Override
		DataSource dataSourceOfGuest() {
			return database().dataSourceOf("guest", "");
		}

		@Override
		List<String> rejectingTrigger(String table) {
			return List.of("""
					CREATE OR REPLACE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql
					AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$
					""",
					"CREATE TRIGGER rejection BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION reject()");
		}

		@Override
		String sleep() {
			return "SELECT pg_sleep(60)";
		}

		@Override
		boolean isSleeping(JdbcTemplate jdbc) {
			return !jdbc
				.queryForList("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = '" + sleep() + "'")
				.isEmpty();
		}

		@Test
		void sessionThatAnAdministratorEndsHasRolledItsStatementBack() throws Exception {
			try (Connection connection = database().connection()) {
				SQLException failure = failureOfSleep(connection, server::terminateBackends);
				JdbcDialect dialect = JdbcDialects.of(database().connection());
				assertThat(failure.getSQLState()).isEqualTo("57P01");
				assertThat(dialect.isRejected(failure)).isTrue();
				assertThat(dialect.isEndOfSession(failure)).isTrue();
				assertThat(dialect.isTemporary(failure)).isTrue();
			}
		}

		@Override
		List<String> beginnings() {
			return List.of("SELECT 1");
		}

		@Test
		void tableThatACrashWouldEmptyIsRejected() {
			createdAs((definition) -> definition.replace("CREATE TABLE", "CREATE UNLOGGED TABLE"));
			assertThatIsRejected("It must not be UNLOGGED");
		}

	}

	/**
	 * On MariaDB.
	 */
	@Nested
	class MariaDb extends MySqlLikeLockServerTests {

		private static @Nullable MariaDbServer server;

		MariaDb() {
			super(server);
		}

		@BeforeAll
		static void start() {
			server = MariaDbServer.start("log-bin=binary-log", "binlog-format=ROW", "server-id=1");
		}

		@AfterAll
		static void stop() {
			if (server != null) {
				server.close();
			}
		}

		@Override
		List<String> beginnings() {
			return List.of("SET SESSION innodb_snapshot_isolation = ON", "SET SESSION innodb_snapshot_isolation = OFF");
		}

		@Test
		void sessionsInWhichAnEmptyTextIsNullWork() {
			String url = Objects.requireNonNull(server).jdbcUrl() + "?sessionVariables=sql_mode='EMPTY_STRING_IS_NULL'";
			TestDatabase database = TestDatabase.on(server, url).createTable();
			JdbcLockBackend backend = new JdbcLockBackend(database.dataSource());
			LeaseRequest lease = Requests.acquired(backend, "empty text");
			LeaseRequest waiter = Requests.of("empty text");
			assertThat(backend.contend(waiter, Requests.TIMEOUT)).isInstanceOf(Denial.class);
			assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
			assertThat(Requests.acquires(backend, waiter)).isTrue();
			assertThat(backend.release(waiter, Requests.TIMEOUT)).isTrue();
			Requests.acquired(backend, "empty text");
			for (int i = 1; i <= 3; i++) {
				ValueUpdate update = new ValueUpdate("empty text", new ValueChange.Add(1, 0),
						new OwnerId("0".repeat(32), i));
				backend.values().orElseThrow().update(update, Requests.TIMEOUT);
			}
			assertThat(database.jdbc().queryForObject("SELECT updates FROM distributed_lock_value", String.class))
				.hasLineCount(1);
			backend.close();
		}

	}

	/**
	 * On MySQL.
	 */
	@Nested
	class MySql extends MySqlLikeLockServerTests {

		private static @Nullable MySqlServer server;

		MySql() {
			super(server);
		}

		@BeforeAll
		static void start() {
			server = MySqlServer.start();
		}

		@AfterAll
		static void stop() {
			if (server != null) {
				server.close();
			}
		}

		@Override
		List<String> beginnings() {
			return List.of("SELECT 1");
		}

	}

}
