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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.Listenable;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The client of a {@link ZooKeeperLockBackend}, its session, and what they mean for
 * leases.
 */
class ZooKeeperClientServerTests {

	private static final int MAX_TOKENS = 1 << (QueueNode.TOKEN_BITS - 1);

	private static ZooKeeperServer server;

	private final String key = "key-" + System.nanoTime();

	private final LockPaths paths = new LockPaths(Clients.create("localhost:1"), "lock");

	private final List<AutoCloseable> resources = new ArrayList<>();

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.resources.size() - 1; i >= 0; i--) {
			this.resources.get(i).close();
		}
	}

	private <T extends AutoCloseable> T add(T resource) {
		this.resources.add(resource);
		return resource;
	}

	private ZooKeeperProcess process() {
		return process(Clients.create(server.connectString()));
	}

	private ZooKeeperProcess process(CuratorFramework client) {
		return add(new ZooKeeperProcess(client, Clients.SETTINGS));
	}

	@Test
	void clientThatIsLatentIsStartedAndNeverClosed() throws Exception {
		CuratorFramework client = add(Clients.create(server.connectString()));
		assertThat(client.getState()).isEqualTo(CuratorFrameworkState.LATENT);
		ZooKeeperProcess process = process(client);
		assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		process.release(process.acquire(this.key));
		process.backend.close();
		assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		assertThat(client.checkExists().forPath("/lock")).isNotNull();
	}

	@Test
	void clientThatIsStartedIsUsed() throws Exception {
		CuratorFramework client = add(Clients.create(server.connectString()));
		client.start();
		client.blockUntilConnected();
		long session = client.getZookeeperClient().getZooKeeper().getSessionId();
		ZooKeeperProcess process = process(client);
		LeaseRequest lease = process.acquire(this.key);
		assertThat(node(process, lease).getEphemeralOwner()).isEqualTo(session);
	}

	/**
	 * The client notifies in a thread of its own, which another listener of the
	 * application may block until there is another session.
	 */
	@Test
	void endOfAFormerSessionThatIsNotifiedLateEndsNoLease() throws Exception {
		CuratorFramework client = add(Clients.create(server.connectString()));
		client.start();
		client.blockUntilConnected();
		List<ConnectionStateListener> listeners = new ArrayList<>();
		ZooKeeperProcess process = process(withListeners(client, listeners));
		LeaseRequest lease = process.acquire(this.key);
		listeners.forEach((listener) -> listener.stateChanged(client, ConnectionState.LOST));
		assertThat(process.suspended).isTrue();
		listeners.forEach((listener) -> listener.stateChanged(client, ConnectionState.RECONNECTED));
		assertThat(process.lost).isEmpty();
		assertThat(process.renews(lease)).isTrue();
		assertThat(process.release(lease)).isTrue();
		assertThat(process.release(process.acquire(this.key))).isTrue();
	}

	private static CuratorFramework withListeners(CuratorFramework client, List<ConnectionStateListener> listeners) {
		Listenable<ConnectionStateListener> listenable = new Listenable<>() {

			@Override
			public void addListener(ConnectionStateListener listener) {
				listeners.add(listener);
			}

			@Override
			public void addListener(ConnectionStateListener listener, Executor executor) {
				listeners.add(listener);
			}

			@Override
			public void removeListener(ConnectionStateListener listener) {
				listeners.remove(listener);
			}

		};
		return (CuratorFramework) Proxy.newProxyInstance(CuratorFramework.class.getClassLoader(),
				new Class<?>[] { CuratorFramework.class },
				(proxy, method, arguments) -> method.getName().equals("getConnectionStateListenable") ? listenable
						: method.invoke(client, arguments));
	}

	@Test
	void clientThatIsStartedAndNotYetConnectedIsUsed() {
		CuratorFramework client = add(Clients.create(server.connectString()));
		client.start();
		ZooKeeperProcess process = process(client);
		assertThat(process.release(process.acquire(this.key))).isTrue();
	}

	@Test
	void namespaceOfTheClientIsRespected() throws Exception {
		ZooKeeperProcess inNamespace = process(Clients.inNamespace(server.connectString(), "app"));
		ZooKeeperProcess other = process();
		inNamespace.acquire(this.key);
		assertThat(other.client.getChildren().forPath("/app/lock")).containsExactly(this.key);
		assertThat(other.client.checkExists().forPath("/lock/" + this.key)).isNull();
		assertThat(other.release(other.acquire(this.key))).isTrue();
	}

	@Test
	void namespaceOfTheSettingsMayHaveSeveralParts() throws Exception {
		ZooKeeperProcess process = add(new ZooKeeperProcess(Clients.create(server.connectString()),
				new ZooKeeperLockSettings("some/app/locks", Duration.ofSeconds(10))));
		process.acquire(this.key);
		assertThat(process.client.getChildren().forPath("/some/app/locks")).containsExactly(this.key);
	}

	@Test
	void nodesOfADelayedReleaseAreDeletedBelowAChroot() throws Exception {
		ZooKeeperProcess other = process();
		other.client.create().orSetData().forPath("/chroot-delay");
		ZooKeeperProcess process = process(Clients.create(server.connectString() + "/chroot-delay"));
		LeaseRequest lease = process.acquire(this.key);
		assertThat(process.backend.releaseWithDelay(lease, Duration.ofMillis(1), ZooKeeperProcess.TIMEOUT)).isTrue();
		assertThat(children(other, "/chroot-delay/lock/.resting")).hasSize(1);
		ZooKeeperProcess.await().untilAsserted(() -> {
			assertThat(children(other, "/chroot-delay/lock/" + this.key)).isEmpty();
			assertThat(children(other, "/chroot-delay/lock/.resting")).isEmpty();
		});
	}

	/**
	 * The server deletes an empty parent now and then.
	 */
	private static List<String> children(ZooKeeperProcess process, String path) throws Exception {
		try {
			return process.client.getChildren().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

	@Test
	void chrootOfTheConnectStringIsRespected() throws Exception {
		ZooKeeperProcess other = process();
		other.client.create().forPath("/chroot");
		ZooKeeperProcess process = process(Clients.create(server.connectString() + "/chroot"));
		LeaseRequest holder = process.acquire(this.key);
		assertThat(other.client.getChildren().forPath("/chroot/lock")).containsExactly(this.key);
		LeaseRequest waiter = process.queue(process.request(this.key));
		process.release(holder);
		assertThat(process.nextGranted()).isEqualTo(waiter);
		LeaseRequest several = process.acquire(process.request(List.of(this.key + "a", this.key + "b")));
		assertThat(process.renews(several)).isTrue();
		assertThat(process.release(several)).isTrue();
		assertThat(other.client.getChildren().forPath("/chroot/lock/" + this.key + "b")).isEmpty();
	}

	@Test
	void twoBackendsOnOneClientDoNotAffectEachOther() throws Exception {
		CuratorFramework client = add(Clients.create(server.connectString()));
		ZooKeeperProcess one = process(client);
		ZooKeeperProcess two = process(client);
		LeaseRequest holder = one.acquire(this.key);
		LeaseRequest waiter = two.queue(two.request(this.key));
		LeaseRequest other = two.acquire(this.key + "-2");
		assertThat(node(one, holder).getEphemeralOwner()).isEqualTo(node(two, other).getEphemeralOwner());
		assertThat(two.renews(holder)).isFalse();
		assertThat(one.renews(holder)).isTrue();
		assertThat(one.release(holder)).isTrue();
		assertThat(two.nextGranted()).isEqualTo(waiter);
		assertThat(one.granted).isEmpty();
		one.backend.close();
		assertThat(two.renews(waiter)).isTrue();
		assertThat(two.release(waiter)).isTrue();
		assertThat(two.release(two.acquire(this.key))).isTrue();
		assertThat(two.lost).isEmpty();
	}

	@Test
	void closedBackendLeavesTheQueues() throws Exception {
		ZooKeeperProcess one = process();
		ZooKeeperProcess two = process();
		ZooKeeperProcess three = process();
		LeaseRequest holder = one.acquire(this.key);
		two.queue(two.request(this.key));
		LeaseRequest next = three.queue(three.request(this.key));
		two.backend.close();
		assertThat(one.client.getChildren().forPath(this.paths.of(this.key))).hasSize(2);
		one.release(holder);
		assertThat(three.nextGranted()).isEqualTo(next);
		assertThat(two.granted).isEmpty();
	}

	@Test
	void tokenIsTheTransactionThatCreatedTheNode() throws Exception {
		ZooKeeperProcess process = process();
		LeaseRequest lease = process.request(this.key);
		long token = process.grantOf(lease).token();
		assertThat(token).isEqualTo(node(process, lease).getCzxid() << QueueNode.TOKEN_BITS);
		assertThat(process.backend.inspect(this.key, ZooKeeperProcess.TIMEOUT)).extracting(LeaseHolder::token)
			.containsExactly(token);
	}

	@Test
	void tokenOfSeveralKeysIsTheTransactionThatCreatedTheNodes() throws Exception {
		ZooKeeperProcess process = process();
		LeaseRequest lease = process.request(List.of(this.key + "a", this.key + "b"));
		long token = process.grantOf(lease).token();
		assertThat(token).isPositive().isEqualTo(node(process, lease).getCzxid() << QueueNode.TOKEN_BITS);
	}

	@Test
	void tokenOfAWaiterIsGreaterThanAllOfTheBlockBefore() {
		ZooKeeperProcess process = process();
		LeaseRequest holder = process.request(this.key, LeaseMode.EXCLUSIVE, MAX_TOKENS);
		long token = process.grantOf(holder).token();
		LeaseRequest waiter = process.queue(process.request(this.key, LeaseMode.EXCLUSIVE, MAX_TOKENS));
		process.release(holder);
		assertThat(process.nextGranted()).isEqualTo(waiter);
		assertThat(process.grantOf(waiter).token()).isGreaterThan(token + MAX_TOKENS - 1);
	}

	@Test
	void tokensOfAReaderThatWasAWriterFitBeforeTheNext() {
		ZooKeeperProcess process = process();
		LeaseRequest writer = process.request(this.key, LeaseMode.EXCLUSIVE, MAX_TOKENS);
		long token = process.grantOf(writer).token();
		LeaseRequest next = process.queue(process.request(this.key));
		LeaseRequest reader = process.request(this.key, LeaseMode.SHARED, MAX_TOKENS);
		Grant grant = (Grant) process.backend.downgrade(writer, reader, ZooKeeperProcess.TIMEOUT);
		assertThat(grant.token()).isEqualTo(token + MAX_TOKENS);
		process.release(reader);
		assertThat(process.nextGranted()).isEqualTo(next);
		assertThat(process.grantOf(next).token()).isGreaterThan(grant.token() + MAX_TOKENS - 1);
	}

	@Test
	void blockOfTokensThatDoesNotFitIsRejected() {
		ZooKeeperProcess process = process();
		assertThat(AcquireOptions.MAX_HAND_OFFS).isLessThan(MAX_TOKENS);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> process.tryAcquire(process.request(this.key, LeaseMode.EXCLUSIVE, MAX_TOKENS + 1)));
		process.acquire(process.request(this.key, LeaseMode.EXCLUSIVE, MAX_TOKENS));
	}

	@Test
	void longestLeaseIsShorterThanTheSessionThatTheServerGives() throws Exception {
		for (int millis : new int[] { 500, 1000, 3000, 10_000, 60_000 }) {
			ZooKeeperProcess process = process(Clients.create(server.connectString(), Duration.ofMillis(millis)));
			int given = process.client.getZookeeperClient().getZooKeeper().getSessionTimeout();
			assertThat(given).isBetween(1000, 10_000);
			int halfATick = 1000 / 4; // the shortest session timeout is two ticks
			assertThat(process.backend.maxLeaseTime()).isPositive()
				.isLessThanOrEqualTo(Duration.ofMillis(given * 9 / 10))
				.isLessThanOrEqualTo(Duration.ofMillis(given - halfATick))
				.isGreaterThanOrEqualTo(Duration.ofMillis(given * 3 / 4));
		}
	}

	@Test
	void longestLeaseIsTheShortestBeforeAnySession() {
		ZooKeeperLockBackend backend = new ZooKeeperLockBackend(Clients.create("localhost:1"), Clients.SETTINGS);
		assertThat(backend.maxLeaseTime()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void grantIsValidNoLongerThanTheSessionIsSureToLast() {
		ZooKeeperProcess process = process();
		LeaseRequest lease = process.request(this.key);
		assertThat(lease.terms().leaseTime()).isGreaterThan(process.backend.maxLeaseTime());
		assertThat(process.grantOf(lease).validity()).isEqualTo(process.backend.maxLeaseTime());
	}

	@Test
	void leaseLongerThanTheSessionLivesOnByRenewal() {
		ZooKeeperLockBackend backend = new ZooKeeperLockBackend(
				add(Clients.create(server.connectString(), Duration.ofSeconds(8))), Clients.SETTINGS);
		EngineSettings settings = EngineSettings.defaults().withOperationTimeout(ZooKeeperProcess.TIMEOUT);
		LockEngine engine = add(new LockEngine(backend, settings, new EngineListener() {
		}, TimeSource.SYSTEM));
		Hold hold = engine.acquireUninterruptibly(this.key, AcquireOptions.exclusive(Duration.ofMinutes(5), true), this,
				ZooKeeperProcess.TIMEOUT.toNanos());
		assertThat(hold.remaining()).isPositive().isLessThanOrEqualTo(backend.maxLeaseTime());
		long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
		ZooKeeperProcess.await().until(() -> System.nanoTime() - end > 0);
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isLessThanOrEqualTo(backend.maxLeaseTime());
		ZooKeeperProcess other = process();
		assertThat(other.tryAcquire(other.request(this.key))).isInstanceOf(Denial.class);
		assertThat(hold.release()).isTrue();
		assertThat(other.release(other.acquire(this.key))).isTrue();
	}

	/**
	 * What the servers know of the only, or first, node of a lease.
	 */
	private Stat node(ZooKeeperProcess process, LeaseRequest lease) throws Exception {
		String parent = this.paths.of(lease.key());
		for (String name : process.client.getChildren().forPath(parent)) {
			if (QueueNode.parse(name).owner().equals(lease.owner().toString())) {
				return process.client.checkExists().forPath(parent + '/' + name);
			}
		}
		throw new AssertionError("There is no node of the " + lease);
	}

}
