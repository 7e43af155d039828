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

package io.github.lockspring.simulator.zookeeper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.zookeeper.ZNode.Moment;

/**
 * Model of ZooKeeper servers: a leader, which makes the transactions and knows the
 * sessions, and replicas, to which clients are connected. Every change is applied at once
 * by the server that it is requested from, and by the others when they
 * {@linkplain #catchUp catch up}. Permissions, children watches and persistent watches
 * are missing. Not thread-safe.
 */
public final class ZooKeeperModel {

	private static final int PASSWORD_LENGTH = 16;

	private static final int EPOCH_BITS = 32;

	private final LongSupplier nanoTime;

	private final LongSupplier currentTimeMillis;

	private final RandomGenerator random;

	private final List<Replica> replicas = new ArrayList<>();

	private final Set<ServerConnection> connections = new LinkedHashSet<>();

	private final Map<Long, ServerSession> sessions = new LinkedHashMap<>();

	private NodeTree tree = new NodeTree();

	private long zxid;

	private Runnable onCommit = () -> {
	};

	/**
	 * Create servers without data.
	 * @param replicas the number of servers
	 * @param nanoTime the monotonic clock of the leader
	 * @param currentTimeMillis the wall clock of the leader
	 * @param random the source of ids and passwords, and of the choice of a server
	 */
	public ZooKeeperModel(int replicas, LongSupplier nanoTime, LongSupplier currentTimeMillis, RandomGenerator random) {
		this.nanoTime = nanoTime;
		this.currentTimeMillis = currentTimeMillis;
		this.random = random;
		Stream.generate(Replica::new).limit(replicas).forEach(this.replicas::add);
	}

	/**
	 * Let an action happen after each transaction.
	 * @param action the action
	 */
	public void onCommit(Runnable action) {
		this.onCommit = action;
	}

	/**
	 * Let the sequence numbers in containers that are created from now on begin with a
	 * number, as if as many nodes had been created there before.
	 * @param first the first number
	 */
	public void setFirstSequence(int first) {
		this.tree.setFirstSequence(first);
	}

	/**
	 * Connect a client to any of the servers.
	 * @param receiver the end at the client
	 * @return the end at the server
	 */
	public ServerConnection connect(ZooKeeperReceiver receiver) {
		Replica replica = this.replicas.get(this.random.nextInt(this.replicas.size()));
		ServerConnection connection = new ServerConnection(this, replica, receiver);
		this.connections.add(connection);
		return connection;
	}

	void remove(ServerConnection connection) {
		this.connections.remove(connection);
	}

	/**
	 * Return the id of the last transaction.
	 * @return the id
	 */
	public long zxid() {
		return this.zxid;
	}

	private Proposal propose() {
		return new Proposal(this.tree, new Moment(++this.zxid, this.currentTimeMillis.getAsLong()));
	}

	private void commit(Proposal proposal) {
		Transaction transaction = proposal.end();
		this.replicas.forEach((replica) -> replica.receive(transaction));
		this.onCommit.run();
	}

	/**
	 * Make a change.
	 * @param session the session that makes it
	 * @param op the change
	 * @return the result
	 * @throws KeeperException if it is not possible
	 */
	public OpResult change(long session, Op op) throws KeeperException {
		Proposal proposal = propose();
		try {
			return proposal.apply(session, op);
		}
		finally {
			commit(proposal);
		}
	}

	List<OpResult> changeAll(long session, List<Op> ops) {
		Proposal proposal = propose();
		List<OpResult> results = proposal.applyAll(session, ops);
		commit(proposal);
		return results;
	}

	/**
	 * Return the names of the children of a node, in the state of the leader.
	 * @param path the node
	 * @return the names
	 */
	public List<String> children(String path) {
		return this.tree.children(path);
	}

	/**
	 * Let a replica apply the transactions that it has not applied yet.
	 * @param replica its index
	 * @param zxid the last of them
	 */
	public void catchUp(int replica, long zxid) {
		this.replicas.get(replica).catchUp(zxid);
	}

	ServerSession createSession(int timeout) {
		commit(propose());
		byte[] password = new byte[PASSWORD_LENGTH];
		this.random.nextBytes(password);
		ServerSession session = new ServerSession(this.random.nextLong(1, Long.MAX_VALUE), password, timeout,
				this.nanoTime.getAsLong());
		this.sessions.put(session.id(), session);
		return session;
	}

	@Nullable ServerSession session(long id) {
		return this.sessions.get(id);
	}

	void heard(ServerSession session) {
		session.heard(this.nanoTime.getAsLong());
	}

	/**
	 * End a session and its nodes. Its connection is closed.
	 */
	void closeSession(ServerSession session) {
		this.sessions.remove(session.id());
		Proposal proposal = propose();
		this.tree.paths((node) -> node.isEphemeral() && node.creation().owner() == session.id()).forEach((path) -> {
			try {
				proposal.delete(path, -1);
			}
			catch (KeeperException ex) {
				throw new IllegalStateException(ex);
			}
		});
		commit(proposal);
		ServerConnection connection = session.connection();
		if (connection != null) {
			connection.end();
		}
	}

	/**
	 * End the sessions from which the leader has not heard for their timeout.
	 */
	public void expireSessions() {
		long now = this.nanoTime.getAsLong();
		List.copyOf(this.sessions.values())
			.stream()
			.filter((session) -> now - session.heardNanos() >= session.timeout() * 1_000_000L)
			.forEach(this::closeSession);
	}

	/**
	 * Expire one of the sessions, as an administrator can.
	 */
	public void expireAny() {
		if (!this.sessions.isEmpty()) {
			List<ServerSession> all = List.copyOf(this.sessions.values());
			closeSession(all.get(this.random.nextInt(all.size())));
		}
	}

	/**
	 * Let the timeouts of all sessions begin anew, as a leader does that begins.
	 */
	public void hearAll() {
		this.sessions.values().forEach(this::heard);
	}

	/**
	 * Delete containers that were used and have no children.
	 */
	public void deleteUnusedContainers() {
		this.tree.paths((node) -> node.creation().container() && node.creations() > 0).forEach((path) -> {
			if (this.tree.children(path).isEmpty()) {
				Proposal proposal = propose();
				try {
					proposal.delete(path, -1);
				}
				catch (KeeperException ex) {
					throw new IllegalStateException(ex);
				}
				commit(proposal);
			}
		});
	}

	/**
	 * Close all connections.
	 */
	public void closeConnections() {
		List.copyOf(this.connections).forEach(ServerConnection::close);
	}

	/**
	 * Let another server be the leader. All transactions and sessions are kept.
	 */
	public void elect() {
		this.zxid = ((this.zxid >> EPOCH_BITS) + 1) << EPOCH_BITS;
		hearAll();
	}

	/**
	 * Separate a server from the others, before it has reported from which sessions it
	 * has heard since a time.
	 * @param replica its index
	 * @param sinceNanos the time
	 */
	public void isolate(int replica, long sinceNanos) {
		Replica isolated = this.replicas.get(replica);
		isolated.setIsolated(true);
		for (ServerSession session : this.sessions.values()) {
			ServerConnection connection = session.connection();
			if (connection != null && connection.replica() == isolated && session.heardNanos() - sinceNanos > 0) {
				session.heard(sinceNanos);
			}
		}
	}

	/**
	 * Let a server find the others again. It has closed its connections.
	 * @param replica its index
	 */
	public void rejoin(int replica) {
		Replica isolated = this.replicas.get(replica);
		List.copyOf(this.connections)
			.stream()
			.filter((connection) -> connection.replica() == isolated)
			.forEach(ServerConnection::close);
		isolated.setIsolated(false);
		isolated.catchUp(this.zxid);
	}

	/**
	 * Forget all nodes and sessions. The ids of transactions go on.
	 */
	public void clear() {
		closeConnections();
		int count = this.replicas.size();
		this.replicas.clear();
		Stream.generate(Replica::new).limit(count).forEach(this.replicas::add);
		this.sessions.clear();
		this.tree = new NodeTree();
		commit(propose());
		this.replicas.forEach((replica) -> replica.catchUp(this.zxid));
	}

}
