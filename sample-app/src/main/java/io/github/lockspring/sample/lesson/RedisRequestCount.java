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

package io.github.lockspring.sample.lesson;

import java.util.UUID;

import io.github.lockspring.server.RedisConnection;
import io.github.lockspring.server.RedisServer;

/**
 * Counts the commands to Redis, which reports each of them.
 */
final class RedisRequestCount implements RequestCount {

	private final String address;

	private final RedisConnection connection;

	private final RedisConnection monitor;

	private long count;

	RedisRequestCount(RedisServer server) {
		this.address = server.uri().toString();
		this.connection = server.connect();
		this.monitor = server.connect();
		this.monitor.command("MONITOR");
	}

	@Override
	public String address() {
		return this.address;
	}

	/**
	 * All that happened before a command of our own.
	 */
	@Override
	public long soFar() {
		String last = UUID.randomUUID().toString();
		this.connection.command("ECHO", last);
		String line = String.valueOf(this.monitor.receive());
		while (!line.contains(last)) {
			this.count += line.contains(" lua] ") ? 0 : 1;
			line = String.valueOf(this.monitor.receive());
		}
		return this.count;
	}

	@Override
	public void close() {
		this.monitor.close();
		this.connection.close();
	}

}
