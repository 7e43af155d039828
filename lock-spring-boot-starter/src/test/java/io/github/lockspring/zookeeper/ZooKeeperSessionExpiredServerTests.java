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
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Span;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.server.ZooKeeperSessions;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A session ends while its process holds, waits, or releases.
 */
class ZooKeeperSessionExpiredServerTests {

	private static final Duration SESSION = Duration.ofSeconds(10);

	private static final AcquireOptions OPTIONS = AcquireOptions.fair(Duration.ofMinutes(1), true);

	/**
	 * Longer than any test waits for anything.
	 */
	private static final Duration LONG_SESSION = Duration.ofMinutes(10);

	private static ZooKeeperServer server;

	private FaultRun run;

	private FaultProxy proxy;

	private ZooKeeperStore store;

	private CuratorFramework admin;

	private EngineProcess victim;

	private EngineProcess other;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder().sessionTimeouts(Duration.ofSeconds(1), LONG_SESSION).start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
		this.proxy = FaultProxy.zooKeeper(server.host(), server.port());
		this.store = new ZooKeeperStore(server.connectString(), SESSION);
		this.admin = Clients.create(server.connectString());
		this.admin.start();
		this.victim = this.run.startProcess(ZooKeeperStore.through(this.proxy, SESSION));
		this.other = this.run.startProcess(this.store);
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.admin.close();
		this.proxy.close();
	}

	@Test
	void holderIsNotifiedOnce() throws Exception {
		AtomicInteger notified = new AtomicInteger();
		List<Span> spans = new ArrayList<>();
		for (int i = 0; i < 3 * FaultRun.SCALE; i++) {
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(this.victim, "key", OPTIONS, FaultRun.MAX_WAIT);
			notified.set(0);
			hold.onLost(notified::incrementAndGet);
			this.run.startThread("holding", () -> this.run.observe("victim", asked, hold));
			this.run.startThread("waiting", () -> takeTurn(this.other, "other"));
			awaitQueue(2);
			long from = System.nanoTime();
			expire(this.victim);
			this.run.awaitThreads();
			assertThat(hold.isHeld()).isFalse();
			FaultRun.eventually().until(() -> notified.get() == 1);
			int losses = i + 1;
			FaultRun.eventually()
				.untilAsserted(() -> assertThat(this.victim.lostTokens).hasSize(losses).contains(hold.token()));
			spans.add(new Span(from, System.nanoTime()));
			assertThat(this.run.release(hold)).isFalse();
			takeTurn(this.victim, "victim");
			assertThat(notified).hasValue(1);
		}
		this.run.assertDoubleGrantsOnlyIn(spans); // no one hears of it before it happens
		this.run.assertTokensGrow();
		assertEnd();
	}

	@Test
	void waiterStillGetsItsTurn() throws Exception {
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(this.other, "key", OPTIONS, FaultRun.MAX_WAIT);
		this.run.startThread("victim", () -> takeTurn(this.victim, "victim"));
		awaitQueue(2);
		EngineProcess third = this.run.startProcess(this.store);
		this.run.startThread("third", () -> takeTurn(third, "third"));
		awaitQueue(3);
		List<String> before = ZooKeeperStore.queue(this.admin, "key");
		expire(this.victim);
		FaultRun.eventually().until(() -> {
			List<String> queue = ZooKeeperStore.queue(this.admin, "key");
			return queue.size() == 3 && !queue.containsAll(before);
		});
		assertThat(this.run.use("other", asked, hold, Duration.ofMillis(1))).isTrue();
		this.run.awaitThreads();
		assertThat(this.run.history.acquisitions()).extracting("holder").containsExactly("other", "third", "victim");
		assertThat(this.run.losses()).isZero();
		this.run.assertExclusion();
		assertEnd();
	}

	@Test
	void releaseDoesNotFail() throws Exception {
		Hold hold = this.run.acquire(this.victim, "key", OPTIONS, FaultRun.MAX_WAIT);
		AtomicInteger notified = new AtomicInteger();
		hold.onLost(notified::incrementAndGet);
		long session = ZooKeeperStore.session(this.victim).getSessionId();
		byte[] password = ZooKeeperStore.session(this.victim).getSessionPasswd();
		this.proxy.hole(Direction.UP);
		Thread releasing = this.run.startThread("releasing", () -> this.run.release(hold));
		ZooKeeperSessions.expire(server.connectString(), session, password);
		takeTurn(this.other, "other");
		releasing.join(FaultRun.MAX_WAIT.toMillis());
		this.proxy.heal();
		this.run.awaitThreads();
		takeTurn(this.victim, "victim");
		takeTurn(this.other, "other");
		assertThat(notified).hasValueLessThanOrEqualTo(1);
		this.run.assertTokensGrow();
		assertEnd();
	}

	/**
	 * As after an outage: the client ends the session by its own clock, but the servers
	 * keep it from their return on.
	 */
	@Test
	void sessionThatOnlyTheClientHasEndedBlocksNoOne() throws Exception {
		EngineProcess former = this.run.startProcess(new ZooKeeperStore(server.connectString(), LONG_SESSION));
		Hold held = this.run.acquire(former, "held", OPTIONS, FaultRun.MAX_WAIT);
		Hold hold = this.run.acquire(this.other, "key", OPTIONS, FaultRun.MAX_WAIT);
		this.run.startThread("former", () -> takeTurn(former, "former"));
		awaitQueue(2);
		List<String> before = ZooKeeperStore.queue(this.admin, "key");
		ZooKeeperStore.session(former).getTestable().injectSessionExpiration();
		FaultRun.eventually().until(() -> !held.isHeld());
		assertThat(this.run.release(held)).isFalse();
		Hold again = this.run.acquire(former, "held", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(again).isNotNull();
		assertThat(this.run.release(again)).isTrue();
		FaultRun.eventually().until(() -> {
			List<String> queue = ZooKeeperStore.queue(this.admin, "key");
			return queue.size() == 2 && !queue.containsAll(before);
		});
		assertThat(this.run.release(hold)).isTrue();
		this.run.awaitThreads();
		assertEnd();
	}

	/**
	 * Someone else creates a node of the same name in another session.
	 */
	@Test
	void nodeOfAnotherSessionIsNotOurs() throws Exception {
		Hold hold = this.run.acquire(this.other, "key", OPTIONS, FaultRun.MAX_WAIT);
		this.run.startThread("victim", () -> takeTurn(this.victim, "victim"));
		awaitQueue(2);
		String name = ZooKeeperStore.queue(this.admin, "key")
			.stream()
			.max(Comparator.comparing((child) -> QueueNode.parse(child).sequence()))
			.orElseThrow();
		String path = ZooKeeperStore.pathOf(this.admin, "key") + '/' + name;
		ZooKeeper session = ZooKeeperStore.session(this.victim);
		this.proxy.refuse(); // the victim comes back when the node is there
		this.proxy.cut();
		ZooKeeperSessions.expire(server.connectString(), session);
		this.admin.create().withMode(CreateMode.EPHEMERAL).forPath(path);
		this.proxy.heal();
		awaitQueue(3);
		assertThat(this.run.release(hold)).isTrue();
		awaitQueue(2);
		long looks = this.proxy.requests(OpCode.getChildren);
		this.proxy.cut(); // the one that comes back looks again
		FaultRun.eventually()
			.until(() -> this.proxy.requests(OpCode.getChildren) > looks || !this.run.history.acquisitions().isEmpty());
		assertThat(this.run.history.acquisitions()).isEmpty();
		assertThat(ZooKeeperStore.queue(this.admin, "key")).hasSize(2).contains(name);
		this.admin.delete().forPath(path);
		this.run.awaitThreads();
		assertThat(this.run.history.acquisitions()).hasSize(1);
		assertEnd();
	}

	/**
	 * Nor does the backend release it for a request that it does not remember.
	 */
	@Test
	void nodeOfAnotherSessionIsNotReleased() throws Exception {
		LeaseRequest lease = new LeaseRequest("key", new LeaseTerms(LeaseMode.EXCLUSIVE, true, SESSION, 1),
				OwnerId.newInstance(), 1);
		String path = ZooKeeperStore.pathOf(this.admin, "key") + '/' + QueueNode.prefix(lease);
		String node = this.admin.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(path);
		assertThat(this.victim.backend.release(lease, SESSION)).isFalse();
		assertThat(this.victim.backend.renew(List.of(lease), SESSION).held()).isEmpty();
		assertThat(ZooKeeperStore.queue(this.admin, "key")).hasSize(1);
		this.admin.delete().forPath(node);
		assertEnd();
	}

	private void takeTurn(EngineProcess process, String name) {
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(process, "key", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(hold).as(name).isNotNull();
		assertThat(this.run.use(name, asked, hold, Duration.ofMillis(1))).isTrue();
	}

	private void awaitQueue(int size) {
		FaultRun.eventually().until(() -> ZooKeeperStore.queue(this.admin, "key").size() == size);
	}

	private static void expire(EngineProcess process) {
		ZooKeeperSessions.expire(server.connectString(), ZooKeeperStore.session(process));
	}

	private void assertEnd() {
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		this.run.assertNoViolations();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

}
