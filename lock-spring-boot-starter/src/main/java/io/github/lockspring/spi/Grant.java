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
 * Outcome of an attempt that was granted: the owner of the request now holds the lease.
 *
 * @param token the first fencing token of the block requested by the terms; every token
 * of the block is larger than every token granted before for any of the keys; 0 from a
 * backend without {@link Capability#FENCING}
 * @param validity the time for which the store keeps the lease from now on: the lease
 * time, or the remaining part of it if the request was granted before
 * @param recallable whether the lease is {@linkplain LeaseTerms#recallable() recallable}:
 * it was requested as such, no other request was known to wait when it was granted, and
 * no recall was declined since
 */
public record Grant(long token, Duration validity, boolean recallable) implements Attempt {

	/**
	 * Create a grant of a lease that is not recallable.
	 * @param token the first fencing token
	 * @param validity the time for which the store keeps the lease
	 */
	public Grant(long token, Duration validity) {
		this(token, validity, false);
	}

}
