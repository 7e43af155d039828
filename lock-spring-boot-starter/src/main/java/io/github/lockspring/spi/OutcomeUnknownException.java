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

package io.github.lockspring.spi;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the store failed after the call may have reached it: the requested change may
 * have been made, may be made later, or never.
 */
public final class OutcomeUnknownException extends BackendException {

	/**
	 * Create a new exception.
	 * @param message what failed, including the message of the store
	 * @param cause the exception of the client library
	 */
	public OutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
