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

import org.springframework.util.Assert;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.internal.LockAccess;

/**
 * Factory for distributed counterparts of {@code java.util.concurrent} types. The
 * returned objects are lightweight and stateless: two objects for the same key are the
 * same lock.
 *
 * <pre class="code">{@code
 * Lock lock = client.lock("order:42");
 * lock.lock();
 * try {
 * 	ship(42);
 * }
 * finally {
 * 	lock.unlock();
 * }
 * }</pre>
 * <p>
 * Thread-safe.
 */
public final class LockClient {

	private final LockTemplate locks;

	/**
	 * Create a client.
	 * @param locks the template that provides the backend, the key prefix and the default
	 * options
	 */
	public LockClient(LockTemplate locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
	}

	/**
	 * Return a client that uses another backend, with the same keys and default options.
	 * A key that is held on one backend is not locked on the others. Does not open a
	 * connection.
	 * @param backend the name of the backend, such as {@code jdbc}
	 * @return a client for that backend
	 * @throws IllegalArgumentException if there is no such backend; the message lists the
	 * available ones
	 */
	public LockClient on(String backend) {
		return new LockClient(this.locks.on(backend));
	}

	/**
	 * Return the names accepted by {@link #on(String)}, the default backend first.
	 * @return the names, at least one
	 */
	public Set<String> backendNames() {
		return this.locks.backendNames();
	}

	/**
	 * Return a lock with the default options.
	 * @param key the key to lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public Lock lock(String key) {
		return lock(key, this.locks.defaultOptions());
	}

	/**
	 * Return a lock with the given options.
	 * @param key the key to lock
	 * @param options the type, lease time and renewal of the lock; the wait time is
	 * determined by the methods of {@link Lock}
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public Lock lock(String key, LockOptions options) {
		return new LeaseLock(LockAccess.get().engine(this.locks), this.locks.storeKey(key),
				LockAccess.get().acquireOptions(options));
	}

}
