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
 * Thrown if a key cannot be locked because it is {@code null}, blank, too long,
 * malformed, or of a type without a string representation. Nothing was locked and nothing
 * was sent to the store.
 */
public class InvalidLockKeyException extends IllegalArgumentException {

	/**
	 * Create an exception.
	 * @param message the problem, its location and its remedy
	 */
	public InvalidLockKeyException(String message) {
		super(message);
	}

	/**
	 * Create an exception.
	 * @param message the problem, its location and its remedy
	 * @param cause the reason why the key could not be determined
	 */
	public InvalidLockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
