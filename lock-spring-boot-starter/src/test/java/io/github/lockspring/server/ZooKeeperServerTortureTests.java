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

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ZooKeeperServer}, {@link ZooKeeperSessions} and what
 * {@link FaultProxy} knows of ZooKeeper.
 */
@Torture(alsoIn = "ZooKeeperLockBackendServerTests")
class ZooKeeperServerTortureTests {

	private static final int LONG_SESSION = 60_000;

	private final CompletableFuture<KeeperState> expired = new CompletableFuture<>();

	@Test
	void sharedServerIsAlwaysTheSameAndOutlivesClose() {
		ZooKeeperServer.shared().close();
		assertThat(ZooKeeperServer.shared()).isSameAs(ZooKeeperServer.shared());
		assertThat(ZooKeeperServer.shared().fourLetterWord("ruok")).isEqualTo("imok");
	}

	@Test
	void foreignServerHasTheFirstAddress() {
		ZooKeeperServer server = ZooKeeperServer.foreign("one.example:2182,two.example/lock");
		assertThat(server.host()).isEqualTo("one.example");
		assertThat(server.port()).isEqualTo(2182);
		assertThat(ZooKeeperServer.foreign("one.example").port()).isEqualTo(2181);
		server.close();
	}

	@Test
	void optionsReachTheServer() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.builder()
			.tickTime(Duration.ofMillis(200))
			.sessionTimeouts(Duration.ofMillis(700), Duration.ofSeconds(2))
			.systemProperty("jute.maxbuffer", "5000")
			.start(); ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			assertThat(server.fourLetterWord("conf")).contains("tickTime=200", "minSessionTimeout=700");
			assertThat(server.fourLetterWord("envi")).contains("java.version=");
			assertThat(server.state()).isEqualTo("standalone");
			assertThat(client.getSessionTimeout()).isEqualTo(2000);
			assertThatExceptionOfType(KeeperException.ConnectionLossException.class)
				.isThrownBy(() -> create(client, "/large", new byte[6000], CreateMode.PERSISTENT));
		}
	}

	@Test
	void countersCount() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			Map<String, Long> before = server.counters();
			create(client, "/one", CreateMode.PERSISTENT);
			create(client, "/one/two", CreateMode.EPHEMERAL);
			client.exists("/one", true);
			Map<String, Long> after = server.counters();
			assertThat(after.get("zk_znode_count")).isEqualTo(before.get("zk_znode_count") + 2);
			assertThat(after.get("zk_ephemerals_count")).isEqualTo(before.get("zk_ephemerals_count") + 1);
			assertThat(after.get("zk_watch_count")).isEqualTo(before.get("zk_watch_count") + 1);
			assertThat(after.get("zk_global_sessions")).isEqualTo(1);
			assertThat(after.get("zk_packets_received")).isGreaterThanOrEqualTo(before.get("zk_packets_received") + 3);
			assertThat(after.get("zk_cnt_fsynctime")).isGreaterThan(before.get("zk_cnt_fsynctime"));
		}
	}

	@Test
	void emptyContainersAreRemoved() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.builder().containerCheck(Duration.ofMillis(100)).start();
				ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			create(client, "/container", CreateMode.CONTAINER);
			create(client, "/container/child", CreateMode.PERSISTENT);
			client.delete("/container/child", -1);
			Await.until("the container is gone", () -> !exists(client, "/container"));
		}
	}

	@Test
	void whatWasAnsweredOutlivesKillAndSessionsContinue() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.builder()
			.sessionTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(1))
			.start(); ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			long pid = server.pid();
			long session = client.getSessionId();
			create(client, "/node", CreateMode.EPHEMERAL);
			server.kill();
			assertThat(server.isRunning()).isFalse();
			assertThat(server.state()).isEmpty();
			server.restart();
			assertThat(server.pid()).isNotEqualTo(pid);
			Await.until("the client is connected again", () -> exists(client, "/node"));
			assertThat(client.getSessionId()).isEqualTo(session);
			assertThat(this.expired).isNotDone();
			server.restartEmpty();
			assertThat(server.counters()).containsEntry("zk_ephemerals_count", 0L);
		}
	}

	@Test
	void sequenceNumbersAreUsedUpAfterRestart() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			client.create("/queue", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			server.restartAtLastNumbers(1);
			Await.until("the client is connected again", () -> exists(client, "/queue"));
			for (String number : List.of("2147483646", "2147483647")) {
				assertThat(client.create("/queue/", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL))
					.isEqualTo("/queue/" + number);
			}
		}
	}

	@Test
	void pausedServerDoesNotAnswerAndCanBeStopped() {
		try (ZooKeeperServer server = ZooKeeperServer.start()) {
			server.pause();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> server.fourLetterWord("ruok"));
			assertThat(server.isRunning()).isTrue();
			server.resume();
			assertThat(server.fourLetterWord("ruok")).isEqualTo("imok");
			server.pause();
			server.stop();
			assertThat(server.isRunning()).isFalse();
		}
	}

	@Test
	void sessionThatIsExpiredHasNoEphemeralNode() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		String path = "/expired-" + System.nanoTime();
		try (ZooKeeper client = connect(server.connectString(), LONG_SESSION);
				ZooKeeper other = connect(server.connectString(), LONG_SESSION)) {
			create(client, path, CreateMode.EPHEMERAL);
			CompletableFuture<KeeperState> state = this.expired;
			client.register((event) -> note(event, state));
			ZooKeeperSessions.expire(server.connectString(), client);
			assertThat(exists(other, path)).isFalse();
			assertThat(state.get(1, TimeUnit.MINUTES)).isEqualTo(KeeperState.Expired);
			assertThat(other.getState()).isEqualTo(ZooKeeper.States.CONNECTED);
		}
	}

	@Test
	void writesWaitForTheSlowDisk() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				ZooKeeper client = connect(server.connectString(), LONG_SESSION)) {
			server.delayFsync(Duration.ofMillis(400));
			long start = System.nanoTime();
			create(client, "/slow", CreateMode.PERSISTENT);
			assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
			assertThat(server.counters().get("zk_max_fsynctime")).isGreaterThanOrEqualTo(400);
			server.delayFsync(Duration.ofHours(1));
			CompletableFuture<Integer> created = new CompletableFuture<>();
			client.create("/slower", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
					(rc, node, context, name, stat) -> created.complete(rc), null);
			server.delayFsync(Duration.ZERO);
			assertThat(created.get(1, TimeUnit.MINUTES)).isEqualTo(KeeperException.Code.OK.intValue());
		}
	}

	@Test
	void droppedReplyIsThatOfTheRequest() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		String path = "/dropped-" + System.nanoTime();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
				ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
			Future<String> reply = proxy.dropReplyOf(OpCode.create2);
			CompletableFuture<Integer> before = new CompletableFuture<>();
			CompletableFuture<Integer> created = new CompletableFuture<>();
			CompletableFuture<Integer> after = new CompletableFuture<>();
			client.getData("/", false, (rc, node, context, data, stat) -> before.complete(rc), null);
			client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
					(rc, node, context, name, stat) -> created.complete(rc), null);
			client.exists(path, false, (rc, node, context, stat) -> after.complete(rc), null);
			assertThat(reply.get(1, TimeUnit.MINUTES)).contains(path);
			assertThat(before.get(1, TimeUnit.MINUTES)).isEqualTo(KeeperException.Code.OK.intValue());
			assertThat(created.get(1, TimeUnit.MINUTES)).isEqualTo(KeeperException.Code.CONNECTIONLOSS.intValue());
			assertThat(after.get(1, TimeUnit.MINUTES)).isEqualTo(KeeperException.Code.CONNECTIONLOSS.intValue());
			Await.until("the client is connected again", () -> exists(client, path));
			assertThat(proxy.connections()).isEqualTo(2);
			assertThat(proxy.requests(OpCode.create2)).isOne();
		}
	}

	@Test
	void droppedReplyIsThatOfTheNumber() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		String path = "/number-" + System.nanoTime();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
				ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
			Future<String> reply = proxy.dropReplyOf(OpCode.create, 2);
			create(client, path, CreateMode.PERSISTENT);
			assertThat(reply.isDone()).isFalse();
			assertThatExceptionOfType(KeeperException.ConnectionLossException.class)
				.isThrownBy(() -> create(client, path + "-2", CreateMode.PERSISTENT));
			assertThat(reply.isDone()).isTrue();
			Await.until("the client is connected again", () -> exists(client, path + "-2"));
		}
	}

	@Test
	void droppedReplyOfConnectLeavesASession() throws Exception {
		try (ZooKeeperServer server = ZooKeeperServer.start();
				FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port())) {
			Future<String> reply = proxy.dropReplyOf(OpCode.createSession);
			try (ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
				assertThat(reply.isDone()).isTrue();
				assertThat(client.getState()).isEqualTo(ZooKeeper.States.CONNECTED);
				assertThat(proxy.requests(OpCode.createSession)).isEqualTo(2);
				assertThat(server.counters()).containsEntry("zk_global_sessions", 2L);
			}
		}
	}

	@Test
	void droppedEventComesWhenTheClientIsConnectedAgain() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		String path = "/event-" + System.nanoTime();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
				ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION);
				ZooKeeper other = connect(server.connectString(), LONG_SESSION)) {
			CompletableFuture<String> seen = new CompletableFuture<>();
			client.exists(path, (event) -> notePath(event, seen));
			Future<String> reply = proxy.dropReplyOf(OpCode.notification);
			create(other, path, CreateMode.PERSISTENT);
			assertThat(reply.get(1, TimeUnit.MINUTES)).contains(path);
			assertThat(seen.get(1, TimeUnit.MINUTES)).isEqualTo(path);
			assertThat(proxy.connections()).isEqualTo(2);
			assertThat(proxy.requests(OpCode.setWatches) + proxy.requests(OpCode.setWatches2)).isOne();
		}
	}

	@Test
	void droppedReplyOfAnyRequestWithATextAndBytesOneByOne() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		String path = "/text-" + System.nanoTime();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port())) {
			proxy.split(Direction.BOTH);
			try (ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
				Future<String> reply = proxy.dropReply(path);
				client.exists("/", false);
				assertThatExceptionOfType(KeeperException.ConnectionLossException.class)
					.isThrownBy(() -> create(client, path, CreateMode.PERSISTENT));
				assertThat(reply.get(1, TimeUnit.MINUTES)).contains(path);
			}
		}
	}

	@Test
	void replyThatNeverComesIsNotDropped() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
				ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
			proxy.hole(Direction.DOWN);
			Future<String> reply = proxy.dropReplyOf(OpCode.exists);
			client.exists("/", false, (rc, node, context, stat) -> {
			}, null);
			Await.until("the request is under way", () -> proxy.requests(OpCode.exists) == 1);
			proxy.cut();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> reply.get(1, TimeUnit.MINUTES))
				.withCauseInstanceOf(EOFException.class);
			proxy.heal();
		}
	}

	@Test
	void healedProxyDropsNoReply() throws Exception {
		ZooKeeperServer server = ZooKeeperServer.shared();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
				ZooKeeper client = connect("127.0.0.1:" + proxy.port(), LONG_SESSION)) {
			Future<String> reply = proxy.dropReplyOf(OpCode.exists);
			proxy.heal();
			assertThat(exists(client, "/")).isTrue();
			assertThat(reply.isDone()).isFalse();
			assertThat(proxy.connections()).isOne();
		}
	}

	@Test
	void fourLetterWordPassesTheProxy() {
		ZooKeeperServer server = ZooKeeperServer.shared();
		try (FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port())) {
			ZooKeeperServer proxied = ZooKeeperServer.foreign("127.0.0.1:" + proxy.port());
			assertThat(proxied.fourLetterWord("ruok")).isEqualTo("imok");
			assertThat(proxied.state()).isEqualTo("standalone");
		}
	}

	@Test
	void otherProxyKnowsNothingOfZooKeeper() {
		try (FaultProxy proxy = new FaultProxy("127.0.0.1", 1)) {
			assertThatIllegalStateException().isThrownBy(() -> proxy.dropReplyOf(OpCode.create));
		}
	}

	private ZooKeeper connect(String connectString, int sessionTimeout) throws Exception {
		CompletableFuture<KeeperState> connected = new CompletableFuture<>();
		ZooKeeper client = new ZooKeeper(connectString, sessionTimeout, (event) -> {
			if (event.getState() == KeeperState.SyncConnected) {
				connected.complete(event.getState());
			}
			note(event, this.expired);
		});
		connected.get(1, TimeUnit.MINUTES);
		return client;
	}

	private static void note(WatchedEvent event, CompletableFuture<KeeperState> expired) {
		if (event.getState() == KeeperState.Expired) {
			expired.complete(event.getState());
		}
	}

	/**
	 * Watches also see that the connection was lost.
	 */
	private static void notePath(WatchedEvent event, CompletableFuture<String> path) {
		if (event.getPath() != null) {
			path.complete(event.getPath());
		}
	}

	private static void create(ZooKeeper client, String path, CreateMode mode) throws Exception {
		create(client, path, new byte[0], mode);
	}

	private static void create(ZooKeeper client, String path, byte[] data, CreateMode mode) throws Exception {
		client.create(path, data, Ids.OPEN_ACL_UNSAFE, mode);
	}

	private static boolean exists(ZooKeeper client, String path) {
		try {
			Stat stat = client.exists(path, false);
			return stat != null;
		}
		catch (KeeperException.ConnectionLossException ex) {
			return false;
		}
		catch (KeeperException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
