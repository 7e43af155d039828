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
package io.github.lockspring.jdbc;

import java.time.Duration;

/**
 * Limits of the number and lifetime of connections.
 *
 * @param ordinary the maximum number of connections for calls that are not urgent; there
 * is one more for urgent ones
 * @param maxIdle the maximum number of idle connections
 * @param reserved the number of connections that are opened at start and kept open
 * @param idleTime the time after which an idle connection is closed, unless it is
 * reserved
 * @param lifetime the time after which a connection is closed; a reserved one is replaced
 * @param own whether a connection is not used again after this backend has closed it
 */
record ConnectionLimits(int ordinary, int maxIdle, int reserved, Duration idleTime, Duration lifetime, boolean own) {

	private static final int MAX_SHARED = 8;

	private static final Duration SHARED_IDLE_TIME = Duration.ofSeconds(1);

	/**
	 * Lifetime of a pooled connection, shorter than the usual time after which a pool
	 * reports a leak.
	 */
	private static final Duration SHARED_LIFETIME = Duration.ofSeconds(20);

	private static final Duration OWN_IDLE_TIME = Duration.ofMinutes(1);

	private static final Duration OWN_LIFETIME = Duration.ofMinutes(30);

	/**
	 * Return the limits for connections of a pool that is shared with others.
	 */
	static ConnectionLimits ofPool(int maxIdle, int reserved) {
		return new ConnectionLimits(MAX_SHARED, maxIdle, reserved, SHARED_IDLE_TIME, SHARED_LIFETIME, false);
	}

	/**
	 * Return the limits for connections that only locks use.
	 */
	static ConnectionLimits ofOwn(int ordinary, int reserved) {
		return new ConnectionLimits(ordinary, ordinary + 1, reserved, OWN_IDLE_TIME, OWN_LIFETIME, true);
	}

	/**
	 * Return the maximum number of connections.
	 */
	int max() {
		return this.ordinary + 1;
	}

}
