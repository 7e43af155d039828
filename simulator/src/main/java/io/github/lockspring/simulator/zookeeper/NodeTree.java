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

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.zookeeper.ZNode.Creation;
import io.github.lockspring.simulator.zookeeper.ZNode.Moment;

/**
 * Nodes by their paths.
 */
final class NodeTree {

	private static final String ROOT = "/";

	private final Map<String, ZNode> nodes = new HashMap<>();

	private final Map<String, Set<String>> children = new HashMap<>();

	private int firstSequence;

	NodeTree() {
		this.nodes.put(ROOT,
				ZNode.create(new Creation(new Moment(0, 0), 0, false), ZooDefs.Ids.OPEN_ACL_UNSAFE, new byte[0]));
	}

	/**
	 * Return the first sequence number in a new container.
	 */
	int firstSequence() {
		return this.firstSequence;
	}

	void setFirstSequence(int firstSequence) {
		this.firstSequence = firstSequence;
	}

	@Nullable ZNode find(String path) {
		return this.nodes.get(path);
	}

	ZNode get(String path) throws KeeperException {
		ZNode node = this.nodes.get(path);
		if (node == null) {
			throw new KeeperException.NoNodeException(path);
		}
		return node;
	}

	/**
	 * Set the state of a node.
	 * @param node the state, or {@code null} if the node no longer exists
	 */
	void put(String path, @Nullable ZNode node) {
		Set<String> siblings = this.children.computeIfAbsent(parentOf(path), (parent) -> new HashSet<>());
		String name = path.substring(path.lastIndexOf('/') + 1);
		if (node != null) {
			this.nodes.put(path, node);
			siblings.add(name);
		}
		else {
			this.nodes.remove(path);
			this.children.remove(path);
			siblings.remove(name);
		}
	}

	/**
	 * Return the names of the children of a node.
	 */
	List<String> children(String path) {
		return List.copyOf(this.children.getOrDefault(path, Set.of()));
	}

	Stat stat(String path) throws KeeperException {
		return get(path).stat(this.children.getOrDefault(path, Set.of()).size());
	}

	/**
	 * Return the paths of nodes, in no order.
	 */
	List<String> paths(Predicate<ZNode> condition) {
		return this.nodes.keySet().stream().filter((path) -> condition.test(this.nodes.get(path))).toList();
	}

	static String parentOf(String path) {
		int end = path.lastIndexOf('/');
		return (end == 0) ? ROOT : path.substring(0, end);
	}

}
