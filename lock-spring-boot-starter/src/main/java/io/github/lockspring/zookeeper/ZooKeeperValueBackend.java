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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.zookeeper.RecentValueNodes.RecentNode;

/**
 * {@link ValueBackend} of a {@link ZooKeeperLockBackend}: persistent nodes, which do not
 * depend on a session.
 * <ol>
 * <li>An update writes the node with the state that is known of it, on the condition that
 * the node was not changed since. That is one request. If the node was changed, it is
 * read, and written again.</li>
 * <li>If that happened recently, the node is read in the same round trip as it is
 * written, so that the next attempt follows immediately.</li>
 * <li>A result without a change is determined by the current state of the leader.</li>
 * <li>The node contains the last update of each process. An update whose answer was lost
 * is therefore recognized, whether it arrived before or arrives later: then the condition
 * is no longer met.</li>
 * </ol>
 * Thread-safe.
 */
final class ZooKeeperValueBackend implements ValueBackend {

	/**
	 * Time for which deleted nodes are kept, longer than the minute for which their
	 * updates must be recognized.
	 */
	static final Duration KEPT_TIME = Duration.ofMinutes(2);

	private final LockPaths paths;

	private final Calls calls;

	private final DeletedValues deletedValues;

	private final ValueNodes nodes;

	private final RecentValueNodes recentNodes;

	private final ValueWatches watches = new ValueWatches();

	ZooKeeperValueBackend(LockPaths paths, Connection connection, Calls calls, Duration keptTime) {
		this.paths = paths;
		this.calls = calls;
		this.deletedValues = new DeletedValues(paths, connection, keptTime);
		this.nodes = new ValueNodes(paths, connection, this.deletedValues);
		this.recentNodes = new RecentValueNodes(keptTime.dividedBy(2));
	}

	void setListener(BackendListener listener) {
		this.watches.setListener(listener);
	}

	/**
	 * Handle the restoration of the connection, or a new session.
	 */
	void resumed(Session session) {
		this.recentNodes.discard();
		this.watches.resumed();
		this.deletedValues.sweep(session);
	}

	@Override
	public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		return keys.isEmpty() ? Map.of() : this.calls.call(timeout, (session) -> read(session, keys, watch));
	}

	/**
	 * All requests are sent before the first answer arrives. The watches are sent first,
	 * so that they notify of every change that is not read.
	 */
	private CompletableFuture<Map<String, Value>> read(Session session, Collection<String> keys, boolean watch) {
		long asked = System.nanoTime();
		List<CompletableFuture<?>> answers = new ArrayList<>();
		Map<String, Value> values = new HashMap<>();
		answers.add(session.sync());
		for (String key : keys) {
			String path = this.paths.valueOf(key);
			if (watch) {
				answers.add(this.watches.add(session, key, path));
			}
			answers.add(this.nodes.read(session, path).thenAccept((node) -> {
				this.recentNodes.refresh(path, node, asked);
				if (node.state().exists()) {
					// answers arrive one after the other
					values.put(key, node.state().value());
				}
			}));
		}
		return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).thenApply((nothing) -> values);
	}

	@Override
	public void unwatch(String key) {
		this.watches.remove(this.paths.valueOf(key));
	}

	@Override
	public boolean notifiesOfChanges() {
		return true;
	}

	@Override
	public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		long deadline = Deadline.after(timeout);
		String path = this.paths.valueOf(update.key());
		RecentNode recent = this.recentNodes.remove(path);
		if (recent == null || update.repeated() || recent.node().state().answer(update) != null) {
			recent = readLatest(path, deadline);
		}
		boolean changed = false;
		while (true) {
			ValueNode node = recent.node();
			ValueUpdateResult unchanged = node.state().answer(update);
			if (unchanged != null) {
				this.recentNodes.add(path, recent);
				return unchanged;
			}
			if (changed && Deadline.isOver(deadline)) {
				throw new BackendUnavailableException(
						"Other processes changed the value of '" + update.key() + "' during each attempt", null);
			}
			Session session = this.calls.session(Deadline.remainingNanos(deadline));
			if (!this.recentNodes.isRecent(recent)) {
				recent = readLatest(path, deadline); // this process was paused
				continue;
			}
			long asked = System.nanoTime();
			CompletableFuture<Optional<ValueNode>> written = this.nodes.write(session, path, node,
					node.state().next(update, 0, 0));
			CompletableFuture<ValueNode> next = recent.contended() ? this.nodes.read(session, path) : null;
			Optional<ValueNode> stored = Calls.await(written, deadline);
			if (stored.isPresent()) {
				this.recentNodes.add(path, new RecentNode(stored.get(), asked, changed));
				return stored.get().state().resultOf(update);
			}
			changed = true;
			recent = new RecentNode((next != null) ? awaitRead(next, deadline) : readLatest(path, deadline).node(),
					asked, true);
		}
	}

	private RecentNode readLatest(String path, long deadline) {
		Session session = this.calls.session(Deadline.remainingNanos(deadline));
		long asked = System.nanoTime();
		return new RecentNode(awaitRead(this.nodes.readLatest(session, path), deadline), asked, false);
	}

	/**
	 * Wait for a node that is read before it is written: if that fails, nothing is
	 * written.
	 */
	private static ValueNode awaitRead(CompletableFuture<ValueNode> node, long deadline) {
		try {
			return Calls.await(node, deadline);
		}
		catch (OutcomeUnknownException ex) {
			throw new BackendUnavailableException(String.valueOf(ex.getMessage()), ex.getCause());
		}
	}

}
