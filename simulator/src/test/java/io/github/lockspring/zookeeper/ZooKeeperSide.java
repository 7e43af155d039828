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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Servers with two clients, whose answers and events are texts that do not depend on the
 * time and on what the servers stored before.
 */
final class ZooKeeperSide implements AutoCloseable {

	private final Function<Watcher, ZooKeeper> connect;

	private final List<ZooKeeper> clients = new ArrayList<>();

	private final List<Watcher> watchers = new ArrayList<>();

	/**
	 * Sessions, by the order in which they began.
	 */
	private final List<Long> sessions = new ArrayList<>();

	private final List<String> events = new CopyOnWriteArrayList<>();

	private long firstZxid;

	ZooKeeperSide(Function<Watcher, ZooKeeper> connect) {
		this.connect = connect;
		for (int i = 0; i < 2; i++) {
			int index = i;
			this.watchers.add((event) -> record(index, event));
			this.clients.add(connect());
		}
	}

	private void record(int index, WatchedEvent event) {
		if (event.getType() != EventType.None) {
			this.events.add(index + " " + event.getType() + " " + event.getPath());
		}
	}

	private ZooKeeper connect() {
		CompletableFuture<Boolean> connected = new CompletableFuture<>();
		ZooKeeper client = this.connect.apply((event) -> connected.complete(true));
		await(connected);
		this.sessions.add(client.getSessionId());
		return client;
	}

	/**
	 * Create a node below which everything is, and count transactions from there.
	 */
	void begin(String root) {
		this.firstZxid = 0;
		await(answer((result) -> this.clients.get(0)
			.create(root, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
					(code, path, context, name, stat) -> {
						this.firstZxid = stat.getCzxid();
						result.complete("");
					}, null)));
		events();
	}

	/**
	 * Close the session of a client, and begin another one.
	 */
	String restart(int client) {
		try {
			this.clients.get(client).close();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		this.clients.set(client, connect());
		return "";
	}

	ZooKeeper client(int index) {
		return this.clients.get(index);
	}

	Watcher watcher(int index) {
		return this.watchers.get(index);
	}

	/**
	 * Return the events since the last call, in the order in which each client saw them,
	 * once all that happened before have arrived.
	 */
	List<String> events() {
		this.clients.forEach((client) -> await(
				answer((result) -> client.sync("/", (code, path, context) -> result.complete(""), null))));
		List<String> events = this.events.stream().sorted((one, other) -> one.charAt(0) - other.charAt(0)).toList();
		this.events.clear();
		return events;
	}

	static CompletableFuture<String> answer(Consumer<CompletableFuture<String>> request) {
		CompletableFuture<String> result = new CompletableFuture<>();
		request.accept(result);
		return result;
	}

	static <T> T await(CompletableFuture<T> future) {
		try {
			return future.get(5, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	String text(int code, @Nullable Object value) {
		return Code.get(code) + " " + value;
	}

	String text(@Nullable Stat stat) {
		if (stat == null) {
			return "none";
		}
		long owner = stat.getEphemeralOwner();
		Object session = (owner != 0) ? "session " + this.sessions.indexOf(owner) : "none";
		return List
			.of(stat.getCzxid() - this.firstZxid, stat.getMzxid() - this.firstZxid, stat.getPzxid() - this.firstZxid,
					stat.getVersion(), stat.getCversion(), stat.getAversion(), session, stat.getDataLength(),
					stat.getNumChildren(), stat.getMzxid() == stat.getCzxid())
			.toString();
	}

	String text(@Nullable List<OpResult> results) {
		return (results != null) ? results.stream().map(this::text).toList().toString() : "none";
	}

	private String text(OpResult result) {
		if (result instanceof OpResult.ErrorResult error) {
			return "error " + error.getErr();
		}
		if (result instanceof OpResult.CreateResult created) {
			return "created " + created.getPath();
		}
		if (result instanceof OpResult.SetDataResult set) {
			return "set " + text(set.getStat());
		}
		if (result instanceof OpResult.GetChildrenResult children) {
			return "children " + children.getChildren().stream().sorted().toList();
		}
		if (result instanceof OpResult.GetDataResult data) {
			return "data " + new String(data.getData()) + text(data.getStat());
		}
		return result.getClass().getSimpleName();
	}

	@Override
	public void close() {
		for (ZooKeeper client : this.clients) {
			try {
				client.close();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
