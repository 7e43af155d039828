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

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.state.ValueState;
import io.github.lockspring.zookeeper.Session.CreatedNode;

/**
 * Requests that read and write the nodes of values.
 */
final class ValueNodes {

	/**
	 * Version whose next version would be {@link Session#ANY_VERSION}.
	 */
	private static final int VERSION_BEFORE_ANY = Session.ANY_VERSION - 1;

	private final LockPaths paths;

	private final Connection connection;

	private final DeletedValues deletedValues;

	/**
	 * Whether the parent of the nodes exists, as far as is known.
	 */
	private volatile boolean parentExists;

	ValueNodes(LockPaths paths, Connection connection, DeletedValues deletedValues) {
		this.paths = paths;
		this.connection = connection;
		this.deletedValues = deletedValues;
	}

	/**
	 * Read a node in the state of the server.
	 */
	CompletableFuture<ValueNode> read(Session session, String path) {
		return session.read(path).thenApply((content) -> node(path, content));
	}

	/**
	 * Read a node in the current state of the leader.
	 */
	CompletableFuture<ValueNode> readLatest(Session session, String path) {
		return session.readLatest(path).thenApply((content) -> node(path, content));
	}

	private static ValueNode node(String path, Optional<NodeContent> content) {
		return content.map((found) -> ValueNode.of(path, found)).orElse(ValueNode.ABSENT);
	}

	/**
	 * Write a node unless it was changed.
	 * @param node the state that it must have
	 * @param next the new state
	 * @return the new state as it is stored, or none if the node had another state
	 */
	CompletableFuture<Optional<ValueNode>> write(Session session, String path, ValueNode node, ValueState next) {
		CompletableFuture<ValueNode> written = node.isStored()
				? change(session, path, node, next)
					.thenApply((stat) -> new ValueNode(next.withVersion(stat.getMzxid()), stat.getVersion()))
				: create(session, path, ValueNode.data(next))
					.thenApply((created) -> new ValueNode(next.withVersion(created.transaction()), 0));
		return Answers.recover(written.thenApply(Optional::of), ValueNodes::isConflict,
				() -> CompletableFuture.completedFuture(Optional.empty()));
	}

	private static boolean isConflict(Throwable failure) {
		return failure instanceof KeeperException.BadVersionException
				|| failure instanceof KeeperException.NodeExistsException
				|| failure instanceof KeeperException.NoNodeException;
	}

	private CompletableFuture<Stat> change(Session session, String path, ValueNode node, ValueState next) {
		int version = node.dataVersion();
		byte[] data = ValueNode.data(next);
		boolean exists = next.exists();
		if (exists && version != VERSION_BEFORE_ANY) {
			return session.setData(path, data, version);
		}
		Op change = Op.setData(path, data, version);
		List<Op> changes = (version != VERSION_BEFORE_ANY) ? List.of(change)
				: List.of(change, Op.setData(path, data, Session.ANY_VERSION));
		return exists
				? session.change(changes).thenApply((results) -> ((OpResult.SetDataResult) results.get(1)).getStat())
				: this.deletedValues.delete(session, path, changes);
	}

	private CompletableFuture<CreatedNode> create(Session session, String path, byte[] data) {
		if (!this.parentExists) {
			return createWithParent(session, path, data);
		}
		return session.create(path, data, CreateMode.PERSISTENT).whenComplete((created, failure) -> {
			if (failure instanceof KeeperException.NoNodeException) {
				this.parentExists = false;
			}
		});
	}

	/**
	 * Create a node with its parent, which the server deletes when there are no values.
	 * The root may have been deleted as well.
	 */
	private CompletableFuture<CreatedNode> createWithParent(Session session, String path, byte[] data) {
		CompletableFuture<?> parent = session.create(this.paths.values(), CreateMode.CONTAINER);
		return session.create(path, data, CreateMode.PERSISTENT)
			.whenComplete((created, failure) -> this.parentExists = failure == null)
			.exceptionallyCompose((failure) -> {
				CompletableFuture<CreatedNode> failed = CompletableFuture.failedFuture(failure);
				return (Answers.cause(failure) instanceof KeeperException.NoNodeException)
						? parent.handle((created, rejection) -> rejection)
							.thenCompose(this::createRoot)
							.thenCompose((any) -> failed)
						: failed;
			});
	}

	/**
	 * Create the root again if it is the reason why the parent was not created.
	 */
	private CompletableFuture<Void> createRoot(@Nullable Throwable rejection) {
		Throwable cause = (rejection != null) ? Answers.cause(rejection) : null;
		if (cause instanceof KeeperException.NoNodeException) {
			return CompletableFuture.allOf(this.connection.prepareAgain());
		}
		return (cause == null || cause instanceof KeeperException.NodeExistsException) ? CompletableFuture.allOf()
				: CompletableFuture.failedFuture(cause);
	}

}
