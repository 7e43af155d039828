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
 * Mode of a lease: which other leases of the same key may be held at the same time.
 */
public sealed interface LeaseMode {

	/**
	 * Exclusive lease: no other owner holds the key in any mode.
	 */
	LeaseMode EXCLUSIVE = new Exclusive();

	/**
	 * Shared lease: any number of shared leases can be held together, but never together
	 * with an exclusive one.
	 */
	LeaseMode SHARED = new Shared();

	/**
	 * Create a mode that takes permits out of a limited number, on which all users of the
	 * key agree.
	 * @param permits the number of permits that the lease takes
	 * @param limit the total number of permits of the key
	 * @return the mode
	 */
	static LeaseMode permits(int permits, int limit) {
		return new Permits(permits, limit);
	}

	/**
	 * Type of {@link #EXCLUSIVE}.
	 */
	record Exclusive() implements LeaseMode {

		@Override
		public String toString() {
			return "exclusive";
		}

	}

	/**
	 * Type of {@link #SHARED}.
	 */
	record Shared() implements LeaseMode {

		@Override
		public String toString() {
			return "shared";
		}

	}

	/**
	 * Type of the modes created by {@link #permits(int, int)}.
	 *
	 * @param permits the number of permits that the lease takes
	 * @param limit the total number of permits of the key
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
