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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.KeyFormat;

/**
 * Thrown if a lock could not be acquired, or a value not be accessed, because the
 * application is shutting down, stopped or paused. The lock is not held. Methods with
 * {@link OnFailure#SKIP} are skipped instead.
 */
public final class LockShutdownException extends LockException {

	/**
	 * Create an exception.
	 * @param storeKey the key of the lock as used in the store
	 * @param cause the cause, or {@code null}
	 */
	public LockShutdownException(String storeKey, @Nullable Throwable cause) {
		this("acquire", "lock on ", storeKey, cause);
	}

	private LockShutdownException(String verb, String object, String key, @Nullable Throwable cause) {
		super("Could not " + verb + " the " + object + KeyFormat.quote(key)
				+ ": the application is shutting down; another instance can " + verb + " it", key, cause);
	}

	static LockShutdownException ofValue(String key, Throwable cause) {
		return new LockShutdownException("access", "value ", key, cause);
	}

}
