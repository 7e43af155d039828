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

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A ZooKeeper server in this JVM, whose data can be changed as only years of use would.
 */
final class ZooKeeperInProcess implements AutoCloseable {

	private static final int TICK = 500;

	private final ZooKeeperServer server;

	private final ServerCnxnFactory connections;

	private ZooKeeperInProcess(ZooKeeperServer server, ServerCnxnFactory connections) {
		this.server = server;
		this.connections = connections;
	}

	static ZooKeeperInProcess start(Path folder) throws IOException, InterruptedException {
		ServerCnxnFactory connections = ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", 0), 0);
		ZooKeeperServer server = new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK);
		connections.startup(server);
		return new ZooKeeperInProcess(server, connections);
	}

	String connectString() {
		return "127.0.0.1:" + this.connections.getLocalPort();
	}

	/**
	 * Sets the number of the next sequential node below a node.
	 */
	void setCounter(String path, int next) {
		DataNode node = this.server.getZKDatabase().getNode(path);
		synchronized (node) {
			node.stat.setCversion(next);
		}
	}

	/**
	 * The number of the next sequential node below a node, 0 if that does not exist.
	 */
	int counter(String path) {
		DataNode node = this.server.getZKDatabase().getNode(path);
		return (node != null) ? node.stat.getCversion() : 0;
	}

	/**
	 * Sets the version of the data of a node.
	 */
	void setVersion(String path, int version) {
		DataNode node = this.server.getZKDatabase().getNode(path);
		synchronized (node) {
			node.stat.setVersion(version);
		}
	}

	@Override
	public void close() {
		this.connections.shutdown();
	}

}
