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
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The server does what it is asked, and the reply gets lost with the connection. The
 * session continues, and with it whatever was created.
 */
class ZooKeeperReplyDroppedServerTests {

	private static final int VICTIMS = 4;

	private static final int TIMES = (FaultRun.SCALE > 1) ? 50 : 5;

	private static final Duration SESSION = Duration.ofSeconds(10);

	/**
	 * Much longer than any wait here: whatever is lost blocks a key for longer.
	 */
	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofMinutes(2), true);

	private static final String INSTANCE = OwnerId.newInstance();

	private static ZooKeeperServer server;

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<EngineProcess> victims = new ArrayList<>();

	private final AtomicInteger dropped = new AtomicInteger();

	private FaultRun run;

	private ZooKeeperStore store;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
		this.store = new ZooKeeperStore(server.connectString(), SESSION);
		for (int i = 0; i < VICTIMS; i++) {
			FaultProxy proxy = FaultProxy.zooKeeper(server.host(), server.port());
			this.proxies.add(proxy);
			this.victims.add(this.run.startProcess(ZooKeeperStore.through(proxy, SESSION)));
		}
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.proxies.forEach(FaultProxy::close);
	}

	@Test
	void acquireIsMadeGood() throws Exception {
		inEachVictim((proxy, victim, random) -> {
			Future<String> reply = proxy.dropReplyOf(OpCode.multi);
			takeTurn(victim, random);
			awaitDropped(reply);
		});
		assertEnd();
	}

	@Test
	void acquireThatTriesOnceFailsAndLeavesNothing() throws Exception {
		inEachVictim((proxy, victim, random) -> {
			Future<String> reply = proxy.dropReplyOf(OpCode.multi);
			assertThat(this.run.acquire(victim, key(random), OPTIONS, Duration.ZERO)).isNull();
			awaitDropped(reply);
			takeTurn(victim, random);
		});
		assertThat(this.run.unavailable).hasSize(VICTIMS * TIMES);
		assertEnd();
	}

	@Test
	void releaseIsMadeGood() throws Exception {
		inEachVictim((proxy, victim, random) -> {
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(victim, key(random), OPTIONS, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			Future<String> reply = proxy.dropReplyOf(OpCode.delete);
			assertThat(this.run.use("victim", asked, hold, Duration.ZERO)).isTrue();
			awaitDropped(reply);
		});
		assertEnd();
	}

	/**
	 * A request that was rejected, and is made again, has a node that must stay.
	 */
	@Test
	void requestThatWasRejectedAtFirstIsNotTakenForALeftover() throws Exception {
		LockBackend backend = this.victims.get(0).backend;
		LeaseRequest request = request("rejected", 1);
		try (CuratorFramework admin = Clients.create(server.connectString())) {
			admin.start();
			String path = ZooKeeperStore.pathOf(admin, "rejected");
			admin.create()
				.creatingParentsIfNeeded()
				.withMode(CreateMode.CONTAINER)
				.withACL(ZooDefs.Ids.READ_ACL_UNSAFE)
				.forPath(path);
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.contend(request, SESSION))
				.withMessageContaining("NoAuth");
			admin.delete().forPath(path);
			assertThat(backend.contend(request, SESSION)).isInstanceOf(Grant.class);
			CountDownLatch reconnected = new CountDownLatch(1);
			ZooKeeperStore.curator(this.victims.get(0)).getConnectionStateListenable().addListener((client, state) -> {
				if (state == ConnectionState.RECONNECTED) {
					reconnected.countDown();
				}
			});
			this.proxies.get(0).cut();
			assertThat(reconnected.await(FaultRun.MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
			for (int i = 2; i < 10; i++) {
				LeaseRequest other = request("other", i);
				assertThat(backend.tryAcquire(other, SESSION)).isInstanceOf(Grant.class);
				assertThat(backend.release(other, SESSION)).isTrue();
			}
			assertThat(backend.renew(List.of(request), SESSION).held()).containsExactly(request);
			assertThat(ZooKeeperStore.queue(admin, "rejected")).hasSize(1);
			assertThat(backend.release(request, SESSION)).isTrue();
		}
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	/**
	 * Without anyone asking again.
	 */
	@Test
	void nodesWithoutAnAnswerAreDeletedWhenTheConnectionIsBack() throws Exception {
		LockBackend backend = this.victims.get(0).backend;
		FaultProxy proxy = this.proxies.get(0);
		try (CuratorFramework admin = Clients.create(server.connectString())) {
			admin.start();
			Future<String> reply = proxy.dropReplyOf(OpCode.multi);
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> backend.contend(request("ghost", 1), SESSION));
			awaitDropped(reply);
			FaultRun.eventually().until(() -> ZooKeeperStore.queue(admin, "ghost").isEmpty());
			LeaseRequest lease = request("ghost", 2);
			assertThat(backend.contend(lease, SESSION)).isInstanceOf(Grant.class);
			proxy.hole(Direction.UP);
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> backend.release(lease, Duration.ofMillis(100)));
			assertThat(ZooKeeperStore.queue(admin, "ghost")).hasSize(1);
			proxy.heal();
			FaultRun.eventually().until(() -> ZooKeeperStore.queue(admin, "ghost").isEmpty());
		}
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	@Test
	void nodeWhoseDeletionIsRejectedIsDeletedLater() throws Exception {
		LockBackend backend = this.victims.get(0).backend;
		try (CuratorFramework admin = Clients.create(server.connectString())) {
			admin.start();
			LeaseRequest lease = request("forbidden", 1);
			assertThat(backend.contend(lease, SESSION)).isInstanceOf(Grant.class);
			String path = ZooKeeperStore.pathOf(admin, "forbidden");
			int perms = ZooDefs.Perms.ALL - ZooDefs.Perms.DELETE;
			admin.setACL().withACL(List.of(new ACL(perms, ZooDefs.Ids.ANYONE_ID_UNSAFE))).forPath(path);
			assertThatExceptionOfType(BackendUnavailableException.class)
				.isThrownBy(() -> backend.release(lease, SESSION))
				.withMessageContaining("NoAuth");
			admin.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(path);
			FaultRun.eventually().until(() -> ZooKeeperStore.queue(admin, "forbidden").isEmpty());
		}
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	@Test
	void nodeWhoseAnswerComesTooLateIsDeleted() throws Exception {
		LockBackend backend = this.victims.get(0).backend;
		FaultProxy proxy = this.proxies.get(0);
		try (CuratorFramework admin = Clients.create(server.connectString())) {
			admin.start();
			proxy.delay(Direction.DOWN, Duration.ofMillis(300));
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> backend.contend(request("late", 1), Duration.ofMillis(50)));
			LeaseRequest next = request("late", 2);
			backend.contend(next, SESSION); // is behind it
			proxy.heal();
			FaultRun.eventually()
				.until(() -> ZooKeeperStore.queue(admin, "late")
					.stream()
					.allMatch((node) -> node.startsWith(next.owner().toString())));
			backend.release(next, SESSION);
		}
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	private static LeaseRequest request(String key, int sequence) {
		return new LeaseRequest(key, new LeaseTerms(LeaseMode.EXCLUSIVE, true, SESSION, 1), INSTANCE, sequence);
	}

	private void inEachVictim(Attempt attempt) throws InterruptedException {
		for (int i = 0; i < VICTIMS; i++) {
			FaultProxy proxy = this.proxies.get(i);
			EngineProcess victim = this.victims.get(i);
			Random random = new Random(this.run.random.nextLong());
			this.run.startThread("victim-" + i, () -> {
				for (int j = 0; j < TIMES; j++) {
					attempt.run(proxy, victim, random);
				}
			});
		}
		this.run.awaitThreads();
	}

	private void takeTurn(EngineProcess process, Random random) {
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(process, key(random), OPTIONS, FaultRun.MAX_WAIT);
		assertThat(hold).isNotNull();
		assertThat(this.run.use("victim", asked, hold, Duration.ofMillis(random.nextInt(3)))).isTrue();
	}

	private static String key(Random random) {
		return "key-" + random.nextInt(2);
	}

	private void awaitDropped(Future<String> reply) throws Exception {
		reply.get(FaultRun.MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		this.dropped.incrementAndGet();
	}

	private void assertEnd() {
		this.run.assertNoViolations();
		assertThat(this.dropped).hasValue(VICTIMS * TIMES);
		FaultRun.eventually().untilAsserted(this.store::assertNothingLeft);
		assertThat(this.run.losses()).isZero();
		this.run.assertEveryoneAcquires(List.of("key-0", "key-1"));
		this.run.assertExclusion();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

	/**
	 * What a victim does again and again.
	 */
	private interface Attempt {

		void run(FaultProxy proxy, EngineProcess victim, Random random) throws Exception;

	}

}
