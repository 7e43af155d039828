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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/**
 * Nodes of a request in the queues of its keys.
 *
 * @param paths their paths, one for each key
 * @param transaction the id of the transaction that created them
 * @param alone whether there was no other node in these queues at that time
 */
record QueuedNodes(List<String> paths, long transaction, boolean alone) {

	private static final byte[] NO_DATA = {};

	/**
	 * Create a node in the queue of each key, in one step, and count the nodes in it. The
	 * node of the key is changed in the same step because the answer to that contains the
	 * number of its children. Without the permission to change it they are not counted.
	 * @param session the session to which they are bound
	 * @param parents the nodes of the keys
	 * @param name the part of the name before the number
	 * @param data the data of the nodes
	 */
	static CompletableFuture<QueuedNodes> create(Session session, List<String> parents, String name, byte[] data) {
		if (!session.changesKeys()) {
			return createOnly(session, parents, name, data);
		}
		List<Op> changes = new ArrayList<>(2 * parents.size());
		for (String parent : parents) {
			changes.add(session.creation(parent + '/' + name, data, CreateMode.EPHEMERAL_SEQUENTIAL));
			changes.add(Op.setData(parent, NO_DATA, Session.ANY_VERSION));
		}
		return Answers.recover(session.change(changes).thenApply((results) -> of(parents, results)),
				KeeperException.NoAuthException.class::isInstance, () -> createOnly(session, parents, name, data)
					.whenComplete((nodes, rejection) -> session.setChangesKeys(rejection != null)));
	}

	private static QueuedNodes of(List<String> parents, List<OpResult> results) {
		List<String> paths = new ArrayList<>(parents.size());
		boolean alone = true;
		long transaction = 0;
		for (int i = 0; i < parents.size(); i++) {
			paths.add(pathOf(parents.get(i), results.get(2 * i)));
			Stat parent = ((OpResult.SetDataResult) results.get(2 * i + 1)).getStat();
			alone &= parent.getNumChildren() == 1;
			transaction = parent.getMzxid();
		}
		return new QueuedNodes(paths, transaction, alone);
	}

	/**
	 * Return the path of a created node. In results of several changes, the client does
	 * not remove the path at the end of its connect string.
	 */
	private static String pathOf(String parent, OpResult created) {
		String path = ((OpResult.CreateResult) created).getPath();
		return parent + path.substring(path.lastIndexOf('/'));
	}

	private static CompletableFuture<QueuedNodes> createOnly(Session session, List<String> parents, String name,
			byte[] data) {
		if (parents.size() == 1) {
			return session.create(parents.get(0) + '/' + name, data, CreateMode.EPHEMERAL_SEQUENTIAL)
				.thenApply((node) -> new QueuedNodes(List.of(node.path()), node.transaction(), false));
		}
		return session
			.change(parents.stream()
				.map((parent) -> session.creation(parent + '/' + name, data, CreateMode.EPHEMERAL_SEQUENTIAL))
				.toList())
			.thenCompose((results) -> {
				List<String> paths = IntStream.range(0, parents.size())
					.mapToObj((i) -> pathOf(parents.get(i), results.get(i)))
					.toList();
				return session.read(paths.get(0))
					.thenApply((content) -> new QueuedNodes(paths,
							content.map((node) -> node.stat().getCzxid()).orElse(0L), false));
			});
	}

}
