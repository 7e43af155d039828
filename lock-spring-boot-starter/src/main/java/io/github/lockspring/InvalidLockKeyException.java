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
 * A key cannot be locked: it is {@code null}, blank, too long, malformed, or of a type
 * that has no obvious text. Nothing was locked and nothing was sent to the store.
 */
public class InvalidLockKeyException extends IllegalArgumentException {

	/**
	 * Creates the exception.
	 * @param message what is wrong, where, and what to do
	 */
	public InvalidLockKeyException(String message) {
		super(message);
	}

	/**
	 * Creates the exception.
	 * @param message what is wrong, where, and what to do
	 * @param cause why the key could not be found out
	 */
	public InvalidLockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
