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

package io.github.lockspring.bridge;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;

/**
 * Access to the locks of a template, for implementations of foreign interfaces.
 */
final class BridgedLocks {

	/**
	 * Shorter leases would be over before their grants arrive.
	 */
	private static final Duration MIN_LEASE_TIME = Duration.ofMillis(50);

	private final LockTemplate locks;

	private final LockEngine engine;

	BridgedLocks(LockTemplate locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
		this.engine = LockUtils.engine(locks);
	}

	String storeKey(String key) {
		return this.locks.storeKey(key);
	}

	/**
	 * Return options for a lease of any lease time, also one that means <em>for
	 * ever</em>.
	 */
	static AcquireOptions options(Duration leaseTime, boolean autoRenew) {
		return AcquireOptions.exclusive(Durations.cap(Durations.max(leaseTime, MIN_LEASE_TIME)), autoRenew);
	}

	@Nullable Hold acquire(String storeKey, AcquireOptions options, Object owner, long waitNanos) throws InterruptedException {
		return this.engine.acquire(storeKey, options, owner, waitNanos);
	}

	@Nullable Hold acquireUninterruptibly(String storeKey, AcquireOptions options, Object owner, long waitNanos) {
		return this.engine.acquireUninterruptibly(storeKey, options, owner, waitNanos);
	}

	/**
	 * Translate an exception of the engine.
	 */
	static RuntimeException translate(EngineException failure, String storeKey) {
		return LockUtils.translate(failure, storeKey);
	}

}
