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

package io.github.lockspring.fencing;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.support.KeyFormat;

/**
 * Thrown if a write under a lock updated no row because the fencing token of the lock is
 * stale: the row has been written under a later acquisition of the lock. The lease has
 * ended, even if {@link LockHandle#isHeld()} does not reflect that yet, and data read
 * under the lock may have changed. Neither the write nor any further writes should be
 * attempted under the same lock.
 * <p>
 * The database only reports the number of updated rows, so this exception is also thrown
 * if there is no such row, or if it does not match another condition of the {@code WHERE}
 * clause. An application that must distinguish these cases inserts the row beforehand or
 * queries it under the same lock.
 */
public final class StaleLockException extends LockException {

	private final long fencingToken;

	StaleLockException(String key, long fencingToken) {
		super("No row was updated under the lock on " + KeyFormat.quote(key) + " with the fencing token " + fencingToken
				+ ": the row was updated under a later acquisition of the lock, or does not exist; acquire the lock and"
				+ " read the row again", key, null);
		this.fencingToken = fencingToken;
	}

	/**
	 * Return the stale fencing token.
	 * @return the token
	 */
	public long fencingToken() {
		return this.fencingToken;
	}

}
