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
import java.util.function.BiConsumer;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * Registry of callbacks for the change or deletion of a node. There is one watcher for
 * all, so that callbacks added and removed while a node exists leave nothing behind in
 * the client.
 */
final class Watches implements Watcher {

	private final Map<String, Set<QueueEntry>> places = new ConcurrentHashMap<>();

	private final BiConsumer<QueueEntry, WatchedEvent> listener;

	private volatile int connections;

	Watches(BiConsumer<QueueEntry, WatchedEvent> listener) {
		this.listener = listener;
	}

	void add(String path, QueueEntry queueEntry) {
		queueEntry.watching(path);
		this.places.compute(path, (same, places) -> {
			Set<QueueEntry> result = (places != null) ? places : ConcurrentHashMap.newKeySet(1);
			result.add(queueEntry);
			return result;
		});
	}

	void remove(String path, QueueEntry queueEntry) {
		this.places.computeIfPresent(path, (same, places) -> {
			places.remove(queueEntry);
			return places.isEmpty() ? null : places;
		});
	}

	/**
	 * How many nodes somebody waits for.
	 */
	int size() {
		return this.places.size();
	}

	/**
	 * How many connections there were up to now. What is said of a node after a
	 * reconnection may leave out what happened to it meanwhile.
	 */
	int connections() {
		return this.connections;
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() == EventType.None) {
			if (event.getState() != KeeperState.SyncConnected) {
				this.connections++; // in the one thread that tells of events
			}
			return;
		}
		Set<QueueEntry> places = this.places.remove(event.getPath());
		if (places != null) {
			places.forEach(QueueEntry::disturbed); // all of them, whatever becomes of the
													// next
			places.forEach((queueEntry) -> this.listener.accept(queueEntry, event));
		}
	}

}
