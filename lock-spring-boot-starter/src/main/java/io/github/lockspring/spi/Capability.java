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
 * What a {@link LockBackend} may be able to do beside granting one exclusive, unordered
 * lease of one key.
 */
public enum Capability {

	/**
	 * Grants {@link LeaseMode#SHARED} leases.
	 */
	SHARED,

	/**
	 * Grants {@linkplain LeaseMode#permits(int, int) permits}.
	 */
	PERMITS,

	/**
	 * Grants several keys at once or none of them.
	 */
	MULTI_KEY,

	/**
	 * Keeps a queue of contenders in the store and tells the next one when its turn has
	 * come.
	 */
	QUEUE,

	/**
	 * Keeps a queue of contenders in the store, and the key for the next one for a moment
	 * when its turn has come, without telling so: each looks for itself.
	 */
	PLACES,

	/**
	 * Tells contenders when a key may be free, without a queue: all of them ask again.
	 * One for whom no news will come is denied with a short
	 * {@linkplain Denial#retryAfter() time to ask again}.
	 */
	NOTIFICATIONS,

	/**
	 * Grants {@linkplain LeaseTerms#fair() fair} requests in the order of their queueing.
	 */
	FAIR,

	/**
	 * Grants fencing tokens that grow.
	 */
	FENCING

}
