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

package io.github.lockspring.engine;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the engine could not acquire a lock for a reason other than contention.
 * Translated to an exception of the public API by {@code LockTemplate}.
 */
public final class EngineException extends RuntimeException {

	private final Reason reason;

	private final String message;

	EngineException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
		this.message = message;
	}

	@Override
	public String getMessage() {
		return this.message;
	}

	public Reason getReason() {
		return this.reason;
	}

	/**
	 * The reasons.
	 */
	public enum Reason {

		/**
		 * The store failed; the cause is its exception.
		 */
		UNAVAILABLE,

		/**
		 * The owner holds the key already, but has lost its lease.
		 */
		LOST,

		/**
		 * The owner holds the key already, but the connection to the store is suspended,
		 * so that it is unknown whether the lease still exists.
		 */
		SUSPENDED,

		/**
		 * The owner holds the key in a weaker mode.
		 */
		UPGRADE,

		/**
		 * Too many keys are held or waited for.
		 */
		LIMIT,

		/**
		 * The backend does not support the requested lease.
		 */
		UNSUPPORTED,

		/**
		 * The request conflicts with those of other owners; the cause is the exception of
		 * the backend, which contains the details.
		 */
		REJECTED,

		/**
		 * The engine is shut down.
		 */
		CLOSED

	}

}
