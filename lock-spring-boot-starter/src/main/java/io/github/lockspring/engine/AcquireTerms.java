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

/**
 * How to acquire: what the store is asked for, and what the engine does beside.
 *
 * @param mode the share of the key's capacity
 * @param fair whether to queue in the store, behind all who came before
 * @param leaseTime how long the lease lasts unless it is renewed
 * @param autoRenew whether the lease is renewed as long as it is held
 */
public record AcquireTerms(LeaseMode mode, boolean fair, Duration leaseTime, boolean autoRenew) {

	public static AcquireTerms exclusive(Duration leaseTime, boolean autoRenew) {
		return new AcquireTerms(LeaseMode.EXCLUSIVE, false, leaseTime, autoRenew);
	}

	public static AcquireTerms fair(Duration leaseTime, boolean autoRenew) {
		return new AcquireTerms(LeaseMode.EXCLUSIVE, true, leaseTime, autoRenew);
	}

	public static AcquireTerms shared(Duration leaseTime, boolean autoRenew) {
		return new AcquireTerms(LeaseMode.SHARED, false, leaseTime, autoRenew);
	}

	boolean isExclusive() {
		return this.mode == LeaseMode.EXCLUSIVE;
	}

	/**
	 * Whether an owner that holds may acquire again at once.
	 */
	boolean isReentrant() {
		return !(this.mode instanceof LeaseMode.Permits);
	}

}
