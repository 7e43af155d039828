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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.apache.zookeeper.AsyncCallback.ACLCallback;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.springframework.objenesis.SpringObjenesis;

import io.github.lockspring.simulator.zookeeper.ServerConnection.Request;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;

/**
 * {@link ZooKeeper} client of servers that are modelled, with the asynchronous calls that
 * locks use. Created without the constructor of its superclass, which connects.
 * Thread-safe.
 */
public final class ModelZooKeeper extends ZooKeeper {

	private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

	/**
	 * Not final, because no constructor runs.
	 */
	private ModelConnection connection;

	@SuppressWarnings("NullAway") // never runs
	private ModelZooKeeper() throws IOException {
		super("", 0, null);
		throw new IllegalStateException("No constructor must run");
	}

	/**
	 * Create a client with a new session.
	 * @param network the way to the servers
	 * @param timeout the session timeout that is wanted, in milliseconds
	 * @param watcher the default watcher
	 * @return the client, which begins to connect
	 */
	public static ModelZooKeeper connect(ZooKeeperNetwork network, int timeout, Watcher watcher) {
		return create(new ModelConnection(network, timeout, watcher, 0, new byte[16]));
	}

	/**
	 * Create a client that continues a session, in place of the constructor of
	 * {@link ZooKeeper}.
	 * @param connectString the servers
	 * @param timeout the session timeout that is wanted, in milliseconds
	 * @param watcher the default watcher
	 * @param sessionId the session
	 * @param password the password of the session
	 * @param canBeReadOnly ignored
	 * @param hosts ignored
	 * @param config the configuration of another client of this class
	 * @return the client, which begins to connect
	 */
	public static ZooKeeper construct(String connectString, int timeout, Watcher watcher, long sessionId,
			byte[] password, boolean canBeReadOnly, HostProvider hosts, ZKClientConfig config) {
		return create(new ModelConnection(((Config) config).network, timeout, watcher, sessionId, password));
	}

	private static ModelZooKeeper create(ModelConnection connection) {
		ModelZooKeeper zooKeeper = OBJENESIS.newInstance(ModelZooKeeper.class, false);
		zooKeeper.connection = connection;
		return zooKeeper;
	}

	/**
	 * Expire the session at the client, whether or not the servers do.
	 */
	void expire() {
		this.connection.expire();
	}

	@Override
	public long getSessionId() {
		return this.connection.sessionId();
	}

	@Override
	public byte[] getSessionPasswd() {
		return this.connection.password();
	}

	@Override
	public int getSessionTimeout() {
		return this.connection.timeout();
	}

	@Override
	public States getState() {
		return this.connection.state();
	}

	@Override
	public ZKClientConfig getClientConfig() {
		return new Config(this.connection.network());
	}

	@Override
	public synchronized void close() {
		if (getState().isAlive()) {
			this.connection.close();
		}
	}

	private <T> void submit(Request<T> request, ModelConnection.Receiver<T> receiver) {
		this.connection.request(request, (code) -> {
		}, receiver);
	}

	/**
	 * Send a request that watches a node.
	 */
	private <T> void submit(Request<T> request, String path, @Nullable Watcher watcher, boolean alsoMissing,
			ModelConnection.Receiver<T> receiver) {
		this.connection.request(request, (code) -> {
			if (watcher != null) {
				this.connection.watches().add(code, path, watcher, alsoMissing);
			}
		}, receiver);
	}

	@Override
	public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback,
			Object context) {
		submit((server) -> (OpResult.CreateResult) server.change(Op.create(path, data, acl, mode)),
				(code, created) -> callback.processResult(code, path, context,
						(created != null) ? created.getPath() : null, (created != null) ? created.getStat() : null));
	}

	@Override
	public void delete(String path, int version, VoidCallback callback, Object context) {
		submit((server) -> server.change(Op.delete(path, version)),
				(code, deleted) -> callback.processResult(code, path, context));
	}

	@Override
	public void setData(String path, byte[] data, int version, StatCallback callback, Object context) {
		submit((server) -> ((OpResult.SetDataResult) server.change(Op.setData(path, data, version))).getStat(),
				(code, stat) -> callback.processResult(code, path, context, stat));
	}

	@Override
	public void multi(Iterable<Op> ops, MultiCallback callback, Object context) {
		List<Op> all = new ArrayList<>();
		ops.forEach(all::add);
		submit((server) -> server.multi(all), (code, results) -> callback
			.processResult((results != null) ? firstError(results) : code, null, context, results));
	}

	private static int firstError(List<OpResult> results) {
		return results.stream()
			.mapToInt((result) -> (result instanceof OpResult.ErrorResult error) ? error.getErr() : 0)
			.filter((code) -> code != Code.OK.intValue())
			.findFirst()
			.orElse(Code.OK.intValue());
	}

	@Override
	public void exists(String path, @Nullable Watcher watcher, StatCallback callback, Object context) {
		submit((server) -> server.stat(path, watcher != null), path, watcher, true,
				(code, stat) -> callback.processResult(code, path, context, stat));
	}

	@Override
	public void exists(String path, boolean watch, StatCallback callback, Object context) {
		requireNoWatch(watch);
		exists(path, null, callback, context);
	}

	@Override
	public void getData(String path, @Nullable Watcher watcher, DataCallback callback, Object context) {
		submit((server) -> new Content(server.data(path, watcher != null), server.stat(path, false)), path, watcher,
				false, (code, content) -> callback.processResult(code, path, context,
						(content != null) ? content.data : null, (content != null) ? content.stat : null));
	}

	@Override
	public void getData(String path, boolean watch, DataCallback callback, Object context) {
		requireNoWatch(watch);
		getData(path, null, callback, context);
	}

	@Override
	public void getChildren(String path, boolean watch, ChildrenCallback callback, Object context) {
		requireNoWatch(watch);
		submit((server) -> server.children(path), (code, names) -> callback.processResult(code, path, context, names));
	}

	@Override
	public void getACL(String path, Stat stat, ACLCallback callback, Object context) {
		submit((server) -> server.acl(path), (code, acl) -> callback.processResult(code, path, context, acl, null));
	}

	@Override
	public void sync(String path, VoidCallback callback, Object context) {
		submit((server) -> server.sync(), (code, synced) -> callback.processResult(code, path, context));
	}

	/**
	 * Remove all watches of a node, at the client also if the server has none.
	 */
	@Override
	public void removeAllWatches(String path, Watcher.WatcherType type, boolean local, VoidCallback callback,
			Object context) {
		Set<Watcher>[] removed = newSets();
		this.connection.request((server) -> server.unwatch(path),
				(code) -> removed[0] = this.connection.watches().remove(path), (code, done) -> {
					KeeperState state = (code == Code.CONNECTIONLOSS.intValue()
							|| code == Code.SESSIONEXPIRED.intValue()) ? KeeperState.Disconnected
									: KeeperState.SyncConnected;
					WatchedEvent event = new WatchedEvent(EventType.DataWatchRemoved, state, path);
					removed[0].forEach((watcher) -> watcher.process(event));
					callback.processResult((removed[0].isEmpty() ? Code.NOWATCHER : Code.OK).intValue(), path, context);
				});
	}

	@SuppressWarnings("unchecked")
	private static Set<Watcher>[] newSets() {
		return new Set[1];
	}

	private static void requireNoWatch(boolean watch) {
		if (watch) {
			throw new UnsupportedOperationException("The default watcher watches no nodes");
		}
	}

	@Override
	public String toString() {
		return "session 0x" + Long.toHexString(getSessionId());
	}

	private record Content(byte[] data, Stat stat) {
	}

	/**
	 * Configuration that leads to the servers.
	 */
	private static final class Config extends ZKClientConfig {

		private final ZooKeeperNetwork network;

		Config(ZooKeeperNetwork network) {
			this.network = network;
		}

	}

}
