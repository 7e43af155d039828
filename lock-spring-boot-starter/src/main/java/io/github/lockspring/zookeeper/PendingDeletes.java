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
import java.util.function.BiFunction;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Nodes to be deleted as soon as the connection is restored: nodes whose deletion was not
 * answered, and nodes of requests whose creation was not answered. They would exist as
 * long as their session, and end with it.
 */
final class PendingDeletes {

	private final Map<String, Session> paths = new ConcurrentHashMap<>();

	private final Map<LeaseRequest, Session> requests = new ConcurrentHashMap<>();

	private final BiFunction<Session, LeaseRequest, CompletableFuture<?>> search;

	/**
	 * Create an instance.
	 * @param search finds and deletes the nodes of a request in a session
	 */
	PendingDeletes(BiFunction<Session, LeaseRequest, CompletableFuture<?>> search) {
		this.search = search;
	}

	void add(Session session, String path) {
		if (!session.isOver()) {
			this.paths.put(path, session);
		}
	}

	void add(Session session, LeaseRequest request) {
		if (!session.isOver()) {
			this.requests.put(request, session);
		}
	}

	/**
	 * Delete the pending nodes of a session.
	 */
	void clear(Session session) {
		this.paths.forEach((path, owner) -> {
			if (owner == session) {
				session.delete(path).thenRun(() -> this.paths.remove(path));
			}
		});
		this.requests.forEach((request, owner) -> {
			if (owner == session) {
				this.search.apply(session, request).thenRun(() -> this.requests.remove(request));
			}
		});
	}

	/**
	 * Discard the nodes of a session that has ended.
	 */
	void forget(Session session) {
		this.paths.values().removeIf((owner) -> owner == session);
		this.requests.values().removeIf((owner) -> owner == session);
	}

	boolean isEmpty() {
		return this.paths.isEmpty() && this.requests.isEmpty();
	}

}
