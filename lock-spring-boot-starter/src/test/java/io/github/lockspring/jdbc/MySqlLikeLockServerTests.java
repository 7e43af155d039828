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

import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.github.lockspring.server.SqlServer;
import io.github.lockspring.spi.BackendUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the lock table on servers of MariaDB and MySQL that tests may change.
 */
abstract class MySqlLikeLockServerTests extends SqlLockServerTests {

	private final SqlServer server;

	MySqlLikeLockServerTests(SqlServer server) {
		super(server, "admin", "admin");
		this.server = server;
	}

	@Override
	String createGuest() {
		return "CREATE USER IF NOT EXISTS " + guest() + " IDENTIFIED BY 'guest'";
	}

	@Override
	String guest() {
		return "'guest'@'%'";
	}

	@Override
	DataSource dataSourceOfGuest() {
		return database().dataSourceOf("guest", "guest");
	}

	@Override
	List<String> rejectingTrigger(String table) {
		return List.of("CREATE TRIGGER rejection_of_" + table + " BEFORE INSERT ON " + table
				+ " FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'");
	}

	@Override
	String sleep() {
		return "SELECT SLEEP(60)";
	}

	@Override
	boolean isSleeping(JdbcTemplate jdbc) {
		return !jdbc.queryForList("SELECT 1 FROM information_schema.processlist WHERE info = '" + sleep() + "'")
			.isEmpty();
	}

	@Test
	void timesWithoutMicrosecondsAreRejected() {
		createdAs((definition) -> definition.replace("DATETIME(6)", "DATETIME"));
		assertThatIsRejected("Its column 'held_since' must be DATETIME(6), not ");
	}

	@Test
	void tableWithoutTransactionsIsRejected() {
		createdAs((definition) -> definition.replace("ENGINE = InnoDB", "ENGINE = MyISAM")
			.replace("VARBINARY(1024)", "VARBINARY(1000)"));
		database().jdbc().execute("SELECT 1");
		assertThatIsRejected("Its engine must be InnoDB, not MyISAM.");
	}

	@Test
	void binaryLogOfStatementsIsRejected() {
		admin().execute("SET GLOBAL binlog_format = 'STATEMENT'");
		try {
			assertThatIsUnfit(database().dataSource(), "'binlog_format' must not be STATEMENT");
		}
		finally {
			admin().execute("SET GLOBAL binlog_format = 'ROW'");
		}
	}

	@Test
	void languageOfAnotherDatabaseIsRejected() {
		try (TestDatabase oracle = TestDatabase.on(this.server,
				this.server.jdbcUrl() + "?sessionVariables=sql_mode='ORACLE'")) {
			assertThatIsUnfit(oracle.dataSource(), "'sql_mode' must not contain ORACLE");
		}
	}

	/**
	 * One of the drivers does not know what a statement has set.
	 */
	@Test
	void sessionsWhoseAutoCommitAStatementHasDisabledWorkAndAreAsBefore() {
		String url = this.server.jdbcUrl().replace("jdbc:mariadb:", "jdbc:mysql:");
		HikariConfig config = TestDatabase.on(this.server, url).createTable().poolConfig(1);
		config.setConnectionInitSql("SET autocommit = 0");
		try (HikariDataSource pool = new HikariDataSource(config)) {
			JdbcLockBackend backend = new JdbcLockBackend(pool);
			Requests.acquired(backend, "key of a session without autocommit");
			backend.close();
			JdbcTemplate jdbc = new JdbcTemplate(pool);
			assertThat(jdbc.queryForObject("SELECT @@autocommit", Integer.class)).isZero();
			jdbc.execute("ROLLBACK");
		}
		JdbcLockBackend other = new JdbcLockBackend(database().dataSource());
		assertThat(other.inspect("key of a session without autocommit", Requests.TIMEOUT)).hasSize(1);
		other.close();
	}

	@Test
	void userWhoMayWriteToAReadOnlyServerIsRejectedToo() {
		DataSource dataSource = Objects.requireNonNull(admin().getDataSource());
		new JdbcLockSchema(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
		JdbcLockBackend backend = new JdbcLockBackend(dataSource);
		this.server.setReadOnly(true);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(Requests.of("key"), Requests.TIMEOUT))
			.withMessageContaining("The database is read-only");
		this.server.setReadOnly(false);
		Requests.acquired(backend, "key");
		backend.close();
	}

}
