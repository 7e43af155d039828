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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.support.Durations;

/**
 * Entry of a request in the queue of its key, or in those of its keys, as known to this
 * process. Uses little memory while held: the path of its node is computed when it is
 * needed. Thread-safe.
 */
final class QueueEntry {

	/**
	 * Value for blocking entries that have changed, or cannot be watched.
	 */
	private static final int CHANGED = -1;

	private volatile LeaseRequest request;

	private final Session session;

	private State state = State.ENTERING;

	private boolean recallable;

	private int sequence;

	/**
	 * Paths of the nodes, unless they are derived from the request and the sequence
	 * number.
	 */
	private @Nullable List<String> paths = List.of();

	private long token;

	private @Nullable Waiting waiting;

	QueueEntry(LeaseRequest request, Session session) {
		this.request = request;
		this.session = session;
	}

	LeaseRequest request() {
		return this.request;
	}

	Session session() {
		return this.session;
	}

	/**
	 * Record the nodes that were created for this entry.
	 * @param paths the paths of the nodes
	 * @param token the first fencing token
	 * @return {@code false} if they are no longer wanted
	 */
	synchronized boolean entered(List<String> paths, long token) {
		String name = LockPaths.nameOf(paths.get(0));
		this.sequence = QueueNode.sequence(name);
		boolean derived = paths.size() == 1 && name.equals(QueueNode.name(this.request, this.sequence));
		this.paths = derived ? null : paths;
		this.token = token;
		if (this.state == State.LEFT) {
			return false;
		}
		this.state = State.WAITING;
		return true;
	}

	/**
	 * Return whether some keys of this entry are not among those of a request of the same
	 * owner.
	 */
	boolean isMoreThan(LeaseRequest part) {
		LeaseRequest all = this.request;
		boolean same = !all.hasMultipleKeys() && all.key().equals(part.key());
		return !same && all.without(part.keys()) != null;
	}

	/**
	 * Release some of several keys.
	 * @return the paths of their nodes
	 */
	synchronized List<String> release(List<String> keys) {
		LeaseRequest all = this.request;
		LeaseRequest remaining = all.without(keys);
		List<String> paths = paths();
		if (remaining == null || paths.size() != all.keys().size()) {
			return List.of();
		}
		List<String> released = new ArrayList<>();
		List<String> left = new ArrayList<>();
		for (int i = 0; i < paths.size(); i++) {
			(keys.contains(all.keys().get(i)) ? released : left).add(paths.get(i));
		}
		this.paths = left;
		this.request = remaining;
		return released;
	}

	/**
	 * Return whether the position in the queue is unknown.
	 */
	synchronized boolean isUnordered() {
		return QueueNode.isUnordered(this.sequence);
	}

	synchronized List<String> paths() {
		List<String> paths = this.paths;
		return (paths != null) ? paths
				: List.of(this.session.pathOf(this.request.key()) + '/' + QueueNode.name(this.request, this.sequence));
	}

	/**
	 * Return the path of the only node.
	 */
	String path() {
		return paths().get(0);
	}

	String name() {
		return LockPaths.nameOf(path());
	}

	/**
	 * Return the only node.
	 */
	synchronized QueueNode node() {
		Waiting waiting = waiting();
		QueueNode node = waiting.node;
		if (node == null) {
			node = QueueNode.parse(name());
			waiting.node = node;
		}
		return node;
	}

	private Waiting waiting() {
		Waiting waiting = this.waiting;
		if (waiting == null) {
			waiting = new Waiting();
			this.waiting = waiting;
		}
		return waiting;
	}

	synchronized long token() {
		return this.token;
	}

	/**
	 * Record that the request is denied.
	 * @param denial the answer
	 * @param nanos the monotonic time at which the request was made
	 * @return {@code false} if it is held, or was left, nevertheless
	 */
	synchronized boolean denied(Denial denial, long nanos) {
		if (this.state != State.WAITING) {
			return false;
		}
		Waiting waiting = waiting();
		waiting.attemptId = denial.attemptId();
		waiting.deniedNanos = nanos;
		waiting.retryAfter = denial.retryAfter();
		return true;
	}

	/**
	 * Record the entries before this one.
	 * @param before the entries before this one, in a modifiable list
	 * @param blockers the number of blocking entries, which will be watched
	 * @param connections the number of connections up to now
	 * @return the number of this round, for {@link #watched}, or 0 if this entry no
	 * longer waits
	 */
	synchronized int behind(List<QueueNode> before, int blockers, int connections) {
		if (this.state != State.WAITING) {
			return 0;
		}
		Waiting waiting = waiting();
		waiting.before = before;
		waiting.unwatched = blockers;
		waiting.connections = connections;
		return ++waiting.round;
	}

	/**
	 * Record that one of the blocking entries is watched from now on.
	 */
	synchronized void watched(int round) {
		Waiting waiting = waiting();
		if (round == waiting.round && waiting.unwatched > 0) {
			waiting.unwatched--;
		}
	}

	/**
	 * Record a change of the blocking entries, after which others may block this entry,
	 * or none.
	 */
	synchronized void changed() {
		waiting().unwatched = CHANGED;
	}

	/**
	 * Deny the request again if nothing can have changed, because the servers would have
	 * sent a notification.
	 * @param attemptId the attempt id of the denial
	 * @param now the monotonic time at which this method was called
	 * @param connections the number of connections up to now
	 * @return the denial, or {@code null} if the request must be sent to the servers
	 */
	synchronized @Nullable Denial denyAgain(long attemptId, long now, int connections) {
		Waiting waiting = this.waiting;
		if (waiting == null || !waiting.isWatched(connections)) {
			return null;
		}
		Denial denial = new Denial(waiting.retryAfter.minusNanos(now - waiting.deniedNanos), attemptId);
		return (denial.retryAfter().compareTo(Duration.ZERO) > 0 && denied(denial, now)) ? denial : null;
	}

	/**
	 * Record that a node was deleted. Without a list from the same connection, it may
	 * have been replaced, and without a watch on the node of this entry, that may have
	 * been deleted before.
	 * @return whether certainly no blocking entry is left
	 */
	synchronized boolean isFreedBy(String name, int connections) {
		Waiting waiting = waiting();
		return connections == waiting.connections && waiting.guard == Guard.SET
				&& waiting.before.removeIf((node) -> node.name().equals(name))
				&& node().blockers(waiting.before).isEmpty();
	}

	synchronized boolean isWaiting() {
		return this.state == State.WAITING;
	}

	synchronized boolean isHeld() {
		return this.state == State.HELD;
	}

	synchronized boolean hasLeft() {
		return this.state == State.LEFT;
	}

	/**
	 * Make the request the holder.
	 * @return {@code true} if it was waiting until now
	 */
	synchronized boolean hold() {
		boolean waiting = this.state == State.WAITING;
		if (waiting) {
			this.state = State.HELD;
			if (this.waiting != null) {
				this.waiting.before = List.of();
			}
		}
		return waiting;
	}

	/**
	 * End this entry.
	 * @return the state before
	 */
	synchronized State leave() {
		State before = this.state;
		this.state = State.LEFT;
		return before;
	}

	/**
	 * Return whether a watch on the nodes of this entry must be set.
	 */
	synchronized boolean isToBeWatched() {
		Waiting waiting = waiting();
		boolean first = waiting.guard == Guard.NONE;
		if (first) {
			waiting.guard = Guard.ASKED;
		}
		return first;
	}

	/**
	 * Return whether the servers notify of the deletion of the nodes of this entry.
	 */
	synchronized boolean isGuarded() {
		return this.waiting != null && this.waiting.guard == Guard.SET;
	}

	/**
	 * Record that from now on the deletion of a node of this entry is reported.
	 */
	synchronized void guard() {
		if (waiting().guard == Guard.ASKED) {
			waiting().guard = Guard.SET;
		}
	}

	/**
	 * Record that the nodes of this entry are not, or no longer, watched.
	 */
	synchronized void unguard() {
		waiting().guard = Guard.NONE;
	}

	synchronized void watching(String path) {
		waiting().watchedPaths.add(path);
	}

	/**
	 * Perform an action for each watched path, and clear the watched paths.
	 */
	void forEachWatched(BiConsumer<String, QueueEntry> action) {
		List<String> paths;
		synchronized (this) {
			Waiting waiting = this.waiting;
			if (waiting == null) {
				return;
			}
			paths = List.copyOf(waiting.watchedPaths);
			waiting.watchedPaths.clear();
		}
		paths.forEach((path) -> action.accept(path, this));
	}

	synchronized long attemptId() {
		return waiting().attemptId;
	}

	/**
	 * Return the grant for a request that was just sent.
	 */
	synchronized Grant grant() {
		return new Grant(this.token, Durations.min(this.request.terms().leaseTime(), this.session.guaranteedLifetime()),
				this.recallable);
	}

	synchronized boolean isRecallable() {
		return this.recallable && this.state == State.HELD;
	}

	synchronized void setRecallable(boolean recallable) {
		this.recallable = recallable;
	}

	/**
	 * Return the grant for a notification. Its validity is at most the lease time and the
	 * time for which the servers certainly keep the session.
	 * @param now the current monotonic time
	 */
	synchronized Grant grantAt(long now) {
		Duration left = Duration.ofNanos(Math.max(0, this.session.guaranteedUntil() - now));
		return new Grant(this.token, Durations.min(this.request.terms().leaseTime(), left));
	}

	/**
	 * Return the time since the denial.
	 */
	synchronized Duration waited(long now) {
		return Duration.ofNanos(now - waiting().deniedNanos);
	}

	/**
	 * State of an entry that was blocked.
	 */
	private static final class Waiting {

		private @Nullable QueueNode node;

		/**
		 * The entries before this one, without those deleted since.
		 */
		private List<QueueNode> before = List.of();

		private long attemptId;

		private long deniedNanos;

		private Duration retryAfter = Duration.ZERO;

		private int connections;

		/**
		 * Number of denials, by which the answer to a watch is matched to the denial.
		 */
		private int round;

		/**
		 * Number of blocking entries that are not watched yet, or {@link #CHANGED}.
		 */
		private int unwatched = CHANGED;

		private Guard guard = Guard.NONE;

		private final Set<String> watchedPaths = new HashSet<>();

		private boolean isWatched(int connections) {
			return this.unwatched == 0 && this.guard == Guard.SET && this.connections == connections;
		}

	}

	/**
	 * State of the watch on the nodes of an entry, by which the servers notify of their
	 * deletion by others.
	 */
	private enum Guard {

		NONE, ASKED, SET

	}

	/**
	 * State of an entry.
	 */
	enum State {

		/**
		 * It is not known yet whether there is a node.
		 */
		ENTERING,

		/**
		 * There are blocking entries before it.
		 */
		WAITING,

		/**
		 * It is granted.
		 */
		HELD,

		/**
		 * It was left.
		 */
		LEFT

	}

}
