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

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

/**
 * Lease of a hold for the time in which the store replaces one lease by a weaker one. It
 * lasts for the shorter of both lease times, and is not renewed. If one of the two ends
 * in the meantime, the hold does not continue under that one.
 */
final class ReplacedLease extends Lease {

	private final Lease former;

	private final Lease weaker;

	/**
	 * Create a lease.
	 * @param request the request until the lease is replaced: that of the writer for a
	 * reader whose writer is downgraded, that of the weaker lease for permits
	 */
	ReplacedLease(LeaseRequest request, Lease former, Lease weaker, TimeSource time) {
		super(request);
		this.former = former;
		this.weaker = weaker;
		lastLike(former);
		endWithin(weaker.request().terms().leaseTime(), time.nanoTime(), time.currentTimeMillis());
	}

	@Override
	boolean endIfReplaced(LeaseRequest request) {
		if (this.former.request().equals(request)) {
			this.former.end();
			return true;
		}
		if (this.weaker.request().equals(request)) {
			this.weaker.end();
			return true;
		}
		return false;
	}

}
