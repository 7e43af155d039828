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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.support.KeyFormat;

/**
 * Default implementation of {@link LockOperations}, which locks keys in the application's
 * store. The key used in the store is the prefix of this template followed by the key
 * specified by the caller.
 * <p>
 * In an application with auto-configuration it is a bean. Others
 * {@linkplain #builder(LockBackend) build} it, and close it when they have finished.
 * <p>
 * Thread-safe.
 */
public final class LockTemplate implements LockOperations, AutoCloseable {

	/**
	 * Maximum number of keys that can be locked together.
	 */
	public static final int MAX_KEYS = 10_000;

	private static final int MAX_PREFIX_BYTES = 384;

	private final LockEngines engines;

	private final LockEngine engine;

	private final String prefix;

	private final LockOptions defaultOptions;

	private final @Nullable Object owner;

	private final @Nullable LockContext context;

	/**
	 * Shuts down what was opened for this template.
	 */
	private @Nullable Runnable shutdown;

	/**
	 * Store key that was reentered last, cached so that frequent reentrant acquisitions
	 * neither build nor validate it anew. Deliberately not synchronized: any thread may
	 * set it.
	 */
	private @Nullable String again;

	/**
	 * Create a template with a single backend.
	 */
	LockTemplate(LockEngine engine, String prefix, LockOptions defaultOptions) {
		this(LockEngines.of(engine), prefix, defaultOptions);
	}

	/**
	 * Create a template that uses the default backend and gives access to the others.
	 */
	LockTemplate(LockEngines engines, String prefix, LockOptions defaultOptions) {
		this(engines, engines.defaultEngine(), prefix, defaultOptions, null, null);
	}

	/**
	 * Create a builder for a template without auto-configuration.
	 * @param backend the default backend; the template opens and closes it
	 * @return the builder
	 */
	public static LockTemplateBuilder builder(LockBackend backend) {
		return new LockTemplateBuilder(backend);
	}

	private LockTemplate(LockEngines engines, LockEngine engine, String prefix, LockOptions defaultOptions,
			@Nullable Object owner, @Nullable LockContext context) {
		Assert.notNull(prefix, "'prefix' must not be null");
		Assert.notNull(defaultOptions, "'defaultOptions' must not be null");
		if (LockKeys.lengthInBytes(prefix) > MAX_PREFIX_BYTES) {
			throw new IllegalArgumentException("The key prefix must not be longer than " + MAX_PREFIX_BYTES + " bytes: "
					+ KeyFormat.quote(prefix));
		}
		this.engines = engines;
		this.engine = engine;
		this.prefix = prefix;
		this.defaultOptions = defaultOptions;
		this.owner = owner;
		this.context = context;
	}

	/**
	 * Return a template that uses another backend, with the same keys and default
	 * options. A key that is held on one backend is not locked on the others. Does not
	 * open a connection.
	 * @param backend the name of the backend, such as {@code jdbc}
	 * @return a template for that backend
	 * @throws IllegalArgumentException if there is no such backend; the message lists the
	 * available ones
	 */
	@Override
	public LockTemplate on(String backend) {
		return new LockTemplate(this.engines, this.engines.require(backend), this.prefix, this.defaultOptions,
				this.owner, this.context);
	}

	/**
	 * Return the name of the backend of this template.
	 * @return the name
	 */
	public String backendName() {
		return this.engine.backendName();
	}

	/**
	 * Return the names accepted by {@link #on(String)}, the default backend first. Does
	 * not open a connection.
	 * @return the names, at least one
	 */
	public Set<String> backendNames() {
		return this.engines.names();
	}

	/**
	 * Return a template for the keys of a lock name: the key {@code 42} of the name
	 * {@code order} is the key {@code order:42} of this template.
	 * @param name the name, without colons
	 * @return a template with a longer prefix
	 */
	@Override
	public LockTemplate named(String name) {
		LockTemplate template = new LockTemplate(this.engines, this.engine, this.prefix + requireName(name) + ':',
				this.defaultOptions, this.owner, this.context);
		registerName(name);
		return template;
	}

	/**
	 * Register the name of a lock whose key begins with it, so that meters can be tagged
	 * with it.
	 */
	void registerName(String name) {
		this.engines.lockNames().register(this.prefix, name);
	}

	private static String requireName(String name) {
		Assert.hasText(name, "'name' must not be empty");
		if (name.indexOf(':') >= 0) {
			throw new IllegalArgumentException("The name of a lock must not contain a colon: " + KeyFormat.quote(name));
		}
		return LockKeys.requireValid(name);
	}

	/**
	 * Return a template whose locks are owned by an object instead of the calling thread:
	 * a lock held by the owner is reentrant from any thread. If the owner begins a second
	 * acquisition of a key before the first has completed, the second waits for the
	 * first.
	 * @param owner the owner, compared by identity and not by {@code equals}
	 * @return a template for the same keys
	 */
	@Override
	public LockTemplate ownedBy(Object owner) {
		Assert.notNull(owner, "'owner' must not be null");
		return new LockTemplate(this.engines, this.engine, this.prefix, this.defaultOptions, owner, null);
	}

	/**
	 * Return a template whose asynchronous acquisitions reenter the locks held by a lock
	 * context.
	 */
	LockTemplate within(@Nullable LockContext context) {
		return (context != null)
				? new LockTemplate(this.engines, this.engine, this.prefix, this.defaultOptions, null, context) : this;
	}

	LockEngine engine() {
		return this.engine;
	}

	/**
	 * Create a handle of a hold.
	 */
	LockHandle handle(Hold hold) {
		return new DefaultLockHandle(hold, this.prefix.length());
	}

	LockHandle handle(List<Hold> holds) {
		return CompositeLockHandle.of(holds, this.prefix.length());
	}

	/**
	 * Return the key used in the store.
	 * @param key a key of this template
	 * @return the key with the prefix
	 * @throws InvalidLockKeyException if the key is invalid
	 */
	public String storeKey(String key) {
		return this.prefix.concat(LockKeys.requireValid(key));
	}

	/**
	 * Return the key for which {@link #storeKey} has returned a key used in the store.
	 */
	String keyOf(String storeKey) {
		return storeKey.substring(this.prefix.length());
	}

	@Override
	public LockOptions defaultOptions() {
		return this.defaultOptions;
	}

	@Override
	public LockHandle acquire(String key, LockOptions options) {
		LockHandle lock = tryAcquireInStore(knownStoreKey(key), options, options.waitNanos());
		if (lock == null) {
			throw new LockNotAcquiredException(this.prefix + key, options.waitTime());
		}
		return lock;
	}

	@Override
	public @Nullable LockHandle tryAcquire(String key, LockOptions options) {
		return tryAcquireInStore(knownStoreKey(key), options, options.waitNanos());
	}

	private String knownStoreKey(String key) {
		String again = this.again;
		return (again != null && key != null && again.length() == this.prefix.length() + key.length()
				&& again.endsWith(key)) ? again : storeKey(key);
	}

	/**
	 * Acquire a lock on a numeric key with the default options.
	 * @param key the key to lock
	 * @return the handle of the lock
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 * @see #acquire(long, LockOptions)
	 */
	public LockHandle acquire(long key) {
		return acquire(key, this.defaultOptions);
	}

	/**
	 * Acquire a lock on a numeric key. This is the same lock as that on the decimal
	 * representation of the number, but avoids creating the string.
	 * @param key the key to lock
	 * @param options the options
	 * @return the handle of the lock
	 * @throws LockNotAcquiredException if the lock was held by another owner for the
	 * whole wait time
	 * @see #acquire(String, LockOptions)
	 */
	public LockHandle acquire(long key, LockOptions options) {
		LockHandle lock = tryAcquire(key, options);
		if (lock == null) {
			throw new LockNotAcquiredException(this.prefix + key, options.waitTime());
		}
		return lock;
	}

	/**
	 * Acquire a lock on a numeric key with the default options, unless it is held by
	 * another owner for the whole wait time.
	 * @param key the key to lock
	 * @return the handle of the lock, or {@code null} if the lock was held by another
	 * owner for the whole wait time
	 * @see #tryAcquire(long, LockOptions)
	 */
	public @Nullable LockHandle tryAcquire(long key) {
		return tryAcquire(key, this.defaultOptions);
	}

	/**
	 * Acquire a lock on a numeric key, unless it is held by another owner for the whole
	 * wait time. This is the same lock as that on the decimal representation of the
	 * number, but avoids creating the string.
	 * @param key the key to lock
	 * @param options the options
	 * @return the handle of the lock, or {@code null} if the lock was held by another
	 * owner for the whole wait time
	 * @see #tryAcquire(String, LockOptions)
	 */
	public @Nullable LockHandle tryAcquire(long key, LockOptions options) {
		return tryAcquireInStore(this.prefix + key, options, options.waitNanos());
	}

	private @Nullable DefaultLockHandle tryAcquireInStore(String storeKey, LockOptions options, long waitNanos) {
		try {
			Hold hold = this.engine.acquire(storeKey, options.acquireOptions(), ownerOf(storeKey), waitNanos);
			if (hold == null) {
				return null;
			}
			if (hold.isReentered()) {
				this.again = hold.key();
			}
			return DefaultLockHandle.of(hold, this.prefix.length());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(storeKey, ex);
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, storeKey);
		}
	}

	/**
	 * Return the owner to be used for a new acquisition of the key.
	 */
	Object ownerOf(String storeKey) {
		return (this.owner != null) ? this.owner : LockContext.ownerOf(this.engine, storeKey);
	}

	@Override
	public LockHandle acquireAll(Collection<String> keys, LockOptions options) {
		LockHandle lock = tryAcquireAll(keys, options);
		if (lock == null) {
			throw new LockNotAcquiredException(storeKeys(keys), options.waitTime());
		}
		return lock;
	}

	@Override
	public @Nullable LockHandle tryAcquireAll(Collection<String> keys, LockOptions options) {
		KeyGroup group = group(keys, options);
		try {
			List<Hold> holds = new BlockingAcquisition<>(List.of(group), options.waitNanos(), LockEngine::acquire)
				.run();
			return (holds != null) ? handle(holds) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(String.join(",", group.storeKeys()), ex);
		}
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String key, LockOptions options) {
		String storeKey = storeKey(key);
		return AsyncAcquisition.require(
				acquireAsync(storeKey, options.acquireOptions(), asyncOwner(), options.waitNanos()),
				() -> new LockNotAcquiredException(storeKey, options.waitTime()));
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryAcquireAsync(String key, LockOptions options) {
		return acquireAsync(storeKey(key), options.acquireOptions(), asyncOwner(), options.waitNanos());
	}

	Object asyncOwner() {
		return (this.owner != null) ? this.owner : new Object();
	}

	CompletableFuture<@Nullable LockHandle> acquireAsync(String storeKey, AcquireOptions options, Object owner,
			long waitNanos) {
		Object holder = (this.context != null) ? this.context.asyncOwnerOf(this.engine.backendName(), storeKey) : null;
		return AsyncAcquisition.handle(
				this.engine.acquireAsync(storeKey, options, (holder != null) ? holder : owner, waitNanos), this::handle,
				(ex) -> LockUtils.translate(ex, storeKey));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> keys, LockOptions options) {
		KeyGroup group = group(keys, options);
		return AsyncAcquisition.require(new AsyncAcquisition(List.of(group), options.waitNanos()).start(),
				() -> new LockNotAcquiredException(group.storeKeys(), options.waitTime()));
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryAcquireAllAsync(Collection<String> keys, LockOptions options) {
		return new AsyncAcquisition(List.of(group(keys, options)), options.waitNanos()).start();
	}

	private KeyGroup group(Collection<String> keys, LockOptions options) {
		return new KeyGroup(this, options.acquireOptions(), storeKeys(keys));
	}

	/**
	 * Return the keys used in the store, in the order in which they are locked: sorted,
	 * so that all callers lock them in the same order and cannot deadlock.
	 */
	private List<String> storeKeys(Collection<String> keys) {
		LockUtils.requireNumberOfKeys(keys.size(), () -> this.prefix + keys.iterator().next());
		TreeSet<String> canonical = new TreeSet<>();
		keys.forEach((key) -> canonical.add(LockKeys.requireValid(key)));
		return canonical.stream().map(this.prefix::concat).toList();
	}

	/**
	 * Set what closes the template.
	 */
	LockTemplate withShutdown(Runnable shutdown) {
		this.shutdown = shutdown;
		return this;
	}

	/**
	 * Close the backends that were opened for this template by its
	 * {@linkplain #builder(LockBackend) builder}, after its locks have been released: new
	 * acquisitions are rejected, holders have the shutdown timeout to release their
	 * locks, and locks that are still held then are released, and lost to their holders.
	 * Has no effect on a template that was configured by an application context, or
	 * derived from another one, as by {@link #named(String)}. Has no effect if closed
	 * already.
	 */
	@Override
	public void close() {
		if (this.shutdown != null) {
			this.shutdown.run();
		}
	}

}
