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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers. They are below those that systems give to outgoing connections, so
 * that a port is still free when its server is started again. Other JVMs that test at the
 * same time are given other ports, also before a server listens there.
 */
final class FreePorts {

	private static final int FIRST = 11_000;

	private static final int LAST = 21_000;

	private static final int BUS = 10_000;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	/**
	 * Each byte stands for a port. The JVM that locks it has the port until it ends.
	 */
	private static final FileChannel CLAIMS = open();

	private FreePorts() {
	}

	/**
	 * Return a free port; the port 10000 above, the cluster bus, is free as well.
	 * @return a port that this method has not returned before
	 */
	static int next() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
			if (GIVEN.add(port) && claim(port) && isFree(port) && isFree(port + BUS)) {
				return port;
			}
		}
	}

	private static FileChannel open() {
		String name = "lock-test-ports-" + System.getProperty("user.name");
		Path file = Path.of(System.getProperty("java.io.tmpdir"), name);
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean claim(int port) {
		try {
			return CLAIMS.tryLock(port, 1, false) != null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
