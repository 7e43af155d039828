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

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Watchers of a client, as its library keeps them. Thread-safe.
 */
final class ModelWatches {

	private final Watcher defaultWatcher;

	private final Map<String, Set<Watcher>> existing = new LinkedHashMap<>();

	private final Map<String, Set<Watcher>> missing = new LinkedHashMap<>();

	/**
	 * Create an instance without watches.
	 * @param defaultWatcher notified of the state of the session only
	 */
	ModelWatches(Watcher defaultWatcher) {
		this.defaultWatcher = defaultWatcher;
	}

	/**
	 * Add a watcher after the answer of the server.
	 * @param code the code of the answer
	 * @param alsoMissing whether a node that does not exist is watched as well
	 */
	synchronized void add(int code, String path, Watcher watcher, boolean alsoMissing) {
		if (code == Code.OK.intValue()) {
			this.existing.computeIfAbsent(path, (any) -> new LinkedHashSet<>()).add(watcher);
		}
		else if (alsoMissing && code == Code.NONODE.intValue()) {
			this.missing.computeIfAbsent(path, (any) -> new LinkedHashSet<>()).add(watcher);
		}
	}

	/**
	 * Remove the watchers of a node.
	 */
	synchronized Set<Watcher> remove(String path) {
		Set<Watcher> watchers = new LinkedHashSet<>();
		watchers.addAll(removeFrom(this.existing, path));
		watchers.addAll(removeFrom(this.missing, path));
		return watchers;
	}

	private static Set<Watcher> removeFrom(Map<String, Set<Watcher>> watches, String path) {
		Set<Watcher> watchers = watches.remove(path);
		return (watchers != null) ? watchers : Set.of();
	}

	/**
	 * Return the watchers to be notified, each once. Those of a node are removed.
	 */
	synchronized Set<Watcher> notified(EventType type, String path) {
		if (type != EventType.None) {
			return remove(path);
		}
		Set<Watcher> watchers = new LinkedHashSet<>(Set.of(this.defaultWatcher));
		this.existing.values().forEach(watchers::addAll);
		this.missing.values().forEach(watchers::addAll);
		return watchers;
	}

	synchronized List<String> existing() {
		return List.copyOf(this.existing.keySet());
	}

	synchronized List<String> missing() {
		return List.copyOf(this.missing.keySet());
	}

}
