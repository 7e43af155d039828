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

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.KeyFormat;

/**
 * Thrown if the store failed, or did not respond in time. The lock is not held. If a
 * change of a value may have been made, the cause is an
 * {@link io.github.lockspring.spi.OutcomeUnknownException}.
 */
public final class LockUnavailableException extends LockException {

	LockUnavailableException(EngineException failure, String key) {
		this("Could not acquire the lock on ", failure, key);
	}

	LockUnavailableException(String problem, EngineException failure, String key) {
		super(problem + KeyFormat.quote(key) + ": " + messageOf(failure) + " (retry when the store is available)", key,
				(failure.getCause() != null) ? failure.getCause() : failure);
	}

	private static String messageOf(EngineException failure) {
		Throwable cause = failure.getCause();
		return (cause != null) ? failure.getMessage() + ": " + cause.getMessage()
				: String.valueOf(failure.getMessage());
	}

}
