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

package io.github.lockspring;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Distributed locks in code: the same leases that {@link DistributedLock} takes.
 * <p>
 * Every method validates its keys before anything else and throws
 * {@link InvalidLockKeyException} for a key that is {@code null}, blank, longer than 512
 * bytes in UTF-8, or not well-formed Unicode. A thread that already holds a key acquires
 * it again at once, without asking the store, and must give it back as often. A thread
 * that lets go of the work that acquired, before the handle is closed, must not own the
 * lock: see {@link LockHandle}.
 * <p>
 * When the lock is held by another, the methods wait as long as
 * {@link LockOptions#waitTime()} says. When the calling thread is interrupted while it
 * waits, they throw {@link LockInterruptedException} with the interrupt status set. When
 * the store fails throughout the wait time, they throw {@link LockUnavailableException};
 * the lock is not held then and the action does not run. When the lease is lost while the
 * action runs, the action is not stopped, but {@link LockLostException} is thrown at its
 * end, or added to the exception that it ended with.
 * <p>
 * Implementations are safe for use by many threads.
 *
 * @see LockTemplate
 */
public interface LockOperations {

	/**
	 * The options of the methods that take none.
	 * @return the options
	 */
	LockOptions getDefaultOptions();

	/**
	 * Return operations for the keys of one name: the key {@code 42} of the name
	 * {@code order} is locked together with {@code @DistributedLock(name = "order")}
	 * methods whose key is {@code 42}.
	 * @param name the name, without colons
	 * @return operations on the keys of that name
	 */
	LockOperations named(String name);

	/**
	 * Return operations with the same keys and default options on another backend. A key
	 * that is held on one backend is free on the others. Opens no connection.
	 * @param backend the name of the backend, such as {@code jdbc}
	 * @return operations on that backend
	 * @throws IllegalArgumentException if there is no such backend; the message lists the
	 * known ones
	 */
	LockOperations on(String backend);

	/**
	 * Return operations whose locks belong to an owner instead of the calling thread:
	 * what the owner holds it reacquires at once, in any thread.
	 * @param owner the owner, compared by identity
	 * @return operations for that owner
	 */
	LockOperations ownedBy(Object owner);

	/**
	 * Runs an action under a lock, with the default options.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param action what to do while the lock is held
	 * @return the result of the action
	 * @throws E if the action throws it
	 * @throws LockNotAcquiredException if another held the lock for the whole wait time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockCallback<T, E> action)
			throws E {
		return execute(key, getDefaultOptions(), action);
	}

	/**
	 * Runs an action under a lock.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param options how to lock
	 * @param action what to do while the lock is held
	 * @return the result of the action
	 * @throws E if the action throws it
	 * @throws LockNotAcquiredException if another held the lock for the whole wait time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockOptions options,
			LockCallback<T, E> action) throws E {
		try (LockHandle lock = acquire(key, options)) {
			return action.doWithLock(lock);
		}
	}

	/**
	 * Runs an action without a result under a lock, with the default options.
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param action what to do while the lock is held
	 * @throws E if the action throws it
	 * @throws LockNotAcquiredException if another held the lock for the whole wait time
	 */
	default <E extends Throwable> void executeWithoutResult(String key, LockAction<E> action) throws E {
		executeWithoutResult(key, getDefaultOptions(), action);
	}

	/**
	 * Runs an action without a result under a lock.
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param options how to lock
	 * @param action what to do while the lock is held
	 * @throws E if the action throws it
	 * @throws LockNotAcquiredException if another held the lock for the whole wait time
	 */
	default <E extends Throwable> void executeWithoutResult(String key, LockOptions options, LockAction<E> action)
			throws E {
		try (LockHandle lock = acquire(key, options)) {
			action.doWithLock(lock);
		}
	}

	/**
	 * Runs an action under a lock, with the default options, unless another holds the
	 * lock for the whole wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param action what to do while the lock is held
	 * @return whether the action ran, and its result
	 * @throws E if the action throws it
	 */
	default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(String key,
			LockCallback<T, E> action) throws E {
		return tryExecute(key, getDefaultOptions(), action);
	}

	/**
	 * Runs an action under a lock, unless another holds the lock for the whole wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception that the action throws
	 * @param key the key to lock
	 * @param options how to lock
	 * @param action what to do while the lock is held
	 * @return whether the action ran, and its result
	 * @throws E if the action throws it
	 */
	default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(String key, LockOptions options,
			LockCallback<T, E> action) throws E {
		try (LockHandle lock = tryAcquire(key, options)) {
			return (lock != null) ? LockResult.executed(action.doWithLock(lock)) : LockResult.notAcquired();
		}
	}

	/**
	 * Acquire a lock with the default options, to be released by
	 * {@link LockHandle#close()}.
	 * @param key the key to lock
	 * @return the held lock
	 * @throws LockNotAcquiredException if the lock could not be acquired within the wait
	 * time because another owner held it
	 */
	default LockHandle acquire(String key) {
		return acquire(key, getDefaultOptions());
	}

	/**
	 * Acquires a lock, to be given back by {@link LockHandle#close()}.
	 * @param key the key to lock
	 * @param options how to lock
	 * @return the held lock
	 * @throws LockNotAcquiredException if another held the lock for the whole wait time
	 */
	LockHandle acquire(String key, LockOptions options);

	/**
	 * Acquire a lock with the default options unless another owner holds it for the whole
	 * wait time.
	 * @param key the key to lock
	 * @return the held lock, or {@code null} if it could not be acquired
	 */
	default @Nullable LockHandle tryAcquire(String key) {
		return tryAcquire(key, getDefaultOptions());
	}

	/**
	 * Acquires a lock, to be given back by {@link LockHandle#close()}, unless another
	 * holds it for the whole wait time.
	 * @param key the key to lock
	 * @param options how to lock
	 * @return the held lock, or {@code null} if another held it for the whole wait time
	 */
	@Nullable LockHandle tryAcquire(String key, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the held locks
	 * @throws LockNotAcquiredException if the lock could not be acquired within the wait
	 * time because another owner held it
	 * @throws LockLimitException if there are too many keys
	 * @see #acquireAll(Collection, LockOptions)
	 */
	default LockHandle acquireAll(Collection<String> keys) {
		return acquireAll(keys, getDefaultOptions());
	}

	/**
	 * Acquires all of several locks or none of them, in one order for all callers, to be
	 * given back together by {@link LockHandle#close()}. The wait time is that of all
	 * together. Keys that occur twice are locked once.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options how to lock each of them
	 * @return the held locks
	 * @throws LockNotAcquiredException if one of the locks was held by another too long
	 * @throws LockLimitException if there are too many keys
	 */
	LockHandle acquireAll(Collection<String> keys, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the held locks, or {@code null} if they could not be acquired
	 * @throws LockLimitException if there are too many keys
	 * @see #tryAcquireAll(Collection, LockOptions)
	 */
	default @Nullable LockHandle tryAcquireAll(Collection<String> keys) {
		return tryAcquireAll(keys, getDefaultOptions());
	}

	/**
	 * Acquires all of several locks or none of them, as
	 * {@link #acquireAll(Collection, LockOptions)}.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options how to lock each of them
	 * @return the held locks, or {@code null} if one of them was held by another too long
	 * @throws LockLimitException if there are too many keys
	 */
	@Nullable LockHandle tryAcquireAll(Collection<String> keys, LockOptions options);

	/**
	 * Acquire a lock with the default options without blocking the calling thread.
	 * @param key the key to lock
	 * @return the held lock
	 * @see #acquireAsync(String, LockOptions)
	 */
	default CompletableFuture<LockHandle> acquireAsync(String key) {
		return acquireAsync(key, getDefaultOptions());
	}

	/**
	 * Acquires a lock without holding up the calling thread, to be given back by
	 * {@link LockHandle#closeAsync()}. The lock belongs to the handle and not to a
	 * thread, so that a thread that holds the key, or acquires it a second time, waits
	 * like any other; {@link LockTemplate#ownedBy(Object)} is for those who need
	 * re-entry.
	 * <p>
	 * Whether the calling thread is interrupted does not matter. Cancelling the future
	 * ends the waiting, and gives back what may have been granted in the meantime. What
	 * depends on the future may run in a thread of the locks; however long it takes, it
	 * does not hold up other locks.
	 * @param key the key to lock
	 * @param options how to lock
	 * @return the held lock; fails as {@link #acquire(String, LockOptions)} does, with
	 * {@link LockNotAcquiredException} if another held the lock for the whole wait time,
	 * and with {@link LockUnavailableException} if the store failed
	 */
	CompletableFuture<LockHandle> acquireAsync(String key, LockOptions options);

	/**
	 * Acquire a lock with the default options without blocking the calling thread, unless
	 * another owner holds it for the whole wait time.
	 * @param key the key to lock
	 * @return the held lock, or {@code null} if it could not be acquired
	 * @see #tryAcquireAsync(String, LockOptions)
	 */
	default CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key) {
		return tryAcquireAsync(key, getDefaultOptions());
	}

	/**
	 * Acquires a lock without holding up the calling thread, as
	 * {@link #acquireAsync(String, LockOptions)}, unless another holds it for the whole
	 * wait time.
	 * @param key the key to lock
	 * @param options how to lock
	 * @return the held lock, or {@code null} if another held it for the whole wait time
	 */
	CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options without
	 * blocking the calling thread.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the held locks
	 * @throws LockLimitException if there are too many keys
	 * @see #acquireAllAsync(Collection, LockOptions)
	 */
	default CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys) {
		return acquireAllAsync(keys, getDefaultOptions());
	}

	/**
	 * Acquires all of several locks or none of them, as
	 * {@link #acquireAll(Collection, LockOptions)}, without holding up the calling
	 * thread, as {@link #acquireAsync(String, LockOptions)}. When the future fails,
	 * nothing is held any more; when it is cancelled, what was acquired is given back
	 * soon.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options how to lock each of them
	 * @return the held locks; fails with {@link LockNotAcquiredException} if one of the
	 * locks was held by another too long
	 * @throws LockLimitException if there are too many keys
	 */
	CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options without
	 * blocking the calling thread.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return the held locks, or {@code null} if they could not be acquired
	 * @throws LockLimitException if there are too many keys
	 * @see #tryAcquireAllAsync(Collection, LockOptions)
	 */
	default CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys) {
		return tryAcquireAllAsync(keys, getDefaultOptions());
	}

	/**
	 * Acquires all of several locks or none of them, as
	 * {@link #acquireAllAsync(Collection, LockOptions)}.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options how to lock each of them
	 * @return the held locks, or {@code null} if one of them was held by another too long
	 * @throws LockLimitException if there are too many keys
	 */
	CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys, LockOptions options);

}
