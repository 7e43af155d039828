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

package io.github.lockspring.zookeeper;

import java.util.function.Consumer;

import io.github.lockspring.simulator.zookeeper.ServerConnection;
import io.github.lockspring.simulator.zookeeper.ZooKeeperModel;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;
import io.github.lockspring.simulator.zookeeper.ZooKeeperReceiver;

/**
 * A network without delays to servers, for many threads.
 *
 * @param servers the servers
 */
record DirectZooKeeperNetwork(ZooKeeperModel servers) implements ZooKeeperNetwork {

	/**
	 * Creates servers whose clocks are those of the JVM.
	 */
	static ZooKeeperModel newServers() {
		ZooKeeperModel servers = new ZooKeeperModel(1, System::nanoTime, System::currentTimeMillis,
				new java.util.Random(1));
		servers.onCommit(() -> servers.catchUp(0, servers.zxid()));
		return servers;
	}

	@Override
	public Wire connect(ZooKeeperReceiver receiver) {
		synchronized (this.servers) {
			ServerConnection connection = this.servers.connect(receiver);
			return new Wire() {

				@Override
				public void send(Consumer<ServerConnection> message) {
					synchronized (DirectZooKeeperNetwork.this.servers) {
						message.accept(connection);
					}
				}

				@Override
				public void close() {
					send(ServerConnection::close);
				}

			};
		}
	}

}
