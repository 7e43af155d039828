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

package io.github.lockspring.autoconfigure;

/**
 * Handling of entities that an {@code EntityManager} of the thread has loaded before a
 * lock is acquired and that are not read again under the lock.
 */
public enum JpaMode {

	/**
	 * Detach the entities when the lock is acquired, so that they are read again, unless
	 * the {@code EntityManager} has joined a transaction of the caller: then keep them,
	 * and log a warning once.
	 */
	CLEAR_OUTSIDE_TRANSACTION,

	/**
	 * Detach the entities when the lock is acquired, so that they are read again. In an
	 * existing transaction, changes are flushed first.
	 */
	CLEAR,

	/**
	 * Keep the entities, for applications that refresh what they change.
	 */
	IGNORE

}
