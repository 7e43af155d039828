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

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Name of this process for readers of the table. Determined on first use, which may query
 * a name server.
 */
final class ProcessName {

	static final String NAME = ProcessHandle.current().pid() + "@" + host();

	private static final int MAX_HOST_LENGTH = 200;

	private ProcessName() {
	}

	private static String host() {
		try {
			String host = InetAddress.getLocalHost().getHostName();
			return host.substring(0, Math.min(host.length(), MAX_HOST_LENGTH));
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
