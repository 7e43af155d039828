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

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registry of the nodes that are watched, and of the entries that each is watched for.
 */
final class Watches {

	private final Map<String, Set<QueueEntry>> entries = new ConcurrentHashMap<>();

	private volatile int connections;

	/**
	 * Add an entry, unless it has left.
	 * @return whether it was added
	 */
	boolean add(String path, QueueEntry queueEntry) {
		queueEntry.watching(path);
		this.entries.compute(path, (same, entries) -> {
			Set<QueueEntry> result = (entries != null) ? entries : ConcurrentHashMap.newKeySet(1);
			result.add(queueEntry);
			return result;
		});
		boolean left = queueEntry.hasLeft();
		if (left) {
			remove(path, queueEntry);
		}
		return !left;
	}

	void remove(String path, QueueEntry queueEntry) {
		this.entries.computeIfPresent(path, (same, entries) -> {
			entries.remove(queueEntry);
			return entries.isEmpty() ? null : entries;
		});
	}

	/**
	 * Remove the entries of a node, of whose change the servers have notified once.
	 */
	Set<QueueEntry> remove(String path) {
		Set<QueueEntry> entries = this.entries.remove(path);
		return (entries != null) ? entries : Set.of();
	}

	/**
	 * Return the number of nodes that are watched.
	 */
	int size() {
		return this.entries.size();
	}

	/**
	 * Return the number of connections up to now. After a reconnection, changes of a node
	 * in the meantime may not be known.
	 */
	int connections() {
		return this.connections;
	}

	/**
	 * Count the loss of a connection. Must be called in the event thread of the client.
	 */
	void disconnected() {
		this.connections++;
	}

}
