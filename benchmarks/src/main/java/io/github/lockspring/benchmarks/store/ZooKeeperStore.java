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
package io.github.lockspring.benchmarks.store;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.metrics.impl.DefaultMetricsProvider;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.CuratorLocks;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.contestant.JvmLocks;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.PipelinedQueue;
import io.github.lockspring.benchmarks.contestant.PlainZooKeeper;
import io.github.lockspring.benchmarks.contestant.Primitive;
import io.github.lockspring.benchmarks.contestant.RawZooKeeper;
import io.github.lockspring.benchmarks.contestant.SpringIntegrationZooKeeper;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.zookeeper.ZooKeeperLockBackend;
import io.github.lockspring.zookeeper.ZooKeeperLockSettings;

/**
 * A ZooKeeper server: one of our own, which forces its log to the disk before it answers,
 * or the one that {@link ZooKeeperServer#CONNECT_PROPERTY} names. Every contestant has a
 * session of its own, with the timeout that is our default, and its nodes below a root
 * that is gone in the end.
 */
final class ZooKeeperStore implements Store {

	static final String NAME = "zookeeper";

	static final String DISTANT_NAME = "zookeeper-distant";

	private static final String ROOT = "/lock-benchmarks";

	private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(3);

	private final String name;

	private final String address;

	private final @Nullable ZooKeeperServer server;

	private final @Nullable FaultProxy proxy;

	private ZooKeeperStore(String name, String address, @Nullable ZooKeeperServer server, @Nullable FaultProxy proxy) {
		this.name = name;
		this.address = address;
		this.server = server;
		this.proxy = proxy;
	}

	static ZooKeeperStore start() {
		ZooKeeperServer server = startServer();
		return new ZooKeeperStore(NAME, server.connectString() + ROOT, server, null).withRoot();
	}

	/**
	 * All clients reach the server by a proxy that can make the way to it longer.
	 */
	static ZooKeeperStore startDistant() {
		ZooKeeperServer server = startServer();
		FaultProxy proxy = new FaultProxy(server.host(), server.port());
		return new ZooKeeperStore(DISTANT_NAME, proxy.host() + ':' + proxy.port() + ROOT, server, proxy).withRoot();
	}

	static ZooKeeperStore at(String name, String address) {
		return new ZooKeeperStore(name, address, null, null);
	}

	private static ZooKeeperServer startServer() {
		return isGiven() ? ZooKeeperServer.shared() : newServer();
	}

	private static boolean isGiven() {
		return !System.getProperty(ZooKeeperServer.CONNECT_PROPERTY, "").isEmpty();
	}

	/**
	 * A server that is in no hurry, as in production, instead of one for tests. Parents
	 * of locks stay: to see them deleted in one run and not in another would compare
	 * nothing.
	 */
	private static ZooKeeperServer newServer() {
		return ZooKeeperServer.builder()
			.tickTime(Duration.ofSeconds(2))
			.containerCheck(Duration.ofDays(1))
			.option("metricsProvider.className", DefaultMetricsProvider.class.getName())
			.jvmOptions("-Xmx512m", "-XX:TieredStopAtLevel=4")
			.start();
	}

	private ZooKeeperStore withRoot() {
		aboveRoot((client) -> PlainZooKeeper.ensure(client, ROOT));
		return this;
	}

	private void deleteRoot() {
		aboveRoot((client) -> ZKUtil.deleteRecursive(client, ROOT));
	}

	private void aboveRoot(RootAction action) {
		ZooKeeper client = PlainZooKeeper.connect(this.address.substring(0, this.address.length() - ROOT.length()));
		try {
			action.on(client);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			PlainZooKeeper.close(client);
		}
	}

	@Override
	public String name() {
		return this.name;
	}

	/**
	 * The floor has leases as well: a node that is not deleted is held as long as its
	 * session.
	 */
	@Override
	public List<Entrant> entrants() {
		return List.of(
				new Entrant(Entrant.FLOOR, () -> new RawZooKeeper(this.address), Trait.DISTRIBUTED, Trait.RENEWING),
				new Entrant("fair-reentrant-lock", () -> new JvmLocks(true), Trait.EXCLUSIVE, Trait.WAITING),
				new Entrant(LockStarter.NAME, this::lockStarter, Trait.values()),
				new Entrant(LockStarter.RETAINING, () -> lockStarter().retaining(), Trait.values()),
				new Entrant("curator-mutex", () -> CuratorLocks.mutex(client()), Trait.values()),
				new Entrant("curator-semaphore-mutex", () -> CuratorLocks.semaphoreMutex(client()), Trait.EXCLUSIVE,
						Trait.DISTRIBUTED, Trait.WAITING, Trait.RENEWING),
				new Entrant("spring-integration", () -> new SpringIntegrationZooKeeper(client()), Trait.values()),
				new Entrant("pipelined-queue", () -> new PipelinedQueue(this.address), Trait.EXCLUSIVE,
						Trait.DISTRIBUTED, Trait.WAITING));
	}

	@Override
	public List<Entrant> primitives() {
		return List.of(
				new Entrant("floor-increment", () -> Primitive.rawSetData(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-increment", () -> Primitive.increment(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("curator-increment", () -> Primitive.curatorIncrement(client()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-permit", () -> Primitive.permit(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("curator-permit", () -> Primitive.curatorPermit(client()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-read", () -> Primitive.read(lockStarter()), Trait.DISTRIBUTED, Trait.WAITING),
				new Entrant("curator-read", () -> Primitive.curatorRead(client()), Trait.DISTRIBUTED, Trait.WAITING),
				new Entrant("lock-starter-latch", () -> Primitive.latch(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("curator-latch", () -> Primitive.curatorLatch(client()), Trait.DISTRIBUTED, Trait.WAITING));
	}

	private LockStarter lockStarter() {
		CuratorFramework client = client();
		return LockStarter.on(
				new ZooKeeperLockBackend(client,
						new ZooKeeperLockSettings(ZooKeeperLockSettings.DEFAULT_NAMESPACE, OPERATION_TIMEOUT)),
				client::close);
	}

	private CuratorFramework client() {
		int sessionTimeout = (int) PlainZooKeeper.SESSION_TIMEOUT.toMillis();
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.address)
			.ensembleTracker(false)
			.sessionTimeoutMs(sessionTimeout)
			.connectionTimeoutMs(sessionTimeout / 2)
			.retryPolicy(new BoundedExponentialBackoffRetry(100, 1_000, 3))
			.build();
		client.start();
		return client;
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public @Nullable Distance distance() {
		return (this.proxy != null) ? new ProxyDistance(this.proxy) : null;
	}

	@Override
	public StoreApplication application() {
		return StoreApplication.zooKeeper(this.address);
	}

	@Override
	public CommandCount countCommands() {
		if (this.server == null) {
			throw new IllegalStateException("Only who started the store counts");
		}
		return new ZooKeeperPacketCount(this.server);
	}

	@Override
	public void close() {
		if (this.server != null && isGiven()) {
			deleteRoot();
		}
		if (this.proxy != null) {
			this.proxy.close();
		}
		if (this.server != null) {
			this.server.close();
		}
	}

	@FunctionalInterface
	private interface RootAction {

		void on(ZooKeeper client) throws InterruptedException, KeeperException;

	}

}
