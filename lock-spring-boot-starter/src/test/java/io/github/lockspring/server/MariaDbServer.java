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

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * A MariaDB server, see {@link SqlServer}.
 */
public final class MariaDbServer extends MySqlLikeServer {

	/**
	 * The beginning of system properties with the {@code url}, {@code user} and
	 * {@code password} of a server that tests are to use, such as
	 * {@code jdbc:mariadb://localhost/test}.
	 */
	public static final String PROPERTIES = "lock.test.mariadb.";

	/**
	 * System property with the folder of the programs of MariaDB, those of the build
	 * without it.
	 */
	public static final String HOME_PROPERTY = "lock.test.mariadb.home";

	private static final Lazy<MariaDbServer> SHARED = new Lazy<>(MariaDbServer::createShared);

	private final @Nullable MariaDbPrograms programs;

	private MariaDbServer(SqlAddress foreign) {
		super(foreign);
		this.programs = null;
	}

	private MariaDbServer(int port, MariaDbPrograms programs, List<String> options) {
		super("jdbc:mariadb://" + LOOPBACK + ":" + port + "/locks", TemporaryFolder.create("mariadb-" + port), options);
		this.programs = programs;
	}

	/**
	 * Start a server that does not wait for the disk: what is committed outlives the
	 * process, though not the machine.
	 * @param options options such as {@code max-connections=20}
	 * @return a running server
	 */
	public static MariaDbServer start(String... options) {
		List<String> all = new ArrayList<>(List.of("innodb-flush-log-at-trx-commit=2"));
		all.addAll(Arrays.asList(options));
		return start(all);
	}

	/**
	 * Start a server with the durability that MariaDB has without options: a commit
	 * returns when it is on the disk.
	 * @param options options such as {@code max-connections=20}
	 * @return a running server
	 */
	public static MariaDbServer startDurable(String... options) {
		return start(List.of(options));
	}

	private static MariaDbServer start(List<String> options) {
		MariaDbPrograms programs = MariaDbPrograms.get();
		MariaDbServer server = new MariaDbServer(FreePorts.next(), programs, options);
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
	public static MariaDbServer shared() {
		return SHARED.get();
	}

	private static MariaDbServer createShared() {
		SqlAddress address = SqlAddress.ofProperties(PROPERTIES);
		if (address != null) {
			return foreign(address);
		}
		MariaDbServer server = start();
		server.share();
		return server;
	}

	static MariaDbServer foreign(SqlAddress address) {
		return new MariaDbServer(address);
	}

	@Override
	List<String> program() {
		if (this.programs == null) {
			throw new IllegalStateException("Not ours");
		}
		String home = this.programs.home().toString();
		// To create keys for TLS would take seconds
		return List.of(home + "/bin/mariadbd", "--no-defaults", "--basedir=" + home,
				"--lc-messages-dir=" + home + "/share", "--skip-ssl", "--userstat");
	}

	@Override
	String countStatements() {
		return """
				SELECT coalesce(sum(select_commands + update_commands + other_commands), 0)
				FROM information_schema.user_statistics WHERE user = 'locks'
				""";
	}

	@Override
	DataSource dataSource(SqlAddress address) {
		try {
			MariaDbDataSource dataSource = new MariaDbDataSource(address.url());
			dataSource.setUser(address.user());
			dataSource.setPassword(address.password());
			return dataSource;
		}
		catch (SQLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

}
