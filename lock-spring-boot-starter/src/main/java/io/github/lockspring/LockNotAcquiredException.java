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

import io.github.lockspring.engine.KeyFormat;

/**
 * Another held the lock for the whole wait time.
 */
public final class LockNotAcquiredException extends LockException {

	private final Duration waitTime;

	LockNotAcquiredException(String key, Duration waitTime) {
		super("Could not acquire the lock on " + KeyFormat.quote(key) + " within " + waitTime
				+ ": it is held by another", key, null);
		this.waitTime = waitTime;
	}

	/**
	 * How long the caller was ready to wait.
	 * @return the wait time
	 */
	public Duration getWaitTime() {
		return this.waitTime;
	}

}
