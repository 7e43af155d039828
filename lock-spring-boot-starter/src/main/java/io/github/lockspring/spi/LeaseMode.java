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
 * How much of a key's capacity a lease takes.
 */
public sealed interface LeaseMode {

	/**
	 * All of it: nobody else holds the key in any mode.
	 */
	LeaseMode EXCLUSIVE = new Exclusive();

	/**
	 * Any number of shared leases stand side by side, but never beside an exclusive one.
	 */
	LeaseMode SHARED = new Shared();

	/**
	 * Some permits out of a number that all who use the key agree on.
	 * @param permits how many permits the lease takes
	 * @param limit how many there are
	 * @return the mode
	 */
	static LeaseMode permits(int permits, int limit) {
		return new Permits(permits, limit);
	}

	/**
	 * See {@link #EXCLUSIVE}.
	 */
	record Exclusive() implements LeaseMode {

		@Override
		public String toString() {
			return "exclusive";
		}

	}

	/**
	 * See {@link #SHARED}.
	 */
	record Shared() implements LeaseMode {

		@Override
		public String toString() {
			return "shared";
		}

	}

	/**
	 * See {@link #permits(int, int)}.
	 *
	 * @param permits how many permits the lease takes
	 * @param limit how many there are
	 */
	record Permits(int permits, int limit) implements LeaseMode {

		public Permits {
			if (permits < 1 || permits > limit) {
				throw new IllegalArgumentException(
						"'permits' must be between 1 and the limit of " + limit + ", not " + permits);
			}
		}

		@Override
		public String toString() {
			return this.permits + " of " + this.limit;
		}

	}

}
