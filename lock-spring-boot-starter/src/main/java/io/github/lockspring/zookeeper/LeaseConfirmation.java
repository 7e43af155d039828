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
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Confirms leases: the session by a majority, and the nodes that are not watched by
 * checking whether they exist.
 */
final class LeaseConfirmation {

	/**
	 * Maximum number of nodes read in one request, since a server processes no other
	 * request of this client meanwhile.
	 */
	private static final int MAX_READS = 500;

	/**
	 * Maximum length of the paths in one request, far below a megabyte, above which a
	 * request ends the connection.
	 */
	private static final int MAX_LENGTH = 200_000;

	private final Map<LeaseRequest, QueueEntry> entries;

	private final QueueWatcher watcher;

	/**
	 * Whether the servers support reading many nodes in one request, as far as is known.
	 */
	private volatile boolean canReadMany = true;

	LeaseConfirmation(Map<LeaseRequest, QueueEntry> entries, QueueWatcher watcher) {
		this.entries = entries;
		this.watcher = watcher;
	}

	/**
	 * Confirm the session, and check whether nodes of the leases were deleted, except
	 * those that are watched. If the servers do not support reading many nodes in one
	 * request, which ends the connection once, all nodes are watched.
	 * @return the leases that are held
	 */
	CompletableFuture<Set<LeaseRequest>> confirm(Session session, Collection<LeaseRequest> leases) {
		Map<LeaseRequest, QueueEntry> held = new HashMap<>();
		for (LeaseRequest lease : leases) {
			QueueEntry queueEntry = this.entries.get(lease);
			if (queueEntry != null && queueEntry.isHeld() && queueEntry.session() == session) {
				held.put(lease, queueEntry);
			}
		}
		return check(session, held.values()).thenApply((checked) -> {
			held.values().removeIf((queueEntry) -> !queueEntry.isHeld());
			return held.keySet();
		});
	}

	private CompletableFuture<Void> check(Session session, Collection<QueueEntry> checked) {
		if (!this.canReadMany) {
			checked.forEach(this.watcher::watchOwnOnce);
			return session.confirm();
		}
		Map<String, QueueEntry> unguarded = new LinkedHashMap<>();
		for (QueueEntry queueEntry : checked) {
			if (!queueEntry.isGuarded()) {
				queueEntry.paths().forEach((path) -> unguarded.put(path, queueEntry));
			}
		}
		CompletableFuture<Void> confirmed = session.confirm();
		return missing(session, List.copyOf(unguarded.keySet())).handle((missing, failure) -> {
			if (failure != null) {
				boolean unknown = Answers.cause(failure) instanceof KeeperException.UnimplementedException;
				this.canReadMany &= !unknown;
				return unknown ? check(session, checked) : CompletableFuture.<Void>failedFuture(failure);
			}
			missing.forEach((path) -> {
				QueueEntry queueEntry = unguarded.get(path);
				if (queueEntry != null && queueEntry.paths().contains(path)) {
					this.watcher.vanished(queueEntry);
				}
			});
			return confirmed;
		}).thenCompose(Function.identity());
	}

	/**
	 * Return the nodes that do not exist, with one request for a few hundred of them. A
	 * node that the client is not permitted to read is assumed to exist. Fails with a
	 * {@link KeeperException.UnimplementedException}, and the connection ends, if the
	 * server is older than 3.6.
	 */
	private static CompletableFuture<Set<String>> missing(Session session, List<String> paths) {
		Set<String> missing = ConcurrentHashMap.newKeySet();
		List<CompletableFuture<?>> answers = new ArrayList<>();
		int start = 0;
		int length = 0;
		for (int i = 0; i < paths.size(); i++) {
			length += paths.get(i).length();
			if (i + 1 == paths.size() || i + 1 - start == MAX_READS || length > MAX_LENGTH) {
				answers.add(findMissing(session, paths.subList(start, i + 1), missing));
				start = i + 1;
				length = 0;
			}
		}
		return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).thenApply((nothing) -> missing);
	}

	/**
	 * Query the children, because the nodes have none, which is the shortest answer.
	 */
	private static CompletableFuture<Void> findMissing(Session session, List<String> paths, Set<String> missing) {
		CompletableFuture<Void> answer = new CompletableFuture<>();
		session.zooKeeper().multi(paths.stream().map(Op::getChildren).toList(), (code, path, context, results) -> {
			if (results == null || results.size() != paths.size()) {
				answer.completeExceptionally(KeeperException.create(Code.get(code)));
				return;
			}
			for (int i = 0; i < results.size(); i++) {
				if (results.get(i) instanceof OpResult.ErrorResult error && Session.isMissing(error.getErr())) {
					missing.add(paths.get(i));
				}
			}
			answer.complete(null);
		}, null);
		return answer;
	}

}
