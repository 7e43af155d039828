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

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

import io.github.lockspring.server.PostgresServer;

/**
 * A PgBouncer in front of the database of a server. Tests that start one are skipped
 * where it is not installed.
 */
final class PgBouncer implements AutoCloseable {

	private final Process process;

	private final String url;

	private PgBouncer(Process process, int port) {
		this.process = process;
		// A version before 1.21 does not know the prepared statements of its clients
		this.url = "jdbc:postgresql://127.0.0.1:" + port + "/locks?prepareThreshold=0";
	}

	/**
	 * Starts one.
	 * @param mode when a session of the server is free for another client:
	 * {@code session} or {@code transaction}
	 * @param sessions how many sessions there are
	 */
	static PgBouncer start(PostgresServer server, Path folder, String mode, int sessions) throws IOException {
		Path program = Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
			.map(Path::of)
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
		Assumptions.assumeTrue(program != null, "PgBouncer is not installed");
		int port = freePort();
		Path settings = Files.writeString(folder.resolve(mode + ".ini"), """
				[databases]
				locks = host=127.0.0.1 port=%d user=%s
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = any
				pool_mode = %s
				default_pool_size = %d
				ignore_startup_parameters = extra_float_digits
				""".formatted(server.port(), server.user(), port, mode, sessions));
		Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
		List<String> command = new ArrayList<>(List.of(program.toString(), settings.toString()));
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(1, List.of("-u", "nobody"));
		}
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(folder.resolve(mode + ".log").toFile())
			.start();
		PgBouncer pooler = new PgBouncer(process, port);
		Awaitility.await().ignoreExceptions().until(() -> pooler.serves(server));
		return pooler;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private boolean serves(PostgresServer server) throws Exception {
		try (Connection connection = DriverManager.getConnection(this.url, server.user(), server.password())) {
			return connection.isValid(1);
		}
	}

	String url() {
		return this.url;
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroy();
		this.process.waitFor(10, TimeUnit.SECONDS);
	}

}
