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
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * End of a connection at a server, with the requests of a client. They are executed and
 * answered in the order in which they arrive. Once the session has moved to another
 * connection or has ended, no request of this one is executed.
 */
public final class ServerConnection {

	private final ZooKeeperModel servers;

	private final Replica replica;

	private final ZooKeeperReceiver receiver;

	private @Nullable ServerSession session;

	private boolean closed;

	/**
	 * Whether a change was requested that the server cannot make, after which nothing is
	 * answered.
	 */
	private boolean stuck;

	ServerConnection(ZooKeeperModel servers, Replica replica, ZooKeeperReceiver receiver) {
		this.servers = servers;
		this.replica = replica;
		this.receiver = receiver;
	}

	Replica replica() {
		return this.replica;
	}

	/**
	 * Open a session, or continue one.
	 * @param id the id of the session, 0 for a new one
	 * @param password the password of the session
	 * @param timeout the timeout that is wanted, in milliseconds
	 * @param lastZxid the last transaction that the client has seen
	 */
	public void open(long id, byte[] password, int timeout, long lastZxid) {
		if (this.closed || this.replica.isIsolated()) {
			return;
		}
		if (lastZxid > this.replica.zxid()) {
			close();
			return;
		}
		ServerSession session = (id == 0) ? this.servers.createSession(timeout) : this.servers.session(id);
		this.replica.catchUp(this.servers.zxid());
		if (session == null || (id != 0 && !Arrays.equals(session.password(), password))) {
			this.receiver.opened(0, password, 0);
			close();
			return;
		}
		ServerConnection former = session.connection();
		session.moveTo(this);
		this.session = session;
		if (former != null && former != this) {
			former.end();
		}
		this.servers.heard(session);
		this.receiver.opened(session.id(), session.password(), session.timeout());
	}

	/**
	 * Execute a request.
	 * @param <T> the type of reply
	 * @param request the request
	 * @param reply what the client does with the reply
	 */
	public <T> void execute(Request<T> request, Reply<T> reply) {
		ServerSession session = this.session;
		if (this.closed || this.stuck || session == null) {
			return;
		}
		if (!this.replica.isIsolated()) {
			this.servers.heard(session);
		}
		@Nullable T value = null;
		Code code = Code.OK;
		try {
			value = request.execute(this);
		}
		catch (KeeperException ex) {
			code = ex.code();
		}
		if (!this.closed && !this.stuck) {
			reply(code, value, reply);
		}
	}

	private <T> void reply(Code code, @Nullable T value, Reply<T> reply) {
		long zxid = this.replica.zxid();
		this.receiver.replied(() -> reply.receive(code.intValue(), zxid, value));
	}

	/**
	 * Close the connection, from either end. The session continues without it.
	 */
	public void close() {
		if (!this.closed) {
			this.closed = true;
			this.replica.unwatchAll(this);
			this.servers.remove(this);
			this.receiver.closed();
		}
	}

	/**
	 * Close the connection of a session that continues elsewhere, or has ended, unless
	 * the server does not know.
	 */
	void end() {
		if (!this.replica.isIsolated()) {
			close();
		}
	}

	/**
	 * Close the session.
	 * @return {@code true}
	 */
	public boolean closeSession() {
		if (!isUnanswered()) {
			this.servers.closeSession(sessionOfThis());
		}
		return true;
	}

	private ServerSession sessionOfThis() {
		ServerSession session = this.session;
		if (session == null) {
			throw new IllegalStateException("There is no session");
		}
		return session;
	}

	/**
	 * Return whether the server does not reach the others, so that it answers neither
	 * changes nor what is requested after them.
	 */
	private boolean isUnanswered() {
		this.stuck |= this.replica.isIsolated();
		return this.stuck;
	}

	void notify(EventType event, String path) {
		this.receiver.changed(event, path);
	}

	/**
	 * Make a change.
	 * @param op the change
	 * @return its result, with the metadata of a node that was created
	 * @throws KeeperException if it is not possible
	 */
	public OpResult change(Op op) throws KeeperException {
		if (isUnanswered()) {
			return new OpResult.CheckResult();
		}
		OpResult result;
		try {
			result = this.servers.change(sessionOfThis().id(), op);
		}
		finally {
			this.replica.catchUp(this.servers.zxid());
		}
		if (result instanceof OpResult.CreateResult created) {
			return new OpResult.CreateResult(created.getPath(), this.replica.tree().stat(created.getPath()));
		}
		return result;
	}

	/**
	 * Make all of several changes or none of them, or read several nodes.
	 * @param ops the changes, or the reads
	 * @return the results, with the errors
	 */
	public List<OpResult> multi(List<Op> ops) {
		if (!ops.isEmpty() && ops.get(0).getKind() == Op.OpKind.READ) {
			return ops.stream().map(this::read).toList();
		}
		if (isUnanswered()) {
			return List.of();
		}
		List<OpResult> results = this.servers.changeAll(sessionOfThis().id(), ops);
		this.replica.catchUp(this.servers.zxid());
		return results;
	}

	private OpResult read(Op op) {
		try {
			return (op.getType() == OpCode.getChildren) ? new OpResult.GetChildrenResult(children(op.getPath()))
					: new OpResult.GetDataResult(data(op.getPath(), false), stat(op.getPath(), false));
		}
		catch (KeeperException ex) {
			return new OpResult.ErrorResult(ex.code().intValue());
		}
	}

	/**
	 * Return the metadata of a node.
	 * @param path the node
	 * @param watch whether to watch it, also if it does not exist
	 * @return the metadata
	 * @throws KeeperException if it does not exist
	 */
	public Stat stat(String path, boolean watch) throws KeeperException {
		if (watch) {
			this.replica.watch(path, this);
		}
		return this.replica.tree().stat(path);
	}

	/**
	 * Return the data of a node.
	 * @param path the node
	 * @param watch whether to watch it, if it exists
	 * @return the data
	 * @throws KeeperException if it does not exist
	 */
	public byte[] data(String path, boolean watch) throws KeeperException {
		byte[] data = this.replica.tree().get(path).data();
		if (watch) {
			this.replica.watch(path, this);
		}
		return data;
	}

	public List<String> children(String path) throws KeeperException {
		this.replica.tree().get(path);
		return this.replica.tree().children(path);
	}

	public List<ACL> acl(String path) throws KeeperException {
		return this.replica.tree().get(path).acl();
	}

	/**
	 * Catch up with the leader.
	 * @return {@code true}
	 */
	public boolean sync() {
		this.replica.catchUp(this.servers.zxid());
		return true;
	}

	/**
	 * Remove the watch of a node.
	 * @param path the node
	 * @return {@code true}
	 * @throws KeeperException if there is none
	 */
	public boolean unwatch(String path) throws KeeperException {
		if (!this.replica.unwatch(path, this)) {
			throw new KeeperException.NoWatcherException(path);
		}
		return true;
	}

	/**
	 * Watch nodes again after a reconnection, and notify of what has changed since.
	 * @param lastZxid the last transaction that the client has seen
	 * @param existing nodes that existed
	 * @param missing nodes that did not exist
	 * @return {@code true}
	 */
	public boolean watchAgain(long lastZxid, Collection<String> existing, Collection<String> missing) {
		List<String> unchanged = new ArrayList<>();
		for (String path : existing) {
			ZNode node = this.replica.tree().find(path);
			if (node == null) {
				notify(EventType.NodeDeleted, path);
			}
			else if (node.changed().zxid() > lastZxid) {
				notify(EventType.NodeDataChanged, path);
			}
			else {
				unchanged.add(path);
			}
		}
		for (String path : missing) {
			if (this.replica.tree().find(path) != null) {
				notify(EventType.NodeCreated, path);
			}
			else {
				unchanged.add(path);
			}
		}
		unchanged.forEach((path) -> this.replica.watch(path, this));
		return true;
	}

	/**
	 * Request to a server.
	 *
	 * @param <T> the type of reply
	 */
	@FunctionalInterface
	public interface Request<T> {

		/**
		 * Execute the request.
		 * @param server the server
		 * @return the reply
		 * @throws KeeperException if there is an error instead
		 */
		T execute(ServerConnection server) throws KeeperException;

	}

	/**
	 * Receives a reply.
	 *
	 * @param <T> the type of reply
	 */
	@FunctionalInterface
	public interface Reply<T> {

		/**
		 * Receive the reply.
		 * @param code the code of the error, 0 for none
		 * @param zxid the last transaction that the server has applied
		 * @param value the reply, {@code null} for an error
		 */
		void receive(int code, long zxid, @Nullable T value);

	}

}
