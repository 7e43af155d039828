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
 * Takes places in the queues of keys, watches those before them, and leaves them.
 * <ol>
 * <li>A request enters the queue of its key, and is told in the same step how many are in
 * it: whoever is alone is the holder. Otherwise it lists the queue, which is sent
 * together with the request if there was a queue lately: whoever has nobody in the way is
 * the holder, too.</li>
 * <li>Whoever is denied and stays watches its own node and the nearest of those in its
 * way. When they have all gone, and its own has not, nobody can have come between, so the
 * request is the holder without another question: the servers tell of deletions in the
 * order in which they happened. If one was replaced, its own is not watched yet, or the
 * connection was broken meanwhile, it looks again. If its own has gone it has lost its
 * place, and begins anew.</li>
 * <li>A node whose creation or deletion was not answered is looked for, by the owner in
 * its name, and deleted when the connection is back. If the session ended meanwhile, the
 * node has ended with it.</li>
 * </ol>
 * Nothing here waits: answers come in the client's event thread.
 */
final class Queues {

	private static final Log logger = LogFactory.getLog(Queues.class);

	/**
	 * More names than that would not fit into an answer of the server.
	 */
	private static final int LONGEST_QUEUE = 10_000;

	private static final Duration PAUSE = Duration.ofMillis(20);

	private final LockTree tree;

	private final Connection connection;

	private final Watches watches = new Watches(this::changed);

	private final KnownParents parents = new KnownParents();

	private final Map<LeaseRequest, Place> places = new ConcurrentHashMap<>();

	private final Leavings leavings = new Leavings(this::search);

	private final RestingNodes restingNodes;

	private final AtomicLong stamps = new AtomicLong();

	/**
	 * Whether the servers can be asked for many nodes at once, as far as is known.
	 */
	private volatile boolean canReadMany = true;

	private volatile @Nullable BackendListener listener;

	Queues(LockTree tree, Connection connection) {
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
		Place known = this.places.get(request);
		if (known != null && known.session() == session) {
			return lookAgain(known, stays, now);
		}
		Place place = new Place(request, session);
		this.places.put(request, place);
		return enter(place, 0, stays, now);
	}

	/**
	 * Gives up a place whose request was not answered in time. If it is there, or comes
	 * later, it is deleted.
	 */
	void abandon(LeaseRequest request) {
		Place place = this.places.get(request);
		if (place != null) {
			leave(place);
		}
	}

	private CompletableFuture<Attempt> enter(Place place, int attempt, boolean stays, long now) {
		Session session = place.session();
		List<String> parents = parents(place.request());
		CompletableFuture<?> containers = all(parents.stream()
			.filter((parent) -> attempt > 0 || !this.parents.isKnown(parent))
			.map((parent) -> session.create(parent, CreateMode.CONTAINER))
			.toList());
		CompletableFuture<QueuedNodes> queued = session.enqueue(parents, QueueNode.prefix(place.request()));
		CompletableFuture<List<List<String>>> lists = parents.stream().anyMatch(this.parents::isBusy)
				? list(session, parents) : null;
		return queued
			.handle((nodes, failure) -> (failure != null) ? enterAgain(place, attempt, stays, now, failure, containers)
					: entered(place, parents, nodes, lists, stays, now))
			.thenCompose(Function.identity());
	}

	private List<String> parents(LeaseRequest request) {
		return request.hasSeveralKeys() ? request.keys().stream().map(this.tree::of).toList()
				: List.of(this.tree.of(request.key()));
	}

	private static CompletableFuture<List<List<String>>> list(Session session, List<String> parents) {
		return all(parents.stream().map(session::children).toList());
	}

	/**
	 * The server deletes nodes of keys that nobody uses, and somebody may have deleted
	 * the root.
	 */
	private CompletableFuture<Attempt> enterAgain(Place place, int attempt, boolean stays, long now, Throwable failure,
			CompletableFuture<?> containers) {
		if (!(cause(failure) instanceof KeeperException.NoNodeException)) {
			lostTrack(place);
			return CompletableFuture.failedFuture(failure);
		}
		if (attempt == 2) {
			this.places.remove(place.request(), place);
			return containers.thenCompose((created) -> CompletableFuture.failedFuture(failure));
		}
		CompletableFuture<?> root = (attempt == 1) ? this.connection.prepareAgain()
				: CompletableFuture.completedFuture(null);
		return root.thenCompose((prepared) -> enter(place, attempt + 1, stays, now));
	}

	private CompletableFuture<Attempt> entered(Place place, List<String> parents, QueuedNodes nodes,
			@Nullable CompletableFuture<List<List<String>>> lists, boolean stays, long now) {
		parents.forEach((parent) -> this.parents.add(parent, !nodes.alone()));
		if (!place.entered(nodes.paths(), nodes.transaction() << QueueNode.TOKEN_BITS)) {
			nodes.paths().forEach((path) -> delete(place.session(), path));
		}
		if (nodes.alone()) {
			place.hold();
			return CompletableFuture.completedFuture(place.grant());
		}
		return ((lists != null) ? lists : list(place.session(), parents)).whenComplete((names, failure) -> {
			if (failure != null) {
				lostTrack(place);
			}
		})
			.thenCompose((names) -> place.request().hasSeveralKeys() ? settleAll(place, names)
					: settle(place, names.get(0), stays, now));
	}

	/**
	 * Sees to it that nothing is left of a request without an answer.
	 */
	private void lostTrack(Place place) {
		this.places.remove(place.request(), place);
		place.leave();
		this.leavings.add(place.session(), place.request());
		this.leavings.clear(place.session());
	}

	/**
	 * All keys or none: nobody waits in several queues.
	 */
	private CompletableFuture<Attempt> settleAll(Place place, List<List<String>> lists) {
		try {
			if (!isFirst(place.paths(), lists)) {
				return leave(place).thenApply((left) -> new Denial(PAUSE));
			}
		}
		catch (BackendUnavailableException ex) {
			return refuse(place, ex);
		}
		place.hold();
		return CompletableFuture.completedFuture(place.grant());
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
	private CompletableFuture<Attempt> lookAgain(Place place, boolean stays, long now) {
		if (place.isWaiting()) {
			return place.session()
				.latestChildren(parentOf(place.path()))
				.thenCompose((names) -> settle(place, names, stays, now));
		}
		return confirm(place.session(), List.of(place.request())).thenCompose((held) -> {
			if (!held.isEmpty()) {
				return CompletableFuture.completedFuture(place.grant());
			}
			forget(place);
			return enter(place.session(), place.request(), stays);
		});
	}

	/**
	 * Decides by the names in the queue.
	 */
	private CompletableFuture<Attempt> settle(Place place, List<String> names, boolean stays, long now) {
		List<QueueNode> before;
		try {
			before = QueueNode.before(place.name(), names);
		}
		catch (BackendUnavailableException ex) {
			return leave(place).thenCompose((left) -> CompletableFuture.failedFuture(ex));
		}
		if (before == null) {
			forget(place);
			return CompletableFuture.completedFuture(new Denial(PAUSE));
		}
		if (before.isEmpty()) {
			place.hold();
			return CompletableFuture.completedFuture(place.grant());
		}
		if (before.size() > LONGEST_QUEUE) {
			return refuse(place, new BackendUnavailableException(
					"More than " + LONGEST_QUEUE + " processes wait for one key", null));
		}
		QueueNode node = place.node();
		int otherLimit = node.otherLimit(before);
		if (otherLimit > 0) {
			return refuse(place, new IllegalArgumentException(
					"The key of the " + place.request() + " is in use with a limit of " + otherLimit + " permits"));
		}
		List<QueueNode> blockers = node.blockers(before);
		if (blockers.isEmpty()) {
			place.hold();
			return CompletableFuture.completedFuture(place.grant());
		}
		Optional<QueueNode> resting = blockers.stream().filter(QueueNode::rest).findFirst();
		return resting.isPresent() ? awaitRest(place, resting.get(), before, blockers, stays, now)
				: deny(place, before, blockers, stays, now, Denial.UNKNOWN_DURATION.retryAfter());
	}

	private CompletableFuture<Attempt> refuse(Place place, RuntimeException reason) {
		return leave(place).thenCompose((left) -> CompletableFuture.failedFuture(reason));
	}

	private CompletableFuture<Attempt> awaitRest(Place place, QueueNode resting, List<QueueNode> before,
			List<QueueNode> blockers, boolean stays, long now) {
		String parent = parentOf(place.path());
		String path = parent + '/' + resting.name();
		return RestingNodes.remaining(place.session(), path, place.path()).thenCompose((remaining) -> {
			if (remaining > 0) {
				return deny(place, before, blockers, stays, now, Duration.ofMillis(remaining));
			}
			return place.session()
				.delete(path)
				.thenCompose((deleted) -> place.session().children(parent))
				.thenCompose((names) -> settle(place, names, stays, now));
		});
	}

	private CompletableFuture<Attempt> deny(Place place, List<QueueNode> before, List<QueueNode> blockers,
			boolean stays, long now, Duration retryAfter) {
		if (!stays) {
			return leave(place).thenApply((left) -> new Denial(retryAfter));
		}
		Denial denial = new Denial(retryAfter, this.stamps.incrementAndGet());
		if (!place.denied(denial, now)) {
			return CompletableFuture.completedFuture(place.isHeld() ? place.grant() : new Denial(PAUSE));
		}
		watchOwnOnce(place);
		watch(place, before, blockers, this.watches.connections());
		return CompletableFuture.completedFuture(denial);
	}

	private void watch(Place place, List<QueueNode> before, List<QueueNode> blockers, int connections) {
		int round = place.behind(before, blockers.size(), connections);
		if (round == 0) {
			return;
		}
		String parent = parentOf(place.path());
		for (QueueNode node : blockers) {
			String path = parent + '/' + node.name();
			this.watches.add(path, place);
			place.session().watch(path, this.watches).thenAccept((found) -> {
				if (found) {
					place.watched(round);
				}
				else {
					this.watches.remove(path, place);
					lookAgainUnasked(place);
				}
			});
		}
	}

	/**
	 * Denies those who waited before the call, and of whom the servers would have told if
	 * anything had changed for them. A watch that a server has confirmed holds as long as
	 * the connection; after a reconnection each asks by itself once. Sends nothing.
	 */
	Map<LeaseRequest, Denial> denyAgain(Session session, Collection<LeaseRequest> waiting, long now) {
		int connections = this.watches.connections();
		Map<LeaseRequest, Denial> denials = new HashMap<>();
		for (LeaseRequest request : waiting) {
			Place place = this.places.get(request);
			Denial denial = (place != null && place.session() == session)
					? place.denyAgain(this.stamps.incrementAndGet(), now, connections) : null;
			if (denial != null) {
				denials.put(request, denial);
			}
		}
		return denials;
	}

	/**
	 * Hears that a node has changed or gone.
	 */
	private void changed(Place place, WatchedEvent event) {
		if (place.paths().contains(event.getPath())) {
			ownChanged(place, event);
			return;
		}
		if (!place.isWaiting()) {
			return; // permits watch more than must go
		}
		if (event.getType() == EventType.NodeDeleted
				&& place.isFreedBy(name(event.getPath()), this.watches.connections())) {
			push(place);
		}
		else {
			lookAgainUnasked(place);
		}
	}

	private void ownChanged(Place place, WatchedEvent event) {
		place.unguard();
		if (event.getType() == EventType.NodeDeleted) {
			vanished(place);
		}
		else if (place.isWaiting() || place.isHeld()) {
			watchOwnOnce(place);
		}
	}

	/**
	 * Ends a place whose node somebody else has deleted.
	 */
	private void vanished(Place place) {
		if (place.isHeld()) {
			lose(place);
		}
		else if (place.isWaiting()) {
			forget(place);
			hint(place);
		}
	}

	/**
	 * Looks at the queue as the server has it that told the news. A list that is not the
	 * latest may have more nodes than there are, but lacks none.
	 */
	private void lookAgainUnasked(Place place) {
		place.disturbed();
		int connections = this.watches.connections();
		place.session().children(parentOf(place.path())).thenAccept((names) -> {
			if (place.isWaiting()) {
				settleUnasked(place, names, connections);
			}
		});
	}

	private void settleUnasked(Place place, List<String> names, int connections) {
		QueueNode node = place.node();
		List<QueueNode> before = QueueNode.before(node.name(), names);
		if (before == null) {
			forget(place);
			hint(place);
			return;
		}
		List<QueueNode> blockers = node.blockers(before);
		if (blockers.isEmpty()) {
			push(place);
		}
		else {
			watch(place, before, blockers, connections);
			if (blockers.stream().anyMatch(QueueNode::rest)) {
				place.disturbed();
				hint(place);
			}
		}
	}

	private void push(Place place) {
		BackendListener listener = this.listener;
		if (!place.hold() || listener == null) {
			return;
		}
		Session session = place.session();
		if (session.vouchedUntil() - System.nanoTime() < session.vouched().toNanos() / 2) {
			session.sync().thenRun(() -> push(place, listener));
		}
		else {
			push(place, listener);
		}
	}

	private void push(Place place, BackendListener listener) {
		Grant grant = place.grantSinceDenial(System.nanoTime());
		if (place.isHeld() && !listener.granted(place.request(), grant, place.stamp())) {
			leave(place);
		}
	}

	private void hint(Place place) {
		BackendListener listener = this.listener;
		if (listener != null) {
			listener.tryAgain(place.request());
		}
	}

	/**
	 * Somebody has deleted a node of a lease that is held.
	 */
	private void lose(Place place) {
		leave(place);
		BackendListener listener = this.listener;
		if (listener != null) {
			listener.lost(place.request());
		}
	}

	/**
	 * Gives a place up.
	 * @return whether it was held until now, which it was not if its session has expired
	 */
	CompletableFuture<Boolean> leave(Session session, LeaseRequest request) {
		Place place = this.places.get(request);
		CompletableFuture<Boolean> left = (place == null) ? search(session, request)
				: place.isMoreThan(request) ? leavePart(place, request) : leave(place);
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
	private CompletableFuture<Boolean> leavePart(Place place, LeaseRequest part) {
		List<String> paths = place.giveBack(part.keys());
		boolean held = paths.size() == part.keys().size() && place.isHeld() && !place.session().isOver();
		return all(paths.stream().map((path) -> delete(place.session(), path)).toList())
			.thenApply((deleted) -> held && !deleted.contains(false));
	}

	private static boolean isExpired(Throwable failure) {
		return cause(failure) instanceof KeeperException.SessionExpiredException;
	}

	private CompletableFuture<Boolean> leave(Place place) {
		Place.State state = place.leave();
		boolean left = state == Place.State.ENTERING || state == Place.State.LEFT || place.session().isOver();
		CompletableFuture<Boolean> deleted = left ? CompletableFuture.completedFuture(false) : deleteNodes(place);
		forget(place);
		return (state == Place.State.HELD) ? deleted : deleted.thenApply((done) -> false);
	}

	/**
	 * Deletes the nodes of a place before anything else is done about it: somebody waits
	 * for that.
	 * @return whether all were there
	 */
	private CompletableFuture<Boolean> deleteNodes(Place place) {
		List<String> paths = place.paths();
		if (paths.size() == 1) {
			return delete(place.session(), paths.get(0));
		}
		return all(paths.stream().map((path) -> delete(place.session(), path)).toList())
			.thenApply((deleted) -> !deleted.contains(false));
	}

	private void forget(Place place) {
		this.places.remove(place.request(), place);
		place.leave();
		place.forEachWatched(this.watches::remove);
	}

	/**
	 * Deletes a node, now or when the connection is back.
	 */
	private CompletableFuture<Boolean> delete(Session session, String path) {
		return session.delete(path).whenComplete((deleted, failure) -> {
			if (failure != null) {
				this.leavings.add(session, path);
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
		Place place = this.places.get(request);
		if (place == null || !place.isHeld() || place.session() != session) {
			return leave(session, request).thenApply((held) -> false);
		}
		return this.restingNodes.replace(session, place.paths(), rest).handle((done, failure) -> {
			if (failure == null) {
				forget(place);
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
	CompletableFuture<Attempt> stepDown(Session session, LeaseRequest exclusive, LeaseRequest shared) {
		Place known = this.places.get(shared);
		if (known != null && known.session() == session) {
			return CompletableFuture.completedFuture(known.grant());
		}
		Place writer = this.places.get(exclusive);
		if (writer == null || !writer.isHeld() || writer.session() != session) {
			return CompletableFuture.completedFuture(Denial.UNKNOWN_DURATION);
		}
		long token = writer.token() + exclusive.terms().tokens();
		String path = parentOf(writer.path()) + '/' + QueueNode.parse(writer.name()).replacedBy(shared);
		return session.change(session.replacement(writer.path(), path, text(token), CreateMode.EPHEMERAL))
			.handle((results, failure) -> {
				if (failure != null) {
					return notSteppedDown(writer, failure);
				}
				forget(writer);
				Place reader = new Place(shared, session);
				reader.entered(List.of(path), token);
				reader.hold();
				this.places.put(shared, reader);
				return CompletableFuture.<Attempt>completedFuture(reader.grant());
			})
			.thenCompose(Function.identity());
	}

	private CompletableFuture<Attempt> notSteppedDown(Place writer, Throwable failure) {
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
		Map<LeaseRequest, Place> held = new HashMap<>();
		for (LeaseRequest lease : leases) {
			Place place = this.places.get(lease);
			if (place != null && place.isHeld() && place.session() == session) {
				held.put(lease, place);
			}
		}
		return check(session, held.values()).thenApply((checked) -> {
			held.values().removeIf((place) -> !place.isHeld());
			return held.keySet();
		});
	}

	private CompletableFuture<Void> check(Session session, Collection<Place> places) {
		if (!this.canReadMany) {
			places.forEach(this::watchOwnOnce);
			return session.sync();
		}
		Map<String, Place> unguarded = new LinkedHashMap<>();
		for (Place place : places) {
			if (!place.isGuarded()) {
				place.paths().forEach((path) -> unguarded.put(path, place));
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

	private void gone(@Nullable Place place, String path) {
		if (place != null && place.paths().contains(path)) {
			vanished(place);
		}
	}

	private void watchOwnOnce(Place place) {
		if (place.isToBeWatched()) {
			place.paths().forEach((path) -> watchOwn(place, path));
		}
	}

	private void watchOwn(Place place, String path) {
		this.watches.add(path, place);
		place.session().watch(path, this.watches).whenComplete((found, failure) -> {
			if (failure != null) {
				place.unguard();
			}
			else if (!found && place.paths().contains(path)) {
				vanished(place);
			}
			else {
				place.guard();
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
		this.leavings.clear(session);
		this.restingNodes.sweep(session);
	}

	/**
	 * A session is over, and with it all that was created in it.
	 */
	void lost(Session session) {
		this.leavings.forget(session);
		BackendListener listener = this.listener;
		for (Place place : this.places.values()) {
			if (place.session() == session) {
				boolean held = place.isHeld();
				forget(place);
				if (listener != null && held) {
					listener.lost(place.request());
				}
				else if (listener != null) {
					listener.tryAgain(place.request());
				}
			}
		}
	}

	/**
	 * Leaves the queues, but gives no lease back.
	 */
	CompletableFuture<?> leaveAllThatWait() {
		return all(this.places.values().stream().filter(Place::isWaiting).map(this::leave).toList());
	}

	/**
	 * Whether nothing is remembered: no request, no node to watch and none to delete.
	 */
	boolean isEmpty() {
		return this.places.isEmpty() && this.watches.size() == 0 && this.leavings.isEmpty();
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
