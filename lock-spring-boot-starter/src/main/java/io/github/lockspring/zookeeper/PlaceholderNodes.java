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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Placeholder nodes, which keep keys locked after they were released with a delay. They
 * do not end with a session, so they have to be deleted explicitly.
 * <ol>
 * <li>The node of the holder is replaced by a placeholder node in one step, which also
 * adds its path to the list of all placeholder nodes.</li>
 * <li>The releasing process deletes both when the delay is over, and a process that
 * requests the key earlier deletes the placeholder node after the delay.</li>
 * <li>Nodes left by processes that ended meanwhile are deleted by any process that begins
 * a session, or deletes its own and has not checked for a minute.</li>
 * </ol>
 * The delay is measured only by the clock of the leader.
 */
final class PlaceholderNodes {

	private static final Log logger = LogFactory.getLog(PlaceholderNodes.class);

	private static final long SWEEP_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	private final LockPaths paths;

	private final Connection connection;

	private final AtomicLong lastSweep = new AtomicLong(System.nanoTime());

	PlaceholderNodes(LockPaths paths, Connection connection) {
		this.paths = paths;
		this.connection = connection;
	}

	/**
	 * Replace the node of a lease by a placeholder node.
	 * @param handling defines how the answer is handled, which is a failure if the node
	 * did not exist
	 * @return the outcome of the handling
	 */
	<T> CompletableFuture<T> replace(Session session, String path, Duration delay,
			Function<CompletableFuture<Void>, CompletableFuture<T>> handling) {
		byte[] millis = NodeContent.dataOf(delay.plusNanos(999_999).toMillis(), this.connection.processName());
		String placeholder = replacementOf(path);
		String entry = LockPaths.randomIn(this.paths.placeholderNodes());
		List<Op> changes = new ArrayList<>(session.replacement(path, placeholder, millis, CreateMode.PERSISTENT));
		changes.add(session.creation(entry, placeholder.getBytes(StandardCharsets.UTF_8), CreateMode.PERSISTENT));
		session.create(this.paths.placeholderNodes(), CreateMode.CONTAINER); // if absent
		return session.change(changes, (answer) -> handling
			.apply(answer.thenAccept((results) -> deleteAfter(delay, List.of(placeholder, entry)))));
	}

	private static String replacementOf(String path) {
		return LockPaths.parentOf(path) + '/' + QueueNode.parse(LockPaths.nameOf(path)).placeholder();
	}

	/**
	 * Delete the placeholder nodes after the delay, with a margin because the clock of
	 * the leader may be slower.
	 */
	private void deleteAfter(Duration delay, List<String> nodes) {
		this.connection.later(delay.plus(delay.dividedBy(50)).plusMillis(500), (session) -> {
			nodes.forEach(session::delete);
			sweepSometimes(session);
		});
	}

	private void sweepSometimes(Session session) {
		long last = this.lastSweep.get();
		long now = System.nanoTime();
		if (now - last > SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			sweep(session);
		}
	}

	/**
	 * Delete the placeholder nodes of all processes whose delay is over.
	 */
	void sweep(Session session) {
		session.visitSome(this.paths.placeholderNodes(), (entry, now) -> sweep(session, entry, now));
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
		boolean known = path.startsWith(this.paths.root() + '/') && QueueNode.parse(LockPaths.nameOf(path)).released();
		if (!known) {
			throw new IllegalStateException("Not the path of a node released with a delay");
		}
		return path;
	}

	/**
	 * Delete a placeholder node if its delay is over.
	 * @param now the time of the leader in milliseconds
	 * @return whether it no longer exists
	 */
	static CompletableFuture<Boolean> isOver(Session session, String path, long now) {
		return session.read(path).thenCompose((content) -> {
			if (remaining(content, now) > 0) {
				return CompletableFuture.completedFuture(false);
			}
			return session.delete(path).thenApply((deleted) -> true);
		});
	}

	/**
	 * Return the remaining delay of a key, by the clock of the leader.
	 * @param path the path of the placeholder node
	 * @param clock a node that is changed to get the current time
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
