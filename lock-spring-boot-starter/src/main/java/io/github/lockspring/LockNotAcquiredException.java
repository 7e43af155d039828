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

import java.time.Duration;
import java.util.List;

import io.github.lockspring.support.KeyFormat;

/**
 * Thrown if the lock could not be acquired within the wait time because another owner
 * held it.
 */
public final class LockNotAcquiredException extends LockException {

	private final Duration waitTime;

	/**
	 * Create an exception.
	 * @param storeKey the key of the lock as used in the store
	 * @param waitTime the maximum time that the caller was prepared to wait
	 */
	public LockNotAcquiredException(String storeKey, Duration waitTime) {
		super(message(storeKey, waitTime), storeKey, null);
		this.waitTime = waitTime;
	}

	/**
	 * Create an exception.
	 * @param keys the keys as used in the store, at least one
	 * @param waitTime the maximum time that the caller was prepared to wait
	 */
	public LockNotAcquiredException(List<String> keys, Duration waitTime) {
		super((keys.size() == 1) ? message(keys.get(0), waitTime)
				: "Could not acquire the lock on all " + keys.size() + " keys of "
						+ KeyFormat.quote(String.join(",", keys)) + " within " + waitTime
						+ ": one of them is held by another owner, or the time was too short for all of them; "
						+ "retry later, wait longer, or lock fewer keys",
				String.join(",", keys), null);
		this.waitTime = waitTime;
	}

	private static String message(String key, Duration waitTime) {
		return "Could not acquire the lock on " + KeyFormat.quote(key) + " within " + waitTime
				+ ": it is held by another owner; retry later, or wait longer";
	}

	/**
	 * Return the maximum time that the caller was prepared to wait.
	 * @return the wait time
	 */
	public Duration waitTime() {
		return this.waitTime;
	}

}
