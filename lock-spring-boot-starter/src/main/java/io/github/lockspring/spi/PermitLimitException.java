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

import io.github.lockspring.spi.LeaseMode.Permits;

/**
 * Thrown if permits of a key were requested with a limit that does not apply, because
 * another lease of the key, held or waited for, has a newer limit, or a different one of
 * the same version. The request leaves nothing in the store unless it was queued before,
 * and must then be {@linkplain LockBackend#release released}.
 */
public final class PermitLimitException extends IllegalArgumentException {

	private final int limit;

	private final long version;

	/**
	 * Create an exception.
	 * @param wanted the rejected mode
	 * @param limit the limit that applies
	 * @param version the version of that limit
	 */
	public PermitLimitException(Permits wanted, int limit, long version) {
		super("The key is in use with a limit of " + describe(limit, version) + " permits, not "
				+ describe(wanted.limit(), wanted.version()) + "; request the same limit everywhere, or resize it");
		this.limit = limit;
		this.version = version;
	}

	private static String describe(int limit, long version) {
		return (version > 0) ? limit + " (version " + version + ')' : Integer.toString(limit);
	}

	/**
	 * Return the limit that applies.
	 * @return the total number of permits of the key
	 */
	public int limit() {
		return this.limit;
	}

	/**
	 * Return the version of the limit that applies.
	 * @return the number of times that the limit was changed
	 */
	public long version() {
		return this.version;
	}

}
