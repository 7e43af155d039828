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

import java.util.function.Consumer;

/**
 * Way from a client to the servers.
 */
public interface ZooKeeperNetwork {

	/**
	 * Connect to one of the servers.
	 * @param receiver the end at the client
	 * @return the connection, which can be used at once
	 */
	Wire connect(ZooKeeperReceiver receiver);

	/**
	 * Throw an error of the client, or not: before and after a request is sent.
	 */
	default void mayThrow() {
	}

	/**
	 * Connection to a server. What is sent arrives in this order, as long as the
	 * connection lasts.
	 */
	interface Wire {

		/**
		 * Send something to the server.
		 * @param message what happens there
		 */
		void send(Consumer<ServerConnection> message);

		/**
		 * Close the connection. What was sent may still arrive.
		 */
		void close();

	}

}
