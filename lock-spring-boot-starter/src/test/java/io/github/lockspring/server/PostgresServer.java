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
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server, see {@link SqlServer}. {@link #stop()} is the fast shutdown;
 * {@link #kill()} and {@link #pause()} concern the processes of its connections as well.
 */
public final class PostgresServer extends SqlServer {

	/**
	 * The beginning of system properties with the {@code url}, {@code user} and
	 * {@code password} of a server that tests are to use, such as
	 * {@code jdbc:postgresql://localhost/test}.
	 */
	public static final String PROPERTIES = "lock.test.postgresql.";

	private static final String STATEMENT_COUNT = """
			SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s JOIN pg_roles u ON u.oid = s.userid
			WHERE u.rolname = 'locks'
			""";

	private static final String TERMINATE = """
			SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
			""";

	private static final Lazy<PostgresServer> SHARED = new Lazy<>(PostgresServer::createShared);

	private final List<String> options;

	private final @Nullable PostgresPrograms programs;

	private PostgresServer(SqlAddress address, SqlAddress admin) {
		super(address, admin, null);
		this.options = List.of();
		this.programs = null;
	}

	private PostgresServer(int port, PostgresPrograms programs, List<String> options) {
		super(address(port, "locks", "locks"), address(port, "postgres", "postgres"),
				TemporaryFolder.create("postgres-" + port));
		this.options = options;
		this.programs = programs;
	}

	private static SqlAddress address(int port, String database, String user) {
		return new SqlAddress("jdbc:postgresql://" + LOOPBACK + ":" + port + "/" + database, user, "");
	}

	/**
	 * Start a server that does not wait for the disk: what is committed outlives the
	 * processes, though not the machine.
	 * @param options settings such as {@code max_connections=20}
	 * @return a running server
	 */
	public static PostgresServer start(String... options) {
		List<String> all = new ArrayList<>(List.of("fsync=off", "full_page_writes=off"));
		all.addAll(Arrays.asList(options));
		return start(PostgresPrograms.get(), all);
	}

	/**
	 * Start a server with the durability that PostgreSQL has without settings: a commit
	 * returns when it is on the disk.
	 * @param options settings such as {@code max_connections=20}
	 * @return a running server
	 */
	public static PostgresServer startDurable(String... options) {
		return start(PostgresPrograms.get(), List.of(options));
	}

	static PostgresServer start(PostgresPrograms programs, List<String> options) {
		int port = FreePorts.next();
		PostgresServer server = new PostgresServer(port, programs, options);
		programs.copyData(server.data());
		server.launch();
		return server;
	}

	/**
	 * Return the server for tests that just need one: that of the system properties, or
	 * one that is started by the first call and lives as long as the JVM. To close it
	 * does nothing.
	 * @return the server of all tests
	 */
	public static PostgresServer shared() {
		return SHARED.get();
	}

	private static PostgresServer createShared() {
		SqlAddress address = SqlAddress.ofProperties(PROPERTIES);
		if (address != null) {
			return foreign(address);
		}
		PostgresServer server = start();
		server.share();
		return server;
	}

	static PostgresServer foreign(SqlAddress address) {
		return new PostgresServer(address, address);
	}

	private Path data() {
		return folder().resolve("data");
	}

	@Override
	ServerProcess launch(Path folder, Path log) {
		try {
			// What ALTER SYSTEM has set
			Files.deleteIfExists(data().resolve("postgresql.auto.conf"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return ServerProcess.start(log, command().toArray(String[]::new));
	}

	private List<String> command() {
		if (this.programs == null) {
			throw new IllegalStateException("Not ours");
		}
		List<String> command = this.programs.command("postgres", "-D", data().toString(), "-p", "" + port());
		// A killed server leaves its dynamic shared memory, so that belongs into the
		// folder
		List<String> settings = new ArrayList<>(List.of("listen_addresses=" + LOOPBACK, "unix_socket_directories=",
				"shared_preload_libraries=pg_stat_statements", "dynamic_shared_memory_type=mmap"));
		settings.addAll(this.options);
		settings.forEach((setting) -> command.addAll(List.of("-c", setting)));
		return command;
	}

	@Override
	DataSource dataSource(SqlAddress address) {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl(address.url());
		dataSource.setUser(address.user());
		dataSource.setPassword(address.password());
		return dataSource;
	}

	@Override
	int usualPort() {
		return 5432;
	}

	@Override
	public void stop() {
		process().stop("INT");
	}

	@Override
	public long statementCount() {
		process();
		return asAdmin((connection) -> longs(connection, STATEMENT_COUNT).get(0));
	}

	@Override
	public void terminateBackends() {
		process();
		asAdmin((connection) -> execute(connection, TERMINATE));
	}

	@Override
	public void setReadOnly(boolean readOnly) {
		process();
		String value = readOnly ? "on" : "off";
		asAdmin((connection) -> execute(connection, "ALTER SYSTEM SET default_transaction_read_only = " + value,
				"SELECT pg_reload_conf()"));
		Await.until("transactions are read-only: " + value, () -> value.equals(readOnlySetting()));
	}

	private String readOnlySetting() {
		return asAdmin((connection) -> {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SHOW default_transaction_read_only")) {
				rows.next();
				return rows.getString(1);
			}
		});
	}

}
