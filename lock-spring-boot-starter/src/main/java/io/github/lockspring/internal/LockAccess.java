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

package io.github.lockspring.internal;

import java.lang.invoke.MethodHandles;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;

/**
 * Access to members of the core that are no public API, for the other packages of this
 * library: the core registers its implementation here when it is first used.
 * <p>
 * Thread-safe.
 */
public abstract class LockAccess {

	private static @Nullable LockAccess registered;

	/**
	 * Return the access.
	 * @return the implementation of the core
	 */
	public static LockAccess get() {
		return Instance.VALUE;
	}

	/**
	 * Register the implementation, in the static initializer of {@link LockContext}.
	 * @param access the implementation
	 */
	protected static void register(LockAccess access) {
		Assert.state(registered == null, "Registered already");
		registered = access;
	}

	/**
	 * Create a template that uses the default backend and gives access to the others.
	 * @param engines the lock engines
	 * @param prefix the prefix of all keys in the stores
	 * @param defaultOptions the options used by the methods without a {@link LockOptions}
	 * parameter
	 * @return the template, which does not close the engines
	 */
	public abstract LockTemplate template(LockEngines engines, String prefix, LockOptions defaultOptions);

	/**
	 * Return the engine of a template.
	 * @param template the template
	 * @return its engine
	 */
	public abstract LockEngine engine(LockTemplate template);

	/**
	 * Register the name of a lock that is acquired by a template, so that meters can be
	 * tagged with it.
	 * @param template the template
	 * @param name the name, with which the keys of the lock begin
	 */
	public abstract void registerName(LockTemplate template, String name);

	/**
	 * Return a template whose asynchronous acquisitions reenter the locks held by a lock
	 * context.
	 * @param template the template
	 * @param context the lock context, or {@code null} if nothing is held
	 * @return a template for the same keys
	 */
	public abstract LockTemplate within(LockTemplate template, @Nullable LockContext context);

	/**
	 * Return options in the form used by the engine.
	 * @param options the options
	 * @return the options of the engine
	 */
	public abstract AcquireOptions acquireOptions(LockOptions options);

	/**
	 * Translate an exception of the engine.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public abstract RuntimeException translate(EngineException failure, String storeKey);

	/**
	 * Translate an exception of the engine about the renewal of a lease.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public abstract RuntimeException translateRenewalFailure(EngineException failure, String storeKey);

	/**
	 * Translate an exception of the engine about a value.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public abstract RuntimeException translateValueFailure(EngineException failure, String storeKey);

	/**
	 * Return the exception for a lock that was lost while it was held.
	 * @param storeKey the key, as used in the store
	 * @return the exception
	 */
	public abstract LockException lostException(String storeKey);

	/**
	 * Return the exception for an acquisition that exceeds a limit.
	 * @param message the limit, and by how much it was exceeded
	 * @param storeKey the key, as used in the store
	 * @return the exception
	 */
	public abstract LockException limitException(String message, String storeKey);

	/**
	 * Return the exception for those that wait when the application shuts down.
	 * @param storeKey the key, as used in the store
	 * @return the exception
	 */
	public abstract RuntimeException shutdownException(String storeKey);

	/**
	 * Create a handle of a hold.
	 * @param template the template that has the key
	 * @param hold the hold
	 * @return a handle with a key of the template
	 */
	public abstract LockHandle handle(LockTemplate template, Hold hold);

	/**
	 * Return the hold of one of the keys of a handle.
	 * @param lock the handle
	 * @param template the template that has the key
	 * @param storeKey the key used in the store
	 * @return the hold, or {@code null} if the handle is closed or is not for this key
	 */
	public abstract @Nullable Hold holdOf(LockHandle lock, LockTemplate template, String storeKey);

	/**
	 * Return whether the current thread would acquire a lock reentrantly, however it was
	 * acquired before.
	 * @param template the template
	 * @param storeKey the key used in the store
	 * @param options the options of the acquisition
	 * @return {@code true} if its owner holds the lock
	 */
	public abstract boolean isHeld(LockTemplate template, String storeKey, LockOptions options);

	/**
	 * Create a handle of several locks, also of several backends.
	 * @param locks handles created by templates, in the order in which they were acquired
	 * @return a handle that releases all of them
	 */
	public abstract LockHandle handle(Collection<LockHandle> locks);

	/**
	 * Create a chain by adding a lock.
	 * @param name the name of the lock
	 * @param lock the handle of the lock
	 * @param outer the locks that were held before
	 * @return the chain
	 */
	public abstract LockContext context(String name, LockHandle lock, @Nullable LockContext outer);

	/**
	 * Begin a part of asynchronous work in the current thread: its locks replace those of
	 * the thread until the part is closed in the same thread.
	 * @param context the innermost lock of the work, or {@code null} for none
	 * @return the part
	 */
	public abstract WorkPart begin(@Nullable LockContext context);

	/**
	 * Add a lock to the chain of the current thread.
	 * @param name the name of the lock
	 * @param lock the handle of the lock
	 */
	public abstract void enter(String name, LockHandle lock);

	/**
	 * Remove the innermost lock from the chain of the current thread.
	 */
	public abstract void leave();

	/**
	 * Return the owner of a lock that the current thread acquires or releases with a
	 * blocking method: the owner of the template, or else the asynchronous method that
	 * holds the key and of which the thread runs a part, or else that part, which ends
	 * before the thread does anything else, or else the thread.
	 * @param template the template
	 * @param storeKey the key used in the store
	 * @return the owner
	 */
	public abstract Object ownerOf(LockTemplate template, String storeKey);

	/**
	 * Initializes the core.
	 */
	private static final class Instance {

		static final LockAccess VALUE = load();

		private static LockAccess load() {
			try {
				MethodHandles.lookup().ensureInitialized(LockContext.class);
			}
			catch (IllegalAccessException ex) {
				throw new IllegalStateException(ex);
			}
			LockAccess access = registered;
			if (access == null) {
				throw new IllegalStateException("Not registered");
			}
			return access;
		}

	}

}
