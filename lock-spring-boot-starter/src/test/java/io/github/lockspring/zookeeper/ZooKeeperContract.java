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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link ZooKeeperLockBackend}. Every backend has a
 * client and a session of its own.
 */
abstract class ZooKeeperContract extends LockBackendContractTests {

	/**
	 * Apart from that of other tests, which check that they leave nothing: a rest after a
	 * lease, for one, stays.
	 */
	private static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings("contract",
			Clients.SETTINGS.operationTimeout());

	private final List<CuratorFramework> clients = new CopyOnWriteArrayList<>();

	/**
	 * The servers to connect to.
	 */
	abstract String connectString();

	private @Nullable CuratorFramework admin;

	/**
	 * At the same time: a connection takes a tenth of a second to close.
	 */
	@Override
	protected void disconnect() {
		this.clients.stream()
			.map((client) -> CompletableFuture.runAsync(client::close, (close) -> new Thread(close).start()))
			.toList()
			.forEach(CompletableFuture::join);
	}

	private CuratorFramework client(String connectString) {
		CuratorFramework client = Clients.create(connectString);
		this.clients.add(client);
		return client;
	}

	@Override
	protected LockBackend backend() {
		return new ZooKeeperLockBackend(client(connectString()), SETTINGS);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		CuratorFramework admin = this.admin;
		if (admin == null) {
			admin = client(connectString());
			admin.start();
			this.admin = admin;
		}
		Clients.deleteNodes(admin, SETTINGS, lease);
	}

	@Override
	protected @Nullable LockBackend unreachableBackend() {
		return new ZooKeeperLockBackend(client("localhost:1"),
				new ZooKeeperLockSettings(SETTINGS.namespace(), Duration.ofMillis(300)));
	}

	/**
	 * The version of the data of the holder's node.
	 */
	@Override
	protected boolean keepsRecalls() {
		return true;
	}

	@Override
	protected boolean endsLeasesByTime() {
		return false;
	}

}
