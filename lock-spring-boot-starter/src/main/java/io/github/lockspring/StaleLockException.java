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

import io.github.lockspring.engine.KeyFormat;

/**
 * A write under a lock changed nothing, because the fencing token of the lock is too
 * small: one that acquired the lock later has written to the row. The lease is over, even
 * if {@link LockHandle#isHeld()} has yet to notice, and what was read under it may have
 * changed. Not to be tried again under the same lock, nor followed by other writes.
 * <p>
 * The database answers with the number of rows only, so that the same happens if there is
 * no such row, or the rest of the {@code WHERE} clause is not true of it. An application
 * in which this can be, and which must know, inserts the row beforehand or looks for it
 * under the same lock.
 */
public final class StaleLockException extends LockException {

	private final long fencingToken;

	StaleLockException(String key, long fencingToken) {
		super("Nothing was written under the lock on " + KeyFormat.quote(key) + " with the fencing token "
				+ fencingToken + ": one that acquired the lock later has written to the row, or there is no such row",
				key, null);
		this.fencingToken = fencingToken;
	}

	/**
	 * The fencing token that is too small.
	 * @return the token
	 */
	public long getFencingToken() {
		return this.fencingToken;
	}

}
