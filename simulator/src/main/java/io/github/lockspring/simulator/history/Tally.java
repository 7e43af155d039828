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

package io.github.lockspring.simulator.history;

import io.github.lockspring.simulator.history.LockFact.Mode;

/**
 * Number of claims on one key, or of requests for it, by mode.
 */
final class Tally {

	private int exclusive;

	private int readers;

	private int permitOwners;

	private long permits;

	void add(Mode mode, int permits, int sign) {
		if (mode.isExclusive()) {
			this.exclusive += sign;
		}
		else if (mode == Mode.READ) {
			this.readers += sign;
		}
		else {
			this.permitOwners += sign;
			this.permits += (long) sign * permits;
		}
	}

	boolean isEmpty() {
		return this.exclusive + this.readers + this.permitOwners == 0;
	}

	boolean isOnly(Mode mode) {
		return (mode == Mode.READ) ? this.exclusive + this.permitOwners == 0 : this.exclusive + this.readers == 0;
	}

	/**
	 * Return whether one more is compatible with these claims.
	 */
	boolean allows(Mode mode, int permits, int limit) {
		if (mode == Mode.READ) {
			return this.exclusive + this.permitOwners == 0;
		}
		if (mode == Mode.PERMITS) {
			return this.exclusive + this.readers == 0 && this.permits + permits <= limit;
		}
		return isEmpty();
	}

}
