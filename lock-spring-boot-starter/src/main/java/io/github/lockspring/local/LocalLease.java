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

package io.github.lockspring.local;

import java.time.Duration;
import java.time.Instant;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OwnerId;

/**
 * Lease in the {@link LocalStore}.
 *
 * @param notifier notified of the loss
 * @param request the request that was granted
 * @param token the first fencing token of its block
 * @param end the time at which it expires unless it is renewed
 */
record LocalLease(LocalNotifier notifier, LeaseRequest request, long token, Instant end) {

	LocalLease renewed(Instant end) {
		return new LocalLease(this.notifier, this.request, this.token, end);
	}

	/**
	 * Return this lease for a weaker request, from now on.
	 */
	LocalLease by(LeaseRequest weaker, Instant now) {
		return new LocalLease(this.notifier, weaker, this.token, now.plus(weaker.terms().leaseTime()));
	}

	/**
	 * Return this lease after its owner released it with a delay.
	 */
	LocalLease formerUntil(Instant end) {
		OwnerId owner = this.request.owner();
		LeaseRequest former = new LeaseRequest(this.request.keys(), this.request.terms(),
				new OwnerId(owner.instance() + "!", owner.sequence()));
		return new LocalLease(this.notifier, former, this.token, end);
	}

	/**
	 * Return the remaining lease after a part was released.
	 */
	LocalLease of(LeaseRequest part) {
		return new LocalLease(this.notifier, part, this.token, this.end);
	}

	boolean isOver(Instant now) {
		return !now.isBefore(this.end);
	}

	Duration remaining(Instant now) {
		return Duration.between(now, this.end);
	}

	long lastToken() {
		return this.token + this.request.terms().tokens() - 1;
	}

	Grant toGrant() {
		return new Grant(this.token, this.request.terms().leaseTime());
	}

	LeaseHolder toHolder(Instant now) {
		return new LeaseHolder(this.request.owner().toString(), this.notifier.process(), this.request.terms().mode(),
				lastToken(), remaining(now));
	}

}
