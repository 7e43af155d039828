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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ZooKeeperValueBackend}: the nodes, the number of requests, and what
 * happens when answers are lost.
 */
class ZooKeeperValueServerTests {

	private static final Duration SESSION = Duration.ofSeconds(2);

	private static final Duration KEPT_TIME = Duration.ofMillis(200);

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private static final ValueChange DELETE = new ValueChange.Delete(ValueChange.ANY_VERSION);

	private static ZooKeeperServer server;

	private final LockPaths paths = new LockPaths(Clients.create("localhost:1"), Clients.SETTINGS.namespace());

	private FaultProxy proxy;

	/**
	 * The only one that is connected through the proxy.
	 */
	private ZooKeeperProcess one;

	private ZooKeeperProcess two;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder()
			.option("forceSync", "no")
			.sessionTimeouts(SESSION, Duration.ofMinutes(2))
			.containerCheck(Duration.ofMillis(200))
			.systemProperty("znode.container.maxPerMinute", "100000000")
			.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startProcesses() {
		this.proxy = FaultProxy.zooKeeper(server.host(), server.port());
		this.one = process(this.proxy.host() + ':' + this.proxy.port() + ",localhost:" + this.proxy.port());
		this.two = process(server.connectString());
	}

	private static ZooKeeperProcess process(String connectString) {
		CuratorFramework client = Clients.create(connectString, SESSION);
		return new ZooKeeperProcess(client, new ZooKeeperLockBackend(client, Clients.SETTINGS, KEPT_TIME));
	}

	@AfterEach
	void stopProcesses() throws Exception {
		this.proxy.heal();
		this.one.close();
		deleteRoot();
		this.two.close();
		this.proxy.close();
	}

	@Test
	void updateOfAKnownValueIsOneRequest() {
		CuratorFramework client = Clients.create(this.proxy.host() + ':' + this.proxy.port(), SESSION);
		try (ZooKeeperProcess process = new ZooKeeperProcess(client,
				new ZooKeeperLockBackend(client, Clients.SETTINGS))) {
			process.apply("key", INCREMENT);
			process.apply("key", DELETE);
			List<Long> before = requests();
			for (int i = 0; i < 20; i++) {
				assertThat(process.apply("key", INCREMENT).after().number()).isEqualTo(1);
				assertThat(process.apply("key", DELETE).after()).isEqualTo(Value.ABSENT);
			}
			assertThat(requests()).containsExactly(before.get(0) + 20, before.get(1) + 20, before.get(2), before.get(3),
					before.get(4));
		}
	}

	private List<Long> requests() {
		return Stream.of(OpCode.setData, OpCode.multi, OpCode.createContainer, OpCode.getData, OpCode.sync)
			.map(this.proxy::requests)
			.toList();
	}

	@Test
	void watchIsSetOnceUntilTheValueChanges() throws Exception {
		this.two.apply("key", INCREMENT);
		long watches = this.proxy.requests(OpCode.exists);
		for (int i = 0; i < 5; i++) {
			assertThat(this.one.read("key", true).number()).isEqualTo(1);
		}
		assertThat(this.proxy.requests(OpCode.exists)).isEqualTo(watches + 1);
		this.two.apply("key", INCREMENT);
		assertThat(nextChanged(this.one)).isEqualTo("key");
		assertThat(this.one.read("key", true).number()).isEqualTo(2);
		assertThat(this.proxy.requests(OpCode.exists)).isEqualTo(watches + 2);
	}

	@Test
	void watchThatIsNotNeededAnyMoreIsRemoved() throws Exception {
		ValueBackend values = this.one.backend.values().orElseThrow();
		for (String key : List.of("absent", "present")) {
			if (key.equals("present")) {
				this.two.apply(key, INCREMENT);
			}
			this.one.read(key, true);
			values.unwatch(key);
			values.unwatch(key);
			assertThat(this.one.read(key, true)).isEqualTo(this.two.read(key, false));
			values.unwatch(key);
			this.one.changed.clear(); // the removal may be notified to the second watch
			this.two.apply(key, INCREMENT);
			this.one.read(key, false); // comes behind an event
			assertThat(this.one.changed).isEmpty();
		}
		assertThat(this.proxy.requests(OpCode.removeWatches)).isEqualTo(4);
	}

	@Test
	void watchThatIsNotNeededAnyMoreWhenItIsConfirmedIsRemoved() throws Exception {
		long requests = this.proxy.requests(OpCode.exists);
		long watches = server.counters().get("zk_watch_count");
		this.proxy.delay(Direction.DOWN, Duration.ofMillis(300));
		CompletableFuture<Value> reading = CompletableFuture.supplyAsync(() -> this.one.read("key", true));
		ZooKeeperProcess.await().until(() -> this.proxy.requests(OpCode.exists) > requests);
		this.one.backend.values().orElseThrow().unwatch("key");
		this.proxy.delay(Direction.DOWN, Duration.ZERO);
		assertThat(reading.get()).isEqualTo(Value.ABSENT);
		ZooKeeperProcess.await().until(() -> server.counters().get("zk_watch_count") == watches);
	}

	@Test
	void watchersOfTheSameClientAreNotifiedIfTheirWatchIsRemoved() throws Exception {
		this.two.apply("key", INCREMENT);
		ZooKeeperProcess other = new ZooKeeperProcess(this.two.client, Clients.SETTINGS);
		other.read("key", true);
		this.two.read("key", true);
		this.two.backend.values().orElseThrow().unwatch("key");
		assertThat(nextChanged(other)).isEqualTo("key");
		other.read("key", true);
		this.one.apply("key", INCREMENT);
		assertThat(nextChanged(other)).isEqualTo("key");
		other.backend.close();
	}

	@Test
	void watchersAreNotifiedAfterAReconnectAndLater() throws Exception {
		this.one.read("key", true);
		this.proxy.cut();
		assertThat(nextChanged(this.one)).isEqualTo("key");
		ZooKeeperProcess.await()
			.ignoreExceptionsInstanceOf(BackendUnavailableException.class)
			.ignoreExceptionsInstanceOf(OutcomeUnknownException.class)
			.until(() -> !this.one.read("key", true).exists());
		this.one.changed.clear();
		this.two.apply("key", INCREMENT);
		assertThat(nextChanged(this.one)).isEqualTo("key");
	}

	private static String nextChanged(ZooKeeperProcess process) throws InterruptedException {
		return process.changed.poll(ZooKeeperProcess.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Test
	void valuesRemainWhenTheSessionEnds() {
		Value value = this.two.apply("key", INCREMENT).after();
		this.two.close();
		this.two = process(server.connectString());
		assertThat(this.two.read("key", false)).isEqualTo(value);
		assertThat(this.two.apply("key", INCREMENT).before()).isEqualTo(value);
	}

	@Test
	void updatesWhoseReplyIsDroppedCountOnce() throws Exception {
		this.one.apply("key", INCREMENT);
		AtomicLong others = new AtomicLong();
		for (int i = 0; i < 10; i++) {
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
				for (int j = 0; j < 5; j++) {
					this.two.apply("key", INCREMENT);
					others.incrementAndGet();
				}
			});
			Future<String> reply = dropReplyOfWriting("v1 ");
			ValueUpdate update = this.one.update("key", INCREMENT);
			ValueUpdateResult result = applyUntilKnown(update);
			reply.get(ZooKeeperProcess.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			other.join();
			assertThat(result.after().number()).isEqualTo(result.before().number() + 1);
			assertThat(this.one.apply(update.again())).isEqualTo(result);
			assertThat(this.two.read("key", false).number()).isEqualTo(2 + i + others.get());
		}
	}

	@Test
	void deletionAndCreationWhoseReplyIsDroppedAreMadeOnce() throws Exception {
		for (int i = 0; i < 3; i++) {
			Future<String> reply = dropReplyOfWriting("v1 7\n");
			Value created = applyUntilKnown(this.one.update("key", new ValueChange.Set(7, 0))).after();
			reply.get(ZooKeeperProcess.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			assertThat(this.two.read("key", false)).isEqualTo(created);
			reply = dropReplyOfWriting("v1 -\n");
			ValueUpdateResult deleted = applyUntilKnown(
					this.one.update("key", new ValueChange.Delete(created.version())));
			reply.get(ZooKeeperProcess.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			assertThat(deleted).isEqualTo(new ValueUpdateResult(created, Value.ABSENT));
			assertThat(this.two.read("key", false)).isEqualTo(Value.ABSENT);
		}
	}

	private Future<String> dropReplyOfWriting(String data) {
		return this.proxy.dropReplyOf((request) -> request.text().contains(data));
	}

	/**
	 * Repeats an update as long as its outcome is unknown, as a process does.
	 */
	private ValueUpdateResult applyUntilKnown(ValueUpdate update) {
		ValueUpdate next = update;
		while (true) {
			try {
				return this.one.apply(next);
			}
			catch (OutcomeUnknownException ex) {
				next = update.again();
			}
			catch (BackendUnavailableException ex) {
				assertThat(next.repeated()).as("is away only after the reply was dropped").isTrue();
			}
		}
	}

	/**
	 * Its node has the version that it had, so that only the node of the deleted value
	 * makes the difference.
	 */
	@Test
	void updateThatKnowsADeletedValueDoesNotChangeItsSuccessor() throws Exception {
		for (int i = 0; i < 2; i++) {
			this.one.apply("key", new ValueChange.Set(1_000, ValueChange.ANY_VERSION));
		}
		int known = version("key");
		this.two.apply("key", DELETE);
		awaitNoNodes();
		do {
			this.two.apply("key", INCREMENT);
		}
		while (version("key") < known);
		Value last = this.two.read("key", false);
		assertThat(this.one.apply("key", INCREMENT).before()).isEqualTo(last);
		assertThat(this.two.read("key", false).number()).isEqualTo(last.number() + 1);
	}

	@Test
	void updateAfterADisconnectionReadsTheValueAgain() throws Exception {
		CuratorFramework client = Clients.create(this.proxy.host() + ':' + this.proxy.port(), SESSION);
		try (ZooKeeperProcess process = new ZooKeeperProcess(client,
				new ZooKeeperLockBackend(client, Clients.SETTINGS))) {
			process.apply("key", new ValueChange.Set(1_000, ValueChange.ANY_VERSION));
			int known = version("key");
			this.proxy.refuse();
			this.proxy.cut();
			this.two.client.delete().forPath(this.paths.valueOf("key")); // as servers
																			// that
																			// lost it
			this.two.apply("key", new ValueChange.Set(1, ValueChange.ANY_VERSION));
			assertThat(version("key")).isEqualTo(known);
			ZooKeeperProcess.await().until(() -> process.suspended);
			this.proxy.heal();
			assertThat(process.apply("key", INCREMENT).after().number()).isEqualTo(2);
		}
	}

	@Test
	void updateThatKnowsADeletedValueAppliesToItsSuccessorInTheSameNode() throws Exception {
		this.one.apply("key", new ValueChange.Set(1_000, 0));
		this.two.apply("key", DELETE);
		assertThat(this.two.client.checkExists().forPath(this.paths.valueOf("key"))).isNotNull();
		assertThat(this.one.apply("key", INCREMENT).after().number()).isEqualTo(1);
		assertThat(version("key")).isEqualTo(2);
	}

	private int version(String key) throws Exception {
		return this.two.client.checkExists().forPath(this.paths.valueOf(key)).getVersion();
	}

	@Test
	void deletedValuesLeaveNothing() throws Exception {
		for (int i = 0; i < 20; i++) {
			this.one.apply("key-" + i, INCREMENT);
			this.two.apply("key-" + i, DELETE);
		}
		assertThat(this.two.client.getChildren().forPath(this.paths.values())).hasSize(20);
		awaitNoNodes();
		ZooKeeperProcess.await()
			.until(() -> this.two.client.checkExists().forPath(this.paths.root()).getNumChildren() == 0);
		assertThat(this.one.apply("key-1", INCREMENT).after().number()).isEqualTo(1);
		assertThat(this.two.apply("key-1", DELETE).after()).isEqualTo(Value.ABSENT); // as
																						// the
																						// list
																						// was
		awaitNoNodes();
	}

	@Test
	void deletedValuesOfProcessesThatHaveEndedLeaveNothing() throws Exception {
		this.two.apply("key", INCREMENT);
		this.two.apply("key", DELETE);
		this.two.close();
		this.two = process(server.connectString());
		ZooKeeperProcess.await().until(() -> {
			try (ZooKeeperProcess next = process(server.connectString())) {
				return hasNoNodesSoon(next.client);
			}
		});
	}

	/**
	 * A process needs a few requests to find what others have left.
	 */
	private boolean hasNoNodesSoon(CuratorFramework client) throws Exception {
		for (int i = 0; i < 50 && !noNodes(client); i++) {
			TimeUnit.MILLISECONDS.sleep(10);
		}
		return noNodes(client);
	}

	@Test
	void valueThatWasSetAgainStays() throws Exception {
		this.two.apply("key", INCREMENT);
		this.two.apply("key", DELETE);
		this.two.apply("key", INCREMENT);
		this.two.apply("key", DELETE);
		Value value = this.two.apply("key", INCREMENT).after();
		ZooKeeperProcess.await().until(() -> children(this.two.client, this.paths.deletedValues()).isEmpty());
		assertThat(this.one.read("key", false)).isEqualTo(value);
	}

	private void awaitNoNodes() {
		ZooKeeperProcess.await().until(() -> noNodes(this.two.client));
	}

	private boolean noNodes(CuratorFramework client) throws Exception {
		return children(client, this.paths.values()).isEmpty()
				&& children(client, this.paths.deletedValues()).isEmpty();
	}

	private static List<String> children(CuratorFramework client, String path) throws Exception {
		try {
			return client.getChildren().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

	@Test
	void foreignDataAndLaterFormatsAreLeftAsTheyAre() throws Exception {
		this.two.apply("other", INCREMENT);
		for (String text : List.of("", "17", "v2 17", "v1 x", "v1 17\nabc")) {
			byte[] data = text.getBytes(StandardCharsets.US_ASCII);
			String path = this.paths.valueOf("foreign");
			this.two.client.create().orSetData().forPath(path, data);
			for (ValueChange change : List.of(INCREMENT, DELETE)) {
				assertThatExceptionOfType(BackendUnavailableException.class)
					.isThrownBy(() -> this.one.apply("foreign", change))
					.withMessageContaining("foreign");
			}
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> this.one.read("foreign", true));
			assertThat(this.two.client.getData().forPath(path)).isEqualTo(data);
		}
	}

	@Test
	void rootThatWasDeletedIsCreatedAgain() throws Exception {
		Value last = this.one.apply("key", INCREMENT).after();
		deleteRoot();
		assertThat(this.one.read("key", true)).isEqualTo(Value.ABSENT);
		Value value = this.one.apply("key", INCREMENT).after();
		assertThat(value.number()).isEqualTo(1);
		assertThat(value.version()).isGreaterThan(last.version());
	}

	@Test
	void manyUpdatesOfSeveralProcessesAtOnceAreAllApplied() {
		List<ZooKeeperProcess> processes = new ArrayList<>(List.of(this.one, this.two));
		CompletableFuture<?>[] threads = processes.stream().map((process) -> CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 100; i++) {
				process.apply("key", (i % 10 == 9) ? new ValueChange.Add(-9, Long.MIN_VALUE) : INCREMENT);
			}
		})).toArray(CompletableFuture<?>[]::new);
		CompletableFuture.allOf(threads).join();
		assertThat(this.one.read("key", false).number()).isZero();
		ValueBackend values = this.two.backend.values().orElseThrow();
		assertThat(values.read(List.of("key", "none"), true, ZooKeeperProcess.TIMEOUT))
			.isEqualTo(Map.of("key", this.one.read("key", false)));
	}

	private void deleteRoot() throws Exception {
		while (this.two.client.checkExists().forPath(this.paths.root()) != null) {
			try {
				ZKUtil.deleteRecursive(this.two.client.getZookeeperClient().getZooKeeper(), this.paths.root());
			}
			catch (KeeperException.NoNodeException | KeeperException.NotEmptyException ex) {
				// another one was faster
			}
		}
	}

}
