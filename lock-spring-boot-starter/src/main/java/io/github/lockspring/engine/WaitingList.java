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

package io.github.lockspring.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;

/**
 * List of the nodes that wait, in order of arrival, and what is known about their
 * competitors. A queue has one only if there ever were any, in this process or another.
 * Guarded by the monitor of the queue.
 *
 * @param <N> the type of the nodes
 */
final class WaitingList<N extends QueueNode<N>> {

	private static final short MIN_SWEEP = 64;

	/**
	 * The first waiting node. Among those behind it are nodes that have left.
	 */
	volatile @Nullable N first;

	volatile @Nullable YieldPolicy yieldPolicy;

	/**
	 * The last answer of the store to the leader, or to the release of a holder.
	 */
	volatile @Nullable LastAnswer lastAnswer;

	/**
	 * Number of nodes that try once beside the leader.
	 */
	int trying;

	/**
	 * Whether a node ever had to wait.
	 */
	volatile boolean used;

	private @Nullable N last;

	/**
	 * Number of nodes that can leave until those that have left are removed. Thus leaving
	 * takes no time that depends on how many wait.
	 */
	private short untilSweep;

	/**
	 * Return whether no node waits or tries.
	 */
	boolean isEmpty() {
		return this.first == null && this.trying == 0;
	}

	void append(N node) {
		this.used = true;
		N last = this.last;
		if (last == null) {
			this.first = node;
		}
		else {
			last.next = node;
		}
		this.last = node;
	}

	void removeWaiting(N node) {
		N before = null;
		for (N other = this.first; other != node; other = other.next) {
			if (other == null) {
				return;
			}
			before = other;
		}
		if (before == null) {
			this.first = node.next;
		}
		else {
			before.next = node.next;
		}
		if (this.last == node) {
			this.last = before;
		}
		node.next = null;
		skipLeft();
	}

	/**
	 * A waiting node has left: the first one does not remain.
	 */
	void left() {
		if (--this.untilSweep < 0) {
			sweep();
		}
		skipLeft();
	}

	private void sweep() {
		N before = null;
		int waiting = 0;
		N next;
		for (N node = this.first; node != null; node = next) {
			next = node.next;
			if (node.isWaiting()) {
				before = node;
				waiting++;
			}
			else if (before != null) {
				before.next = next;
				node.next = null;
			}
		}
		this.last = (before != null) ? before : this.last;
		this.untilSweep = (short) Math.min(Math.max(waiting, MIN_SWEEP), Short.MAX_VALUE);
	}

	private void skipLeft() {
		for (N node = this.first; node != null && !node.isWaiting(); node = this.first) {
			this.first = node.next;
			node.next = null;
		}
		this.last = (this.first != null) ? this.last : null;
	}

	/**
	 * Call an action for each waiting node, in order.
	 */
	void forEachWaiting(Consumer<N> action) {
		for (N node = this.first; node != null; node = node.next) {
			if (node.isWaiting()) {
				action.accept(node);
			}
		}
	}

	/**
	 * Last answer of the store, other than a grant.
	 *
	 * @param nanos a time at which it applied
	 * @param failure the failure, or {@code null} if the request was denied
	 */
	record LastAnswer(long nanos, @Nullable BackendException failure) {
	}

}
