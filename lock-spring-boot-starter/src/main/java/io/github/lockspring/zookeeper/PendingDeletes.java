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
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Nodes to be deleted as soon as the connection is restored, or a moment later if the
 * deletion failed for another reason: nodes whose deletion was not answered, and nodes of
 * requests whose creation was not answered. They would exist as long as their session,
 * and end with it.
 */
final class PendingDeletes {

	private final Map<String, Session> paths = new ConcurrentHashMap<>();

	private final Map<LeaseRequest, Session> requests = new ConcurrentHashMap<>();

	private final BiFunction<Session, LeaseRequest, CompletableFuture<?>> search;

	private final Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private final AtomicBoolean retrying = new AtomicBoolean();

	/**
	 * Create an instance.
	 * @param search finds and deletes the nodes of a request in a session
	 */
	PendingDeletes(BiFunction<Session, LeaseRequest, CompletableFuture<?>> search) {
		this.search = search;
	}

	/**
	 * Add a node whose deletion has failed.
	 */
	void add(Session session, String path, Throwable failure) {
		if (!session.isOver()) {
			this.paths.put(path, session);
			deleted(this.paths, path, failure);
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
				session.delete(path).whenComplete((done, failure) -> deleted(this.paths, path, failure));
			}
		});
		this.requests.forEach((request, owner) -> {
			if (owner == session) {
				this.search.apply(session, request)
					.whenComplete((done, failure) -> deleted(this.requests, request, failure));
			}
		});
	}

	private <T> void deleted(Map<T, Session> pending, T item, @Nullable Throwable failure) {
		if (failure == null) {
			pending.remove(item);
		}
		else if (!Answers.isDisconnected(failure) && this.retrying.compareAndSet(false, true)) {
			this.later.execute(this::retry);
		}
	}

	private void retry() {
		this.retrying.set(false);
		Stream.of(this.paths, this.requests)
			.flatMap((pending) -> pending.values().stream())
			.distinct()
			.forEach(this::clear);
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
