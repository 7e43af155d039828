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

/**
 * Optional features of a {@link LockBackend}, beyond granting an exclusive, unordered
 * lease of one key.
 */
public enum Capability {

	/**
	 * Support for {@link LeaseMode#SHARED} leases.
	 */
	SHARED,

	/**
	 * Support for {@linkplain LeaseMode#permits(int, int) permits}.
	 */
	PERMITS,

	/**
	 * Support for exclusive leases of several keys, all of which are granted or none.
	 * Their requests are neither fair nor recallable.
	 */
	MULTI_KEY,

	/**
	 * A queue of waiting requests in the store, with notifications for the next request
	 * when it may be granted.
	 */
	QUEUE,

	/**
	 * Queue of waiting requests in the store without notifications: the key is reserved
	 * for the next request for a short time, and requests are retried periodically.
	 */
	POLLED_QUEUE,

	/**
	 * Notifications for waiting requests when a key may be free, without a queue: all of
	 * them are retried. A request that will not be notified is denied with a short
	 * {@linkplain Denial#retryAfter() retry time}.
	 */
	NOTIFICATIONS,

	/**
	 * Support for {@linkplain LeaseTerms#fair() fair} requests, which are granted in the
	 * order in which they were queued.
	 */
	FAIR,

	/**
	 * Support for fencing tokens, which increase with every grant.
	 */
	FENCING,

	/**
	 * Support for {@linkplain LeaseTerms#recallable() recallable} leases, whose holders
	 * are asked to release them.
	 */
	RECALL

}
