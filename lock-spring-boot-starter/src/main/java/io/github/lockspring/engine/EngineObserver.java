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
 * Observes the acquisitions of an engine, for meters and events. Acquisitions of a lock
 * that its owner holds already are not observed.
 * <p>
 * Called by the threads that acquire, release and renew, never while the engine holds a
 * monitor. What a method throws is logged and has no effect on the lock. Must be
 * thread-safe.
 */
public interface EngineObserver {

	/**
	 * Called when an acquisition begins.
	 * @param key the key, as used in the store
	 * @param kind the kind of the lock
	 * @return the observation of this acquisition, or {@code null} to ignore it
	 */
	@Nullable LockObservation onAcquire(String key, LockKind kind);

	/**
	 * Called when the lease of a hold was lost, once per hold, by a separate thread.
	 * @param key the key, as used in the store
	 * @param kind the kind of the lock
	 */
	default void onLost(String key, LockKind kind) {
	}

	/**
	 * Called when a lease was handed off inside this process.
	 * @param key the key, as used in the store
	 * @param kind the kind of the lock
	 */
	default void onHandOff(String key, LockKind kind) {
	}

	/**
	 * Called when a lease was renewed.
	 * @param key the key, as used in the store; one of them, if it has several
	 * @param kind the kind of the lock
	 * @param marginNanos the time that was left of the lease
	 */
	default void onRenewed(String key, LockKind kind, long marginNanos) {
	}

	/**
	 * Called when a lease was not renewed, which will be retried.
	 * @param key the key, as used in the store; one of them, if it has several
	 * @param kind the kind of the lock
	 */
	default void onRenewalFailed(String key, LockKind kind) {
	}

	/**
	 * Observes one acquisition and its hold. The methods are called in the order in which
	 * they are declared: after {@link #onAcquired} either {@link #onReleased} or
	 * {@link #onLost}, and each at most once.
	 */
	interface LockObservation {

		/**
		 * Called when the lock could not be acquired immediately, because another owner
		 * holds it.
		 */
		default void onContended() {
		}

		/**
		 * Called after {@link #onContended} when the acquisition has ended, with or
		 * without the lock.
		 */
		default void onWaited() {
		}

		/**
		 * Called when the acquisition ended without the lock.
		 * @param outcome the outcome
		 * @param failure the exception, if any
		 * @param waitedNanos the time since the acquisition began
		 */
		void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos);

		/**
		 * Called when the lock is held, before the acquisition returns.
		 * @param token the fencing token, or 0 if the backend has none
		 * @param waitedNanos the time since the acquisition began
		 */
		void onAcquired(long token, long waitedNanos);

		/**
		 * Called after the lock was released.
		 * @param heldNanos the time for which it was held
		 * @param releaseNanos the time that the release took
		 */
		void onReleased(long heldNanos, long releaseNanos);

		/**
		 * Called after the lease was lost, by a separate thread.
		 * @param heldNanos the time for which the lock was held
		 */
		void onLost(long heldNanos);

	}

}
