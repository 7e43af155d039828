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
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Recalls of leases. The holder watches its node, and the version of the node's data is
 * the state of the recall: 0 until the first denied request changes the data to recall
 * the lease, 1 until the holder declines, and more after that.
 */
final class LeaseRecall {

	private LeaseRecall() {
	}

	/**
	 * Recall the lease of the only node before a denied request, if it is recallable.
	 * Behind other nodes, the first of their requests has recalled it.
	 * @param before the nodes before that of the request
	 * @return whether the lease is recalled, and its holder has not declined, or has
	 * released it; {@code false} if that is unknown
	 */
	static CompletableFuture<Boolean> recall(Session session, String parent, List<QueueNode> before) {
		if (before.size() != 1 || !before.get(0).recallable()) {
			return CompletableFuture.completedFuture(false);
		}
		String path = parent + '/' + before.get(0).name();
		return session.read(path).thenCompose((node) -> {
			if (node.isEmpty() || node.get().stat().getVersion() > 0) {
				return CompletableFuture.completedFuture(node.isEmpty() || isRecalled(node.get()));
			}
			return session.setData(path, node.get().data(), 0).handle((stat, failure) -> isRecalledBy(failure));
		}).exceptionally((failure) -> false);
	}

	/**
	 * Return whether a lease is recalled after an attempt to recall it: another request
	 * may have done so before, or it may be released by now.
	 */
	private static boolean isRecalledBy(@Nullable Throwable failure) {
		return failure == null || Answers.isGone(failure)
				|| Answers.cause(failure) instanceof KeeperException.BadVersionException;
	}

	/**
	 * Return whether a lease is recalled, and its holder has not declined.
	 */
	static boolean isRecalled(NodeContent node) {
		return node.stat().getVersion() == 1;
	}

	/**
	 * Decline the recall of a lease.
	 */
	static CompletableFuture<?> decline(QueueEntry queueEntry, String processName) {
		queueEntry.setRecallable(false);
		CompletableFuture<Stat> declined = queueEntry.session()
			.setData(queueEntry.path(), NodeContent.dataOf(processName), Session.ANY_VERSION);
		return Answers.recover(declined, Answers::isGone, () -> CompletableFuture.completedFuture(null));
	}

}
