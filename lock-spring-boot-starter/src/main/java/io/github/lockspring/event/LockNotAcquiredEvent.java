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

package io.github.lockspring.event;

import java.time.Duration;

/**
 * Application event published when a lock could not be acquired. Published in the thread
 * that tried to acquire it, before the acquisition returns; for an asynchronous
 * acquisition, in the thread that completes it, which may be one of this library. For
 * several keys, it is published for the key that could not be acquired.
 * <p>
 * Listeners delay the caller, and an exception that one of them throws is logged.
 * <p>
 * Whether there are listeners is determined when the application context is started:
 * without any at that time, the event is not published.
 *
 * @param storeKey the key of the lock as used in the store
 * @param backend the name of the backend that stores its lease
 * @param reason the reason
 * @param waited the time after which the acquisition ended
 */
public record LockNotAcquiredEvent(String storeKey, String backend, Reason reason, Duration waited) {

	/**
	 * Reason for which a lock was not acquired.
	 */
	public enum Reason {

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
		ERROR

	}

}
