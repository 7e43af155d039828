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

import java.time.Duration;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.Value;

/**
 * Terms of an acquisition of permits.
 *
 * @param permits the number of permits
 * @param limit the total number of permits of the key, as long as it is not changed
 * @param fair whether the permits are granted in the order of the requests
 * @param leaseTime the lease time
 * @param autoRenew whether the lease is renewed
 */
public record PermitTerms(int permits, int limit, boolean fair, Duration leaseTime, boolean autoRenew) {

	/**
	 * Return the same for another number of permits.
	 * @param permits the number of permits
	 * @return the terms
	 */
	public PermitTerms withPermits(int permits) {
		return new PermitTerms(permits, this.limit, this.fair, this.leaseTime, this.autoRenew);
	}

	/**
	 * Return the limit that applies.
	 * @param changed the limit to which it was changed, if it was
	 */
	int limit(Value changed) {
		return changed.exists() ? (int) changed.number() : this.limit;
	}

	/**
	 * Return the mode of the lease.
	 * @throws IllegalArgumentException if there are fewer permits than wanted
	 */
	Permits mode(Value changed) {
		return LeaseMode.permits(this.permits, limit(changed), changed.version());
	}

	AcquireOptions options(Permits mode) {
		return AcquireOptions.permits(mode, this.fair, this.leaseTime, this.autoRenew);
	}

}
