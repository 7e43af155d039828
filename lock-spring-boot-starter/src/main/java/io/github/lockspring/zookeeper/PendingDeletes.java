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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Nodes to be deleted as soon as the connection is restored, or a moment later if the
 * deletion failed for another reason: nodes whose deletion was not answered, and nodes of
 * requests whose creation was not answered. They would exist as long as their session,
 * and end with it.
 */
final class PendingDeletes {

	/**
	 * Deletions by the path or the request of their nodes.
	 */
	private final Map<Object, Deletion> deletions = new ConcurrentHashMap<>();

	private final Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private final AtomicBoolean retrying = new AtomicBoolean();

	/**
	 * Add a node whose deletion has failed.
	 */
	void add(Session session, String path, Throwable failure) {
		if (!session.isOver()) {
			add(session, path, () -> session.delete(path));
			ended(path, failure);
		}
	}

	/**
	 * Add the nodes of a request.
	 * @param call finds and deletes them
	 */
	void add(Session session, Object nodes, Supplier<CompletableFuture<Boolean>> call) {
		if (!session.isOver()) {
			this.deletions.put(nodes, new Deletion(session, call));
		}
	}

	/**
	 * Delete the pending nodes of a session.
	 */
	void clear(Session session) {
		this.deletions.forEach((nodes, deletion) -> {
			if (deletion.session() == session) {
				deletion.call().get().whenComplete((done, failure) -> ended(nodes, failure));
			}
		});
	}

	private void ended(Object nodes, @Nullable Throwable failure) {
		if (failure == null) {
			this.deletions.remove(nodes);
		}
		else if (!Answers.isDisconnected(failure) && this.retrying.compareAndSet(false, true)) {
			this.later.execute(this::retry);
		}
	}

	private void retry() {
		this.retrying.set(false);
		this.deletions.values().stream().map(Deletion::session).distinct().forEach(this::clear);
	}

	/**
	 * Discard the nodes of a session that has ended.
	 */
	void forget(Session session) {
		this.deletions.values().removeIf((deletion) -> deletion.session() == session);
	}

	boolean isEmpty() {
		return this.deletions.isEmpty();
	}

	/**
	 * Deletion of nodes.
	 *
	 * @param session the session of the nodes
	 * @param call deletes them
	 */
	private record Deletion(Session session, Supplier<CompletableFuture<Boolean>> call) {
	}

}
