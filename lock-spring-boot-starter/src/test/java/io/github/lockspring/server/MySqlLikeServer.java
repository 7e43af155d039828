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
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What servers of MariaDB and MySQL have in common.
 */
abstract class MySqlLikeServer extends SqlServer {

	/**
	 * An unknown thread: it has ended by itself.
	 */
	private static final int NO_SUCH_THREAD = 1094;

	/**
	 * Run at each start, by the server.
	 */
	private static final String SETUP = """
			CREATE DATABASE IF NOT EXISTS locks;
			CREATE USER IF NOT EXISTS 'locks'@'%' IDENTIFIED BY 'locks';
			GRANT ALL ON locks.* TO 'locks'@'%';
			CREATE USER IF NOT EXISTS 'admin'@'%' IDENTIFIED BY 'admin';
			GRANT ALL ON *.* TO 'admin'@'%' WITH GRANT OPTION;
			""";

	private static final String CONNECTIONS = """
			SELECT id FROM information_schema.processlist
			WHERE id <> connection_id() AND user NOT IN ('system user', 'event_scheduler')
			""";

	private final List<String> options;

	/**
	 * Create a server that is not started yet.
	 * @param url the URL of the database
	 * @param folder the folder of the server
	 * @param options its options, without leading dashes
	 */
	MySqlLikeServer(String url, Path folder, List<String> options) {
		super(new SqlAddress(url, "locks", "locks"), new SqlAddress(url, "admin", "admin"), folder);
		this.options = options;
	}

	MySqlLikeServer(SqlAddress foreign) {
		super(foreign, foreign, null);
		this.options = List.of();
	}

	/**
	 * Return the program and options that it always has.
	 * @return the beginning of the command
	 */
	abstract List<String> program();

	/**
	 * Return the query that counts the statements of the user of the database.
	 * @return a query with one value
	 */
	abstract String countStatements();

	final Path data() {
		return folder().resolve("data");
	}

	@Override
	final ServerProcess launch(Path folder, Path log) {
		List<String> command = new ArrayList<>(program());
		command.addAll(List.of("--datadir=" + data(), "--port=" + port(), "--bind-address=" + LOOPBACK,
				"--socket=" + folder.resolve("socket"), "--pid-file=" + folder.resolve("pid"),
				"--tmpdir=" + temporary(folder), "--init-file=" + writeSetup(folder), "--skip-name-resolve"));
		if (Platform.isRoot()) {
			command.add("--user=root");
		}
		this.options.forEach((option) -> command.add("--" + option));
		return ServerProcess.start(log, command.toArray(String[]::new));
	}

	/**
	 * A server deletes the temporary tables of others that use the same folder for them.
	 */
	private static Path temporary(Path folder) {
		try {
			return Files.createDirectories(folder.resolve("tmp"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path writeSetup(Path folder) {
		try {
			return Files.writeString(folder.resolve("setup.sql"), SETUP);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	int usualPort() {
		return 3306;
	}

	@Override
	public long statementCount() {
		process();
		return asAdmin((connection) -> longs(connection, countStatements()).get(0));
	}

	@Override
	public void terminateBackends() {
		process();
		asAdmin((connection) -> {
			List<Long> ids = longs(connection, CONNECTIONS);
			for (Long id : ids) {
				kill(connection, id);
			}
			return ids.size();
		});
	}

	private static void kill(Connection connection, long id) throws SQLException {
		try {
			execute(connection, "KILL " + id);
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() != NO_SUCH_THREAD) {
				throw ex;
			}
		}
	}

	@Override
	public void setReadOnly(boolean readOnly) {
		process();
		asAdmin((connection) -> execute(connection, "SET GLOBAL read_only = " + (readOnly ? 1 : 0)));
	}

}
