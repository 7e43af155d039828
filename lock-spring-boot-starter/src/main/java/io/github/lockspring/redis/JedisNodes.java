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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.List;

import redis.clients.jedis.HostAndPort;

/**
 * Servers that have the keys.
 */
interface JedisNodes extends AutoCloseable {

	/**
	 * Start to discover the servers.
	 */
	default void start() {
	}

	/**
	 * Return the connections to the server that has a key.
	 * @param key the key
	 * @param timeout the maximum time to wait until the server is known
	 */
	JedisLinks of(byte[] key, Duration timeout);

	/**
	 * Return the connections to a server that was the target of a redirection.
	 */
	JedisLinks at(HostAndPort address);

	/**
	 * Return the connections to each of the servers.
	 */
	List<JedisLinks> all(Duration timeout);

	/**
	 * Open a new connection to any of the servers, for messages.
	 */
	JedisLink open();

	/**
	 * Return whether a server is one of them, as far as is known.
	 */
	boolean contains(HostAndPort address);

	/**
	 * Record that the role of a server may have changed.
	 */
	void doubt();

	@Override
	void close();

}
