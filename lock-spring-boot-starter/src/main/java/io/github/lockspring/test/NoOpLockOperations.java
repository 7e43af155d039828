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

package io.github.lockspring.test;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;

/**
 * {@link LockOperations} for unit tests without an application context: each lock is
 * acquired immediately and excludes no other owner, so that actions run. In contrast to a
 * mock it needs no stubbing.
 *
 * <pre class="code">{@code
 * Shipping shipping = new Shipping(new NoOpLockOperations());
 * }</pre>
 * <p>
 * Keys must not be {@code null} or blank. Handles are held until they are closed, and
 * have increasing fencing tokens. To test mutual exclusion, use
 * {@link AutoConfigureTestLocks}, or a template
 * {@linkplain io.github.lockspring.LockTemplate#builder built} with a backend in memory.
 * <p>
 * Thread-safe.
 */
public class NoOpLockOperations implements LockOperations {

	private final String prefix;

	/**
	 * Create operations that lock nothing.
	 */
	public NoOpLockOperations() {
		this("lock:");
	}

	private NoOpLockOperations(String prefix) {
		this.prefix = prefix;
	}

	@Override
	public LockOptions defaultOptions() {
		return LockOptions.defaults();
	}

	@Override
	public LockOperations named(String name) {
		Assert.hasText(name, "'name' must not be empty");
		return new NoOpLockOperations(this.prefix + name + ':');
	}

	/**
	 * Return these operations, because every backend name is accepted.
	 */
	@Override
	public LockOperations on(String backend) {
		return this;
	}

	/**
	 * Return these operations, because locks exclude no other owner.
	 */
	@Override
	public LockOperations ownedBy(Object owner) {
		return this;
	}

	@Override
	public LockHandle acquire(String key, LockOptions options) {
		return acquireAll((key != null) ? List.of(key) : List.of(), options);
	}

	@Override
	public @Nullable LockHandle tryAcquire(String key, LockOptions options) {
		return acquire(key, options);
	}

	@Override
	public LockHandle acquireAll(Collection<String> keys, LockOptions options) {
		if (keys.isEmpty() || keys.stream().anyMatch((key) -> key == null || key.isBlank())) {
			throw new InvalidLockKeyException("The key of a lock must not be null or blank: " + keys);
		}
		return NoOpLockHandle.of(this.prefix, keys, options.leaseTime());
	}

	@Override
	public @Nullable LockHandle tryAcquireAll(Collection<String> keys, LockOptions options) {
		return acquireAll(keys, options);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String key, LockOptions options) {
		return CompletableFuture.completedFuture(acquire(key, options));
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key, LockOptions options) {
		return CompletableFuture.completedFuture(tryAcquire(key, options));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys, LockOptions options) {
		return CompletableFuture.completedFuture(acquireAll(keys, options));
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys, LockOptions options) {
		return CompletableFuture.completedFuture(tryAcquireAll(keys, options));
	}

}
