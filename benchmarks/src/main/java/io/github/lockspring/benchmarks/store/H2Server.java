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

package io.github.lockspring.benchmarks.store;

import java.io.IOException;
import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * The process that H2 runs in when several others use it. Prints its port, and ends with
 * the process that started it.
 */
final class H2Server {

	private H2Server() {
	}

	public static void main(String[] args) throws SQLException, IOException {
		Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		System.out.println(server.getPort());
		while (System.in.read() != -1) {
			// nothing is ever said to it
		}
		System.exit(0);
	}

}
