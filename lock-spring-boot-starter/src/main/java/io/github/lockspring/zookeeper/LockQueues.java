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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.state.KeyState;

/**
 * Queues of keys.
 * <ol>
 * <li>{@link QueueEntrance} enters them, and decides who is the holder.</li>
 * <li>{@link QueueWatcher} watches preceding entries, and notifies of changes.</li>
 * <li>{@link LeaseConfirmation} confirms that they are held.</li>
 * <li>{@link QueueReleaser} leaves them, and deletes nodes.</li>
 * </ol>
 * No method blocks: answers arrive in the event thread of the client.
 */
final class LockQueues {

	private static final int MAX_INSPECTED = 1000;

	private final LockPaths paths;

	private final Connection connection;

	private final Map<LeaseRequest, QueueEntry> entries = new ConcurrentHashMap<>();

	private final Watches watches = new Watches();

	private final QueueReleaser releaser;

	private final QueueWatcher watcher;

	private final LeaseConfirmation confirmation;

	private final QueueEntrance entrance;

	LockQueues(LockPaths paths, Connection connection) {
		this.paths = paths;
		this.connection = connection;
		this.releaser = new QueueReleaser(paths, connection, this.entries, this.watches);
		this.watcher = new QueueWatcher(this.entries, this.watches, this.releaser);
		this.confirmation = new LeaseConfirmation(this.entries, this.watcher);
		this.entrance = new QueueEntrance(paths, connection, this.entries, this.watcher, this.confirmation,
				this.releaser);
	}

	QueueEntrance entrance() {
		return this.entrance;
	}

	QueueWatcher watcher() {
		return this.watcher;
	}

	LeaseConfirmation confirmation() {
		return this.confirmation;
	}

	QueueReleaser releaser() {
		return this.releaser;
	}

	CompletableFuture<List<LeaseHolder>> inspect(Session session, String key) {
		String parent = this.paths.of(key);
		return session.latestChildren(parent)
			.thenCompose((names) -> Answers.all(QueueNode.holders(QueueNode.queue(names))
				.stream()
				.map((node) -> holder(session, parent, node))
				.toList()))
			.thenApply((holders) -> holders.stream().flatMap(Optional::stream).toList());
	}

	private CompletableFuture<Optional<LeaseHolder>> holder(Session session, String parent, QueueNode node) {
		String path = parent + '/' + node.name();
		CompletableFuture<Optional<NodeContent>> content = session.read(path);
		CompletableFuture<Duration> remaining = node.released()
				? PlaceholderNodes.remaining(session, path, this.paths.root()).thenApply(Duration::ofMillis)
				: CompletableFuture.completedFuture(session.timeout());
		return content.thenCombine(remaining,
				(found, time) -> found.filter((present) -> !time.isNegative() && !time.isZero())
					.map((present) -> new LeaseHolder(ownerOf(node), present.process(), node.mode(),
							lastToken(node, present), time)));
	}

	/**
	 * Return the owners of the nodes behind those of the holders.
	 */
	CompletableFuture<List<LeaseWaiter>> inspectQueue(Session session, String key) {
		String parent = this.paths.of(key);
		return session.latestChildren(parent).thenCompose((names) -> {
			List<QueueNode> queue = QueueNode.queue(names);
			List<QueueNode> waiting = queue.subList(QueueNode.holders(queue).size(), queue.size());
			return Answers.all(waiting.stream()
				.limit(MAX_INSPECTED)
				.map((node) -> session.read(parent + '/' + node.name())
					.thenApply((found) -> found.map((content) -> new LeaseWaiter(node.owner(), content.process()))))
				.toList());
		}).thenApply((waiters) -> waiters.stream().flatMap(Optional::stream).toList());
	}

	/**
	 * Watch the nodes of recallable leases whose watch has failed.
	 */
	void watchRecallable() {
		this.entries.values().stream().filter(QueueEntry::isRecallable).forEach(this.watcher::watchOwnOnce);
	}

	/**
	 * Decline the recall of a lease.
	 */
	CompletableFuture<?> declineRecall(LeaseRequest lease) {
		QueueEntry queueEntry = this.entries.get(lease);
		return (queueEntry != null && queueEntry.isHeld())
				? LeaseRecall.decline(queueEntry, this.connection.processName())
				: CompletableFuture.completedFuture(null);
	}

	/**
	 * Delete the node of a holder, in this process or another one.
	 * @return whether it existed
	 */
	CompletableFuture<Boolean> forceRelease(Session session, String key, String owner) {
		String parent = this.paths.of(key);
		return session.latestChildren(parent)
			.thenCompose((names) -> Answers.all(QueueNode.holders(QueueNode.queue(names))
				.stream()
				.filter((node) -> ownerOf(node).equals(owner))
				.map((node) -> session.delete(parent + '/' + node.name()))
				.toList()))
			.thenApply((deleted) -> deleted.contains(true));
	}

	private static String ownerOf(QueueNode node) {
		return node.released() ? KeyState.placeholder(node.owner()) : node.owner();
	}

	private static long lastToken(QueueNode node, NodeContent content) {
		boolean isNamed = content.hasNumber() && !node.released();
		long first = isNamed ? content.number() : QueueNode.firstToken(content.stat().getCzxid());
		return first + node.tokens() - 1;
	}

	/**
	 * Handle the restoration of the connection, or a new session.
	 */
	void resumed(Session session) {
		this.releaser.resumed(session);
	}

	/**
	 * Handle the end of a session, with which all its nodes have ended.
	 */
	void lost(Session session) {
		this.releaser.lost(session);
		for (QueueEntry queueEntry : this.entries.values()) {
			if (queueEntry.session() == session) {
				boolean held = queueEntry.isHeld();
				this.releaser.forget(queueEntry);
				if (held) {
					this.watcher.listener().onLost(queueEntry.request());
				}
				else {
					this.watcher.hint(queueEntry);
				}
			}
		}
	}

	/**
	 * Return whether there is no state: no request, no node to watch and none to delete.
	 */
	boolean isEmpty() {
		return this.entries.isEmpty() && this.watches.size() == 0 && this.releaser.isDone();
	}

}
