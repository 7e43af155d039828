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

package io.github.lockspring.internal;

import io.github.lockspring.LockContext;

/**
 * Part of asynchronous work that a thread runs without interruption. It owns the locks
 * that the thread acquires with blocking methods, so that they are not reentered by other
 * work that the thread runs later, nor by another part of the same work that runs
 * concurrently.
 *
 * @see LockAccess#begin(LockContext)
 */
public interface WorkPart extends AutoCloseable {

	/**
	 * End this part, and everything that was begun inside it, if it is run by the current
	 * thread.
	 */
	@Override
	void close();

}
