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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import com.mysql.cj.jdbc.MysqlDataSource;
import org.jspecify.annotations.Nullable;

/**
 * A MySQL server, see {@link SqlServer}. The profile {@code mysql} of the build brings
 * its programs; where they are not there or do not run, tests that start one are aborted.
 */
public final class MySqlServer extends MySqlLikeServer {

	/**
	 * The beginning of system properties with the {@code url}, {@code user} and
	 * {@code password} of a server that tests are to use, such as
	 * {@code jdbc:mysql://localhost/test}.
	 */
	public static final String PROPERTIES = "lock.test.mysql.";

	/**
	 * System property with the folder of the programs of MySQL, {@code target/mysql}
	 * without it.
	 */
	public static final String HOME_PROPERTY = "lock.test.mysql.home";

	private static final Lazy<MySqlServer> SHARED = new Lazy<>(MySqlServer::createShared);

	private final @Nullable MySqlPrograms programs;

	private MySqlServer(SqlAddress foreign) {
		super(foreign);
		this.programs = null;
	}

	private MySqlServer(int port, MySqlPrograms programs, List<String> options) {
		super("jdbc:mysql://" + LOOPBACK + ":" + port + "/locks?sslMode=DISABLED&allowPublicKeyRetrieval=true",
				TemporaryFolder.create("mysql-" + port), options);
		this.programs = programs;
	}

	/**
	 * Start a server that does not wait for the disk: what is committed outlives the
	 * process, though not the machine.
	 * @param options options such as {@code max-connections=20}
	 * @return a running server
	 */
	public static MySqlServer start(String... options) {
		List<String> all = new ArrayList<>(List.of("innodb-flush-log-at-trx-commit=2", "skip-log-bin"));
		all.addAll(Arrays.asList(options));
		return start(all);
	}

	/**
	 * Start a server with the durability that MySQL has without options: a commit returns
	 * when it is on the disk.
	 * @param options options such as {@code max-connections=20}
	 * @return a running server
	 */
	public static MySqlServer startDurable(String... options) {
		return start(List.of(options));
	}

	private static MySqlServer start(List<String> options) {
		MySqlPrograms programs = MySqlPrograms.get();
		MySqlServer server = new MySqlServer(FreePorts.next(), programs, options);
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
	public static MySqlServer shared() {
		return SHARED.get();
	}

	private static MySqlServer createShared() {
		SqlAddress address = SqlAddress.ofProperties(PROPERTIES);
		if (address != null) {
			return foreign(address);
		}
		MySqlServer server = start();
		server.share();
		return server;
	}

	static MySqlServer foreign(SqlAddress address) {
		return new MySqlServer(address);
	}

	@Override
	List<String> program() {
		if (this.programs == null) {
			throw new IllegalStateException("Not ours");
		}
		String home = this.programs.home().toString();
		return List.of(home + "/bin/mysqld", "--no-defaults", "--basedir=" + home, "--mysqlx=OFF", "--tls-version=");
	}

	@Override
	String countStatements() {
		return """
				SELECT coalesce(sum(count_star), 0)
				FROM performance_schema.events_statements_summary_by_user_by_event_name
				WHERE user = 'locks' AND event_name LIKE 'statement/sql/%'
				""";
	}

	@Override
	DataSource dataSource(SqlAddress address) {
		MysqlDataSource dataSource = new MysqlDataSource();
		dataSource.setUrl(address.url());
		dataSource.setUser(address.user());
		dataSource.setPassword(address.password());
		return dataSource;
	}

}
