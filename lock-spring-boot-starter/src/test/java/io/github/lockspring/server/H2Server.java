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

import java.net.URISyntaxException;
import java.nio.file.Path;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * An H2 server with a database in a file, see {@link SqlServer}. It writes each commit to
 * the file before it returns. It has no read-only mode and no exact count of statements:
 * {@link #setReadOnly(boolean)} and {@link #statementCount()} abort the test.
 */
public final class H2Server extends SqlServer {

	private static final String SETTINGS = ";DB_CLOSE_DELAY=-1;WRITE_DELAY=0";

	private static final String TERMINATE = """
			SELECT abort_session(session_id) FROM information_schema.sessions WHERE session_id <> session_id()
			""";

	private H2Server(SqlAddress address, @Nullable Path folder) {
		super(address, address, folder);
	}

	/**
	 * Start a server.
	 * @return a running server
	 */
	public static H2Server start() {
		int port = FreePorts.next();
		String url = "jdbc:h2:tcp://" + LOOPBACK + ":" + port + "/./locks" + SETTINGS;
		H2Server server = new H2Server(new SqlAddress(url, "locks", "locks"), TemporaryFolder.create("h2-" + port));
		server.launch();
		return server;
	}

	static H2Server foreign(SqlAddress address) {
		return new H2Server(address, null);
	}

	@Override
	ServerProcess launch(Path folder, Path log) {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		return new ServerProcess(log, java, "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
				"-Dh2.bindAddress=" + LOOPBACK, "-cp", jar().toString(), Server.class.getName(), "-tcp", "-tcpPort",
				"" + port(), "-baseDir", folder.toString(), "-ifNotExists");
	}

	private static Path jar() {
		try {
			return Path.of(Server.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	DataSource dataSource(SqlAddress address) {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setURL(address.url());
		dataSource.setUser(address.user());
		dataSource.setPassword(address.password());
		return dataSource;
	}

	@Override
	int usualPort() {
		return 9092;
	}

	@Override
	public long statementCount() {
		process();
		return Assumptions.abort("H2 does not distinguish statements of the user from those of the driver");
	}

	@Override
	public void terminateBackends() {
		process();
		asAdmin((connection) -> execute(connection, TERMINATE));
	}

	@Override
	public void setReadOnly(boolean readOnly) {
		Assumptions.abort("H2 has no read-only mode");
	}

}
