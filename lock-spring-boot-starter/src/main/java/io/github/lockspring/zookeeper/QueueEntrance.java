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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.support.RecentKeys;

/**
 * Enters the queues of keys, and determines the holders.
 * <p>
 * A request enters the queue of its key, and the same call returns the length of the
 * queue: a request that is alone is the holder. Otherwise it lists the queue (the listing
 * is pipelined with the request if there was a queue recently): a request with no
 * blocking entry before it is the holder, too.
 * <p>
 * When the sequence numbers of a key are used up, requests are only granted or denied,
 * and none waits in the queue, until it was empty and the numbers begin anew.
 */
final class QueueEntrance {

	/**
	 * Maximum number of names that fit into an answer of the server.
	 */
	private static final int MAX_QUEUE_LENGTH = 10_000;

	private static final Duration PAUSE = Duration.ofMillis(20);

	private final LockPaths paths;

	private final Connection connection;

	private final Map<LeaseRequest, QueueEntry> entries;

	private final QueueWatcher watcher;

	private final LeaseConfirmation confirmation;

	private final QueueReleaser releaser;

	/**
	 * Nodes of keys that existed recently, so that they are not created again with every
	 * request. Flagged if there was a queue below, which is then listed in the same
	 * pipelined call as it is entered.
	 */
	private final RecentKeys parents = new RecentKeys();

	QueueEntrance(LockPaths paths, Connection connection, Map<LeaseRequest, QueueEntry> entries, QueueWatcher watcher,
			LeaseConfirmation confirmation, QueueReleaser releaser) {
		this.paths = paths;
		this.connection = connection;
		this.entries = entries;
		this.watcher = watcher;
		this.confirmation = confirmation;
		this.releaser = releaser;
	}

	/**
	 * Try to acquire.
	 * @param stays whether to stay in the queue if the request is denied
	 */
	CompletableFuture<Attempt> enter(Session session, LeaseRequest request, boolean stays) {
		long now = System.nanoTime();
		QueueEntry known = this.entries.get(request);
		if (known != null && known.session() == session) {
			return lookAgain(known, stays, now);
		}
		QueueEntry queueEntry = new QueueEntry(request, session);
		this.entries.put(request, queueEntry);
		return enter(queueEntry, 0, stays, now).whenComplete((attempt, failure) -> {
			if (failure != null) {
				this.releaser.leave(queueEntry);
			}
		});
	}

	private CompletableFuture<Attempt> enter(QueueEntry queueEntry, int attempt, boolean stays, long now) {
		Session session = queueEntry.session();
		LeaseRequest request = queueEntry.request();
		List<String> parents = request.hasMultipleKeys() ? request.keys().stream().map(this.paths::of).toList()
				: List.of(this.paths.of(request.key()));
		CompletableFuture<?> containers = Answers.all(parents.stream()
			.filter((parent) -> attempt > 0 || !this.parents.contains(parent))
			.map((parent) -> session.create(parent, CreateMode.CONTAINER))
			.toList());
		CompletableFuture<QueuedNodes> queued = QueuedNodes.create(session, parents, QueueNode.prefix(request),
				NodeContent.dataOf(this.connection.processName()));
		CompletableFuture<List<List<String>>> lists = parents.stream().anyMatch(this.parents::isFlagged)
				? list(session, parents) : null;
		return queued
			.handle((nodes, failure) -> (failure != null)
					? enterAgain(queueEntry, attempt, stays, now, failure, containers)
					: entered(queueEntry, parents, nodes, lists, stays, now))
			.thenCompose(Function.identity());
	}

	private static CompletableFuture<List<List<String>>> list(Session session, List<String> parents) {
		return Answers.all(parents.stream().map(session::children).toList());
	}

	/**
	 * Enter again after a failure because a parent does not exist: the server deletes
	 * unused nodes of keys, and the root may have been deleted.
	 */
	private CompletableFuture<Attempt> enterAgain(QueueEntry queueEntry, int attempt, boolean stays, long now,
			Throwable failure, CompletableFuture<?> containers) {
		if (!(Answers.cause(failure) instanceof KeeperException.NoNodeException)) {
			this.releaser.markOrphaned(queueEntry);
			return CompletableFuture.failedFuture(failure);
		}
		if (attempt == 2) {
			return containers.thenCompose((created) -> CompletableFuture.failedFuture(failure));
		}
		CompletableFuture<?> root = (attempt == 1) ? this.connection.prepareAgain()
				: CompletableFuture.completedFuture(null);
		return root.thenCompose((prepared) -> enter(queueEntry, attempt + 1, stays, now));
	}

	private CompletableFuture<Attempt> entered(QueueEntry queueEntry, List<String> parents, QueuedNodes nodes,
			@Nullable CompletableFuture<List<List<String>>> lists, boolean stays, long now) {
		parents.forEach((parent) -> this.parents.add(parent, !nodes.alone()));
		long token = QueueNode.firstToken(nodes.transaction());
		if (!queueEntry.entered(nodes.paths(), token)) {
			nodes.paths().forEach((path) -> this.releaser.delete(queueEntry.session(), path));
		}
		if (token < 0) {
			return reject(queueEntry, new BackendUnavailableException(
					"The transaction ids of ZooKeeper are too high for fencing tokens", null));
		}
		if (nodes.alone()) {
			return grantAlone(queueEntry);
		}
		return ((lists != null) ? lists : list(queueEntry.session(), parents))
			.thenCompose((names) -> queueEntry.request().hasMultipleKeys() ? settleAll(queueEntry, names)
					: settle(queueEntry, names.get(0), stays, now));
	}

	/**
	 * Hold all keys or leave all queues: no request waits in several queues.
	 */
	private CompletableFuture<Attempt> settleAll(QueueEntry queueEntry, List<List<String>> lists) {
		List<CompletableFuture<Boolean>> recalls = new ArrayList<>();
		boolean first = true;
		try {
			for (int i = 0; i < lists.size(); i++) {
				String path = queueEntry.paths().get(i);
				List<QueueNode> before = QueueNode.before(LockPaths.nameOf(path), lists.get(i));
				first &= before != null && before.isEmpty();
				if (before != null) {
					recalls.add(LeaseRecall.recall(queueEntry.session(), LockPaths.parentOf(path), before));
				}
			}
		}
		catch (BackendUnavailableException ex) {
			return reject(queueEntry, ex);
		}
		return first ? grant(queueEntry)
				: Answers.all(recalls).thenCompose((recalled) -> denyAll(queueEntry, lists, recalled.contains(true)));
	}

	/**
	 * Leave all queues, unless a placeholder node whose delay is over was in one of them.
	 */
	private CompletableFuture<Attempt> denyAll(QueueEntry queueEntry, List<List<String>> lists, boolean recalled) {
		Session session = queueEntry.session();
		List<String> parents = queueEntry.paths().stream().map(LockPaths::parentOf).toList();
		return isPlaceholderGone(session, parents, lists)
			.thenCompose((gone) -> gone ? list(session, parents).thenCompose((names) -> settleAll(queueEntry, names))
					: this.releaser.leave(queueEntry).thenApply((left) -> new Denial(PAUSE, 0, recalled)));
	}

	/**
	 * Delete the first placeholder node in the queues of several keys if its delay is
	 * over.
	 */
	private static CompletableFuture<Boolean> isPlaceholderGone(Session session, List<String> parents,
			List<List<String>> lists) {
		for (int i = 0; i < lists.size(); i++) {
			String parent = parents.get(i);
			for (String name : lists.get(i)) {
				if (QueueNode.parse(name).released()) {
					return session.touch(parent)
						.thenCompose((now) -> PlaceholderNodes.isOver(session, parent + '/' + name, now));
				}
			}
		}
		return CompletableFuture.completedFuture(false);
	}

	/**
	 * Answer a request that was made before.
	 */
	private CompletableFuture<Attempt> lookAgain(QueueEntry queueEntry, boolean stays, long now) {
		if (queueEntry.isWaiting()) {
			return queueEntry.session()
				.latestChildren(LockPaths.parentOf(queueEntry.path()))
				.thenCompose((names) -> settle(queueEntry, names, stays, now))
				.thenCompose((attempt) -> (attempt instanceof Grant)
						? queueEntry.session().confirm().thenApply((confirmed) -> attempt)
						: CompletableFuture.completedFuture(attempt));
		}
		return this.confirmation.confirm(queueEntry.session(), List.of(queueEntry.request())).thenCompose((held) -> {
			if (!held.isEmpty()) {
				return CompletableFuture.completedFuture(queueEntry.grant());
			}
			this.releaser.forget(queueEntry);
			return enter(queueEntry.session(), queueEntry.request(), stays);
		});
	}

	/**
	 * Determine the result by the names in the queue.
	 */
	private CompletableFuture<Attempt> settle(QueueEntry queueEntry, List<String> names, boolean stays, long now) {
		try {
			List<QueueNode> before = QueueNode.before(queueEntry.name(), names);
			if (before == null) {
				this.releaser.forget(queueEntry);
				return CompletableFuture.completedFuture(new Denial(PAUSE));
			}
			if (before.isEmpty()) {
				return (names.size() == 1) ? grantAlone(queueEntry) : grant(queueEntry);
			}
			if (before.size() > MAX_QUEUE_LENGTH) {
				throw new BackendUnavailableException("More than " + MAX_QUEUE_LENGTH + " processes wait for one key",
						null);
			}
			queueEntry.node().checkLimit(before, names);
			List<QueueNode> blockers = queueEntry.node().blockers(before);
			if (blockers.isEmpty()) {
				return grant(queueEntry);
			}
			Optional<QueueNode> placeholder = blockers.stream().filter(QueueNode::released).findFirst();
			return placeholder.isPresent() ? awaitDelay(queueEntry, placeholder.get(), before, blockers, stays, now)
					: deny(queueEntry, before, blockers, stays, now, Denial.UNKNOWN_DURATION.retryAfter());
		}
		catch (BackendUnavailableException | PermitLimitException ex) {
			return reject(queueEntry, ex);
		}
	}

	/**
	 * Grant a request for which no other one waits. If its lease is recallable, its node
	 * is watched.
	 */
	private CompletableFuture<Attempt> grantAlone(QueueEntry queueEntry) {
		if (queueEntry.request().terms().recallable()) {
			queueEntry.setRecallable(true);
			this.watcher.watchOwnOnce(queueEntry);
		}
		return grant(queueEntry);
	}

	private static CompletableFuture<Attempt> grant(QueueEntry queueEntry) {
		queueEntry.hold();
		return CompletableFuture.completedFuture(queueEntry.grant());
	}

	private CompletableFuture<Attempt> reject(QueueEntry queueEntry, RuntimeException reason) {
		return this.releaser.leave(queueEntry).thenCompose((left) -> CompletableFuture.failedFuture(reason));
	}

	private CompletableFuture<Attempt> awaitDelay(QueueEntry queueEntry, QueueNode placeholder, List<QueueNode> before,
			List<QueueNode> blockers, boolean stays, long now) {
		String parent = LockPaths.parentOf(queueEntry.path());
		String path = parent + '/' + placeholder.name();
		return PlaceholderNodes.remaining(queueEntry.session(), path, parent).thenCompose((remaining) -> {
			if (remaining > 0) {
				return deny(queueEntry, before, blockers, stays, now, Duration.ofMillis(remaining));
			}
			return queueEntry.session()
				.delete(path)
				.thenCompose((deleted) -> queueEntry.session().children(parent))
				.thenCompose((names) -> settle(queueEntry, names, stays, now));
		});
	}

	private CompletableFuture<Attempt> deny(QueueEntry queueEntry, List<QueueNode> before, List<QueueNode> blockers,
			boolean stays, long now, Duration retryAfter) {
		return LeaseRecall.recall(queueEntry.session(), LockPaths.parentOf(queueEntry.path()), before)
			.thenCompose((recalled) -> deny(queueEntry, before, blockers, stays, now, retryAfter, recalled));
	}

	private CompletableFuture<Attempt> deny(QueueEntry queueEntry, List<QueueNode> before, List<QueueNode> blockers,
			boolean stays, long now, Duration retryAfter, boolean recalled) {
		if (!stays || queueEntry.isUnordered()) {
			return this.releaser.leave(queueEntry).thenApply((left) -> new Denial(retryAfter, 0, recalled));
		}
		Denial denial = new Denial(retryAfter, this.watcher.nextAttemptId(), recalled);
		if (!queueEntry.denied(denial, now)) {
			return CompletableFuture.completedFuture(queueEntry.isHeld() ? queueEntry.grant() : new Denial(PAUSE));
		}
		this.watcher.watchOwnOnce(queueEntry);
		this.watcher.watch(queueEntry, before, blockers, this.watcher.connections());
		return CompletableFuture.completedFuture(denial);
	}

}
