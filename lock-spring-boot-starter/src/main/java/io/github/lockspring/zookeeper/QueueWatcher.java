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

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Watches the nodes of entries that wait, and the nodes that block them, and notifies the
 * listener of changes.
 * <ol>
 * <li>A denied request that waits watches its own node and the nearest blocking ones.
 * When all of these are deleted, and its own is not, no other node can precede it, so the
 * request is the holder without another call: the servers report deletions in the order
 * in which they happened.</li>
 * <li>If a blocking node was replaced, its own node is not watched yet, or the connection
 * was lost meanwhile, the queue is listed again. If its own node was deleted, the request
 * must be queued again.</li>
 * </ol>
 * There is one watcher object for all nodes, so that watches added and removed while a
 * node exists do not accumulate in the client.
 */
final class QueueWatcher implements Watcher {

	private final Map<LeaseRequest, QueueEntry> entries;

	private final Watches watches;

	private final QueueReleaser releaser;

	private final AtomicLong attemptIds = new AtomicLong();

	private volatile BackendListener listener = BackendListener.NONE;

	QueueWatcher(Map<LeaseRequest, QueueEntry> entries, Watches watches, QueueReleaser releaser) {
		this.entries = entries;
		this.watches = watches;
		this.releaser = releaser;
	}

	BackendListener listener() {
		return this.listener;
	}

	void setListener(BackendListener listener) {
		this.listener = listener;
	}

	long nextAttemptId() {
		return this.attemptIds.incrementAndGet();
	}

	/**
	 * Return the number of connections up to now, to be passed to {@link #watch}.
	 */
	int connections() {
		return this.watches.connections();
	}

	/**
	 * Watch the nodes that block an entry.
	 * @param before the nodes before the entry, in a modifiable list
	 * @param blockers the nodes to be watched
	 * @param connections the number of connections before the nodes were listed
	 */
	void watch(QueueEntry queueEntry, List<QueueNode> before, List<QueueNode> blockers, int connections) {
		int round = queueEntry.behind(before, blockers.size(), connections);
		if (round == 0) {
			return;
		}
		String parent = LockPaths.parentOf(queueEntry.path());
		for (QueueNode node : blockers) {
			String path = parent + '/' + node.name();
			if (!this.watches.add(path, queueEntry)) {
				return;
			}
			queueEntry.session().watch(path, this).thenAccept((found) -> {
				if (found.isPresent()) {
					queueEntry.watched(round);
				}
				else {
					this.watches.remove(path, queueEntry);
					refresh(queueEntry);
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
			QueueEntry queueEntry = this.entries.get(request);
			Denial denial = (queueEntry != null && queueEntry.session() == session)
					? queueEntry.denyAgain(nextAttemptId(), now, connections) : null;
			if (denial != null) {
				denials.put(request, denial);
			}
		}
		return denials;
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() == EventType.None) {
			if (event.getState() != KeeperState.SyncConnected) {
				this.watches.disconnected();
			}
			return;
		}
		Set<QueueEntry> watching = this.watches.remove(event.getPath());
		watching.forEach(QueueEntry::changed); // all of them first
		watching.forEach((queueEntry) -> changed(queueEntry, event));
	}

	private void changed(QueueEntry queueEntry, WatchedEvent event) {
		if (queueEntry.paths().contains(event.getPath())) {
			ownChanged(queueEntry, event);
		}
		else if (queueEntry.isWaiting()) {
			// permits watch more nodes than must be deleted
			if (event.getType() == EventType.NodeDeleted
					&& queueEntry.isFreedBy(LockPaths.nameOf(event.getPath()), this.watches.connections())) {
				push(queueEntry);
			}
			else {
				refresh(queueEntry);
			}
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
	 * Handle the deletion of a node of an entry by another client.
	 */
	void vanished(QueueEntry queueEntry) {
		if (queueEntry.isHeld()) {
			lose(queueEntry);
		}
		else if (queueEntry.isWaiting()) {
			this.releaser.forget(queueEntry);
			hint(queueEntry);
		}
	}

	/**
	 * List the queue in the state of the notifying server. An outdated list may contain
	 * nodes that no longer exist, but lacks none.
	 */
	private void refresh(QueueEntry queueEntry) {
		queueEntry.changed();
		int connections = this.watches.connections();
		queueEntry.session().children(LockPaths.parentOf(queueEntry.path())).thenAccept((names) -> {
			if (queueEntry.isWaiting()) {
				refreshed(queueEntry, names, connections);
			}
		});
	}

	private void refreshed(QueueEntry queueEntry, List<String> names, int connections) {
		QueueNode node = queueEntry.node();
		List<QueueNode> before = QueueNode.before(node.name(), names);
		if (before == null) {
			this.releaser.forget(queueEntry);
			hint(queueEntry);
			return;
		}
		List<QueueNode> blockers = node.blockers(before);
		if (blockers.isEmpty()) {
			push(queueEntry);
		}
		else {
			watch(queueEntry, before, blockers, connections);
			if (blockers.stream().anyMatch(QueueNode::released)) {
				queueEntry.changed();
				hint(queueEntry);
			}
			else if (before.size() == 1 && before.get(0).recallable()) {
				hint(queueEntry); // its holder may have declined a recall
			}
		}
	}

	private void push(QueueEntry queueEntry) {
		if (!queueEntry.hold()) {
			return;
		}
		Session session = queueEntry.session();
		if (session.guaranteedUntil() - System.nanoTime() < session.guaranteedLifetime().toNanos() / 2) {
			session.confirm().thenRun(() -> pushHeld(queueEntry));
		}
		else {
			pushHeld(queueEntry);
		}
	}

	private void pushHeld(QueueEntry queueEntry) {
		long now = System.nanoTime();
		Grant grant = queueEntry.grantAt(now);
		if (queueEntry.isHeld() && !this.listener.onGranted(queueEntry.request(), grant, queueEntry.attemptId(),
				queueEntry.waited(now))) {
			this.releaser.leave(queueEntry);
		}
	}

	/**
	 * Let a request be retried.
	 */
	void hint(QueueEntry queueEntry) {
		this.listener.onRetryHint(queueEntry.request());
	}

	/**
	 * Handle the deletion of a node of a lease that is held.
	 */
	private void lose(QueueEntry queueEntry) {
		this.releaser.leave(queueEntry);
		this.listener.onLost(queueEntry.request());
	}

	/**
	 * Watch the nodes of an entry, unless they are watched already.
	 */
	void watchOwnOnce(QueueEntry queueEntry) {
		if (queueEntry.isToBeWatched()) {
			queueEntry.paths().forEach((path) -> watchOwn(queueEntry, path));
		}
	}

	private void watchOwn(QueueEntry queueEntry, String path) {
		if (!this.watches.add(path, queueEntry)) {
			return;
		}
		queueEntry.session().watch(path, this).whenComplete((found, failure) -> {
			if (failure != null) {
				queueEntry.unguard();
			}
			else if (found.isEmpty() && queueEntry.paths().contains(path)) {
				vanished(queueEntry);
			}
			else {
				queueEntry.guard();
				if (queueEntry.request().terms().recallable() && found.filter(LeaseRecall::isRecalled).isPresent()) {
					this.listener.onRecall(queueEntry.request());
				}
			}
		});
	}

}
