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

package io.github.lockspring.aop;

/**
 * What becomes of the entities that an {@code EntityManager} of the thread has loaded
 * before a lock is acquired, and which are not read again under it.
 */
public enum JpaMode {

	/**
	 * They stay as they are, which a warning says once.
	 */
	WARN,

	/**
	 * They are detached when the lock is acquired, so that they are read again. In an
	 * open transaction, changes are flushed before.
	 */
	CLEAR,

	/**
	 * They stay as they are.
	 */
	IGNORE

}
