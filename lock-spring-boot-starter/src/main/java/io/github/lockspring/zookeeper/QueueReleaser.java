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
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Leaves queues and deletes the nodes of entries.
 * <p>
 * A node whose creation or deletion was not answered is searched by the owner in its
 * name, and deleted when the connection is restored. If the session ended meanwhile, the
 * node has ended with it.
 */
final class QueueReleaser {

	private final LockPaths paths;

	private final Connection connection;

	private final Map<LeaseRequest, QueueEntry> entries;

	private final Watches watches;

	private final PlaceholderNodes placeholderNodes;

	private final PendingDeletes pendingDeletes = new PendingDeletes();

	QueueReleaser(LockPaths paths, Connection connection, Map<LeaseRequest, QueueEntry> entries, Watches watches) {
		this.paths = paths;
		this.connection = connection;
		this.entries = entries;
		this.watches = watches;
		this.placeholderNodes = new PlaceholderNodes(paths, connection);
	}

	/**
	 * Discard the entry of a request that was not answered in time. If its node exists,
	 * or is created later, it is deleted.
	 */
	void cancel(LeaseRequest request) {
		QueueEntry queueEntry = this.entries.get(request);
		if (queueEntry != null) {
			leave(queueEntry);
		}
	}

	/**
	 * Release the lease of a request, or leave the queue.
	 * @return whether it was held until now, which is not the case if its session has
	 * expired
	 */
	CompletableFuture<Boolean> leave(Session session, LeaseRequest request) {
		QueueEntry queueEntry = this.entries.get(request);
		CompletableFuture<Boolean> left = (queueEntry != null) ? leave(queueEntry, request) : search(session, request);
		return Answers.recover(left, Answers::isExpired, () -> CompletableFuture.completedFuture(false));
	}

	/**
	 * Release some keys of a lease.
	 * @return whether all of them were held until now
	 */
	private CompletableFuture<Boolean> leave(QueueEntry queueEntry, LeaseRequest request) {
		return queueEntry.isMoreThan(request) ? leavePart(queueEntry, request) : leave(queueEntry);
	}

	private CompletableFuture<Boolean> leavePart(QueueEntry queueEntry, LeaseRequest part) {
		List<String> paths = queueEntry.release(part.keys());
		boolean held = paths.size() == part.keys().size() && queueEntry.isHeld() && !queueEntry.session().isOver();
		return deleteNodes(queueEntry.session(), paths).thenApply((deleted) -> held && deleted);
	}

	CompletableFuture<Boolean> leave(QueueEntry queueEntry) {
		QueueEntry.State state = queueEntry.leave();
		boolean left = state == QueueEntry.State.ENTERING || state == QueueEntry.State.LEFT
				|| queueEntry.session().isOver();
		CompletableFuture<Boolean> deleted = left ? CompletableFuture.completedFuture(false)
				: deleteNodes(queueEntry.session(), queueEntry.paths());
		forget(queueEntry);
		return (state == QueueEntry.State.HELD) ? deleted : deleted.thenApply((done) -> false);
	}

	/**
	 * Delete nodes of an entry, first of all, because others wait for that.
	 * @return whether all of them existed
	 */
	private CompletableFuture<Boolean> deleteNodes(Session session, List<String> paths) {
		if (paths.size() == 1) {
			return delete(session, paths.get(0));
		}
		return Answers.all(paths.stream().map((path) -> delete(session, path)).toList())
			.thenApply((deleted) -> !deleted.contains(false));
	}

	/**
	 * Ensure that nothing is left of a request without an answer.
	 */
	void markOrphaned(QueueEntry queueEntry) {
		Session session = queueEntry.session();
		LeaseRequest request = queueEntry.request();
		this.entries.remove(request, queueEntry);
		queueEntry.leave();
		this.pendingDeletes.add(session, request, () -> searchOrphans(session, request));
		this.pendingDeletes.clear(session);
	}

	void forget(QueueEntry queueEntry) {
		this.entries.remove(queueEntry.request(), queueEntry);
		queueEntry.leave();
		queueEntry.forEachWatched(this.watches::remove);
	}

	/**
	 * Delete a node, now or when the connection is restored. With the last node of the
	 * queue, the node of the key is deleted as well before the sequence numbers are used
	 * up: they begin anew when it is created again.
	 */
	CompletableFuture<Boolean> delete(Session session, String path) {
		CompletableFuture<Boolean> answer = session.delete(path).whenComplete((deleted, failure) -> {
			if (failure != null) {
				this.pendingDeletes.add(session, path, failure);
			}
		});
		if (QueueNode.isLate(path)) {
			session.delete(LockPaths.parentOf(path)); // rejected while there are others
		}
		return answer;
	}

	/**
	 * Delete the nodes of an owner without an entry in this process.
	 * @return whether there was one
	 */
	private CompletableFuture<Boolean> search(Session session, LeaseRequest request) {
		String owner = request.ownerText() + '-';
		return Answers.all(
				request.keys().stream().map(this.paths::of).map((parent) -> deleteAll(session, parent, owner)).toList())
			.thenApply((deleted) -> deleted.contains(true));
	}

	/**
	 * Delete the nodes of a request, unless it was made again in the meantime.
	 */
	private CompletableFuture<Boolean> searchOrphans(Session session, LeaseRequest request) {
		return this.entries.containsKey(request)
				? CompletableFuture.failedFuture(new IllegalStateException("The request has an entry"))
				: search(session, request);
	}

	private static CompletableFuture<Boolean> deleteAll(Session session, String parent, String owner) {
		return session.latestChildren(parent)
			.thenCompose((names) -> Answers.all(names.stream()
				.filter((name) -> name.startsWith(owner) && !QueueNode.parse(name).released())
				.map((name) -> session.deleteOwn(parent + '/' + name))
				.toList()))
			.thenApply((deleted) -> deleted.contains(true));
	}

	/**
	 * Release a lease with a delay.
	 * @return whether it was held until now
	 */
	CompletableFuture<Boolean> leaveWithDelay(Session session, LeaseRequest request, Duration delay) {
		QueueEntry queueEntry = this.entries.get(request);
		if (queueEntry == null || !queueEntry.isHeld() || queueEntry.session() != session) {
			return leave(session, request).thenApply((held) -> false);
		}
		return this.placeholderNodes.replace(session, queueEntry.path(), delay,
				(answer) -> Answers.recover(answer.thenApply((done) -> {
					forget(queueEntry);
					return true;
				}), Answers::isGone, () -> leave(session, request).thenApply((held) -> false)));
	}

	/**
	 * Replace an exclusive lease by a shared one, or permits by fewer permits, at the
	 * same position of the queue.
	 */
	CompletableFuture<Attempt> downgrade(Session session, LeaseRequest held, LeaseRequest weaker) {
		QueueEntry known = this.entries.get(weaker);
		if (known != null && known.session() == session) {
			return CompletableFuture.completedFuture(known.grant());
		}
		QueueEntry former = this.entries.get(held);
		if (former == null || !former.isHeld() || former.session() != session) {
			return findDowngraded(session, weaker);
		}
		long token = former.token() + ((weaker.terms().mode() == LeaseMode.SHARED) ? held.terms().tokens() : 0);
		String path = LockPaths.parentOf(former.path()) + '/' + QueueNode.parse(former.name()).replacedBy(weaker);
		byte[] data = NodeContent.dataOf(token, this.connection.processName());
		return session.change(session.replacement(former.path(), path, data, CreateMode.EPHEMERAL),
				(answer) -> Answers.recover(answer.thenApply((results) -> {
					forget(former);
					return downgraded(session, weaker, path, token);
				}), Answers::isGone, () -> {
					forget(former);
					return findDowngraded(session, weaker);
				}));
	}

	private Attempt downgraded(Session session, LeaseRequest weaker, String path, long token) {
		QueueEntry entry = new QueueEntry(weaker, session);
		entry.entered(List.of(path), token);
		entry.hold();
		this.entries.put(weaker, entry);
		return entry.grant();
	}

	/**
	 * Find the node of a downgrade that was made before, but not answered.
	 */
	private CompletableFuture<Attempt> findDowngraded(Session session, LeaseRequest weaker) {
		String parent = this.paths.of(weaker.key());
		String prefix = QueueNode.prefix(weaker);
		return session.latestChildren(parent)
			.thenCompose((names) -> names.stream()
				.filter((name) -> name.startsWith(prefix))
				.findFirst()
				.map((name) -> adopt(session, weaker, parent + '/' + name))
				.orElseGet(() -> CompletableFuture.completedFuture(Denial.UNKNOWN_DURATION)));
	}

	private CompletableFuture<Attempt> adopt(Session session, LeaseRequest weaker, String path) {
		return session.readOwn(path)
			.thenApply((content) -> content.map((node) -> downgraded(session, weaker, path, node.number()))
				.orElse(Denial.UNKNOWN_DURATION));
	}

	/**
	 * Delete the pending nodes after the connection was restored.
	 */
	void resumed(Session session) {
		this.pendingDeletes.clear(session);
		this.placeholderNodes.sweep(session);
	}

	/**
	 * Discard the pending nodes of a session that has ended.
	 */
	void lost(Session session) {
		this.pendingDeletes.forget(session);
	}

	/**
	 * Leave the queues without releasing any lease.
	 */
	CompletableFuture<?> leaveAllThatWait() {
		return Answers.all(this.entries.values().stream().filter(QueueEntry::isWaiting).map(this::leave).toList());
	}

	boolean isDone() {
		return this.pendingDeletes.isEmpty();
	}

}
