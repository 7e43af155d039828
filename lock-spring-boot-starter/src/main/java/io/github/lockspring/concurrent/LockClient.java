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

import java.util.Arrays;
import java.util.Collection;
import java.util.Set;

import org.springframework.util.Assert;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.LockEngine;

/**
 * Factory for distributed counterparts of {@code java.util.concurrent} types. The
 * returned objects are lightweight and stateless: two objects for the same key are the
 * same lock.
 *
 * <pre class="code">{@code
 * LeaseLock lock = client.lock("order:42");
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
	 * Return a client for the keys of a lock name: the key {@code 42} of the name
	 * {@code order} is the key {@code order:42} of this client.
	 * @param name the name, without colons
	 * @return a client with a longer prefix
	 */
	public LockClient named(String name) {
		return new LockClient(this.locks.named(name));
	}

	/**
	 * Return a client whose locks are owned by an object instead of the calling thread or
	 * the handle: a lock held by the owner is reentrant from any thread and for
	 * asynchronous acquisitions, and any thread can unlock it. Does not apply to locks
	 * that are not reentrant when they are acquired asynchronously, nor to semaphores,
	 * barriers and elections.
	 * @param owner the owner, compared by identity and not by {@code equals}
	 * @return a client for the same keys
	 */
	public LockClient ownedBy(Object owner) {
		return new LockClient(this.locks.ownedBy(owner));
	}

	/**
	 * Return the options used by the methods without a {@link LockOptions} parameter.
	 * @return the default options
	 */
	public LockOptions defaultOptions() {
		return this.locks.defaultOptions();
	}

	/**
	 * Return a reentrant lock with the default options.
	 * @param key the key to lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public LeaseLock lock(String key) {
		return lock(key, defaultOptions());
	}

	/**
	 * Return a reentrant lock with the given options.
	 * @param key the key to lock
	 * @param options the type, lease time and renewal of the lock; the wait time is
	 * determined by the methods of {@link LeaseLock}
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public LeaseLock lock(String key, LockOptions options) {
		return lock(key, options, LockUtils.acquireOptions(options));
	}

	private DefaultLeaseLock lock(String key, LockOptions options, AcquireOptions acquireOptions) {
		return new DefaultLeaseLock(this.locks, key, options, acquireOptions);
	}

	/**
	 * Return a lock with the default options that is not reentrant.
	 * @param key the key to lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @see #nonReentrantLock(String, LockOptions)
	 */
	public LeaseLock nonReentrantLock(String key) {
		return nonReentrantLock(key, defaultOptions());
	}

	/**
	 * Return a lock that is not reentrant: a thread that holds the lock and acquires it
	 * again waits as any other thread would, {@link LeaseLock#lock()} forever and
	 * {@code tryLock} until its time is over. The lock excludes the reentrant lock of the
	 * same key, also in the same thread. It is unlocked by the thread that acquired it.
	 * @param key the key to lock
	 * @param options the type, lease time and renewal of the lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public LeaseLock nonReentrantLock(String key, LockOptions options) {
		return lock(key, options, LockUtils.acquireOptions(options).nonReentrant());
	}

	/**
	 * Return a fair lock with the default options.
	 * @param key the key to lock
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @see #fairLock(String, LockOptions)
	 */
	public LeaseLock fairLock(String key) {
		return fairLock(key, defaultOptions());
	}

	/**
	 * Return a reentrant lock that is granted in the order in which the requests of all
	 * processes reached the store. Slower than {@link #lock(String, LockOptions)},
	 * because every acquisition calls the store. The methods of the lock throw
	 * {@link UnsupportedOperationException} on a backend without fair locks.
	 * @param key the key to lock
	 * @param options the lease time and renewal of the lock; its type is ignored
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @see LockType#FAIR
	 */
	public LeaseLock fairLock(String key, LockOptions options) {
		return lock(key, options.withType(LockType.FAIR));
	}

	/**
	 * Return a read lock and a write lock for a key with the default options.
	 * @param key the key to lock
	 * @return the two locks
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @see #readWriteLock(String, LockOptions)
	 */
	public LeaseReadWriteLock readWriteLock(String key) {
		return readWriteLock(key, defaultOptions());
	}

	/**
	 * Return a read lock and a write lock for a key. The methods of the read lock throw
	 * {@link UnsupportedOperationException} on a backend without read locks.
	 * @param key the key to lock
	 * @param options the lease time and renewal of the locks; their type is ignored
	 * @return the two locks
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public LeaseReadWriteLock readWriteLock(String key, LockOptions options) {
		return new DefaultLeaseReadWriteLock(lock(key, options.withType(LockType.READ)),
				lock(key, options.withType(LockType.WRITE)));
	}

	/**
	 * Return a lock of several keys with the default options.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if a key is invalid, or there
	 * is none
	 * @throws io.github.lockspring.LockLimitException if there are too many keys
	 * @see #multiLock(Collection, LockOptions)
	 */
	public LeaseLock multiLock(String... keys) {
		return multiLock(Arrays.asList(keys));
	}

	/**
	 * Return a lock of several keys with the default options.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if a key is invalid, or there
	 * is none
	 * @throws io.github.lockspring.LockLimitException if there are too many keys
	 * @see #multiLock(Collection, LockOptions)
	 */
	public LeaseLock multiLock(Collection<String> keys) {
		return multiLock(keys, defaultOptions());
	}

	/**
	 * Return a reentrant lock of several keys, all of which are acquired or none, in one
	 * call to the store if it supports that and all are free. Otherwise they are acquired
	 * in an order that is the same for all callers, so that these cannot deadlock, and
	 * others may see a part of them held for a short time. The wait time applies to all
	 * keys as a whole, {@link LeaseLock#tryLock()} tries each key once, and the keys that
	 * were acquired are released if another one is not. Duplicate keys are locked once.
	 * <p>
	 * The lock is held if all keys are: a thread can unlock it if it holds all of them,
	 * and {@link LeaseLock#unlock()} releases all of them even if one was lost.
	 * {@link LeaseLock#fencingToken()} throws {@link IllegalStateException} unless the
	 * keys were acquired in one call.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options the type, lease time and renewal of the lock of each key
	 * @return the lock
	 * @throws io.github.lockspring.InvalidLockKeyException if a key is invalid, or there
	 * is none
	 * @throws io.github.lockspring.LockLimitException if there are too many keys
	 */
	public LeaseLock multiLock(Collection<String> keys, LockOptions options) {
		return MultiLeaseLock.of(keys.stream().map((key) -> lock(key, options)).toList());
	}

	/**
	 * Return a lock of several locks, all of which are acquired or none, as
	 * {@link #multiLock(Collection, LockOptions)} does. They may be of different types
	 * and {@linkplain #on(String) backends}. If a key occurs several times, its first
	 * lock is acquired, or an exclusive one if there is any.
	 * @param locks the locks, created by this or another client
	 * @return the lock
	 * @throws IllegalArgumentException if a lock was not created by a client, or there is
	 * none
	 * @throws io.github.lockspring.LockLimitException if there are too many keys
	 */
	public LeaseLock multiLock(LeaseLock... locks) {
		return MultiLeaseLock.of(Arrays.asList(locks));
	}

	/**
	 * Return a semaphore with the default options.
	 * @param key the key of the permits
	 * @param permits the number of permits, 1 or more, on which all users of the key
	 * agree
	 * @return the semaphore
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @throws IllegalArgumentException if the number is less than 1
	 * @see #semaphore(String, int, LockOptions)
	 */
	public LeaseSemaphore semaphore(String key, int permits) {
		return semaphore(key, permits, defaultOptions());
	}

	/**
	 * Return a semaphore. The number of permits applies until any process
	 * {@linkplain LeaseSemaphore#resize(int) changes} it. If another number is in use,
	 * the methods of the semaphore throw {@link io.github.lockspring.LockLimitException}.
	 * They throw {@link UnsupportedOperationException} on a backend without semaphores. A
	 * lock of the same key excludes all holders of permits.
	 * @param key the key of the permits
	 * @param permits the number of permits, 1 or more, on which all users of the key
	 * agree
	 * @param options the lease time and renewal, and the type {@link LockType#FAIR} for
	 * permits that are granted in the order of the requests; other types have no meaning
	 * @return the semaphore
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @throws IllegalArgumentException if the number is less than 1
	 */
	public LeaseSemaphore semaphore(String key, int permits, LockOptions options) {
		return new DefaultLeaseSemaphore(this.locks, key, permits, options);
	}

	/**
	 * Return a count-down latch.
	 * @param key the key of the latch
	 * @return the latch
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public DistributedCountDownLatch countDownLatch(String key) {
		return new DefaultDistributedCountDownLatch(value(key, ":latch"));
	}

	/**
	 * Return a barrier.
	 * @param key the key of the barrier
	 * @return the barrier
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public DistributedBarrier barrier(String key) {
		return new DefaultDistributedBarrier(value(key, ":barrier"));
	}

	/**
	 * Return a new participant of a double barrier, with the default options.
	 * @param key the key of the barrier
	 * @param parties the number of participants
	 * @return the participant
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @throws IllegalArgumentException if the number is not positive
	 */
	public DistributedDoubleBarrier doubleBarrier(String key, int parties) {
		return doubleBarrier(key, parties, defaultOptions());
	}

	/**
	 * Return a new participant of a double barrier.
	 * @param key the key of the barrier
	 * @param parties the number of participants
	 * @param options the lease time and renewal of the participant's lease
	 * @return the participant
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @throws IllegalArgumentException if the number is not positive
	 */
	public DistributedDoubleBarrier doubleBarrier(String key, int parties, LockOptions options) {
		Assert.isTrue(parties > 0, () -> "'parties' must be 1 or more, not " + parties);
		// the suffix makes it a key that no lock has
		return new DefaultDistributedDoubleBarrier(value(key, "\uffffdouble-barrier"), LockUtils.engine(this.locks),
				parties, options);
	}

	/**
	 * Return an atomic number.
	 * @param key the key of the number
	 * @return the number
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public DistributedAtomicLong atomicLong(String key) {
		return new DefaultDistributedAtomicLong(value(key, ":atomic-long"));
	}

	/**
	 * Return a shared count.
	 * @param key the key of the count
	 * @return the count
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public SharedCount sharedCount(String key) {
		return new DefaultSharedCount(value(key, ":shared-count"));
	}

	private StoredValue value(String key, String kind) {
		return new StoredValue(LockUtils.engine(this.locks).values(), this.locks.storeKey(key) + kind);
	}

	/**
	 * Return a leader election with the default lease time, which is not started yet.
	 * Candidates are elected in the order in which they started, if the backend supports
	 * {@linkplain LockType#FAIR fair} locks, and in any order otherwise. Each returned
	 * object is a candidate of its own, also within this process.
	 * @param key the key; it cannot be used for a lock while there is a leader
	 * @return the election
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 */
	public LeaderElection leaderElection(String key) {
		LockOptions fair = defaultOptions().withType(LockType.FAIR);
		boolean supported = LockUtils.engine(this.locks).supports(LockUtils.acquireOptions(fair));
		return leaderElection(key, supported ? fair : fair.withType(LockType.REENTRANT));
	}

	/**
	 * Return a leader election with the given options, which is not started yet.
	 * @param key the key; it cannot be used for a lock while there is a leader
	 * @param options the lease time, after which another process is elected if the leader
	 * has crashed; the renewal, without which a term ends after the lease time; and the
	 * type, {@link LockType#FAIR} to elect in the order in which the candidates started.
	 * The wait time is ignored
	 * @return the election
	 * @throws io.github.lockspring.InvalidLockKeyException if the key is invalid
	 * @throws IllegalArgumentException if the options allow several holders, or if the
	 * backend does not support them
	 */
	public LeaderElection leaderElection(String key, LockOptions options) {
		LockEngine engine = LockUtils.engine(this.locks);
		AcquireOptions acquireOptions = LockUtils.acquireOptions(options);
		Assert.isTrue(acquireOptions.isExclusive(), "Only an exclusive lock elects a single leader");
		Assert.isTrue(engine.supports(acquireOptions),
				() -> "The lock backend '" + engine.backendName() + "' does not support " + options);
		return new DefaultLeaderElection(engine, key, this.locks.storeKey(key), acquireOptions);
	}

}
