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

import java.util.concurrent.CancellationException;

/**
 * Outcome of an acquisition.
 */
public enum AcquireOutcome {

	/**
	 * The lock is held.
	 */
	ACQUIRED,

	/**
	 * Another owner held the lock for the whole wait time.
	 */
	TIMEOUT,

	/**
	 * Another owner held the lock, and the wait time was zero.
	 */
	DENIED,

	/**
	 * The waiting thread was interrupted.
	 */
	INTERRUPTED,

	/**
	 * The asynchronous acquisition was cancelled.
	 */
	CANCELLED,

	/**
	 * The store failed.
	 */
	UNAVAILABLE,

	/**
	 * The acquisition was rejected, as after a shutdown or beyond a limit.
	 */
	REJECTED,

	/**
	 * An unexpected exception was thrown.
	 */
	ERROR;

	static AcquireOutcome notAcquiredWithin(long waitNanos) {
		return (waitNanos > 0) ? TIMEOUT : DENIED;
	}

	static AcquireOutcome of(Throwable failure) {
		if (failure instanceof EngineException rejection) {
			return (rejection.getReason() == EngineException.Reason.UNAVAILABLE) ? UNAVAILABLE : REJECTED;
		}
		if (failure instanceof InterruptedException) {
			return INTERRUPTED;
		}
		return (failure instanceof CancellationException) ? CANCELLED : ERROR;
	}

}
