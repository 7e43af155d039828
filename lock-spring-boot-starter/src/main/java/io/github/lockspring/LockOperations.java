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
 * Operations for programmatic use of distributed locks, with the same semantics as
 * {@link DistributedLock}.
 *
 * <pre class="code">{@code
 * locks.executeWithoutResult("order:42", (lock) -> ship(42));
 *
 * try (LockHandle lock = locks.tryAcquire("report")) {
 * 	if (lock != null) {
 * 		createReport();
 * 	}
 * }
 * }</pre>
 * <p>
 * Each method first validates its keys and throws {@link InvalidLockKeyException} for a
 * key that is {@code null}, blank, longer than 512 bytes in UTF-8, or not well-formed
 * Unicode. Locks are reentrant: a thread that already holds a key acquires it again
 * immediately, without a call to the store, and must release it as many times. If a
 * handle is closed after its thread has moved on to other work, the lock must not be
 * owned by the thread: see {@link LockHandle}.
 * <p>
 * If the lock is held by another owner, the methods wait for up to
 * {@link LockOptions#waitTime()}. If the calling thread is interrupted while waiting,
 * they throw {@link LockInterruptedException} with the interrupt status set. If the store
 * fails throughout the wait time, they throw {@link LockUnavailableException}; the lock
 * is not held and the action does not run. If the lease is lost while the action runs,
 * the action is not stopped, but {@link LockLostException} is thrown when it has ended,
 * or added to the suppressed exceptions of the exception thrown by the action. While it
 * is unknown whether a lock is still held, an attempt of its owner to acquire it again
 * throws {@link LockSuspendedException}.
 * <p>
 * Implementations are thread-safe.
 *
 * @see LockTemplate
 */
public interface LockOperations {

	/**
	 * Return the options used by the methods without a {@link LockOptions} parameter.
	 * @return the default options
	 */
	LockOptions defaultOptions();

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
	 * Run an action under a lock with the default options.
	 * @param <T> the type of the result
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param action the action to run while the lock is held
	 * @return the result of the action
	 * @throws E if thrown by the action
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockCallback<T, E> action)
			throws E {
		return execute(key, defaultOptions(), action);
	}

	/**
	 * Run an action under a lock.
	 * @param <T> the type of the result
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param options the options
	 * @param action the action to run while the lock is held
	 * @return the result of the action
	 * @throws E if thrown by the action
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockOptions options,
			LockCallback<T, E> action) throws E {
		try (LockHandle lock = acquire(key, options)) {
			return action.doWithLock(lock);
		}
	}

	/**
	 * Run an action without a result under a lock with the default options.
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param action the action to run while the lock is held
	 * @throws E if thrown by the action
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 */
	default <E extends Throwable> void executeWithoutResult(String key, LockAction<E> action) throws E {
		executeWithoutResult(key, defaultOptions(), action);
	}

	/**
	 * Run an action without a result under a lock.
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param options the options
	 * @param action the action to run while the lock is held
	 * @throws E if thrown by the action
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 */
	default <E extends Throwable> void executeWithoutResult(String key, LockOptions options, LockAction<E> action)
			throws E {
		try (LockHandle lock = acquire(key, options)) {
			action.doWithLock(lock);
		}
	}

	/**
	 * Run an action under a lock with the default options, unless the lock is held by
	 * another owner for the whole wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param action the action to run while the lock is held
	 * @return whether the action ran, and its result
	 * @throws E if thrown by the action
	 */
	default <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(String key,
			LockCallback<T, E> action) throws E {
		return tryExecute(key, defaultOptions(), action);
	}

	/**
	 * Run an action under a lock, unless the lock is held by another owner for the whole
	 * wait time.
	 * @param <T> the type of the result
	 * @param <E> the type of exception thrown by the action
	 * @param key the key to lock
	 * @param options the options
	 * @param action the action to run while the lock is held
	 * @return whether the action ran, and its result
	 * @throws E if thrown by the action
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
		return acquire(key, defaultOptions());
	}

	/**
	 * Acquire a lock, to be released with {@link LockHandle#close()}.
	 * @param key the key to lock
	 * @param options the options
	 * @return the handle of the lock
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 */
	LockHandle acquire(String key, LockOptions options);

	/**
	 * Acquire a lock with the default options unless another owner holds it for the whole
	 * wait time.
	 * @param key the key to lock
	 * @return the held lock, or {@code null} if it could not be acquired
	 */
	default @Nullable LockHandle tryAcquire(String key) {
		return tryAcquire(key, defaultOptions());
	}

	/**
	 * Acquire a lock, to be released with {@link LockHandle#close()}, unless it is held
	 * by another owner for the whole wait time.
	 * @param key the key to lock
	 * @param options the options
	 * @return the handle of the lock, or {@code null} if the lock was held by another
	 * owner for the whole wait time
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
		return acquireAll(keys, defaultOptions());
	}

	/**
	 * Acquire either all of several locks or none of them, in an order that is the same
	 * for all callers, to be released together with {@link LockHandle#close()}. The wait
	 * time applies to the locks as a whole. Duplicate keys are locked once.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options the options of each lock
	 * @return the handle of the locks
	 * @throws LockNotAcquiredException if one of the locks was not acquired within the
	 * wait time because another owner held it
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
		return tryAcquireAll(keys, defaultOptions());
	}

	/**
	 * Acquire either all of several locks or none of them, as
	 * {@link #acquireAll(Collection, LockOptions)} does.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options the options of each lock
	 * @return the handle of the locks, or {@code null} if one of them was not acquired
	 * within the wait time because another owner held it
	 * @throws LockLimitException if there are too many keys
	 */
	@Nullable LockHandle tryAcquireAll(Collection<String> keys, LockOptions options);

	/**
	 * Acquire a lock with the default options without blocking the calling thread.
	 * @param key the key to lock
	 * @return a future that completes with the handle of the lock
	 * @see #acquireAsync(String, LockOptions)
	 */
	default CompletableFuture<LockHandle> acquireAsync(String key) {
		return acquireAsync(key, defaultOptions());
	}

	/**
	 * Acquire a lock without blocking the calling thread, to be released with
	 * {@link LockHandle#closeAsync()}. The lock is owned by the handle and not by a
	 * thread, so that a thread which holds the key already, or acquires it a second time,
	 * waits like any other; use {@link #ownedBy(Object)} for reentrant acquisitions.
	 * <p>
	 * The interrupt status of the calling thread is ignored. Cancelling the future stops
	 * waiting and releases the lock if it has been granted in the meantime. Dependent
	 * stages of the future may run in a thread of this library; they do not delay other
	 * locks, however long they take.
	 * @param key the key to lock
	 * @param options the options
	 * @return a future that completes with the handle of the lock; fails like
	 * {@link #acquire(String, LockOptions)}, with {@link LockNotAcquiredException} if the
	 * lock was held by another owner for the whole wait time, and with
	 * {@link LockUnavailableException} if the store failed
	 */
	CompletableFuture<LockHandle> acquireAsync(String key, LockOptions options);

	/**
	 * Acquire a lock with the default options without blocking the calling thread, unless
	 * another owner holds it for the whole wait time.
	 * @param key the key to lock
	 * @return a future that completes with the handle of the lock, or with {@code null}
	 * if it could not be acquired
	 * @see #tryAcquireAsync(String, LockOptions)
	 */
	default CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key) {
		return tryAcquireAsync(key, defaultOptions());
	}

	/**
	 * Acquire a lock without blocking the calling thread, as
	 * {@link #acquireAsync(String, LockOptions)} does, unless it is held by another owner
	 * for the whole wait time.
	 * @param key the key to lock
	 * @param options the options
	 * @return a future that completes with the handle of the lock, or with {@code null}
	 * if the lock was held by another owner for the whole wait time
	 */
	CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options without
	 * blocking the calling thread.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return a future that completes with the handle of the locks
	 * @throws LockLimitException if there are too many keys
	 * @see #acquireAllAsync(Collection, LockOptions)
	 */
	default CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys) {
		return acquireAllAsync(keys, defaultOptions());
	}

	/**
	 * Acquire either all of several locks or none of them, as
	 * {@link #acquireAll(Collection, LockOptions)} does, without blocking the calling
	 * thread, as {@link #acquireAsync(String, LockOptions)} does. When the future fails,
	 * all locks acquired so far have been released; when it is cancelled, they are
	 * released soon after.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options the options of each lock
	 * @return a future that completes with the handle of the locks; fails with
	 * {@link LockNotAcquiredException} if one of them was not acquired within the wait
	 * time because another owner held it
	 * @throws LockLimitException if there are too many keys
	 */
	CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys, LockOptions options);

	/**
	 * Acquire all of several locks or none of them with the default options without
	 * blocking the calling thread.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @return a future that completes with the handle of the locks, or with {@code null}
	 * if they could not be acquired
	 * @throws LockLimitException if there are too many keys
	 * @see #tryAcquireAllAsync(Collection, LockOptions)
	 */
	default CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys) {
		return tryAcquireAllAsync(keys, defaultOptions());
	}

	/**
	 * Acquire either all of several locks or none of them, as
	 * {@link #acquireAllAsync(Collection, LockOptions)} does.
	 * @param keys the keys to lock, at least one, at most {@value LockTemplate#MAX_KEYS}
	 * @param options the options of each lock
	 * @return a future that completes with the handle of the locks, or with {@code null}
	 * if one of them was not acquired within the wait time because another owner held it
	 * @throws LockLimitException if there are too many keys
	 */
	CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys, LockOptions options);

}
