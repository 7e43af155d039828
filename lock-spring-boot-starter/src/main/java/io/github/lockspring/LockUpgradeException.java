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
 * Thrown if the holder of a read lock requests the write lock of the same key. Upgrading
 * is not supported, because two readers that both wait for the write lock would deadlock.
 */
public final class LockUpgradeException extends LockException {

	/**
	 * Create an exception.
	 * @param storeKey the key of the lock as used in the store
	 */
	public LockUpgradeException(String storeKey) {
		super("Upgrade not supported: the read lock on " + KeyFormat.quote(storeKey)
				+ " is held by the same owner and must be released before the write lock is acquired", storeKey, null);
	}

}
