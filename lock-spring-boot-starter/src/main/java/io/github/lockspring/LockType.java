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
 * The kinds of lock that a key can be locked with. All kinds of one key exclude each
 * other, but for readers, which exclude only the rest.
 */
public enum LockType {

	/**
	 * One holder, reentrant. Among those that wait, order is kept inside a process only.
	 */
	REENTRANT,

	/**
	 * One holder, reentrant. Those that wait are served in the order in which they came
	 * to the store. Slower than {@link #REENTRANT}.
	 */
	FAIR,

	/**
	 * Many holders at once.
	 */
	READ,

	/**
	 * One holder, reentrant. It may take the read lock as well, and step down: once the
	 * write lock is given back, others may read too, and no writer came between.
	 */
	WRITE

}
