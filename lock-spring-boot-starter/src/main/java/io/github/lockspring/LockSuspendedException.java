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
 * Thrown while it is unknown whether a lock is still held: while the connection to a
 * store whose leases last as long as a session, such as ZooKeeper, is suspended, or,
 * after a failover of Redis, until the lease is renewed. Nothing is lost yet: once the
 * connection is restored or the lease is renewed, the lock is either held again or lost.
 *
 * @see LockHandle#isLost()
 * @see LockLostException
 */
public final class LockSuspendedException extends LockException {

	/**
	 * Create an exception.
	 * @param storeKey the key of the lock as used in the store
	 */
	public LockSuspendedException(String storeKey) {
		super("The connection to the store is suspended: it is unknown whether the lock on " + KeyFormat.quote(storeKey)
				+ " is still held; retry when the connection is restored", storeKey, null);
	}

}
