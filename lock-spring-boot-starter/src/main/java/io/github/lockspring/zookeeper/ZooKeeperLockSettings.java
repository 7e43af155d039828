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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Durations;

/**
 * The settings of a {@link ZooKeeperLockBackend}.
 *
 * @param namespace the path of the node below which all nodes of locks are, without a
 * slash at its ends, below the namespace that the client may have
 * @param operationTimeout how long the start waits for the first connection, and what
 * runs in the background for an answer
 * @param sessionTimeout the session time-out that the client asks for, so that a warning
 * can be given if the servers grant another; {@code null} if unknown
 * @param exclusive whether the nodes of locks are meant for clients of the same identity
 * only, so that a warning can be given if they are open to others
 */
public record ZooKeeperLockSettings(String namespace, Duration operationTimeout, @Nullable Duration sessionTimeout,
		boolean exclusive) {

	/**
	 * The namespace if none is chosen.
	 */
	public static final String DEFAULT_NAMESPACE = "lock";

	/**
	 * Check the times.
	 */
	public ZooKeeperLockSettings {
		Durations.requirePositive(operationTimeout, "operationTimeout");
		operationTimeout = Durations.cap(operationTimeout);
	}

	/**
	 * Create settings for a client whose session time-out is not known.
	 * @param namespace the path of the node of all locks
	 * @param operationTimeout how long to wait for an answer
	 */
	public ZooKeeperLockSettings(String namespace, Duration operationTimeout) {
		this(namespace, operationTimeout, null, false);
	}

}
