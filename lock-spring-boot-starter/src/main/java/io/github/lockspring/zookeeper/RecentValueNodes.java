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
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Cache of the nodes of values that were read or written recently, so that a value can be
 * changed without being read before. An entry may be outdated: a node is changed only if
 * it still has the version that is known here.
 * <p>
 * Entries are discarded after a time for which a deleted node certainly still exists,
 * because the versions of a node that was deleted and created again start anew. So do
 * those of servers that lost their data while this process was disconnected. Thread-safe.
 */
final class RecentValueNodes {

	private static final int SIZE = 1_000;

	private final Map<String, RecentNode> nodes = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, RecentNode> eldest) {
			return size() > SIZE;
		}

	};

	private final long maxAgeNanos;

	/**
	 * Time from which on nodes are known.
	 */
	private volatile long beginNanos = System.nanoTime();

	RecentValueNodes(Duration maxAge) {
		this.maxAgeNanos = maxAge.toNanos();
	}

	/**
	 * Remove a node.
	 * @return the node, or {@code null} if it is not known, or not recent
	 */
	synchronized @Nullable RecentNode remove(String path) {
		RecentNode recent = this.nodes.remove(path);
		return (recent != null && isRecent(recent)) ? recent : null;
	}

	/**
	 * Discard all nodes, and those that are being read or written.
	 */
	void discard() {
		this.beginNanos = System.nanoTime();
	}

	/**
	 * Return whether a node may still be changed without being read again.
	 */
	boolean isRecent(RecentNode node) {
		return System.nanoTime() - node.asked() < this.maxAgeNanos && node.asked() - this.beginNanos >= 0;
	}

	/**
	 * Add the latest state of a node, if it is stored.
	 */
	synchronized void add(String path, RecentNode recent) {
		RecentNode known = this.nodes.get(path);
		if (recent.node().isStored() && (known == null || recent.isNewerThan(known))) {
			this.nodes.put(path, recent);
		}
	}

	/**
	 * Replace an outdated state of a node that is known.
	 * @param asked the monotonic time before the node was read
	 */
	synchronized void refresh(String path, ValueNode node, long asked) {
		RecentNode known = this.nodes.get(path);
		if (known != null) {
			add(path, new RecentNode(node, asked, known.contended()));
		}
	}

	/**
	 * Node that was read or written recently.
	 *
	 * @param node the node
	 * @param asked the monotonic time before it was read or written
	 * @param contended whether another process changed it during the last update
	 */
	record RecentNode(ValueNode node, long asked, boolean contended) {

		boolean isNewerThan(RecentNode other) {
			return this.node.transaction() > other.node.transaction()
					|| (this.node.transaction() == other.node.transaction() && this.asked - other.asked > 0);
		}

	}

}
