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
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link ZooKeeperLockBackend}. Every backend has a
 * client and a session of its own.
 */
abstract class ZooKeeperContractTests extends LockBackendContractTests {

	/**
	 * Apart from that of other tests, which check that they leave nothing: a rest after a
	 * lease, for one, stays.
	 */
	private static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings("contract",
			Clients.SETTINGS.operationTimeout());

	private static final Collection<CompletableFuture<Void>> closing = new ConcurrentLinkedQueue<>();

	private final List<CuratorFramework> clients = new CopyOnWriteArrayList<>();

	/**
	 * The servers to connect to.
	 */
	abstract String connectString();

	@BeforeEach
	void forgetClients() {
		this.clients.clear();
	}

	/**
	 * In the background: a connection takes a tenth of a second to close.
	 */
	@AfterEach
	void closeClients() {
		this.clients.forEach(ZooKeeperContractTests::close);
	}

	@AfterAll
	static void awaitClosed() {
		closing.forEach(CompletableFuture::join);
		closing.clear();
	}

	private static void close(CuratorFramework client) {
		closing.add(CompletableFuture.runAsync(client::close, (close) -> new Thread(close, "test-close").start()));
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
		CuratorFramework admin = client(connectString());
		admin.start();
		Clients.deleteNodes(admin, SETTINGS, lease);
	}

	@Override
	protected @Nullable LockBackend unreachableBackend() {
		return new ZooKeeperLockBackend(client("localhost:1"),
				new ZooKeeperLockSettings(SETTINGS.namespace(), Duration.ofMillis(300)));
	}

	@Override
	protected boolean endsLeasesByTime() {
		return false;
	}

}
