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
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Durations;

/**
 * Settings of a {@link ZooKeeperLockBackend}.
 *
 * @param namespace the path of the root of all lock nodes, without slashes at its ends,
 * relative to the namespace of the client, if any
 * @param operationTimeout the maximum time to wait for the first connection at start, and
 * for answers in the background
 * @param sessionTimeout the session timeout that the client requests, so that a warning
 * is given if the servers negotiate another one; {@code null} if unknown
 * @param exclusive whether the lock nodes are restricted to clients of the same identity,
 * so that a warning is given if they are open to others
 * @param startsClient whether a client that is not started yet is started by the backend,
 * rather than by the application at any later time
 */
public record ZooKeeperLockSettings(String namespace, Duration operationTimeout, @Nullable Duration sessionTimeout,
		boolean exclusive, boolean startsClient) {

	/**
	 * Default namespace.
	 */
	public static final String DEFAULT_NAMESPACE = "lock";

	/**
	 * Validate the times.
	 */
	public ZooKeeperLockSettings {
		Durations.requirePositive(operationTimeout, "operationTimeout");
		operationTimeout = Durations.cap(operationTimeout);
	}

	/**
	 * Create settings for a client whose session timeout is not known.
	 * @param namespace the path of the node of all locks
	 * @param operationTimeout how long to wait for an answer
	 */
	public ZooKeeperLockSettings(String namespace, Duration operationTimeout) {
		this(namespace, operationTimeout, null, false, true);
	}

	/**
	 * Return warnings about a session that weakens the locks.
	 */
	List<String> warnings(Session session) {
		List<String> warnings = new ArrayList<>();
		Duration wanted = this.sessionTimeout;
		if (wanted != null && !session.timeout().equals(wanted)) {
			warnings.add("ZooKeeper negotiated a session timeout of " + session.timeout().toMillis() + " ms instead of "
					+ wanted.toMillis() + " ms: a lease expires after at most that time without renewal");
		}
		if (this.exclusive && session.isOpenToAll()) {
			warnings.add("Any client with access to ZooKeeper can delete locks: '" + session.root()
					+ "' was created by a client without authorization. Restrict its ACL and that of the nodes below, "
					+ "or choose another lock.zookeeper.namespace");
		}
		return warnings;
	}

}
