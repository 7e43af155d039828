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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * ZooKeeper, for processes of tests. Each has a client and a session of its own.
 *
 * @param connectString the addresses
 * @param sessionTimeout how long a session lasts without a word
 */
public record ZooKeeperStore(String connectString, Duration sessionTimeout) implements Store {

	/**
	 * Connects through a proxy, which has two addresses: a client pauses for a second
	 * before it tries the only one again.
	 */
	static ZooKeeperStore through(FaultProxy proxy, Duration sessionTimeout) {
		return new ZooKeeperStore(proxy.host() + ':' + proxy.port() + ",localhost:" + proxy.port(), sessionTimeout);
	}

	@Override
	public StoreClient connect(EngineSettings settings) {
		return new Client(Clients.create(this.connectString, this.sessionTimeout), settings);
	}

	/**
	 * The session of a process.
	 */
	static ZooKeeper session(EngineProcess process) {
		try {
			return ((Client) process.client).curator.getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static CuratorFramework curator(EngineProcess process) {
		return ((Client) process.client).curator;
	}

	/**
	 * The names of the nodes in the queue of a key.
	 */
	static List<String> queue(CuratorFramework admin, String key) {
		return children(admin, pathOf(admin, key));
	}

	/**
	 * The names of the children of a node. It has none if the server has deleted it, as
	 * it does now and then with keys that no one uses.
	 */
	private static List<String> children(CuratorFramework admin, String path) {
		try {
			return admin.getChildren().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static String pathOf(CuratorFramework admin, String key) {
		return new LockPaths(admin, Clients.SETTINGS.namespace()).of(key);
	}

	/**
	 * Asserts that no one holds a key or waits for it, whether there are processes or
	 * not.
	 */
	void assertNothingLeft() throws Exception {
		assertNothingLeft((key) -> false);
	}

	/**
	 * Asserts the same, but for values, and for the lists of nodes to be deleted later:
	 * no key begins with a dot.
	 */
	public void assertOnlyValuesLeft() throws Exception {
		assertNothingLeft((key) -> key.startsWith("."));
	}

	private void assertNothingLeft(Predicate<String> allowed) throws Exception {
		try (CuratorFramework admin = Clients.create(this.connectString)) {
			admin.start();
			String root = '/' + Clients.SETTINGS.namespace();
			List<String> nodes = new ArrayList<>();
			for (String key : admin.getChildren().forPath(root)) {
				nodes.addAll(allowed.test(key) ? List.of() : children(admin, root + '/' + key));
			}
			assertThat(nodes).isEmpty();
		}
	}

	private static final class Client implements StoreClient {

		private final CuratorFramework curator;

		private final ZooKeeperLockBackend backend;

		Client(CuratorFramework curator, EngineSettings settings) {
			this.curator = curator;
			this.backend = new ZooKeeperLockBackend(curator,
					new ZooKeeperLockSettings(Clients.SETTINGS.namespace(), settings.operationTimeout()));
		}

		@Override
		public LockBackend backend() {
			return this.backend;
		}

		@Override
		public void disconnect() {
			throw new UnsupportedOperationException("End the process instead");
		}

		@Override
		public void close() {
			this.curator.close();
		}

	}

}
