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

package io.github.lockspring.simulator.zookeeper;

import org.jspecify.annotations.Nullable;

/**
 * Session that the leader knows.
 */
final class ServerSession {

	private final long id;

	private final byte[] password;

	private final int timeout;

	private @Nullable ServerConnection connection;

	private long heardNanos;

	ServerSession(long id, byte[] password, int timeout, long nanos) {
		this.id = id;
		this.password = password;
		this.timeout = timeout;
		this.heardNanos = nanos;
	}

	long id() {
		return this.id;
	}

	byte[] password() {
		return this.password;
	}

	/**
	 * Return the negotiated timeout in milliseconds.
	 */
	int timeout() {
		return this.timeout;
	}

	@Nullable ServerConnection connection() {
		return this.connection;
	}

	/**
	 * Let the session continue on a connection.
	 */
	void moveTo(ServerConnection connection) {
		this.connection = connection;
	}

	long heardNanos() {
		return this.heardNanos;
	}

	/**
	 * Hear from the client.
	 */
	void heard(long nanos) {
		this.heardNanos = nanos;
	}

}
