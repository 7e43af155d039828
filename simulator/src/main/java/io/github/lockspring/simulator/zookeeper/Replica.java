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

package io.github.lockspring.simulator.zookeeper;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.apache.zookeeper.Watcher.Event.EventType;

import io.github.lockspring.simulator.zookeeper.Transaction.Change;

/**
 * Server that clients are connected to: it applies the transactions one after the other,
 * possibly later than others, and notifies of them. Reads are answered in its state.
 */
final class Replica {

	private final NodeTree tree = new NodeTree();

	private final Deque<Transaction> behind = new ArrayDeque<>();

	private final Map<String, Set<ServerConnection>> watches = new LinkedHashMap<>();

	private long zxid;

	private boolean isolated;

	NodeTree tree() {
		return this.tree;
	}

	/**
	 * Return the id of the last transaction that was applied.
	 */
	long zxid() {
		return this.zxid;
	}

	/**
	 * Return whether the others are not reached, which this server has not noticed.
	 */
	boolean isIsolated() {
		return this.isolated;
	}

	void setIsolated(boolean isolated) {
		this.isolated = isolated;
	}

	/**
	 * Receive a transaction, to be applied later.
	 */
	void receive(Transaction transaction) {
		this.behind.add(transaction);
	}

	/**
	 * Apply all transactions up to one, unless the others are not reached.
	 */
	void catchUp(long zxid) {
		while (!this.isolated && !this.behind.isEmpty() && this.behind.element().zxid() <= zxid) {
			Transaction transaction = this.behind.remove();
			this.zxid = transaction.zxid();
			transaction.changes().forEach(this::apply);
		}
	}

	private void apply(Change change) {
		this.tree.put(change.path(), change.node());
		if (change.event() != EventType.None) {
			Set<ServerConnection> watching = this.watches.remove(change.path());
			if (watching != null) {
				watching.forEach((connection) -> connection.notify(change.event(), change.path()));
			}
		}
	}

	void watch(String path, ServerConnection connection) {
		this.watches.computeIfAbsent(path, (any) -> new LinkedHashSet<>()).add(connection);
	}

	/**
	 * Remove a watch.
	 * @return whether there was one
	 */
	boolean unwatch(String path, ServerConnection connection) {
		Set<ServerConnection> watching = this.watches.get(path);
		if (watching == null || !watching.remove(connection)) {
			return false;
		}
		if (watching.isEmpty()) {
			this.watches.remove(path);
		}
		return true;
	}

	void unwatchAll(ServerConnection connection) {
		this.watches.values().forEach((watching) -> watching.remove(connection));
		this.watches.values().removeIf(Set::isEmpty);
	}

}
