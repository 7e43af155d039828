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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Thrown if the servers answer, but locks cannot be used until their data or the
 * configuration is changed.
 */
public class ZooKeeperLockSetupException extends LockConfigurationException {

	/**
	 * Create an exception.
	 * @param message the problem, its path, and the remedy
	 * @param cause the client's exception
	 */
	public ZooKeeperLockSetupException(String message, @Nullable Throwable cause) {
		super(message, "Create the path or grant the permissions, or correct lock.zookeeper.connect-string, "
				+ "lock.zookeeper.namespace and lock.zookeeper.auth.", cause);
	}

}
