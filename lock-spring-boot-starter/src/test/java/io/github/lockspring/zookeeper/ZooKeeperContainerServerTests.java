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
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The nodes of keys in ZooKeeper: the server deletes them when no one uses them, and they
 * are created again whenever they are needed.
 */
class ZooKeeperContainerServerTests {

	private static final int KEYS = 2_000 * Integer.getInteger("lock.test.scale", 1);

	private static final int AT_ONCE = 500;

	private static ZooKeeperServer server;

	private final LockPaths paths = new LockPaths(Clients.create("localhost:1"), "lock");

	private ZooKeeperProcess process;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder()
			.option("forceSync", "no")
			.containerCheck(Duration.ofMillis(200))
			.systemProperty("znode.container.maxPerMinute", "100000000")
			.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startProcess() {
		this.process = ZooKeeperProcess.on(server.connectString());
	}

	@AfterEach
	void stopProcess() {
		this.process.close();
	}

	@Test
	void keysThatWereUsedOnceLeaveNothing() {
		for (int i = 0; i < KEYS; i += AT_ONCE) {
			useOnce(i);
		}
		awaitNoKeys();
		assertThat(this.process.backend.isEmpty()).isTrue();
	}

	private void useOnce(int from) {
		List<LeaseRequest> leases = IntStream.range(from, from + AT_ONCE)
			.mapToObj((i) -> this.process.request("key-" + i))
			.parallel()
			.map(this.process::acquire)
			.toList();
		assertThat(leases.stream().parallel().filter(this.process::release).count()).isEqualTo(AT_ONCE);
	}

	@Test
	void keyWhoseNodeIsGoneIsAcquiredAgain() {
		for (int i = 0; i < 3; i++) {
			LeaseRequest lease = this.process.acquire("key");
			assertThat(this.process.tryAcquire(this.process.request("key"))).isInstanceOf(Denial.class);
			assertThat(this.process.release(lease)).isTrue();
			awaitNoKeys();
		}
	}

	@Test
	void severalKeysWhoseNodesAreGoneAreAcquiredAgain() {
		for (int i = 0; i < 3; i++) {
			LeaseRequest leases = this.process.acquire(this.process.request(List.of("a", "b", "c")));
			assertThat(this.process.tryAcquire(this.process.request("b"))).isInstanceOf(Denial.class);
			assertThat(this.process.release(leases)).isTrue();
			awaitNoKeys();
		}
	}

	@Test
	void placeholderNodesOfProcessesThatHaveEndedAreDeleted() {
		try (ZooKeeperProcess ended = ZooKeeperProcess.on(server.connectString())) {
			for (int i = 0; i < 20; i++) {
				ended.backend.releaseWithDelay(ended.acquire("key-" + i), Duration.ofMillis(1),
						ZooKeeperProcess.TIMEOUT);
			}
		}
		try (ZooKeeperProcess next = ZooKeeperProcess.on(server.connectString())) {
			awaitNoKeys();
			assertThat(next.backend.isEmpty()).isTrue();
		}
	}

	@Test
	void placeholderNodesWhoseDelayIsNotOverStayWhenAnotherProcessSweeps() {
		LeaseRequest lease = this.process.acquire("key");
		assertThat(this.process.backend.releaseWithDelay(lease, Duration.ofHours(1), ZooKeeperProcess.TIMEOUT))
			.isTrue();
		try (ZooKeeperProcess next = ZooKeeperProcess.on(server.connectString())) {
			assertThat(next.release(next.acquire("other"))).isTrue();
			assertThat(next.tryAcquire(next.request("key"))).isInstanceOf(Denial.class);
		}
		deleteRootQuietly();
	}

	@Test
	void severalKeysOfWhichOneIsBehindAPlaceholderNodeWhoseDelayIsOverAreAcquired() {
		try (ZooKeeperProcess ended = ZooKeeperProcess.on(server.connectString())) {
			ended.backend.releaseWithDelay(ended.acquire("b"), Duration.ofMillis(1), ZooKeeperProcess.TIMEOUT);
		}
		LeaseRequest several = this.process.request(List.of("a", "b", "c"));
		ZooKeeperProcess.await().until(() -> this.process.tryAcquire(several) instanceof Grant);
		assertThat(this.process.release(several)).isTrue();
	}

	/**
	 * The client ends the connection when it receives an answer of more than a megabyte.
	 */
	@Test
	void placeholderNodesThatAreTooManyForAnAnswerAreNotListed() throws Exception {
		ZooKeeperLockSettings crowded = new ZooKeeperLockSettings("crowded", ZooKeeperProcess.TIMEOUT);
		String list = new LockPaths(this.process.client, crowded.namespace()).placeholderNodes();
		this.process.client.create().creatingParentsIfNeeded().forPath(list);
		ZooKeeper zooKeeper = this.process.client.getZookeeperClient().getZooKeeper();
		for (int i = 0; i < 70; i++) {
			zooKeeper.multi(Stream.generate(() -> LockPaths.randomIn(list))
				.limit(1_000)
				.map((path) -> Op.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
				.toList());
		}
		try (ZooKeeperProcess next = new ZooKeeperProcess(Clients.create(server.connectString()), crowded)) {
			assertThat(next.release(next.acquire("key"))).isTrue();
		}
	}

	private void deleteRootQuietly() {
		try {
			deleteRoot();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void keyIsUsedWhileItsNodeComesAndGoes() throws Exception {
		for (int i = 0; i < 200; i++) {
			LeaseRequest lease = this.process.acquire("key");
			assertThat(this.process.release(lease)).isTrue();
			this.process.client.delete().quietly().forPath(this.paths.of("key"));
		}
	}

	@Test
	void tokensGrowThoughTheNodeIsGone() throws Exception {
		long last = 0;
		for (int i = 0; i < 10; i++) {
			LeaseRequest lease = this.process.request("key");
			Grant grant = this.process.grantOf(lease);
			assertThat(grant.token()).isGreaterThan(last);
			last = grant.token();
			this.process.release(lease);
			this.process.client.delete().quietly().forPath(this.paths.of("key"));
		}
	}

	@Test
	void rootThatWasDeletedIsCreatedAgain() throws Exception {
		LeaseRequest lease = this.process.acquire("key");
		assertThat(this.process.renews(lease)).isTrue();
		deleteRoot();
		assertThat(this.process.renews(lease)).isFalse();
		assertThat(this.process.nextLost()).isEqualTo(lease);
		this.process.release(this.process.acquire("key"));
		deleteRoot();
		this.process.release(this.process.acquire("other"));
		deleteRoot();
		this.process.release(this.process.acquire(this.process.request(List.of("key", "other"))));
		deleteRoot();
		assertThat(this.process.backend.inspect("key", ZooKeeperProcess.TIMEOUT)).isEmpty();
		this.process.backend.probe(this.process.request("probe"), ZooKeeperProcess.TIMEOUT);
		assertThat(this.process.backend.contend(this.process.request("key"), ZooKeeperProcess.TIMEOUT))
			.isInstanceOf(Grant.class);
	}

	@Test
	void manyFindTheRootAgainAtOnce() throws Exception {
		for (int round = 0; round < 5; round++) {
			deleteRoot();
			List<LeaseRequest> leases = new ArrayList<>();
			IntStream.range(0, 50).forEach((i) -> leases.add(this.process.request("key-" + i)));
			leases.stream().parallel().forEach(this.process::acquire);
			assertThat(leases).allMatch(this.process::release);
		}
	}

	private void deleteRoot() throws Exception {
		ZooKeeper zooKeeper = this.process.client.getZookeeperClient().getZooKeeper();
		while (zooKeeper.exists(this.paths.root(), false) != null) {
			try {
				ZKUtil.deleteRecursive(zooKeeper, this.paths.root());
			}
			catch (KeeperException.NoNodeException ex) {
				// the server was faster
			}
		}
	}

	private void awaitNoKeys() {
		ZooKeeperProcess.await()
			.untilAsserted(
					() -> assertThat(this.process.client.checkExists().forPath(this.paths.root()).getNumChildren())
						.isZero());
	}

}
