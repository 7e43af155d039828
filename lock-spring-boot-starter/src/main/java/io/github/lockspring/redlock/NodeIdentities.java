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
package io.github.lockspring.redlock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Identities of the servers behind the nodes, by the {@code run_id} that every server
 * generates at its start. With two nodes on one server, it would have two votes.
 */
final class NodeIdentities {

	private final Map<String, String> nodes = new HashMap<>();

	private volatile @Nullable String duplicate;

	/**
	 * Record the identities of the servers of a node.
	 * @param node the name of the node
	 * @param infos the answers to {@code INFO}
	 * @throws BackendUnavailableException if another node is the same server
	 */
	synchronized void register(String node, List<String> infos) {
		for (String info : infos) {
			info.lines()
				.filter((line) -> line.startsWith("run_id:"))
				.map((line) -> line.substring("run_id:".length()).strip())
				.forEach((id) -> register(node, id));
		}
	}

	private void register(String node, String id) {
		String other = this.nodes.putIfAbsent(id, node);
		if (other != null && !other.equals(node)) {
			this.duplicate = "The Redlock nodes '" + other + "' and '" + node
					+ "' are the same server, which would have two votes: every node must be a separate server";
			requireNoDuplicate();
		}
	}

	@Nullable String duplicate() {
		return this.duplicate;
	}

	void requireNoDuplicate() {
		String duplicate = this.duplicate;
		if (duplicate != null) {
			throw new BackendUnavailableException(duplicate, null);
		}
	}

}
