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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.zookeeper.Session.NodeContent;
import io.github.lockspring.zookeeper.Session.QueuedNodes;

/**
 * Enters the queues of keys, watches preceding entries, and leaves the queues.
 * <ol>
 * <li>A request enters the queue of its key, and the same call returns the length of the
 * queue: a request that is alone is the holder. Otherwise it lists the queue (the listing
 * is pipelined with the request if there was a queue recently): a request with no
 * blocking entry before it is the holder, too.</li>
 * <li>A denied request that waits watches its own node and the nearest blocking ones.
 * When those are all deleted, and its own is not, no other can have come between, so the
 * request is the holder without another call: the servers report deletions in the order
 * in which they happened. If one was replaced, the own node is not watched yet, or the
 * connection was lost meanwhile, it lists the queue again. If its own node was deleted it
 * has lost its place, and starts again.</li>
 * <li>A node whose creation or deletion was not answered is searched by the owner in its
 * name, and deleted when the connection is restored. If the session ended meanwhile, the
 * node has ended with it.</li>
 * </ol>
 * Nothing blocks here: answers arrive in the event thread of the client.
 */
final class LockQueues {

	private static final Log logger = LogFactory.getLog(LockQueues.class);

	/**
	 * More names than that would not fit into an answer of the server.
	 */
	private static final int LONGEST_QUEUE = 10_000;

	private static final Duration PAUSE = Duration.ofMillis(20);

	private final LockPaths tree;

	private final Connection connection;

	private final Watches watches = new Watches(this::changed);

	private final RecentParents parents = new RecentParents();

	private final Map<LeaseRequest, QueueEntry> places = new ConcurrentHashMap<>();

	private final PendingDeletes pendingDeletes = new PendingDeletes(this::search);

	private final RestingNodes restingNodes;

	private final AtomicLong attemptIds = new AtomicLong();

	/**
	 * Whether the servers can be asked for many nodes at once, as far as is known.
	 */
	private volatile boolean canReadMany = true;

	private volatile @Nullable BackendListener listener;

	LockQueues(LockPaths tree, Connection connection) {
		this.tree = tree;
		this.connection = connection;
		this.restingNodes = new RestingNodes(tree, connection);
	}

	void setListener(@Nullable BackendListener listener) {
		this.listener = listener;
	}

	/**
	 * Tries to acquire.
	 * @param stays whether to keep the place if others are before it
	 */
	CompletableFuture<Attempt> enter(Session session, LeaseRequest request, boolean stays) {
		long now = System.nanoTime();
		QueueEntry known = this.places.get(request);
		if (known != null && known.session() == session) {
			return lookAgain(known, stays, now);
		}
		QueueEntry queueEntry = new QueueEntry(request, session);
		this.places.put(request, queueEntry);
		return enter(queueEntry, 0, stays, now);
	}

	/**
	 * Gives up a place whose request was not answered in time. If it is there, or comes
	 * later, it is deleted.
	 */
	void cancel(LeaseRequest request) {
		QueueEntry queueEntry = this.places.get(request);
		if (queueEntry != null) {
			leave(queueEntry);
		}
	}

	private CompletableFuture<Attempt> enter(QueueEntry queueEntry, int attempt, boolean stays, long now) {
		Session session = queueEntry.session();
		List<String> parents = parents(queueEntry.request());
		CompletableFuture<?> containers = all(parents.stream()
			.filter((parent) -> attempt > 0 || !this.parents.isKnown(parent))
			.map((parent) -> session.create(parent, CreateMode.CONTAINER))
			.toList());
		CompletableFuture<QueuedNodes> queued = session.enqueue(parents, QueueNode.prefix(queueEntry.request()));
		CompletableFuture<List<List<String>>> lists = parents.stream().anyMatch(this.parents::isBusy)
				? list(session, parents) : null;
		return queued
			.handle((nodes, failure) -> (failure != null)
					? enterAgain(queueEntry, attempt, stays, now, failure, containers)
					: entered(queueEntry, parents, nodes, lists, stays, now))
			.thenCompose(Function.identity());
	}

	private List<String> parents(LeaseRequest request) {
		return request.hasMultipleKeys() ? request.keys().stream().map(this.tree::of).toList()
				: List.of(this.tree.of(request.key()));
	}

	private static CompletableFuture<List<List<String>>> list(Session session, List<String> parents) {
		return all(parents.stream().map(session::children).toList());
	}

	/**
	 * The server deletes unused nodes of keys, and the root may have been deleted.
	 */
	private CompletableFuture<Attempt> enterAgain(QueueEntry queueEntry, int attempt, boolean stays, long now,
			Throwable failure, CompletableFuture<?> containers) {
		if (!(cause(failure) instanceof KeeperException.NoNodeException)) {
			markOrphaned(queueEntry);
			return CompletableFuture.failedFuture(failure);
		}
		if (attempt == 2) {
			this.places.remove(queueEntry.request(), queueEntry);
			return containers.thenCompose((created) -> CompletableFuture.failedFuture(failure));
		}
		CompletableFuture<?> root = (attempt == 1) ? this.connection.prepareAgain()
				: CompletableFuture.completedFuture(null);
		return root.thenCompose((prepared) -> enter(queueEntry, attempt + 1, stays, now));
	}

	private CompletableFuture<Attempt> entered(QueueEntry queueEntry, List<String> parents, QueuedNodes nodes,
			@Nullable CompletableFuture<List<List<String>>> lists, boolean stays, long now) {
		parents.forEach((parent) -> this.parents.add(parent, !nodes.alone()));
		if (!queueEntry.entered(nodes.paths(), nodes.transaction() << QueueNode.TOKEN_BITS)) {
			nodes.paths().forEach((path) -> delete(queueEntry.session(), path));
		}
		if (nodes.alone()) {
			queueEntry.hold();
			return CompletableFuture.completedFuture(queueEntry.grant());
		}
		return ((lists != null) ? lists : list(queueEntry.session(), parents)).whenComplete((names, failure) -> {
			if (failure != null) {
				markOrphaned(queueEntry);
			}
		})
			.thenCompose((names) -> queueEntry.request().hasMultipleKeys() ? settleAll(queueEntry, names)
					: settle(queueEntry, names.get(0), stays, now));
	}

	/**
	 * Sees to it that nothing is left of a request without an answer.
	 */
	private void markOrphaned(QueueEntry queueEntry) {
		this.places.remove(queueEntry.request(), queueEntry);
		queueEntry.leave();
		this.pendingDeletes.add(queueEntry.session(), queueEntry.request());
		this.pendingDeletes.clear(queueEntry.session());
	}

	/**
	 * All keys or none: no request waits in several queues.
	 */
	private CompletableFuture<Attempt> settleAll(QueueEntry queueEntry, List<List<String>> lists) {
		try {
			if (!isFirst(queueEntry.paths(), lists)) {
				return leave(queueEntry).thenApply((left) -> new Denial(PAUSE));
			}
		}
		catch (BackendUnavailableException ex) {
			return refuse(queueEntry, ex);
		}
		queueEntry.hold();
		return CompletableFuture.completedFuture(queueEntry.grant());
	}

	private static boolean isFirst(List<String> paths, List<List<String>> lists) {
		for (int i = 0; i < paths.size(); i++) {
			String name = name(paths.get(i));
			List<QueueNode> before = QueueNode.before(name, lists.get(i));
			if (before == null || !QueueNode.parse(name).blockers(before).isEmpty()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Answers a request that was made before.
	 */
	private CompletableFuture<Attempt> lookAgain(QueueEntry queueEntry, boolean stays, long now) {
		if (queueEntry.isWaiting()) {
			return queueEntry.session()
				.latestChildren(parentOf(queueEntry.path()))
				.thenCompose((names) -> settle(queueEntry, names, stays, now));
		}
		return confirm(queueEntry.session(), List.of(queueEntry.request())).thenCompose((held) -> {
			if (!held.isEmpty()) {
				return CompletableFuture.completedFuture(queueEntry.grant());
			}
			forget(queueEntry);
			return enter(queueEntry.session(), queueEntry.request(), stays);
		});
	}

	/**
	 * Decides by the names in the queue.
	 */
	private CompletableFuture<Attempt> settle(QueueEntry queueEntry, List<String> names, boolean stays, long now) {
		List<QueueNode> before;
		try {
			before = QueueNode.before(queueEntry.name(), names);
		}
		catch (BackendUnavailableException ex) {
			return leave(queueEntry).thenCompose((left) -> CompletableFuture.failedFuture(ex));
		}
		if (before == null) {
			forget(queueEntry);
			return CompletableFuture.completedFuture(new Denial(PAUSE));
		}
		if (before.isEmpty()) {
			queueEntry.hold();
			return CompletableFuture.completedFuture(queueEntry.grant());
		}
		if (before.size() > LONGEST_QUEUE) {
			return refuse(queueEntry, new BackendUnavailableException(
					"More than " + LONGEST_QUEUE + " processes wait for one key", null));
		}
		QueueNode node = queueEntry.node();
		int otherLimit = node.otherLimit(before);
		if (otherLimit > 0) {
			return refuse(queueEntry, new IllegalArgumentException("The key of the " + queueEntry.request()
					+ " is in use with a limit of " + otherLimit + " permits"));
		}
		List<QueueNode> blockers = node.blockers(before);
		if (blockers.isEmpty()) {
			queueEntry.hold();
			return CompletableFuture.completedFuture(queueEntry.grant());
		}
		Optional<QueueNode> resting = blockers.stream().filter(QueueNode::rest).findFirst();
		return resting.isPresent() ? awaitRest(queueEntry, resting.get(), before, blockers, stays, now)
				: deny(queueEntry, before, blockers, stays, now, Denial.UNKNOWN_DURATION.retryAfter());
	}

	private CompletableFuture<Attempt> refuse(QueueEntry queueEntry, RuntimeException reason) {
		return leave(queueEntry).thenCompose((left) -> CompletableFuture.failedFuture(reason));
	}

	private CompletableFuture<Attempt> awaitRest(QueueEntry queueEntry, QueueNode resting, List<QueueNode> before,
			List<QueueNode> blockers, boolean stays, long now) {
		String parent = parentOf(queueEntry.path());
		String path = parent + '/' + resting.name();
		return RestingNodes.remaining(queueEntry.session(), path, queueEntry.path()).thenCompose((remaining) -> {
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
		if (!stays) {
			return leave(queueEntry).thenApply((left) -> new Denial(retryAfter));
		}
		Denial denial = new Denial(retryAfter, this.attemptIds.incrementAndGet());
		if (!queueEntry.denied(denial, now)) {
			return CompletableFuture.completedFuture(queueEntry.isHeld() ? queueEntry.grant() : new Denial(PAUSE));
		}
		watchOwnOnce(queueEntry);
		watch(queueEntry, before, blockers, this.watches.connections());
		return CompletableFuture.completedFuture(denial);
	}

	private void watch(QueueEntry queueEntry, List<QueueNode> before, List<QueueNode> blockers, int connections) {
		int round = queueEntry.behind(before, blockers.size(), connections);
		if (round == 0) {
			return;
		}
		String parent = parentOf(queueEntry.path());
		for (QueueNode node : blockers) {
			String path = parent + '/' + node.name();
			this.watches.add(path, queueEntry);
			queueEntry.session().watch(path, this.watches).thenAccept((found) -> {
				if (found) {
					queueEntry.watched(round);
				}
				else {
					this.watches.remove(path, queueEntry);
					lookAgainUnasked(queueEntry);
				}
			});
		}
	}

	/**
	 * Deny the requests that waited before the call, and for which the servers would have
	 * sent a notification if anything had changed. A watch confirmed by a server lasts as
	 * long as the connection; after a reconnection each request is retried by itself
	 * once. Sends nothing.
	 */
	Map<LeaseRequest, Denial> denyAgain(Session session, Collection<LeaseRequest> waiting, long now) {
		int connections = this.watches.connections();
		Map<LeaseRequest, Denial> denials = new HashMap<>();
		for (LeaseRequest request : waiting) {
			QueueEntry queueEntry = this.places.get(request);
			Denial denial = (queueEntry != null && queueEntry.session() == session)
					? queueEntry.denyAgain(this.attemptIds.incrementAndGet(), now, connections) : null;
			if (denial != null) {
				denials.put(request, denial);
			}
		}
		return denials;
	}

	/**
	 * Handle the change or deletion of a node.
	 */
	private void changed(QueueEntry queueEntry, WatchedEvent event) {
		if (queueEntry.paths().contains(event.getPath())) {
			ownChanged(queueEntry, event);
			return;
		}
		if (!queueEntry.isWaiting()) {
			return; // permits watch more than must go
		}
		if (event.getType() == EventType.NodeDeleted
				&& queueEntry.isFreedBy(name(event.getPath()), this.watches.connections())) {
			push(queueEntry);
		}
		else {
			lookAgainUnasked(queueEntry);
		}
	}

	private void ownChanged(QueueEntry queueEntry, WatchedEvent event) {
		queueEntry.unguard();
		if (event.getType() == EventType.NodeDeleted) {
			vanished(queueEntry);
		}
		else if (queueEntry.isWaiting() || queueEntry.isHeld()) {
			watchOwnOnce(queueEntry);
		}
	}

	/**
	 * Ends a place whose node somebody else has deleted.
	 */
	private void vanished(QueueEntry queueEntry) {
		if (queueEntry.isHeld()) {
			lose(queueEntry);
		}
		else if (queueEntry.isWaiting()) {
			forget(queueEntry);
			hint(queueEntry);
		}
	}

	/**
	 * Looks at the queue as the server has it that told the news. A list that is not the
	 * latest may have more nodes than there are, but lacks none.
	 */
	private void lookAgainUnasked(QueueEntry queueEntry) {
		queueEntry.disturbed();
		int connections = this.watches.connections();
		queueEntry.session().children(parentOf(queueEntry.path())).thenAccept((names) -> {
			if (queueEntry.isWaiting()) {
				settleUnasked(queueEntry, names, connections);
			}
		});
	}

	private void settleUnasked(QueueEntry queueEntry, List<String> names, int connections) {
		QueueNode node = queueEntry.node();
		List<QueueNode> before = QueueNode.before(node.name(), names);
		if (before == null) {
			forget(queueEntry);
			hint(queueEntry);
			return;
		}
		List<QueueNode> blockers = node.blockers(before);
		if (blockers.isEmpty()) {
			push(queueEntry);
		}
		else {
			watch(queueEntry, before, blockers, connections);
			if (blockers.stream().anyMatch(QueueNode::rest)) {
				queueEntry.disturbed();
				hint(queueEntry);
			}
		}
	}

	private void push(QueueEntry queueEntry) {
		BackendListener listener = this.listener;
		if (!queueEntry.hold() || listener == null) {
			return;
		}
		Session session = queueEntry.session();
		if (session.guaranteedUntil() - System.nanoTime() < session.guaranteedLifetime().toNanos() / 2) {
			session.sync().thenRun(() -> push(queueEntry, listener));
		}
		else {
			push(queueEntry, listener);
		}
	}

	private void push(QueueEntry queueEntry, BackendListener listener) {
		Grant grant = queueEntry.grantSinceDenial(System.nanoTime());
		if (queueEntry.isHeld() && !listener.onGranted(queueEntry.request(), grant, queueEntry.attemptId())) {
			leave(queueEntry);
		}
	}

	private void hint(QueueEntry queueEntry) {
		BackendListener listener = this.listener;
		if (listener != null) {
			listener.onRetryHint(queueEntry.request());
		}
	}

	/**
	 * Somebody has deleted a node of a lease that is held.
	 */
	private void lose(QueueEntry queueEntry) {
		leave(queueEntry);
		BackendListener listener = this.listener;
		if (listener != null) {
			listener.onLost(queueEntry.request());
		}
	}

	/**
	 * Gives a place up.
	 * @return whether it was held until now, which it was not if its session has expired
	 */
	CompletableFuture<Boolean> leave(Session session, LeaseRequest request) {
		QueueEntry queueEntry = this.places.get(request);
		CompletableFuture<Boolean> left = (queueEntry == null) ? search(session, request)
				: queueEntry.isMoreThan(request) ? leavePart(queueEntry, request) : leave(queueEntry);
		return left.handle((held, failure) -> {
			if (failure != null && !isExpired(failure)) {
				return CompletableFuture.<Boolean>failedFuture(failure);
			}
			return CompletableFuture.completedFuture(failure == null && held);
		}).thenCompose(Function.identity());
	}

	/**
	 * Gives some keys of a lease back.
	 * @return whether all of them were held until now
	 */
	private CompletableFuture<Boolean> leavePart(QueueEntry queueEntry, LeaseRequest part) {
		List<String> paths = queueEntry.release(part.keys());
		boolean held = paths.size() == part.keys().size() && queueEntry.isHeld() && !queueEntry.session().isOver();
		return all(paths.stream().map((path) -> delete(queueEntry.session(), path)).toList())
			.thenApply((deleted) -> held && !deleted.contains(false));
	}

	private static boolean isExpired(Throwable failure) {
		return cause(failure) instanceof KeeperException.SessionExpiredException;
	}

	private CompletableFuture<Boolean> leave(QueueEntry queueEntry) {
		QueueEntry.State state = queueEntry.leave();
		boolean left = state == QueueEntry.State.ENTERING || state == QueueEntry.State.LEFT
				|| queueEntry.session().isOver();
		CompletableFuture<Boolean> deleted = left ? CompletableFuture.completedFuture(false) : deleteNodes(queueEntry);
		forget(queueEntry);
		return (state == QueueEntry.State.HELD) ? deleted : deleted.thenApply((done) -> false);
	}

	/**
	 * Deletes the nodes of a place before anything else is done about it: somebody waits
	 * for that.
	 * @return whether all were there
	 */
	private CompletableFuture<Boolean> deleteNodes(QueueEntry queueEntry) {
		List<String> paths = queueEntry.paths();
		if (paths.size() == 1) {
			return delete(queueEntry.session(), paths.get(0));
		}
		return all(paths.stream().map((path) -> delete(queueEntry.session(), path)).toList())
			.thenApply((deleted) -> !deleted.contains(false));
	}

	private void forget(QueueEntry queueEntry) {
		this.places.remove(queueEntry.request(), queueEntry);
		queueEntry.leave();
		queueEntry.forEachWatched(this.watches::remove);
	}

	/**
	 * Deletes a node, now or when the connection is back.
	 */
	private CompletableFuture<Boolean> delete(Session session, String path) {
		return session.delete(path).whenComplete((deleted, failure) -> {
			if (failure != null) {
				this.pendingDeletes.add(session, path);
			}
		});
	}

	/**
	 * Deletes the nodes of an owner that nobody here remembers.
	 * @return whether there was one
	 */
	private CompletableFuture<Boolean> search(Session session, LeaseRequest request) {
		String owner = request.owner().toString() + '-';
		return all(
				request.keys().stream().map(this.tree::of).map((parent) -> deleteAll(session, parent, owner)).toList())
			.thenApply((deleted) -> deleted.contains(true));
	}

	private static CompletableFuture<Boolean> deleteAll(Session session, String parent, String owner) {
		return session.latestChildren(parent)
			.thenCompose((names) -> all(names.stream()
				.filter((name) -> name.startsWith(owner) && !QueueNode.parse(name).rest())
				.map((name) -> session.deleteOwn(parent + '/' + name))
				.toList()))
			.thenApply((deleted) -> deleted.contains(true));
	}

	/**
	 * Gives a lease back so that the key rests.
	 * @return whether it was held until now
	 */
	CompletableFuture<Boolean> leaveAfter(Session session, LeaseRequest request, Duration rest) {
		QueueEntry queueEntry = this.places.get(request);
		if (queueEntry == null || !queueEntry.isHeld() || queueEntry.session() != session) {
			return leave(session, request).thenApply((held) -> false);
		}
		return this.restingNodes.replace(session, queueEntry.paths(), rest).handle((done, failure) -> {
			if (failure == null) {
				forget(queueEntry);
				return CompletableFuture.completedFuture(true);
			}
			return isGone(failure) ? leave(session, request).thenApply((held) -> false)
					: CompletableFuture.<Boolean>failedFuture(failure);
		}).thenCompose(Function.identity());
	}

	/**
	 * Whether a node was not there any more, alone or with all of its session.
	 */
	private static boolean isGone(Throwable failure) {
		return cause(failure) instanceof KeeperException.NoNodeException || isExpired(failure);
	}

	/**
	 * Makes a reader out of a writer, in the same place.
	 */
	CompletableFuture<Attempt> downgrade(Session session, LeaseRequest exclusive, LeaseRequest shared) {
		QueueEntry known = this.places.get(shared);
		if (known != null && known.session() == session) {
			return CompletableFuture.completedFuture(known.grant());
		}
		QueueEntry writer = this.places.get(exclusive);
		if (writer == null || !writer.isHeld() || writer.session() != session) {
			return CompletableFuture.completedFuture(Denial.UNKNOWN_DURATION);
		}
		long token = writer.token() + exclusive.terms().tokens();
		String path = parentOf(writer.path()) + '/' + QueueNode.parse(writer.name()).replacedBy(shared);
		return session.change(session.replacement(writer.path(), path, text(token), CreateMode.EPHEMERAL))
			.handle((results, failure) -> {
				if (failure != null) {
					return notDowngraded(writer, failure);
				}
				forget(writer);
				QueueEntry reader = new QueueEntry(shared, session);
				reader.entered(List.of(path), token);
				reader.hold();
				this.places.put(shared, reader);
				return CompletableFuture.<Attempt>completedFuture(reader.grant());
			})
			.thenCompose(Function.identity());
	}

	private CompletableFuture<Attempt> notDowngraded(QueueEntry writer, Throwable failure) {
		if (isGone(failure)) {
			forget(writer);
			return CompletableFuture.completedFuture(Denial.UNKNOWN_DURATION);
		}
		return CompletableFuture.failedFuture(failure);
	}

	/**
	 * Has the leader confirm the session, and looks whether somebody has deleted nodes of
	 * the leases, of which only those who had to wait are told. Servers that cannot be
	 * asked for many nodes at once, which ends a connection once, tell of all of them.
	 * @return the leases that are held
	 */
	CompletableFuture<Set<LeaseRequest>> confirm(Session session, Collection<LeaseRequest> leases) {
		Map<LeaseRequest, QueueEntry> held = new HashMap<>();
		for (LeaseRequest lease : leases) {
			QueueEntry queueEntry = this.places.get(lease);
			if (queueEntry != null && queueEntry.isHeld() && queueEntry.session() == session) {
				held.put(lease, queueEntry);
			}
		}
		return check(session, held.values()).thenApply((checked) -> {
			held.values().removeIf((queueEntry) -> !queueEntry.isHeld());
			return held.keySet();
		});
	}

	private CompletableFuture<Void> check(Session session, Collection<QueueEntry> places) {
		if (!this.canReadMany) {
			places.forEach(this::watchOwnOnce);
			return session.sync();
		}
		Map<String, QueueEntry> unguarded = new LinkedHashMap<>();
		for (QueueEntry queueEntry : places) {
			if (!queueEntry.isGuarded()) {
				queueEntry.paths().forEach((path) -> unguarded.put(path, queueEntry));
			}
		}
		CompletableFuture<Void> synced = session.sync();
		return session.missing(List.copyOf(unguarded.keySet())).handle((missing, failure) -> {
			if (failure != null) {
				boolean unknown = cause(failure) instanceof KeeperException.UnimplementedException;
				this.canReadMany &= !unknown;
				return unknown ? check(session, places) : CompletableFuture.<Void>failedFuture(failure);
			}
			missing.forEach((path) -> gone(unguarded.get(path), path));
			return synced;
		}).thenCompose(Function.identity());
	}

	private void gone(@Nullable QueueEntry queueEntry, String path) {
		if (queueEntry != null && queueEntry.paths().contains(path)) {
			vanished(queueEntry);
		}
	}

	private void watchOwnOnce(QueueEntry queueEntry) {
		if (queueEntry.isToBeWatched()) {
			queueEntry.paths().forEach((path) -> watchOwn(queueEntry, path));
		}
	}

	private void watchOwn(QueueEntry queueEntry, String path) {
		this.watches.add(path, queueEntry);
		queueEntry.session().watch(path, this.watches).whenComplete((found, failure) -> {
			if (failure != null) {
				queueEntry.unguard();
			}
			else if (!found && queueEntry.paths().contains(path)) {
				vanished(queueEntry);
			}
			else {
				queueEntry.guard();
			}
		});
	}

	CompletableFuture<List<LeaseHolder>> inspect(Session session, String key) {
		String parent = this.tree.of(key);
		return session.latestChildren(parent)
			.thenCompose((names) -> all(QueueNode.holders(QueueNode.queue(names))
				.stream()
				.map((node) -> holder(session, parent, node))
				.toList()))
			.thenApply((holders) -> holders.stream().flatMap(Optional::stream).toList());
	}

	private CompletableFuture<Optional<LeaseHolder>> holder(Session session, String parent, QueueNode node) {
		String path = parent + '/' + node.name();
		CompletableFuture<Optional<NodeContent>> content = session.read(path);
		CompletableFuture<Duration> remaining = node.rest()
				? RestingNodes.remaining(session, path, this.tree.root()).thenApply(Duration::ofMillis)
				: CompletableFuture.completedFuture(session.timeout());
		return content.thenCombine(remaining,
				(found, time) -> found.filter((present) -> !time.isNegative() && !time.isZero())
					.map((present) -> new LeaseHolder(node.owner(), node.mode(), lastToken(node, present), time)));
	}

	private static long lastToken(QueueNode node, NodeContent content) {
		boolean isNamed = content.data().length > 0 && !node.rest();
		long first = isNamed ? number(content.data()) : content.stat().getCzxid() << QueueNode.TOKEN_BITS;
		return first + node.tokens() - 1;
	}

	/**
	 * The connection is back: what could not be deleted is deleted now, and those who
	 * wait look again. Keys that rest no longer are tidied up.
	 */
	void resumed(Session session) {
		this.pendingDeletes.clear(session);
		this.restingNodes.sweep(session);
	}

	/**
	 * A session is over, and with it all that was created in it.
	 */
	void lost(Session session) {
		this.pendingDeletes.forget(session);
		BackendListener listener = this.listener;
		for (QueueEntry queueEntry : this.places.values()) {
			if (queueEntry.session() == session) {
				boolean held = queueEntry.isHeld();
				forget(queueEntry);
				if (listener != null && held) {
					listener.onLost(queueEntry.request());
				}
				else if (listener != null) {
					listener.onRetryHint(queueEntry.request());
				}
			}
		}
	}

	/**
	 * Leaves the queues, but gives no lease back.
	 */
	CompletableFuture<?> leaveAllThatWait() {
		return all(this.places.values().stream().filter(QueueEntry::isWaiting).map(this::leave).toList());
	}

	/**
	 * Whether nothing is remembered: no request, no node to watch and none to delete.
	 */
	boolean isEmpty() {
		return this.places.isEmpty() && this.watches.size() == 0 && this.pendingDeletes.isEmpty();
	}

	static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
		return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
			.thenApply((nothing) -> futures.stream().map(CompletableFuture::join).toList());
	}

	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static String parentOf(String path) {
		return path.substring(0, path.lastIndexOf('/'));
	}

	private static String name(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private static byte[] text(long number) {
		return Long.toString(number).getBytes(StandardCharsets.ISO_8859_1);
	}

	private static long number(byte[] text) {
		return Long.parseLong(new String(text, StandardCharsets.ISO_8859_1));
	}

}
