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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.github.lockspring.server.Torture;
import io.github.lockspring.simulator.zookeeper.ServerConnection;
import io.github.lockspring.simulator.zookeeper.ZooKeeperModel;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link ZooKeeperLockBackend} on a
 * {@link ZooKeeperModel}, in real time. Needs the monitors of the JVM.
 */
@EnabledIfSystemProperty(named = "simulator.replace", matches = "false")
@Torture(alsoIn = "ZooKeeperModelServerTests")
class ZooKeeperModelContractTests extends LockBackendContractTests {

	private static final int SESSION_TIMEOUT = 10_000;

	private static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings(
			ZooKeeperLockSettings.DEFAULT_NAMESPACE, Duration.ofSeconds(3));

	private final ZooKeeperModel servers = DirectZooKeeperNetwork.newServers();

	private final List<CuratorFramework> clients = new CopyOnWriteArrayList<>();

	@Override
	protected void disconnect() {
		this.clients.forEach(CuratorFramework::close);
	}

	private CuratorFramework client(ZooKeeperNetwork network) {
		CuratorFramework client = ModelCurator.create(network, SESSION_TIMEOUT);
		this.clients.add(client);
		return client;
	}

	@Override
	protected LockBackend backend() {
		return new ZooKeeperLockBackend(client(new DirectZooKeeperNetwork(this.servers)), SETTINGS);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		LockPaths paths = new LockPaths(this.clients.get(0), SETTINGS.namespace());
		synchronized (this.servers) {
			lease.keys().stream().map(paths::of).forEach((parent) -> expire(lease, parent));
		}
	}

	private void expire(LeaseRequest lease, String parent) {
		for (String name : this.servers.children(parent)) {
			if (QueueNode.parse(name).owner().equals(lease.owner().toString())) {
				try {
					this.servers.change(0, Op.delete(parent + '/' + name, -1));
				}
				catch (KeeperException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
	}

	@Override
	protected @Nullable LockBackend unreachableBackend() {
		ZooKeeperNetwork away = (receiver) -> {
			receiver.closed();
			return new ZooKeeperNetwork.Wire() {

				@Override
				public void send(Consumer<ServerConnection> message) {
				}

				@Override
				public void close() {
				}

			};
		};
		return new ZooKeeperLockBackend(client(away),
				new ZooKeeperLockSettings(SETTINGS.namespace(), Duration.ofMillis(300)));
	}

	@Override
	protected boolean keepsRecalls() {
		return true;
	}

	@Override
	protected boolean endsLeasesByTime() {
		return false;
	}

}
