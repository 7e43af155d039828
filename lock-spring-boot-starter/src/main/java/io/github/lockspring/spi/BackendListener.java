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
 * Hears what the store has to say unasked. Calls may come from any thread, in any order,
 * twice or not at all; they return at once.
 */
public interface BackendListener {

	/**
	 * Hints that a request in the queue may be granted if it is tried now.
	 * @param request the request that waits
	 */
	void tryAgain(LeaseRequest request);

	/**
	 * Tells that the store made a request in the queue the holder. Its validity counts
	 * from the attempt that was denied, because the grant is not older than that. If
	 * several were denied, the news may be older than the last denial, and the request is
	 * tried once more to make sure.
	 * @param request the request that waited
	 * @param grant what the store granted
	 * @return {@code true} if the lease was taken over, now or before; {@code false} if
	 * nobody waits for it any more, in which case the caller releases it
	 */
	boolean granted(LeaseRequest request, Grant grant);

	/**
	 * Tells that the store gave up a lease that was held.
	 * @param lease the request that had been granted
	 */
	void lost(LeaseRequest lease);

}
