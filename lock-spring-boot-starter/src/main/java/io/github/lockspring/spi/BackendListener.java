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

import java.time.Duration;

/**
 * Callbacks for notifications sent by the store. They may be called by any thread and
 * return immediately. Callbacks for single requests may be called in any order, more than
 * once or not at all. A callback that is not implemented ignores the notification.
 */
public interface BackendListener {

	/**
	 * Listener that ignores all notifications, and accepts no lease: that of a backend
	 * that is not started, or is closed.
	 */
	BackendListener NONE = new BackendListener() {
	};

	/**
	 * Called when a queued request may be granted if it is retried now.
	 * @param request the waiting request
	 */
	default void onRetryHint(LeaseRequest request) {
	}

	/**
	 * Called when the store granted a queued request after having denied it.
	 * Notifications may be late: a grant that does not follow the last denial of the
	 * request is treated as a hint.
	 * @param request the request that was waiting
	 * @param grant the grant; its validity may be much shorter than the lease time until
	 * the lease is renewed
	 * @param attemptId the {@linkplain Denial#attemptId() attempt id} of that denial
	 * @param waited the time from the denial to the grant, by the clock of the store
	 * @return {@code true} if the lease was accepted, by this call or an earlier one;
	 * {@code false} if the request is no longer waiting, in which case the caller
	 * releases the lease
	 */
	default boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		return false;
	}

	/**
	 * Called when another request was denied because of a
	 * {@linkplain LeaseTerms#recallable() recallable} lease, once or each time: the
	 * holder releases it as soon as it does not use it, and otherwise
	 * {@linkplain LockBackend#declineRecall declines}. May be called before the grant of
	 * the lease has arrived, or after its release.
	 * @param lease the request that was granted
	 */
	default void onRecall(LeaseRequest lease) {
	}

	/**
	 * Called when recalls may have been lost, because notifications were not received for
	 * some time: leases that are not in use are released.
	 */
	default void onRecallsMissed() {
	}

	/**
	 * Called when the store ended a lease that was held.
	 * @param lease the request that had been granted
	 */
	default void onLost(LeaseRequest lease) {
	}

	/**
	 * Called when the connection to the store is suspended, so that it is unknown whether
	 * leases are still held. Until {@link #onResumed()} is called no lease is reported as
	 * held, not even one that is granted in the meantime, but none is lost either. Leases
	 * that expire in the meantime are lost as usual. Has no effect if the connection is
	 * suspended already. Of this method and {@link #onResumed()} the last call is
	 * decisive; calls of the two do not overlap.
	 */
	default void onSuspended() {
	}

	/**
	 * Called when the connection to the store is restored, and the store still has all
	 * leases that were not reported as {@linkplain #onLost lost}. Called after these
	 * losses were reported, and before the store answers another request. Has no effect
	 * unless the connection was {@linkplain #onSuspended() suspended}.
	 */
	default void onResumed() {
	}

	/**
	 * Called when the store failed over to another server, which may not know all leases.
	 * A lease that was granted or renewed by a call sent before is not reported as held
	 * until the store has renewed it, which is attempted immediately. Leases that are not
	 * renewed remain held until they expire. Called after the last request was sent to
	 * the former server.
	 */
	default void onFailedOver() {
	}

	/**
	 * Called when a {@linkplain ValueBackend#read watched} value may have changed.
	 * @param key the key of the value
	 */
	default void onValueChanged(String key) {
	}

	/**
	 * Called when a {@linkplain ValueBackend#read watched} value has changed, with the
	 * value after one of its changes, which need not be the last one.
	 * @param key the key of the value
	 * @param value the value after the change, {@link Value#ABSENT} if it was deleted
	 * @param version the version of the change
	 */
	default void onValueChanged(String key, Value value, long version) {
		onValueChanged(key);
	}

}
