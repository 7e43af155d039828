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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The thread that replaced the node of a lease is overtaken by what the client receives
 * after the answer.
 */
class ZooKeeperOvertakenReplyServerTests extends TwoZooKeeperProcesses {

	private static ZooKeeperServer server;

	private final LockPaths paths = new LockPaths(Clients.create("localhost:1"), "lock");

	/**
	 * What happens before the next call for several changes returns to its thread.
	 */
	private final AtomicReference<Runnable> overtaking = new AtomicReference<>(() -> {
	});

	private final CountDownLatch missing = new CountDownLatch(1);

	private ZooKeeperProcess overtaken;

	private LeaseRequest lease;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Override
	String connectString() {
		return server.connectString();
	}

	/**
	 * Acquires a lease whose node is watched, because it was waited for.
	 */
	@BeforeEach
	void acquire() {
		this.overtaken = new ZooKeeperProcess(client(), Clients.SETTINGS);
		LeaseRequest holder = this.one.acquire(this.key);
		this.lease = this.overtaken.queue(this.overtaken.request(this.key));
		this.overtaken.backend.probe(this.overtaken.request("probe"), ZooKeeperProcess.TIMEOUT);
		assertThat(this.one.release(holder)).isTrue();
		assertThat(this.overtaken.nextGranted()).isEqualTo(this.lease);
	}

	@AfterEach
	void close() {
		this.overtaken.close();
	}

	@Test
	void downgradedLeaseIsNotLost() {
		this.overtaking.set(this::awaitMissing);
		LeaseRequest reader = this.overtaken.request(this.key, LeaseMode.SHARED);
		assertThat(downgradeTo(reader)).isInstanceOf(Grant.class);
		assertThat(this.overtaken.lost).isEmpty();
		assertThat(this.overtaken.renews(reader)).isTrue();
	}

	@Test
	void leaseThatIsReleasedWithADelayIsNotLost() {
		this.overtaking.set(this::awaitMissing);
		assertThat(releaseWithDelay()).isTrue();
		assertThat(this.overtaken.lost).isEmpty();
	}

	@Test
	void leaseThatIsDeletedAfterARejectedDowngradeIsLost() throws Exception {
		forbidToCreate();
		this.overtaking.set(this::delete);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> downgradeTo(this.overtaken.request(this.key, LeaseMode.SHARED)));
		assertThat(this.overtaken.nextLost()).isEqualTo(this.lease);
	}

	@Test
	void leaseThatIsDeletedAfterARejectedReleaseWithADelayIsLost() throws Exception {
		forbidToCreate();
		this.overtaking.set(this::delete);
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(this::releaseWithDelay);
		assertThat(this.overtaken.nextLost()).isEqualTo(this.lease);
	}

	private Object downgradeTo(LeaseRequest weaker) {
		return this.overtaken.backend.downgrade(this.lease, weaker, ZooKeeperProcess.TIMEOUT);
	}

	private boolean releaseWithDelay() {
		return this.overtaken.backend.releaseWithDelay(this.lease, Duration.ofHours(1), ZooKeeperProcess.TIMEOUT);
	}

	/**
	 * Wait until the client has learned that the node of the lease does not exist.
	 */
	private void awaitMissing() {
		ZooKeeperProcess.await().until(() -> this.missing.getCount() == 0);
	}

	private void forbidToCreate() throws Exception {
		List<ACL> acl = List.of(new ACL(Perms.ALL - Perms.CREATE, Ids.ANYONE_ID_UNSAFE));
		this.one.client.setACL().withACL(acl).forPath(keyPath());
	}

	private String keyPath() {
		return this.paths.of(this.key);
	}

	/**
	 * Delete the node of the lease behind the back of its holder, whose client learns of
	 * it before the next answer.
	 */
	private void delete() {
		Clients.deleteNodes(this.one.client, this.lease);
		this.overtaken.backend.probe(this.overtaken.request("probe"), ZooKeeperProcess.TIMEOUT);
	}

	private CuratorFramework client() {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString())
			.ensembleTracker(false)
			.zookeeperFactory(
					(connectString, timeout, watcher, readOnly) -> new OvertakenClient(connectString, timeout, watcher))
			.retryPolicy(new RetryOneTime(1))
			.build();
	}

	/**
	 * Client that returns late from sending several changes.
	 */
	private final class OvertakenClient extends ZooKeeper {

		OvertakenClient(String connectString, int timeout, Watcher watcher) throws IOException {
			super(connectString, timeout, watcher);
		}

		@Override
		public void multi(Iterable<Op> changes, AsyncCallback.MultiCallback callback, Object context) {
			super.multi(changes, callback, context);
			ZooKeeperOvertakenReplyServerTests.this.overtaking.getAndSet(() -> {
			}).run();
		}

		@Override
		public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
			super.getData(path, watcher, (code, asked, passed, data, stat) -> {
				callback.processResult(code, asked, passed, data, stat);
				if (code == Code.NONODE.intValue() && path.startsWith(keyPath())) {
					ZooKeeperOvertakenReplyServerTests.this.missing.countDown();
				}
			}, context);
		}

	}

}
