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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.util.Assert;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * {@link org.springframework.integration.support.locks.LockRegistry LockRegistry} of
 * Spring Integration over the locks of this library, on any of its backends.
 *
 * <pre class="code">{@code
 * &#64;Bean
 * LockRegistry<?> lockRegistry(LockTemplate locks) {
 * 	return new LeaseLockRegistry(locks, "orders");
 * }
 * }</pre>
 * <p>
 * Lock keys are strings. Locks are reentrant, and scoped by the registry: a thread that
 * holds a lock of one registry cannot acquire that of the same key from another registry.
 * {@code lock()} waits indefinitely, regardless of interrupts and while the store is
 * unavailable; all forms of {@code tryLock} throw
 * {@link io.github.lockspring.LockUnavailableException} if the store failed.
 * {@code unlock()} throws {@link IllegalMonitorStateException} if the thread does not own
 * the lock, and {@link java.util.ConcurrentModificationException} if the lease was lost
 * in the meantime. After a loss, the thread can acquire the lock again; each acquisition
 * is still to be unlocked, those that are lost first. An attempt that fails ends them.
 * Conditions are not supported.
 * <p>
 * Leases are renewed automatically, unless the options say otherwise. A lock that is
 * acquired with a time to live of its own is not renewed, but expires after that time,
 * unless {@linkplain #setRenewalTaskScheduler(TaskScheduler) renewal} is requested.
 * <p>
 * Thread-safe.
 */
public final class LeaseLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private static final int DEFAULT_CAPACITY = 100_000;

	/**
	 * Shorter leases would be over before their grants arrive.
	 */
	private static final Duration MIN_LEASE_TIME = Duration.ofMillis(50);

	private static final int MIN_SIZE_TO_CLEAN = 100;

	/**
	 * Locks that were obtained, the least recently obtained first. They have no state:
	 * one that is evicted only loses its identity. Guarded by its monitor.
	 */
	private final Map<String, RegistryLock> locks = new LinkedHashMap<>(16, 0.75F, true) {

		@Override
		protected boolean removeEldestEntry(Entry<String, RegistryLock> eldest) {
			return size() > LeaseLockRegistry.this.cacheCapacity;
		}

	};

	/**
	 * What each thread holds, innermost first.
	 */
	private final Map<Claim, Deque<Hold>> holds = new ConcurrentHashMap<>();

	private final LockTemplate template;

	private final String registryKey;

	private final LockOptions options;

	private volatile int sizeToClean = MIN_SIZE_TO_CLEAN;

	private volatile int cacheCapacity = DEFAULT_CAPACITY;

	private volatile boolean renewing;

	/**
	 * Create a registry with the default options of the template.
	 * @param locks the template that provides the backend and the key prefix
	 * @param registryKey the first part of all keys, followed by a colon
	 */
	public LeaseLockRegistry(LockTemplate locks, String registryKey) {
		this(locks, registryKey, locks.defaultOptions());
	}

	/**
	 * Create a registry.
	 * @param locks the template that provides the backend and the key prefix
	 * @param registryKey the first part of all keys, followed by a colon
	 * @param options the lease time, whether leases are renewed, and the type, which must
	 * be exclusive; the wait time is ignored
	 */
	public LeaseLockRegistry(LockTemplate locks, String registryKey, LockOptions options) {
		Assert.notNull(locks, "'locks' must not be null");
		Assert.hasText(registryKey, "'registryKey' must not be blank");
		Assert.isTrue(LockUtils.acquireOptions(options).isExclusive(), "'options' must be exclusive");
		this.template = locks;
		this.registryKey = registryKey;
		this.options = options;
	}

	/**
	 * Set how many locks are remembered, so that {@link #obtain(Object)} returns the same
	 * object for the same key. Two objects for the same key are the same lock.
	 * @param cacheCapacity the maximum number; 100,000 by default
	 */
	public void setCacheCapacity(int cacheCapacity) {
		Assert.isTrue(cacheCapacity > 0, "'cacheCapacity' must be positive");
		this.cacheCapacity = cacheCapacity;
	}

	/**
	 * Request that locks with a time to live of their own are renewed automatically while
	 * they are held, like all others. The scheduler is not used, since leases are renewed
	 * by this library.
	 * @param renewalTaskScheduler the scheduler
	 */
	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
		Assert.notNull(renewalTaskScheduler, "'renewalTaskScheduler' must not be null");
		this.renewing = true;
	}

	/**
	 * Return the lock for a key.
	 * @param lockKey the key, a string
	 * @return the lock
	 * @throws IllegalArgumentException if the key is no string, or invalid
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		synchronized (this.locks) {
			return this.locks.computeIfAbsent(key(lockKey), this::lock);
		}
	}

	private RegistryLock lock(String key) {
		return new RegistryLock(this, this.template.storeKey(this.registryKey + ':' + key));
	}

	private static String key(Object lockKey) {
		Assert.isInstanceOf(String.class, lockKey, "'lockKey' must be a string: ");
		return (String) lockKey;
	}

	/**
	 * Forget the locks that were last acquired longer ago, and are not held. If the lease
	 * of one has ended without an {@code unlock()}, a later {@code unlock()} throws
	 * {@link IllegalMonitorStateException}.
	 * @param age the time in milliseconds
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
		Set<String> held = ConcurrentHashMap.newKeySet();
		this.holds.forEach((claim, ofThread) -> {
			if (hasLease(ofThread.peek())) {
				held.add(claim.storeKey());
			}
		});
		long now = System.currentTimeMillis();
		Set<String> forgotten = new HashSet<>();
		synchronized (this.locks) {
			this.locks.values()
				.removeIf((lock) -> now - lock.lastUsed() > age && !held.contains(lock.storeKey())
						&& forgotten.add(lock.storeKey()));
		}
		forget((claim, hold) -> forgotten.contains(claim.storeKey()) && !hasLease(hold));
	}

	private static boolean hasLease(@Nullable Hold hold) {
		return hold != null && hold.hasLease();
	}

	/**
	 * Add what the current thread holds. What the engine has discarded, because it was
	 * never unlocked, is removed whenever the number of entries has doubled.
	 */
	void add(Claim claim, Hold hold) {
		this.holds.compute(claim, (key, others) -> {
			Deque<Hold> ofThread = (others != null) ? others : new ArrayDeque<>(1);
			ofThread.push(hold);
			return ofThread;
		});
		if (this.holds.size() > this.sizeToClean) {
			forget((key, last) -> last != null && last.isDiscarded());
			this.sizeToClean = Math.max(MIN_SIZE_TO_CLEAN, 2 * this.holds.size());
		}
	}

	private void forget(BiPredicate<Claim, @Nullable Hold> condition) {
		for (Claim each : this.holds.keySet()) {
			this.holds.computeIfPresent(each,
					(claim, ofThread) -> condition.test(claim, ofThread.peek()) ? null : ofThread);
		}
	}

	/**
	 * Renew the lease of a lock that the current thread holds, for the lease time of this
	 * registry. If the lease is renewed automatically, only checks that it is held.
	 * @param lockKey the key
	 * @throws IllegalMonitorStateException if the current thread does not own the lock
	 * @throws IllegalStateException if the lease was lost, or may have been
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.options.leaseTime());
	}

	/**
	 * Renew the lease of a lock that the current thread holds, for the given time. If the
	 * lease is renewed automatically, only checks that it is held.
	 * @param lockKey the key
	 * @param ttl the lease time
	 * @throws IllegalMonitorStateException if the current thread does not own the lock
	 * @throws IllegalStateException if the lease was lost, or may have been
	 * @throws io.github.lockspring.LockUnavailableException if the store failed
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		lock(key(lockKey)).renew(ttl); // a held lock may have been removed from the cache
	}

	LockEngine engine() {
		return LockUtils.engine(this.template);
	}

	Map<Claim, Deque<Hold>> holds() {
		return this.holds;
	}

	AcquireOptions options() {
		return LockUtils.acquireOptions(this.options);
	}

	/**
	 * Return the options of a lock with a time to live of its own.
	 */
	AcquireOptions optionsFor(Duration ttl) {
		Assert.isTrue(!ttl.isNegative() && !ttl.isZero(), () -> "The time to live must be positive, not " + ttl);
		return AcquireOptions.exclusive(Durations.cap(Durations.max(ttl, MIN_LEASE_TIME)), this.renewing);
	}

	/**
	 * Thread that holds a key.
	 *
	 * @param thread the thread
	 * @param storeKey the key
	 */
	record Claim(Thread thread, String storeKey) {

		@Override
		public String toString() {
			return "thread '" + this.thread.getName() + "' of a lock registry, key " + KeyFormat.quote(this.storeKey);
		}

	}

}
