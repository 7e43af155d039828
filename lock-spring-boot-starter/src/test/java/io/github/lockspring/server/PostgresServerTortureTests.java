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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for {@link PostgresServer}.
 */
class PostgresServerTortureTests extends SqlServerContract<PostgresServer> {

	@Override
	PostgresServer start() {
		return PostgresServer.startDurable();
	}

	@Override
	PostgresServer foreign(SqlAddress address) {
		return PostgresServer.foreign(address);
	}

	@Override
	String impatient(String url) {
		return url + "?socketTimeout=2&loginTimeout=2";
	}

	@Test
	void duplicateKeysAreLogged() {
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> server().execute("INSERT INTO t VALUES (1, 7)"));
		assertThat(server().log()).contains("duplicate key value");
	}

	@Test
	void durabilityIsThatOfTheFlavour() {
		assertThat(setting(server(), "fsync")).isEqualTo("on");
		assertThat(setting(server(), "synchronous_commit")).isEqualTo("on");
		try (PostgresServer fast = PostgresServer.start("max_connections=7")) {
			assertThat(setting(fast, "fsync")).isEqualTo("off");
			assertThat(setting(fast, "max_connections")).isEqualTo("7");
		}
	}

	@Test
	void unprivilegedUserRunsServerWhereNamespacesAreForbidden() {
		assumeTrue(Platform.isRoot(), "Needs root");
		try (PostgresServer server = PostgresServer.start(PostgresPrograms.withSetpriv(), List.of())) {
			server.kill();
			server.restart();
			assertThat(setting(server, "fsync")).isEqualTo("on");
		}
	}

	@Test
	void sharedServerIsAlwaysTheSameAndStaysOpen() {
		PostgresServer shared = PostgresServer.shared();
		shared.close();
		assertThat(PostgresServer.shared()).isSameAs(shared);
		shared.execute("SELECT 1");
	}

	@Test
	void connectionsStandStillWithTheServer() throws SQLException {
		try (Connection connection = server().dataSource(impatient(server().jdbcUrl())).getConnection()) {
			long pid = connection.unwrap(PGConnection.class).getBackendPID();
			server().pause();
			// A process has a moment to stop after it was signalled
			Await.until("the connection stands still", () -> stateOf(pid).equals("T"));
			Await.until("the server stands still", () -> stateOf(server().pid()).equals("T"));
		}
		finally {
			server().resume();
		}
	}

	private String stateOf(long pid) {
		try {
			String status = Files.readString(Path.of("/proc/" + pid + "/stat"));
			return status.substring(status.lastIndexOf(')') + 2).substring(0, 1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void pausedServerEndsWithTheJvmEvenWhenThatIsKilled() throws Exception {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				Starter.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		String[] words = jvm.inputReader().readLine().split(" ");
		ProcessHandle other = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
		List<ProcessHandle> all = Stream.concat(Stream.of(other), other.descendants()).toList();
		assertThat(all).hasSizeGreaterThan(2).allMatch(ProcessHandle::isAlive);
		jvm.destroyForcibly().waitFor();
		Await.until("the processes have ended", () -> all.stream().noneMatch(ProcessHandle::isAlive));
		TemporaryFolder.delete(Path.of(words[1]));
	}

	private String setting(PostgresServer server, String name) {
		return server.asAdmin((connection) -> {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SHOW " + name)) {
				rows.next();
				return rows.getString(1);
			}
		});
	}

	/**
	 * Starts a server, prints its process id and folder, lets it stand still, and waits
	 * to be killed.
	 */
	static final class Starter {

		private Starter() {
		}

		public static void main(String[] args) throws IOException {
			PostgresServer server = PostgresServer.start();
			server.pause();
			System.out.println(server.pid() + " " + server.folder());
			System.in.read();
		}

	}

}
