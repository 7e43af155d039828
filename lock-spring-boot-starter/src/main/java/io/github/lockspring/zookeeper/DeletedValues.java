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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/**
 * Nodes of deleted values. They are kept for a while, for two reasons:
 * <ol>
 * <li>Repetitions of updates that were applied before the deletion are recognized.</li>
 * <li>A node that is created again has the same versions as the former one. Before that,
 * it must be impossible for any process to change the new node based on the state of the
 * former one. A process uses a known state for a shorter time only, and a request that is
 * delayed longer, for example by a pause of the process, ends with its session.</li>
 * </ol>
 * The step that deletes a value also adds the path of its node to a list. When its time
 * is over, the node is deleted together with its list entry, so that only one process can
 * do so, and only once. That is the process that deleted the value, or any process that
 * begins a session.
 */
final class DeletedValues {

	private static final Log logger = LogFactory.getLog(DeletedValues.class);

	private final LockPaths paths;

	private final Connection connection;

	private final Duration keptTime;

	/**
	 * Whether the list exists, as far as is known. The server deletes it when it is empty
	 * for a while; the next deletion of a value then fails, and is repeated like one
	 * after a change of the value.
	 */
	private volatile boolean listExists;

	/**
	 * Create an instance.
	 * @param keptTime the time for which nodes are kept, to which the session timeout is
	 * added
	 */
	DeletedValues(LockPaths paths, Connection connection, Duration keptTime) {
		this.paths = paths;
		this.connection = connection;
		this.keptTime = keptTime;
	}

	/**
	 * Delete a value: change its node, and list it in the same step.
	 * @param changes the changes of the node
	 * @return the state of the node
	 */
	CompletableFuture<Stat> delete(Session session, String path, List<Op> changes) {
		String entry = LockPaths.randomIn(this.paths.deletedValues());
		List<Op> all = new ArrayList<>(changes);
		all.add(session.creation(entry, path.getBytes(StandardCharsets.UTF_8), CreateMode.PERSISTENT));
		if (!this.listExists) {
			session.create(this.paths.deletedValues(), CreateMode.CONTAINER);
		}
		CompletableFuture<List<OpResult>> changed = session.change(all);
		changed.whenComplete((results, failure) -> this.listExists = failure == null);
		return changed.thenApply((results) -> {
			this.connection.later(keptTime(session), (present) -> delete(present, entry, Long.MAX_VALUE));
			return ((OpResult.SetDataResult) results.get(changes.size() - 1)).getStat();
		});
	}

	private Duration keptTime(Session session) {
		return this.keptTime.plus(session.timeout());
	}

	/**
	 * Delete the nodes of values deleted by any process whose time is over.
	 */
	void sweep(Session session) {
		session.visitSome(this.paths.deletedValues(), (entry, now) -> delete(session, entry, now));
	}

	/**
	 * Delete the node of an entry if its time is over.
	 * @param now the time of the leader in milliseconds
	 */
	private void delete(Session session, String entry, long now) {
		session.read(entry)
			.thenCompose((content) -> isOver(session, content, now) ? delete(session, entry, content.orElseThrow())
					: CompletableFuture.completedFuture(null))
			.exceptionally((failure) -> {
				logger.debug("Could not delete the node of a deleted value: " + failure);
				return null;
			});
	}

	private boolean isOver(Session session, Optional<NodeContent> entry, long now) {
		return entry.isPresent() && now - entry.get().stat().getCtime() >= keptTime(session).toMillis();
	}

	private CompletableFuture<?> delete(Session session, String entry, NodeContent content) {
		String path = new String(content.data(), StandardCharsets.UTF_8);
		if (!path.startsWith(this.paths.values() + '/')) {
			throw new IllegalStateException("Not the path of a value");
		}
		return session.read(path).thenCompose((node) -> {
			List<Op> deletions = new ArrayList<>(List.of(Op.delete(entry, 0)));
			if (node.isPresent() && node.get().stat().getMzxid() == content.stat().getCzxid()) {
				deletions.add(Op.delete(path, node.get().stat().getVersion()));
			} // otherwise the value was set again
			return session.change(deletions);
		});
	}

}
