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

/**
 * Base class of the exceptions thrown when acquiring, holding or releasing a lock.
 */
public abstract class LockException extends RuntimeException {

	private final String storeKey;

	/**
	 * Create an exception.
	 * @param message the message
	 * @param storeKey the key of the lock as used in the store
	 * @param cause the cause, or {@code null}
	 */
	protected LockException(String message, String storeKey, @Nullable Throwable cause) {
		super(message, cause);
		this.storeKey = storeKey;
	}

	/**
	 * Return the key of the lock as the store knows it: with the prefix and the name.
	 * @return the key, or several separated by commas
	 * @see LockHandle#storeKey()
	 */
	public String storeKey() {
		return this.storeKey;
	}

}
