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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link ZooKeeperLockBackend} on one server.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ZooKeeperLockBackendTests extends LockBackendContractTests {

	private final List<CuratorFramework> clients = new CopyOnWriteArrayList<>();

	private TestingServer server;

	private CuratorFramework admin;

	@BeforeAll
	void startServer() throws Exception {
		this.server = new TestingServer();
		this.admin = client(this.server.getConnectString());
		this.admin.start();
	}

	@AfterAll
	void stopServer() throws Exception {
		this.clients.forEach(CuratorFramework::close);
		this.server.close();
	}

	private CuratorFramework client(String connectString) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(connectString, 10_000, 2_000, new RetryOneTime(1));
		this.clients.add(client);
		return client;
	}

	@Override
	protected LockBackend backend() {
		return new ZooKeeperLockBackend(client(this.server.getConnectString()), Leases.SETTINGS);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		Leases.delete(this.admin, lease);
	}

	@Override
	protected @Nullable LockBackend unreachableBackend() {
		return new ZooKeeperLockBackend(client("localhost:1"), Leases.SETTINGS);
	}

	@Override
	protected boolean endsLeasesByTime() {
		return false;
	}

}
