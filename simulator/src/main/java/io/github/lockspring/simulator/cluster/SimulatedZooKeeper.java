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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.machine.Scheduler;
import io.github.lockspring.simulator.zookeeper.ServerConnection;
import io.github.lockspring.simulator.zookeeper.ZooKeeperModel;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;
import io.github.lockspring.simulator.zookeeper.ZooKeeperReceiver;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.zookeeper.ModelCurator;
import io.github.lockspring.zookeeper.ZooKeeperLockBackend;
import io.github.lockspring.zookeeper.ZooKeeperLockSettings;

/**
 * Three servers of ZooKeeper, which are stopped and paused together. Each server applies
 * transactions later than the others, sometimes much later. A failover is the election of
 * another leader, which has all transactions, and during which no client can connect. The
 * ids of transactions go on when the data is lost, unlike those of real servers.
 */
public final class SimulatedZooKeeper implements SimulatedStore {

	private static final int SERVERS = 3;

	/**
	 * Longer than the lease time by the part that clients do not rely on.
	 */
	private static final Duration SESSION_TIMEOUT = ClusterSettings.defaults().lease().multipliedBy(4).dividedBy(3);

	private static final Duration TICK = SESSION_TIMEOUT.dividedBy(8);

	private static final long CONTAINERS_NANOS = Duration.ofSeconds(10).toNanos();

	private static final long LAG_NANOS = 2_000_000;

	private static final long LONG_LAG_NANOS = 200_000_000;

	private static final long ELECTION_NANOS = 2_000_000_000;

	private final Server server;

	private final Scheduler scheduler;

	private final SplittableRandom random;

	private final ZooKeeperModel servers;

	private final List<ByteStream> streams = new ArrayList<>();

	private long electedNanos;

	/**
	 * Create servers without data.
	 * @param server the server that they are
	 */
	public SimulatedZooKeeper(Server server) {
		this.server = server;
		this.scheduler = server.node().scheduler();
		this.random = this.scheduler.random();
		this.servers = new ZooKeeperModel(SERVERS, server.node()::nanoTime, server.node()::currentTimeMillis,
				this.random);
		this.servers.onCommit(this::replicate);
		server.onStop(this::closeConnections);
		every(TICK.toNanos(), this::tick);
		every(CONTAINERS_NANOS, this.servers::deleteUnusedContainers);
	}

	private void every(long nanos, Runnable action) {
		this.scheduler.after(nanos, this.server.node(), () -> {
			if (this.server.isStopped()) {
				this.servers.hearAll(); // the timeouts begin anew with the servers
			}
			else if (!this.server.node().isPaused()) {
				action.run();
			}
			every(nanos, action);
		});
	}

	private void tick() {
		this.servers.expireSessions();
	}

	private void replicate() {
		long zxid = this.servers.zxid();
		for (int i = 0; i < SERVERS; i++) {
			int replica = i;
			long lag = this.random.nextLong((this.random.nextInt(30) == 0) ? LONG_LAG_NANOS : LAG_NANOS);
			this.scheduler.after(lag, this.server.node(), () -> this.servers.catchUp(replica, zxid));
		}
	}

	private void closeConnections() {
		List.copyOf(this.streams).forEach(ByteStream::reset);
		this.streams.clear();
		this.servers.closeConnections();
	}

	@Override
	public LockBackend backend(Link link) {
		return new ZooKeeperLockBackend(ModelCurator.create(new LinkNetwork(link), (int) SESSION_TIMEOUT.toMillis()),
				new ZooKeeperLockSettings(ZooKeeperLockSettings.DEFAULT_NAMESPACE,
						ClusterSettings.defaults().operationTimeout()));
	}

	/**
	 * A lease lasts as long as its session, which the servers end at a tick.
	 */
	@Override
	public Duration longestLease(Duration leaseTime) {
		return SESSION_TIMEOUT.plus(TICK);
	}

	@Override
	public void remember() {
		// what a majority has is not lost
	}

	@Override
	public void failOver() {
		this.servers.elect();
		this.electedNanos = this.scheduler.now() + this.random.nextLong(ELECTION_NANOS);
	}

	@Override
	public void forget() {
		this.servers.clear();
	}

	/**
	 * Return the servers.
	 * @return the servers
	 */
	public ZooKeeperModel servers() {
		return this.servers;
	}

	private boolean isAvailable() {
		return !this.server.isStopped() && this.scheduler.now() >= this.electedNanos;
	}

	/**
	 * Way of a process to the servers.
	 */
	private final class LinkNetwork implements ZooKeeperNetwork {

		private final Link link;

		LinkNetwork(Link link) {
			this.link = link;
		}

		@Override
		public Wire connect(ZooKeeperReceiver receiver) {
			return new Stream(this.link, receiver);
		}

		@Override
		public void mayThrow() {
			this.link.mayThrow();
		}

	}

	/**
	 * Connection of a process, with both ends.
	 */
	private final class Stream implements ZooKeeperNetwork.Wire, ZooKeeperReceiver {

		private final ZooKeeperReceiver client;

		private final ByteStream bytes;

		private @Nullable ServerConnection connection;

		private boolean left;

		Stream(Link link, ZooKeeperReceiver client) {
			this.client = client;
			this.bytes = new ByteStream(link, client::closed);
		}

		@Override
		public void send(Consumer<ServerConnection> message) {
			if (!this.left) {
				this.bytes.request(() -> arrive(message));
			}
		}

		@Override
		public void close() {
			send(ServerConnection::close);
			this.left = true;
		}

		private void arrive(Consumer<ServerConnection> message) {
			ServerConnection connection = this.connection;
			if (connection == null) {
				if (!isAvailable()) {
					this.bytes.reset();
					return;
				}
				connection = SimulatedZooKeeper.this.servers.connect(this);
				this.connection = connection;
				SimulatedZooKeeper.this.streams.add(this.bytes);
			}
			message.accept(connection);
		}

		@Override
		public void opened(long session, byte[] password, int timeout) {
			this.bytes.reply(() -> this.client.opened(session, password, timeout));
		}

		@Override
		public void replied(Runnable reply) {
			this.bytes.reply(() -> this.client.replied(reply));
		}

		@Override
		public void changed(EventType event, String path) {
			this.bytes.reply(() -> this.client.changed(event, path));
		}

		@Override
		public void closed() {
			SimulatedZooKeeper.this.streams.remove(this.bytes);
			this.bytes.reply(this.client::closed);
		}

	}

}
