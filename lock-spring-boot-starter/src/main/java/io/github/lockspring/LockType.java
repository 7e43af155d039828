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

package io.github.lockspring;

/**
 * Types of locks. Lock types on the same key are mutually exclusive, except that any
 * number of {@link #READ} locks can be held together.
 */
public enum LockType {

	/**
	 * Reentrant lock with one holder at a time. Waiting threads are served in order
	 * within a process only.
	 */
	REENTRANT,

	/**
	 * Reentrant lock with one holder at a time. Waiting threads of all processes are
	 * served in the order in which their requests reached the store. Slower than
	 * {@link #REENTRANT}.
	 */
	FAIR,

	/**
	 * Read lock that can be held by any number of holders at once.
	 */
	READ,

	/**
	 * Reentrant write lock with one holder at a time. Its holder can also acquire the
	 * read lock and then downgrade: after the write lock has been released, others can
	 * acquire the read lock too, and no writer has held the lock in between.
	 */
	WRITE

}
