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

package io.github.lockspring.concurrent;

import java.util.Set;
import java.util.concurrent.locks.Lock;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;

/**
 * Makes distributed counterparts of {@code java.util.concurrent}. What it makes is cheap
 * and has no state of its own: two objects for one key are one lock.
 * <p>
 * Safe for use by many threads.
 */
public final class LockClient {

	private final LockEngines engines;

	private final LockEngine engine;

	private final LockTemplate locks;

	/**
	 * Creates a client on the only backend that it knows.
	 * @param engine the engine that locks
	 * @param locks the template whose keys and default options are used
	 */
	public LockClient(LockEngine engine, LockTemplate locks) {
		this(LockEngines.of(engine), engine, locks);
	}

	/**
	 * Creates a client on the default backend, which leads to the others.
	 * @param engines the engines that lock
	 * @param locks the template whose keys and default options are used
	 * @see #on(String)
	 */
	public LockClient(LockEngines engines, LockTemplate locks) {
		this(engines, engines.defaultEngine(), locks);
	}

	private LockClient(LockEngines engines, LockEngine engine, LockTemplate locks) {
		this.engines = engines;
		this.engine = engine;
		this.locks = locks;
	}

	/**
	 * This client on another backend: the same keys and default options. A key that is
	 * held on one backend is free on the others. Opens no connection.
	 * @param backend the name of the backend, such as {@code jdbc}
	 * @return a client on that backend
	 * @throws IllegalArgumentException if there is no such backend; the message lists
	 * those that there are
	 */
	public LockClient on(String backend) {
		return new LockClient(this.engines, this.engines.require(backend), this.locks);
	}

	/**
	 * The names that {@link #on(String)} takes, the default backend first.
	 * @return the names, at least one
	 */
	public Set<String> backendNames() {
		return this.engines.names();
	}

	/**
	 * A lock with one holder at a time, reentrant.
	 * @param key the key to lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key cannot be locked
	 */
	public Lock lock(String key) {
		return lock(key, this.locks.getDefaultOptions());
	}

	/**
	 * A lock of any type.
	 * @param key the key to lock
	 * @param options the type, lease time and renewal of the lock; the wait time is that
	 * of the methods of {@link Lock}
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key cannot be locked
	 */
	public Lock lock(String key, LockOptions options) {
		return new LeaseLock(this.engine, this.locks.storeKey(key), options.acquireOptions());
	}

}
