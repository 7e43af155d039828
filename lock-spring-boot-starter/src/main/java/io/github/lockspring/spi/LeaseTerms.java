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
 * Terms of a requested lease.
 *
 * @param mode the mode of the lease
 * @param fair whether the request must wait behind requests that reached the store before
 * it
 * @param leaseTime the time after which the lease expires unless it is renewed
 * @param tokens the number of consecutive fencing tokens that the grant covers, at least
 * 1: the lease can be handed off inside the process one time less than that
 * @param recallable whether the holder is {@linkplain BackendListener#onRecall asked to
 * release} the lease when another request is denied because of it; only with
 * {@link Capability#RECALL}, and only for an exclusive lease of a single key that is not
 * fair
 */
public record LeaseTerms(LeaseMode mode, boolean fair, Duration leaseTime, int tokens, boolean recallable) {

	/**
	 * Create the terms of a lease that is not recallable.
	 * @param mode the mode of the lease
	 * @param fair whether the request must wait behind earlier requests
	 * @param leaseTime the lease time
	 * @param tokens the number of fencing tokens
	 */
	public LeaseTerms(LeaseMode mode, boolean fair, Duration leaseTime, int tokens) {
		this(mode, fair, leaseTime, tokens, false);
	}

}
