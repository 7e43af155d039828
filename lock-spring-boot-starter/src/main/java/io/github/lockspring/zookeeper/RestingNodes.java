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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Nodes that keep keys locked after they were released with a delay. They do not end with
 * a session, so they have to be deleted explicitly.
 * <ol>
 * <li>The node of the holder becomes the resting node in one step, which also enters its
 * path in the list of all resting nodes.</li>
 * <li>The releasing process deletes both when the delay is over, and a process that wants
 * the key earlier deletes the resting node after the delay.</li>
 * <li>Nodes left by processes that ended meanwhile are deleted by any process that begins
 * a session, or deletes its own and has not checked for a minute.</li>
 * </ol>
 * The delay is measured only by the clock of the leader.
 */
final class RestingNodes {

	private static final Log logger = LogFactory.getLog(RestingNodes.class);

	private static final int MAX_PER_SWEEP = 1_000;

	private static final long SWEEP_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	private final LockPaths tree;

	private final Connection connection;

	private final AtomicLong lastSweep = new AtomicLong(System.nanoTime());

	RestingNodes(LockPaths tree, Connection connection) {
		this.tree = tree;
		this.connection = connection;
	}

	/**
	 * Replace the nodes of a lease by resting nodes.
	 * @return completes when that is done; fails if one of the nodes was not there
	 */
	CompletableFuture<Void> replace(Session session, List<String> paths, Duration delay) {
		byte[] millis = NodeContent.dataOf(delay.plusNanos(999_999).toMillis(), this.connection.processName());
		List<Op> changes = new ArrayList<>();
		for (String path : paths) {
			String resting = replacementOf(path);
			changes.addAll(session.replacement(path, resting, millis, CreateMode.PERSISTENT));
			changes.add(session.creation(this.tree.restingNodes() + "/n", resting.getBytes(StandardCharsets.UTF_8),
					CreateMode.PERSISTENT_SEQUENTIAL));
		}
		session.create(this.tree.restingNodes(), CreateMode.CONTAINER); // unless it is
																		// there
		return session.change(changes).thenAccept((results) -> deleteAfter(delay, results));
	}

	private static String replacementOf(String path) {
		int parentEnd = path.lastIndexOf('/') + 1;
		return path.substring(0, parentEnd) + QueueNode.parse(path.substring(parentEnd)).resting();
	}

	/**
	 * Certainly not before the delay is over by the clock of the leader, which may run
	 * slower than the one here.
	 */
	private void deleteAfter(Duration delay, List<OpResult> results) {
		List<String> created = results.stream()
			.filter(OpResult.CreateResult.class::isInstance)
			.map((result) -> pathBelowRoot(((OpResult.CreateResult) result).getPath()))
			.toList();
		long millis = delay.toMillis() + delay.toMillis() / 50 + 500;
		CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(() -> {
			Session session = this.connection.sessionNow();
			if (session != null) {
				created.forEach(session::delete);
				sweepSometimes(session);
			}
		});
	}

	/**
	 * The client leaves the path that its connect string ends with in results of several
	 * changes. The created node is the child of a child of the root.
	 */
	private String pathBelowRoot(String created) {
		String parent = LockPaths.parentOf(created);
		return this.tree.root() + '/' + LockPaths.nameOf(parent) + '/' + LockPaths.nameOf(created);
	}

	private void sweepSometimes(Session session) {
		long last = this.lastSweep.get();
		long now = System.nanoTime();
		if (now - last > SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			sweep(session);
		}
	}

	/**
	 * Delete the resting nodes, of any process, whose delay is over.
	 */
	void sweep(Session session) {
		session.children(this.tree.restingNodes()).thenAccept((entries) -> {
			if (!entries.isEmpty()) {
				List<String> some = new ArrayList<>(entries);
				Collections.shuffle(some); // all of them get their turn
				session.touch(this.tree.restingNodes())
					.thenAccept((now) -> some.stream()
						.limit(MAX_PER_SWEEP)
						.forEach((entry) -> sweep(session, this.tree.restingNodes() + '/' + entry, now)));
			}
		});
	}

	private void sweep(Session session, String entry, long now) {
		session.read(entry)
			.thenCompose((content) -> content.isPresent() ? isOver(session, pathIn(content.get()), now)
					: CompletableFuture.completedFuture(false))
			.thenAccept((over) -> {
				if (over) {
					session.delete(entry);
				}
			})
			.exceptionally((failure) -> {
				logger.debug("Could not delete the node of a lock released with a delay: " + failure);
				return null;
			});
	}

	private String pathIn(NodeContent entry) {
		String path = new String(entry.data(), StandardCharsets.UTF_8);
		boolean known = path.startsWith(this.tree.root() + '/')
				&& QueueNode.parse(path.substring(path.lastIndexOf('/') + 1)).rest();
		if (!known) {
			throw new IllegalStateException("Not the path of a node released with a delay");
		}
		return path;
	}

	/**
	 * Delete a resting node if its delay is over.
	 * @return whether it is not there any more
	 */
	private static CompletableFuture<Boolean> isOver(Session session, String path, long now) {
		return session.read(path).thenCompose((content) -> {
			if (remaining(content, now) > 0) {
				return CompletableFuture.completedFuture(false);
			}
			return session.delete(path).thenApply((deleted) -> true);
		});
	}

	/**
	 * Return how long a key is still kept, by the leader's clock.
	 * @param path the resting node
	 * @param clock a node that may be changed to learn what time it is
	 * @return the time in milliseconds, not positive if the delay is over
	 */
	static CompletableFuture<Long> remaining(Session session, String path, String clock) {
		CompletableFuture<Optional<NodeContent>> content = session.read(path);
		return session.touch(clock).thenCombine(content, (now, found) -> remaining(found, now));
	}

	private static long remaining(Optional<NodeContent> content, long now) {
		return content.map((node) -> node.stat().getCtime() + node.number() - now).orElse(0L);
	}

}
