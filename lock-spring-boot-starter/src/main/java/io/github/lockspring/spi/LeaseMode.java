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
	static Permits permits(int permits, int limit) {
		return permits(permits, limit, 0);
	}

	/**
	 * Create a mode that takes permits out of a limited number that was changed. Of the
	 * leases of a key, held or waited for, that with the highest version determines the
	 * limit of all.
	 * @param permits the number of permits that the lease takes
	 * @param limit the total number of permits of the key
	 * @param version the number of times that the limit was changed
	 * @return the mode
	 */
	static Permits permits(int permits, int limit, long version) {
		if (permits > limit) {
			throw new IllegalArgumentException(
					"'permits' must be between 1 and the limit of " + limit + ", not " + permits);
		}
		return new Permits(permits, limit, version);
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
	 * Type of the modes created by {@link #permits(int, int)}. A lease that was granted
	 * before the limit was lowered may have more permits than the limit.
	 *
	 * @param permits the number of permits that the lease takes
	 * @param limit the total number of permits of the key
	 * @param version the number of times that the limit was changed, 0 if never
	 */
	record Permits(int permits, int limit, long version) implements LeaseMode {

		public Permits {
			if (permits < 1 || limit < 1 || version < 0) {
				throw new IllegalArgumentException("'permits' must be between 1 and the limit of " + limit + ", not "
						+ permits + ", and the version 0 or more, not " + version);
			}
		}

		/**
		 * Return whether the limit of another lease of the key takes precedence: it is
		 * newer, or a different one of the same version.
		 * @param other the mode of the other lease
		 * @return whether the limit of the other lease takes precedence
		 */
		public boolean isSupersededBy(Permits other) {
			return (this.version == other.version) ? this.limit != other.limit : this.version < other.version;
		}

		@Override
		public String toString() {
			return this.permits + " of " + this.limit + ((this.version > 0) ? " (version " + this.version + ')' : "");
		}

	}

}
