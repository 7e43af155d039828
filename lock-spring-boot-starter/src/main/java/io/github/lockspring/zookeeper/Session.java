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
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Session, to which the lifetime of its nodes is bound, and the requests that can be sent
 * in it. Requests are answered in the order in which they are sent. None is ever resent.
 * <p>
 * The servers expire the session without contact for the negotiated session timeout.
 * Contact is certain only after answers that a majority of the servers has agreed on:
 * those to changes, and to {@link #confirm}. A leader without followers, until it notices
 * that, still answers all other requests.
 */
final class Session {

	/**
	 * Version that matches every version of the data of a node.
	 */
	static final int ANY_VERSION = -1;

	private static final byte[] NO_DATA = {};

	private static final long MAX_LAG_MILLIS = 1_000;

	/**
	 * Maximum number of {@linkplain LockPaths#randomIn random names} that fit into an
	 * answer of the server. A longer answer ends the connection.
	 */
	private static final int MAX_LIST_LENGTH = 40_000;

	private static final int MAX_VISITED = 1_000;

	private final ZooKeeper zooKeeper;

	private final LockPaths paths;

	private final List<ACL> acl;

	private final long id;

	private final Duration guaranteedLifetime;

	private volatile long confirmedNanos;

	private volatile boolean over;

	/**
	 * Whether the client has the permission to change the nodes of keys.
	 */
	private volatile boolean changesKeys = true;

	/**
	 * Create a session.
	 * @param zooKeeper the connected handle of the client
	 * @param paths the paths of the nodes
	 * @param acl the ACL of new nodes
	 * @param confirmedNanos the monotonic time before a request was sent that a majority
	 * has answered
	 */
	Session(ZooKeeper zooKeeper, LockPaths paths, List<ACL> acl, long confirmedNanos) {
		this.zooKeeper = zooKeeper;
		this.paths = paths;
		this.acl = acl;
		this.id = zooKeeper.getSessionId();
		this.guaranteedLifetime = guaranteedLifetime(zooKeeper.getSessionTimeout());
		this.confirmedNanos = confirmedNanos;
	}

	/**
	 * Return the time for which the servers certainly keep a session after the last known
	 * answer of a majority. A server reports its live sessions to the leader every half
	 * tick, so the timeout may start half a tick before that answer, if the server fails
	 * in between. A session timeout is at least two ticks, and a tick is rarely longer
	 * than two seconds.
	 */
	private static Duration guaranteedLifetime(int timeout) {
		return Duration.ofMillis(timeout - Math.max(timeout / 10, Math.min(timeout / 4, MAX_LAG_MILLIS)));
	}

	ZooKeeper zooKeeper() {
		return this.zooKeeper;
	}

	boolean isOf(ZooKeeper zooKeeper) {
		return this.zooKeeper == zooKeeper && this.id == zooKeeper.getSessionId();
	}

	/**
	 * Return whether another object represents the same session.
	 */
	boolean isSameAs(Session other) {
		return this.zooKeeper == other.zooKeeper && this.id == other.id;
	}

	/**
	 * Return whether the handle of the client can still be used.
	 */
	boolean isAlive() {
		return this.zooKeeper.getState().isAlive();
	}

	/**
	 * Return the path of the root of all locks.
	 */
	String root() {
		return this.paths.root();
	}

	/**
	 * Return the path of the node of a key.
	 */
	String pathOf(String key) {
		return this.paths.of(key);
	}

	/**
	 * Return the negotiated session timeout.
	 */
	Duration timeout() {
		return Duration.ofMillis(this.zooKeeper.getSessionTimeout());
	}

	/**
	 * Return whether any client with access to the servers may create and delete lock
	 * nodes.
	 */
	boolean isOpenToAll() {
		return this.acl.stream().anyMatch((entry) -> isOpenToAll(entry));
	}

	private static boolean isOpenToAll(ACL entry) {
		int changes = ZooDefs.Perms.WRITE | ZooDefs.Perms.CREATE | ZooDefs.Perms.DELETE | ZooDefs.Perms.ADMIN;
		return entry.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE) && (entry.getPerms() & changes) != 0;
	}

	/**
	 * Return the time for which the servers certainly keep the session after an answer.
	 */
	Duration guaranteedLifetime() {
		return this.guaranteedLifetime;
	}

	/**
	 * Return the monotonic time until which the servers certainly keep the session.
	 */
	long guaranteedUntil() {
		return this.confirmedNanos + this.guaranteedLifetime.toNanos();
	}

	/**
	 * Return whether the client has the permission to change the nodes of keys, as far as
	 * is known.
	 */
	boolean changesKeys() {
		return this.changesKeys;
	}

	void setChangesKeys(boolean changesKeys) {
		this.changesKeys = changesKeys;
	}

	/**
	 * Return whether the session is known to have ended.
	 */
	boolean isOver() {
		return this.over;
	}

	void end() {
		this.over = true;
	}

	/**
	 * Create a node.
	 */
	CompletableFuture<CreatedNode> create(String path, CreateMode mode) {
		return create(path, NO_DATA, mode);
	}

	CompletableFuture<CreatedNode> create(String path, byte[] data, CreateMode mode) {
		return ask((Answer<CreatedNode> answer) -> this.zooKeeper.create(path, data, this.acl, mode,
				(code, asked, context, name, stat) -> answer.confirm(code, asked,
						(stat != null) ? new CreatedNode(name, stat.getCzxid()) : null),
				null));
	}

	/**
	 * Delete a node.
	 * @return whether it existed
	 */
	CompletableFuture<Boolean> delete(String path) {
		return ask((Answer<Boolean> answer) -> this.zooKeeper.delete(path, ANY_VERSION, (code, asked, context) -> answer
			.confirm(isMissing(code) ? Code.OK.intValue() : code, asked, !isMissing(code)), null));
	}

	/**
	 * Delete a node if it was created in this session, and not in another one with the
	 * same name.
	 * @return whether it was deleted
	 */
	CompletableFuture<Boolean> deleteOwn(String path) {
		return readOwn(path)
			.thenCompose((content) -> content.isPresent() ? delete(path) : CompletableFuture.completedFuture(false));
	}

	/**
	 * Read a node, if it belongs to this session.
	 */
	CompletableFuture<Optional<NodeContent>> readOwn(String path) {
		return read(path).thenApply((content) -> content.filter((node) -> node.stat().getEphemeralOwner() == this.id));
	}

	/**
	 * List the children of a node, none if it does not exist.
	 */
	CompletableFuture<List<String>> children(String path) {
		return ask((Answer<List<String>> answer) -> this.zooKeeper.getChildren(path, false,
				(code, asked, context, names) -> answer.receive(code, asked, (names != null) ? names : List.of()),
				null));
	}

	/**
	 * Visit some of the children of a node, none if it does not exist or their names do
	 * not fit into an answer.
	 * @param visitor is given the path of a child, and the time of the leader in
	 * milliseconds
	 */
	void visitSome(String parent, BiConsumer<String, Long> visitor) {
		childrenIfFew(parent).thenAccept((names) -> {
			if (!names.isEmpty()) {
				List<String> all = new ArrayList<>(names);
				Collections.shuffle(all); // so that each is visited eventually
				touch(parent).thenAccept((now) -> all.stream()
					.limit(MAX_VISITED)
					.forEach((name) -> visitor.accept(parent + '/' + name, now)));
			}
		});
	}

	private CompletableFuture<List<String>> childrenIfFew(String path) {
		return read(path).thenCompose(
				(content) -> content.filter((node) -> node.stat().getNumChildren() <= MAX_LIST_LENGTH).isPresent()
						? children(path) : CompletableFuture.completedFuture(List.of()));
	}

	/**
	 * List the children of a node in the current state of the leader.
	 */
	CompletableFuture<List<String>> latestChildren(String path) {
		CompletableFuture<Void> synced = sync();
		CompletableFuture<List<String>> children = children(path);
		return synced.thenCombine(children, (nothing, names) -> names);
	}

	/**
	 * Read a node, and watch it if it exists.
	 * @param watcher notified when the node is changed or deleted
	 */
	CompletableFuture<Optional<NodeContent>> watch(String path, Watcher watcher) {
		return ask((Answer<Optional<NodeContent>> answer) -> this.zooKeeper.getData(path, watcher,
				(code, asked, context, data, stat) -> answer.receive(code, asked, content(data, stat)), null));
	}

	/**
	 * Read a node.
	 */
	CompletableFuture<Optional<NodeContent>> read(String path) {
		return ask((Answer<Optional<NodeContent>> answer) -> this.zooKeeper.getData(path, false,
				(code, asked, context, data, stat) -> answer.receive(code, asked, content(data, stat)), null));
	}

	private static Optional<NodeContent> content(byte[] data, @Nullable Stat stat) {
		return (stat != null) ? Optional.of(new NodeContent(data, stat)) : Optional.empty();
	}

	/**
	 * Read a node in the current state of the leader.
	 */
	CompletableFuture<Optional<NodeContent>> readLatest(String path) {
		CompletableFuture<Void> synced = sync();
		return read(path).thenCombine(synced, (content, nothing) -> content);
	}

	/**
	 * Watch a node, whether it exists or not.
	 * @param watcher notified when the node is created, changed or deleted
	 * @param confirmed run when it is watched, before the watcher is notified
	 */
	CompletableFuture<Void> watchAny(String path, Watcher watcher, Runnable confirmed) {
		Answer<Void> answer = new Answer<>();
		CompletableFuture<Void> handled = answer.thenRun(confirmed);
		ask(answer, (any) -> this.zooKeeper.exists(path, watcher,
				(code, asked, context, stat) -> answer.receive(code, asked, null), null));
		return handled;
	}

	/**
	 * Remove all watches of a node. Their watchers are notified of that.
	 */
	void unwatch(String path) {
		ask((Answer<Void> answer) -> this.zooKeeper.removeAllWatches(path, Watcher.WatcherType.Any, true,
				(code, asked, context) -> answer.receive(code, asked, null), null));
	}

	/**
	 * Change the data of a node.
	 * @param version the version that the data must have, or {@link #ANY_VERSION}
	 */
	CompletableFuture<Stat> setData(String path, byte[] data, int version) {
		return ask((Answer<Stat> answer) -> this.zooKeeper.setData(path, data, version,
				(code, asked, context, stat) -> answer.confirm(code, asked, stat), null));
	}

	/**
	 * Change a node, so that its modification time is the current time of the leader.
	 * @return that time in milliseconds
	 */
	CompletableFuture<Long> touch(String path) {
		return setData(path, NO_DATA, ANY_VERSION).thenApply(Stat::getMtime);
	}

	/**
	 * Wait until the server has caught up with the leader. Does not confirm the session:
	 * the leader answers this without its followers.
	 */
	CompletableFuture<Void> sync() {
		return ask((Answer<Void> answer) -> this.zooKeeper.sync(root(),
				(code, asked, context) -> answer.receive(code, asked, null), null));
	}

	/**
	 * Confirm the session by a transaction that changes nothing. As every transaction, it
	 * is answered after a majority has agreed on it, and later requests are answered in a
	 * state that includes all transactions before it.
	 */
	CompletableFuture<Void> confirm() {
		return ask((Answer<Void> answer) -> this.zooKeeper.multi(List.of(Op.check(root(), ANY_VERSION)), (code, none,
				context, results) -> answer.confirm(isMissing(code) ? Code.OK.intValue() : code, none, null), null));
	}

	/**
	 * Make all of several changes or none of them.
	 * @return the results of the changes
	 */
	CompletableFuture<List<OpResult>> change(List<Op> changes) {
		return change(changes, Function.identity());
	}

	/**
	 * Make all of several changes or none of them, and handle the answer before anything
	 * that arrives later.
	 * @param handling defines how the answer is handled, before the request is sent
	 * @return the outcome of the handling
	 */
	<T> CompletableFuture<T> change(List<Op> changes,
			Function<CompletableFuture<List<OpResult>>, CompletableFuture<T>> handling) {
		Answer<List<OpResult>> answer = new Answer<>();
		CompletableFuture<T> handled = handling.apply(answer);
		ask(answer, (any) -> this.zooKeeper.multi(changes,
				(code, none, context, results) -> answer.confirm(code, none, results), null));
		return handled;
	}

	private <T> CompletableFuture<T> ask(Consumer<Answer<T>> request) {
		return ask(new Answer<>(), request);
	}

	/**
	 * Send a request. If the client throws an exception or error, it is the answer.
	 */
	private static <T> CompletableFuture<T> ask(Answer<T> answer, Consumer<Answer<T>> request) {
		try {
			request.accept(answer);
		}
		catch (Throwable ex) {
			answer.completeExceptionally(ex);
		}
		return answer;
	}

	Op creation(String path, byte[] data, CreateMode mode) {
		return Op.create(path, data, this.acl, mode);
	}

	/**
	 * Return the changes that replace a node by another. The old one is changed before it
	 * is deleted, so that watchers are notified of the change only, and do not handle its
	 * deletion as a release.
	 */
	List<Op> replacement(String path, String replacement, byte[] data, CreateMode mode) {
		return List.of(Op.setData(path, NO_DATA, ANY_VERSION), Op.delete(path, ANY_VERSION),
				creation(replacement, data, mode));
	}

	static boolean isMissing(int code) {
		return code == Code.NONODE.intValue();
	}

	/**
	 * Answer to a request.
	 *
	 * @param <T> the type of answer
	 */
	private final class Answer<T> extends CompletableFuture<T> {

		private final long sent = System.nanoTime();

		/**
		 * Receive an answer of a majority, which confirms the session.
		 */
		void confirm(int code, @Nullable String path, @Nullable T value) {
			if (code == Code.OK.intValue() && this.sent - Session.this.confirmedNanos > 0) {
				// answers arrive one after the other
				Session.this.confirmedNanos = this.sent;
			}
			Answers.complete(this, code, path, value);
		}

		/**
		 * Receive the answer to a query, which may be that the node does not exist.
		 */
		void receive(int code, String path, @Nullable T value) {
			Answers.complete(this, isMissing(code) ? Code.OK.intValue() : code, path, value);
		}

	}

	/**
	 * Node that was created.
	 *
	 * @param path its path
	 * @param transaction the id of the transaction that created it
	 */
	record CreatedNode(String path, long transaction) {
	}

}
