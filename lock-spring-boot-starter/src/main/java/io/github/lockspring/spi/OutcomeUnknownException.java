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
 * The store failed after the call may have reached it: what was asked for may have been
 * done, may be done later, or never.
 */
public final class OutcomeUnknownException extends BackendException {

	/**
	 * Creates the exception.
	 * @param message what failed, with the store's own words
	 * @param cause the client's exception
	 */
	public OutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
