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
package io.github.lockspring.server;

import java.time.Duration;
import java.util.List;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperEnsemble}.
 */
@Torture(alsoIn = "ZooKeeperAwayServerTests")
class ZooKeeperEnsembleTortureTests {

	private static ZooKeeperEnsemble ensemble;

	@BeforeAll
	static void start() {
		ensemble = ZooKeeperEnsemble.start((builder) -> builder.option("maxSessionTimeout", "60000"));
	}

	@AfterAll
	static void close() {
		ensemble.close();
	}

	@AfterEach
	void regainQuorum() {
		ensemble.servers().forEach((server) -> server.delayFsync(Duration.ZERO));
		ensemble.regainQuorum();
	}

	@Test
	void leaderAndFollowersAreAllServers() {
		ZooKeeperServer leader = ensemble.leader();
		assertThat(ensemble.followers()).hasSize(2).doesNotContain(leader);
		assertThat(ensemble.servers()).hasSize(3).contains(leader);
		assertThat(ensemble.connectString().split(",")).hasSize(3).contains(leader.connectString());
	}

	@Test
	void killedLeaderIsReplacedAndTheSessionContinues() throws Exception {
		try (ZooKeeper client = connect(ensemble.connectString())) {
			createWhenConnected(client, "/killed");
			long session = client.getSessionId();
			ZooKeeperServer former = ensemble.leader();
			ZooKeeperServer successor = ensemble.failOverByKill();
			assertThat(successor).isNotSameAs(former);
			assertThat(former.isRunning()).isFalse();
			Await.until("the node is seen", () -> exists(client, "/killed"));
			assertThat(client.getSessionId()).isEqualTo(session);
			ensemble.regainQuorum();
			assertThat(ensemble.followers()).hasSize(2).contains(former);
		}
	}

	@Test
	void pausedLeaderIsReplacedAndFollowsLater() {
		ZooKeeperServer former = ensemble.leader();
		ZooKeeperServer successor = ensemble.failOverByPause();
		assertThat(successor).isNotSameAs(former);
		assertThat(former.isRunning()).isTrue();
		assertThat(former.state()).isEmpty();
		former.resume();
		ensemble.awaitQuorum();
		assertThat(ensemble.followers()).hasSize(2).contains(former);
	}

	@Test
	void serverWithoutFollowersDoesNotServe() {
		ZooKeeperServer left = ensemble.loseQuorum();
		assertThat(left.isRunning()).isTrue();
		assertThat(left.fourLetterWord("srvr")).contains("not currently serving");
		ensemble.regainQuorum();
		assertThat(ensemble.followers()).hasSize(2);
	}

	@Test
	void clientsBehindTheProxiesStayBehindThem() throws Exception {
		try (ZooKeeper client = connect(ensemble.proxiedConnectString())) {
			createWhenConnected(client, "/proxied");
			List<FaultProxy> used = ensemble.proxies().stream().filter((proxy) -> proxy.openConnections() > 0).toList();
			assertThat(used).hasSize(1);
			used.get(0).refuse();
			used.get(0).cut();
			Await.until("the client is connected to another server", () -> exists(client, "/proxied"));
			assertThat(ensemble.proxies()).filteredOn((proxy) -> proxy.openConnections() > 0)
				.hasSize(1)
				.doesNotContain(used.get(0));
		}
		finally {
			ensemble.proxies().forEach(FaultProxy::heal);
		}
	}

	@Test
	void proxyLeadsToItsServer() {
		for (ZooKeeperServer server : ensemble.servers()) {
			ZooKeeperServer proxied = ZooKeeperServer.foreign("127.0.0.1:" + ensemble.proxy(server).port());
			assertThat(proxied.fourLetterWord("conf")).contains("clientPort=" + server.port());
		}
	}

	@Test
	void oneSlowDiskIsNotWaitedForButTwoAre() throws Exception {
		try (ZooKeeper client = connect(ensemble.followers().get(0).connectString())) {
			createWhenConnected(client, "/disk");
			ZooKeeperServer leader = ensemble.leader();
			leader.delayFsync(Duration.ofHours(1));
			client.create("/disk/one", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			long fsyncs = fsyncs(leader);
			leader.delayFsync(Duration.ZERO);
			Await.until("the disk of the leader continues", () -> fsyncs(leader) > fsyncs);
			ensemble.followers().forEach((follower) -> follower.delayFsync(Duration.ofMillis(400)));
			long start = System.nanoTime();
			client.create("/disk/two", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(400));
		}
	}

	private static long fsyncs(ZooKeeperServer server) {
		return server.counters().get("zk_cnt_fsynctime");
	}

	private static ZooKeeper connect(String connectString) throws Exception {
		return new ZooKeeper(connectString, 60_000, (event) -> {
		});
	}

	private static void createWhenConnected(ZooKeeper client, String path) throws Exception {
		Await.until("the client is connected", () -> client.getState().isConnected());
		client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
	}

	private static boolean exists(ZooKeeper client, String path) {
		try {
			return client.exists(path, false) != null;
		}
		catch (KeeperException.ConnectionLossException ex) {
			return false;
		}
		catch (KeeperException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
