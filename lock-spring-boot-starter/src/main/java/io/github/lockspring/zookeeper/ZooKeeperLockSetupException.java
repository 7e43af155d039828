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

/**
 * The nodes of locks cannot be used as the ensemble is set up: something is missing,
 * belongs to others, or may not be changed. Asking again does not help.
 */
public final class ZooKeeperLockSetupException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message what is wrong, at which path, and what to do about it
	 * @param cause what ZooKeeper said, if it was asked
	 */
	public ZooKeeperLockSetupException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
