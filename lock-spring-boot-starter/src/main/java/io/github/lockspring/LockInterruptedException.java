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

import io.github.lockspring.support.KeyFormat;

/**
 * Thrown if the thread was interrupted while waiting for a lock. Its interrupt status is
 * set, and the lock is not held.
 */
public final class LockInterruptedException extends LockException {

	/**
	 * Create an exception.
	 * @param storeKey the key of the lock as used in the store
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String storeKey, InterruptedException cause) {
		super("Interrupted while waiting for the lock on " + KeyFormat.quote(storeKey)
				+ ": it is not held; end the task", storeKey, cause);
	}

}
