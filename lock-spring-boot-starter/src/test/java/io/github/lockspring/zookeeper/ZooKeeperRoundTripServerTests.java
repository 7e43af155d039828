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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often {@link ZooKeeperLockBackend} talks to the servers, and that it does not wait
 * for one answer before it asks for the next.
 */
class ZooKeeperRoundTripServerTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final long WAIT = ZooKeeperProcess.TIMEOUT.toNanos();

	private static final EngineSettings SETTINGS = EngineSettings.defaults()
		.withOperationTimeout(ZooKeeperProcess.TIMEOUT);

	private static ZooKeeperServer server;

	private FaultProxy proxy;

	private ZooKeeperProcess process;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.builder()
			.option("forceSync", "no")
			.sessionTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(2))
			.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startProcess() {
		this.proxy = FaultProxy.zooKeeper(server.host(), server.port());
		this.process = new ZooKeeperProcess(client(Duration.ofSeconds(100)), Clients.SETTINGS);
		this.process.release(this.process.acquire("known"));
	}

	@AfterEach
	void stopProcess() {
		this.proxy.heal();
		this.process.close();
		this.proxy.close();
	}

	private CuratorFramework client(Duration sessionTimeout) {
		return Clients.create(this.proxy.host() + ":" + this.proxy.port(), sessionTimeout);
	}

	@Test
	void cycleOnAKnownKeyIsTwoRequests() {
		for (int i = 0; i < 20; i++) {
			Map<Integer, Long> before = requests();
			LeaseRequest lease = this.process.acquire("known");
			assertThat(requestsSince(before)).isEqualTo(Map.of(OpCode.multi, 1L));
			assertThat(this.process.release(lease)).isTrue();
			assertThat(requestsSince(before)).isEqualTo(Map.of(OpCode.multi, 1L, OpCode.delete, 1L));
		}
	}

	@Test
	void severalKeysAreOneRequestToAcquire() {
		LeaseRequest first = this.process.request(List.of("several-1", "several-2", "several-3"));
		this.process.release(this.process.acquire(first));
		Map<Integer, Long> before = requests();
		LeaseRequest lease = this.process.acquire(this.process.request(List.of("several-1", "several-2", "several-3")));
		assertThat(requestsSince(before)).isEqualTo(Map.of(OpCode.multi, 1L));
		assertThat(this.process.release(lease)).isTrue();
	}

	@Test
	void cycleOfAReaderOrOfPermitsIsTwoRequests() {
		for (LeaseMode mode : List.of(LeaseMode.SHARED, LeaseMode.permits(2, 3))) {
			Map<Integer, Long> before = requests();
			this.process.release(this.process.acquire(this.process.request("known", mode)));
			assertThat(requestsSince(before)).isEqualTo(Map.of(OpCode.multi, 1L, OpCode.delete, 1L));
		}
	}

	@Test
	void firstUseOfAKeyIsOneRequestMore() {
		Map<Integer, Long> before = requests();
		this.process.release(this.process.acquire("new"));
		assertThat(requestsSince(before))
			.isEqualTo(Map.of(OpCode.createContainer, 1L, OpCode.multi, 1L, OpCode.delete, 1L));
	}

	@Test
	void nodeAndQueueAreAskedForTogetherWhereOthersWereLately() {
		LeaseRequest other = this.process.acquire("held-back");
		this.process.release(this.process.queue(this.process.request("held-back")));
		this.process.release(other);
		Map<Integer, Long> before = requests();
		CompletableFuture<?> attempt = acquireWithoutAnswers("held-back");
		ZooKeeperProcess.await()
			.until(() -> requestsSince(before).equals(Map.of(OpCode.multi, 1L, OpCode.getChildren, 1L)));
		assertThat(attempt).isNotDone();
	}

	@Test
	void queueIsNotAskedForAnyMoreWhenOthersHaveGone() {
		LeaseRequest other = this.process.acquire("known");
		this.process.release(this.process.queue(this.process.request("known")));
		this.process.release(other);
		this.process.release(this.process.acquire("known"));
		cycleOnAKnownKeyIsTwoRequests();
	}

	@Test
	void allOfTheFirstUseOfAKeyIsAskedForTogether() {
		Map<Integer, Long> before = requests();
		CompletableFuture<?> attempt = acquireWithoutAnswers("together");
		ZooKeeperProcess.await()
			.until(() -> requestsSince(before).equals(Map.of(OpCode.createContainer, 1L, OpCode.multi, 1L)));
		assertThat(attempt).isNotDone();
	}

	private CompletableFuture<?> acquireWithoutAnswers(String key) {
		this.proxy.hole(Direction.DOWN);
		return CompletableFuture.runAsync(() -> this.process.acquire(key));
	}

	@Test
	void waiterAsksForTwoWatchesAndNeverAgain() {
		LeaseRequest holder = this.process.acquire("known");
		Map<Integer, Long> before = requests();
		LeaseRequest waiter = this.process.queue(this.process.request("known"));
		this.process.release(holder); // behind the watches, in one session
		assertThat(this.process.nextGranted()).isEqualTo(waiter);
		assertThat(requestsSince(before))
			.isEqualTo(Map.of(OpCode.multi, 1L, OpCode.getChildren, 1L, OpCode.getData, 2L, OpCode.delete, 1L));
		assertThat(this.process.release(waiter)).isTrue();
	}

	/**
	 * The one before may have left without its turn, so each looks once who is left.
	 */
	@Test
	void handOffsDownALongQueueCostTheSameWhateverItsLength() {
		List<LeaseRequest> queue = new ArrayList<>(List.of(this.process.acquire("known")));
		long reads = this.proxy.requests(OpCode.getData);
		for (int i = 0; i < 20; i++) {
			queue.add(this.process.queue(this.process.request("known")));
		}
		ZooKeeperProcess.await().until(() -> this.proxy.requests(OpCode.getData) == reads + 40);
		Map<Integer, Long> before = requests();
		for (int i = 0; i < 20; i++) {
			assertThat(this.process.release(queue.get(i))).isTrue();
			assertThat(this.process.nextGranted()).isEqualTo(queue.get(i + 1));
		}
		assertThat(requestsSince(before)).containsEntry(OpCode.delete, 20L)
			.allSatisfy((opCode, count) -> assertThat(count).isLessThanOrEqualTo(20));
		assertThat(this.process.release(queue.get(20))).isTrue();
	}

	@Test
	void reentryIsNoRequestAtAll() throws Exception {
		try (LockEngine engine = engine()) {
			Hold hold = engine.acquire("known", OPTIONS, WAIT);
			Map<Integer, Long> before = requests();
			for (int i = 0; i < 100; i++) {
				assertThat(engine.acquire("known", OPTIONS, WAIT)).isSameAs(hold);
			}
			for (int i = 0; i < 100; i++) {
				hold.release();
			}
			assertThat(requestsSince(before)).isEmpty();
			hold.release();
			assertThat(requestsSince(before)).isEqualTo(Map.of(OpCode.delete, 1L));
		}
	}

	@Test
	void renewalOfManyLeasesIsTwoRequests() {
		List<LeaseRequest> leases = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			leases.add(this.process.acquire("renewed-" + i));
		}
		assertThat(renew(leases)).isEqualTo(Map.of(OpCode.multiRead, 1L, OpCode.multi, 1L));
		assertThat(renew(leases)).isEqualTo(Map.of(OpCode.multiRead, 1L, OpCode.multi, 1L));
		leases.forEach(this.process::release);
	}

	@Test
	void renewalOfLeasesOfLongKeysIsNotTooLongForTheServer() {
		List<LeaseRequest> leases = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			leases.add(this.process.acquire("\u20ac".repeat(165) + i));
		}
		assertThat(renew(leases)).containsEntry(OpCode.multi, 1L)
			.containsOnlyKeys(OpCode.multiRead, OpCode.multi)
			.hasEntrySatisfying(OpCode.multiRead, (reads) -> assertThat(reads).isLessThan(15));
		leases.forEach(this.process::release);
	}

	/**
	 * It ends the connection of one who asks for what it does not know.
	 */
	@Test
	void serverThatCannotBeAskedForManyNodesNotifiesOfThem() {
		this.proxy.makeUnknown(OpCode.multiRead);
		List<LeaseRequest> leases = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			leases.add(this.process.acquire("old-" + i));
		}
		ZooKeeperProcess.await()
			.ignoreExceptionsInstanceOf(OutcomeUnknownException.class)
			.until(() -> !renew(leases).isEmpty());
		assertThat(renew(leases)).isEqualTo(Map.of(OpCode.multi, 1L));
		LeaseRequest deleted = leases.remove(5);
		Clients.deleteNodes(this.process.client, deleted);
		assertThat(this.process.nextLost()).isEqualTo(deleted);
		leases.forEach(this.process::release);
	}

	private Map<Integer, Long> renew(List<LeaseRequest> leases) {
		Map<Integer, Long> before = requests();
		assertThat(this.process.backend.renew(leases, ZooKeeperProcess.TIMEOUT).lost()).isEmpty();
		return requestsSince(before);
	}

	/**
	 * An engine has no more than a few renewals per lease time, however many leases.
	 */
	@Test
	void engineRenewsThousandsOfLeasesWithFewRequests() throws Exception {
		AcquireOptions options = AcquireOptions.exclusive(Duration.ofSeconds(12), true);
		try (LockEngine engine = engine()) {
			List<Hold> holds = new ArrayList<>();
			for (int i = 0; i < 2000; i++) {
				holds.add(engine.acquireUninterruptibly("engine-" + i, options, this, WAIT));
			}
			Map<Integer, Long> before = requests();
			ZooKeeperProcess.await().until(() -> requestsSince(before).getOrDefault(OpCode.multi, 0L) >= 2);
			Map<Integer, Long> since = requestsSince(before);
			assertThat(since).containsOnlyKeys(OpCode.multi, OpCode.multiRead)
				.allSatisfy((opCode, count) -> assertThat(count).isLessThan(100));
			assertThat(holds).allMatch(Hold::isHeld);
		}
	}

	private LockEngine engine() {
		ZooKeeperLockBackend backend = new ZooKeeperLockBackend(this.process.client, Clients.SETTINGS);
		LockEngine engine = new LockEngine(backend, SETTINGS, new EngineListener() {
		}, TimeSource.SYSTEM);
		engine.acquireUninterruptibly("known", OPTIONS, this, WAIT).release();
		return engine;
	}

	/**
	 * The requests so far, without the heartbeats of the session.
	 */
	private Map<Integer, Long> requests() {
		Map<Integer, Long> requests = new TreeMap<>();
		for (int opCode = OpCode.closeSession; opCode <= OpCode.whoAmI; opCode++) {
			long count = this.proxy.requests(opCode);
			if (count > 0 && opCode != OpCode.ping) {
				requests.put(opCode, count);
			}
		}
		return requests;
	}

	private Map<Integer, Long> requestsSince(Map<Integer, Long> before) {
		Map<Integer, Long> requests = requests();
		requests.replaceAll((opCode, count) -> count - before.getOrDefault(opCode, 0L));
		requests.values().removeIf((count) -> count == 0);
		return requests;
	}

}
