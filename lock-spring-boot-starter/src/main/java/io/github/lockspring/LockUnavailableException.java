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

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.support.KeyFormat;

/**
 * Thrown if the store failed, or did not respond in time. The lock is not held. If a
 * change of a value may have been made, the cause is an
 * {@link io.github.lockspring.spi.OutcomeUnknownException}.
 */
public final class LockUnavailableException extends LockException {

	/**
	 * Create an exception.
	 * @param message the message
	 * @param storeKey the key of the lock as used in the store
	 * @param cause the failure of the store, or {@code null}
	 */
	public LockUnavailableException(String message, String storeKey, @Nullable Throwable cause) {
		super(message, storeKey, cause);
	}

	static LockUnavailableException of(String problem, EngineException failure, String key) {
		Throwable cause = failure.getCause();
		String message = failure.getMessage() + ((cause != null) ? ": " + cause.getMessage() : "");
		return new LockUnavailableException(
				problem + KeyFormat.quote(key) + ": " + message + " (retry when the store is available)", key,
				(cause != null) ? cause : failure);
	}

}
