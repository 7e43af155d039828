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

package io.github.lockspring.sample.store;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;

import org.h2.tools.Server;

/**
 * The process of a database for all instances, in memory. It prints its port and the
 * password, and ends when its input ends, which the end of the process that started it
 * brings about.
 */
public final class H2Program {

	static final String HOST = "127.0.0.1";

	static final String DATABASE = "mem:stock";

	static final String USER = "sample";

	private H2Program() {
	}

	/**
	 * Serves the database until the input ends.
	 */
	public static void run() throws IOException, SQLException {
		String password = UUID.randomUUID().toString();
		// Others may only use what is there, and it is there as long as a connection is
		try (Connection connection = DriverManager.getConnection("jdbc:h2:" + DATABASE, USER, password)) {
			Server server = Server.createTcpServer("-tcpPort", "0").start();
			System.out.println(server.getPort() + " " + password);
			System.in.transferTo(OutputStream.nullOutputStream());
			server.stop();
		}
	}

}
