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

package io.github.lockspring.server;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What tests rely on with every {@link SqlServer}.
 *
 * @param <S> the type of the server
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Torture(alsoIn = { "PostgresLockBackendServerTests", "MariaDbLockBackendServerTests", "H2FaultServerTests" })
abstract class SqlServerContract<S extends SqlServer> {

	private static final int NONE = -1;

	private @Nullable S server;

	abstract S start();

	abstract S foreign(SqlAddress address);

	/**
	 * Return the URL with a short limit for the time that the server takes to answer.
	 * @param url the URL
	 * @return the URL
	 */
	abstract String impatient(String url);

	@BeforeAll
	void startServer() {
		this.server = start();
		server().execute("CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL)");
	}

	@AfterAll
	void closeServer() {
		if (this.server != null) {
			this.server.close();
		}
	}

	@BeforeEach
	void insertOneRow() {
		server().execute("DELETE FROM t", "INSERT INTO t VALUES (1, 0)");
	}

	final S server() {
		if (this.server == null) {
			throw new IllegalStateException("Not started");
		}
		return this.server;
	}

	@Test
	void restartAfterKillKeepsThePortAndWhatWasCommitted() throws SQLException {
		long pid = server().pid();
		int port = server().port();
		server().execute("UPDATE t SET v = 1");
		server().kill();
		assertThat(server().isRunning()).isFalse();
		assertThatExceptionOfType(SQLException.class).isThrownBy(this::value);
		server().restart();
		assertThat(server().port()).isEqualTo(port);
		assertThat(server().pid()).isNotEqualTo(pid);
		assertThat(value()).isEqualTo(1);
	}

	@Test
	void stopEndsTheServerInSpiteOfOpenTransactions() throws SQLException {
		RowLock lock = server().lockRow("t", "k", 1);
		server().stop();
		assertThat(server().isRunning()).isFalse();
		lock.close();
		server().restart();
		assertThat(value()).isZero();
	}

	@Test
	void pausedServerAnswersLater() throws SQLException {
		String url = impatient(server().jdbcUrl());
		try (Connection impatient = server().dataSource(url).getConnection();
				Connection open = server().dataSource().getConnection()) {
			assertThat(open.isValid(0)).isTrue();
			server().pause();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> value(impatient));
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> server().dataSource(url).getConnection().close());
			assertThat(server().isRunning()).isTrue();
			server().resume();
			assertThat(value(open)).isZero();
		}
		finally {
			server().resume();
		}
	}

	@Test
	void connectionsAreTerminated() throws SQLException {
		try (Connection connection = server().dataSource().getConnection()) {
			RowLock lock = server().lockRow("t", "k", 1);
			server().terminateBackends();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> value(connection));
			lock.close();
		}
		assertThat(value()).isZero();
	}

	@Test
	void rowIsLockedUntilTheEnd() throws SQLException {
		server().execute("INSERT INTO t VALUES (2, 0)");
		try (RowLock lock = server().lockRow("t", "k", 1)) {
			assertThat(lock).isNotNull();
			assertThat(isLocked(1)).isTrue();
			assertThat(isLocked(2)).isFalse();
		}
		assertThat(isLocked(1)).isFalse();
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> server().lockRow("t", "k", 3));
	}

	@Test
	void allRowsAreLockedUntilTheEnd() throws SQLException {
		server().execute("INSERT INTO t VALUES (2, 0)");
		try (RowLock lock = server().lockRows("t")) {
			assertThat(lock).isNotNull();
			assertThat(isLocked(1)).isTrue();
			assertThat(isLocked(2)).isTrue();
		}
		assertThat(isLocked(1)).isFalse();
	}

	private boolean isLocked(int key) throws SQLException {
		String sql = "SELECT v FROM t WHERE k = " + key + " FOR UPDATE NOWAIT";
		try (Connection connection = server().dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.executeQuery(sql).close();
			return false;
		}
		catch (SQLException ex) {
			return true;
		}
	}

	@Test
	void readOnlyServerRejectsWrites() throws SQLException {
		server().setReadOnly(true);
		try {
			assertThatExceptionOfType(UncheckedIOException.class)
				.isThrownBy(() -> server().execute("UPDATE t SET v = 1"));
			assertThat(value()).isZero();
		}
		finally {
			server().setReadOnly(false);
		}
		server().execute("UPDATE t SET v = 1");
		assertThat(value()).isEqualTo(1);
	}

	@Test
	void statementsAreCounted() throws SQLException {
		try (Connection connection = server().dataSource().getConnection()) {
			value(connection);
			long before = server().statementCount();
			assertThat(server().statementCount()).isEqualTo(before);
			value(connection);
			value(connection);
			value(connection);
			assertThat(server().statementCount()).isEqualTo(before + 3);
		}
	}

	@Test
	void proxyLiesBeforeTheServer() throws SQLException {
		try (FaultProxy proxy = server().proxy();
				Connection connection = server().dataSource(server().proxied(proxy)).getConnection()) {
			assertThat(value(connection)).isZero();
			assertThat(proxy.openConnections()).isEqualTo(1);
			proxy.cut();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> value(connection));
		}
	}

	@Test
	void processOfForeignServerIsLeftAlone() throws SQLException {
		S foreign = foreign(new SqlAddress(server().jdbcUrl(), server().user(), server().password()));
		assertThat(foreign.port()).isEqualTo(server().port());
		foreign.execute("UPDATE t SET v = 2");
		foreign.lockRow("t", "k", 1).close();
		assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::pause);
		assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::restart);
		assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::terminateBackends);
		assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::statementCount);
		assertThatExceptionOfType(TestAbortedException.class).isThrownBy(() -> foreign.setReadOnly(true));
		foreign.close();
		assertThat(server().isRunning()).isTrue();
		assertThat(value()).isEqualTo(2);
	}

	@Test
	void closeEndsTheProcessesAndDeletesTheFolder() {
		S other = start();
		ProcessHandle process = ProcessHandle.of(other.pid()).orElseThrow();
		Path folder = other.folder();
		assertThat(folder).isDirectory();
		other.close();
		other.close();
		assertThat(process.isAlive()).isFalse();
		assertThat(folder).doesNotExist();
	}

	final int value() throws SQLException {
		try (Connection connection = server().dataSource().getConnection()) {
			return value(connection);
		}
	}

	final int value(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("SELECT v FROM t WHERE k = 1");
				ResultSet rows = statement.executeQuery()) {
			return rows.next() ? rows.getInt(1) : NONE;
		}
	}

}
