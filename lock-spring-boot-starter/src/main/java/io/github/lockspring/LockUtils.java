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

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.support.KeyFormat;

/**
 * Utility methods for templates, handles and contexts, and for durations. Mainly for
 * internal use within the library: they may change without notice.
 */
public final class LockUtils {

	private LockUtils() {
	}

	/**
	 * Create a template that uses the default backend and gives access to the others.
	 * @param engines the lock engines
	 * @param prefix the prefix of all keys in the stores
	 * @param defaultOptions the options used by the methods without a {@link LockOptions}
	 * parameter
	 * @return the template, which does not close the engines
	 */
	public static LockTemplate template(LockEngines engines, String prefix, LockOptions defaultOptions) {
		return new LockTemplate(engines, prefix, defaultOptions);
	}

	/**
	 * Return the engine of a template.
	 * @param template the template
	 * @return its engine
	 */
	public static LockEngine engine(LockTemplate template) {
		return template.engine();
	}

	/**
	 * Return the key for which a template has returned a key used in the store.
	 * @param template the template
	 * @param storeKey the result of {@link LockTemplate#storeKey}
	 * @return the key without the prefix of the template
	 */
	public static String keyOf(LockTemplate template, String storeKey) {
		return template.keyOf(storeKey);
	}

	/**
	 * Register the name of a lock that is acquired by a template, so that meters can be
	 * tagged with it.
	 * @param template the template
	 * @param name the name, with which the keys of the lock begin
	 */
	public static void registerName(LockTemplate template, String name) {
		template.registerName(name);
	}

	/**
	 * Return a template whose asynchronous acquisitions reenter the locks held by a lock
	 * context.
	 * @param template the template
	 * @param context the lock context, or {@code null} if nothing is held
	 * @return a template for the same keys
	 */
	public static LockTemplate within(LockTemplate template, @Nullable LockContext context) {
		return template.within(context);
	}

	/**
	 * Return options in the form used by the engine.
	 * @param options the options
	 * @return the options of the engine
	 */
	public static AcquireOptions acquireOptions(LockOptions options) {
		return options.acquireOptions();
	}

	/**
	 * Translate an exception of the engine.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public static RuntimeException translate(EngineException failure, String storeKey) {
		return switch (failure.getReason()) {
			case UNAVAILABLE -> LockUnavailableException.of("Could not acquire the lock on ", failure, storeKey);
			case LOST -> new LockLostException(storeKey);
			case SUSPENDED -> new LockSuspendedException(storeKey);
			case UPGRADE -> new LockUpgradeException(storeKey);
			case LIMIT -> new LockLimitException(failure.getMessage(), storeKey);
			case UNSUPPORTED -> new UnsupportedOperationException(failure.getMessage(), failure);
			case REJECTED -> new IllegalArgumentException(
					KeyFormat.quote(storeKey) + " cannot be locked: " + failure.getMessage(), failure);
			case CLOSED -> new LockShutdownException(storeKey, failure);
		};
	}

	/**
	 * Translate an exception of the engine about the renewal of a lease.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public static RuntimeException translateRenewalFailure(EngineException failure, String storeKey) {
		return (failure.getReason() == EngineException.Reason.UNAVAILABLE)
				? LockUnavailableException.of("Could not renew the lock on ", failure, storeKey)
				: translate(failure, storeKey);
	}

	/**
	 * Translate an exception of the engine about a value.
	 * @param failure the exception of the engine
	 * @param storeKey the key used in the store
	 * @return the exception to throw
	 */
	public static RuntimeException translateValueFailure(EngineException failure, String storeKey) {
		return switch (failure.getReason()) {
			case UNAVAILABLE -> LockUnavailableException.of("Could not access the value ", failure, storeKey);
			case CLOSED -> LockShutdownException.ofValue(storeKey, failure);
			default -> translate(failure, storeKey);
		};
	}

	/**
	 * Create a handle of a hold.
	 * @param template the template that has the key
	 * @param hold the hold
	 * @return a handle with a key of the template
	 */
	public static LockHandle handle(LockTemplate template, Hold hold) {
		return template.handle(hold);
	}

	/**
	 * Return the hold of one of the keys of a handle.
	 * @param lock the handle
	 * @param template the template that has the key
	 * @param storeKey the key used in the store
	 * @return the hold, or {@code null} if the handle is closed or is not for this key
	 */
	public static @Nullable Hold holdOf(LockHandle lock, LockTemplate template, String storeKey) {
		return LockContext.holdOf(lock, template.backendName(), storeKey);
	}

	/**
	 * Return whether the current thread would acquire a lock reentrantly, however it was
	 * acquired before.
	 * @param template the template
	 * @param storeKey the key used in the store
	 * @param options the options of the acquisition
	 * @return {@code true} if its owner holds the lock
	 */
	public static boolean isHeld(LockTemplate template, String storeKey, LockOptions options) {
		Hold hold = template.engine().heldBy(storeKey, template.ownerOf(storeKey), options.acquireOptions());
		return hold != null && hold.isHeld();
	}

	/**
	 * Create a handle of several locks, also of several backends.
	 * @param locks handles created by templates, in the order in which they were acquired
	 * @return a handle that releases all of them
	 */
	public static LockHandle handle(Collection<LockHandle> locks) {
		return CompositeLockHandle.of(locks);
	}

	/**
	 * Return a future with the handle of a hold, which is cancelled or released if the
	 * future is completed before.
	 * @param template the template that has the key
	 * @param acquisition completes with the hold, or with {@code null}
	 * @param translation translates exceptions of the engine
	 * @return the future
	 */
	public static CompletableFuture<@Nullable LockHandle> handle(LockTemplate template,
			CompletableFuture<@Nullable Hold> acquisition, Function<EngineException, RuntimeException> translation) {
		return AsyncAcquisition.handle(acquisition, template::handle, translation);
	}

	/**
	 * Reject keys that cannot be locked together because of their number.
	 * @param number the number of keys
	 * @param first returns the first key, as used in the store
	 * @throws InvalidLockKeyException if there is no key
	 * @throws LockLimitException if there are too many
	 */
	public static void requireNumberOfKeys(int number, Supplier<String> first) {
		if (number == 0) {
			throw new InvalidLockKeyException("At least one key is required");
		}
		if (number > LockTemplate.MAX_KEYS) {
			throw new LockLimitException("At most " + LockTemplate.MAX_KEYS + " keys can be locked together, not "
					+ number + "; lock fewer, or a common key", first.get());
		}
	}

	/**
	 * Acquire either all of several keys or none of them.
	 * @param <X> the exception thrown if a step is interrupted
	 * @param groups the keys, in the order in which they are acquired
	 * @param waitNanos the available time, by the clock of the first engine
	 * @param step acquires a key that cannot be acquired together with others
	 * @return the holds, or {@code null} if one of them was not acquired in time
	 * @throws X if a step is interrupted while waiting; nothing is held then
	 */
	public static <X extends Exception> @Nullable List<Hold> acquireAll(List<KeyGroup> groups, long waitNanos,
			Step<X> step) throws X {
		return new BlockingAcquisition<>(groups, waitNanos, step).run();
	}

	/**
	 * Acquire either all of several keys or none of them without blocking the calling
	 * thread. The returned future may be cancelled.
	 * @param groups the keys, in the order in which they are acquired
	 * @param waitNanos the available time, by the clock of the first engine
	 * @return a future with a handle of all keys, or with {@code null}
	 */
	public static CompletableFuture<@Nullable LockHandle> acquireAllAsync(List<KeyGroup> groups, long waitNanos) {
		return new AsyncAcquisition(groups, waitNanos).start();
	}

	/**
	 * Create a chain by adding a lock.
	 * @param name the name of the lock
	 * @param lock the handle of the lock
	 * @param outer the locks that were held before
	 * @return the chain
	 */
	public static LockContext context(String name, LockHandle lock, @Nullable LockContext outer) {
		return new LockContext(name, lock, outer);
	}

	/**
	 * Begin a part of asynchronous work in the current thread: its locks replace those of
	 * the thread until the part is closed in the same thread.
	 * @param context the innermost lock of the work, or {@code null} for none
	 * @return the part
	 */
	public static WorkPart begin(@Nullable LockContext context) {
		LockContext.Part part = new LockContext.Part(context);
		LockContext.STACK.get().add(part);
		return part;
	}

	/**
	 * Add a lock to the chain of the current thread.
	 * @param name the name of the lock
	 * @param lock the handle of the lock
	 */
	public static void enter(String name, LockHandle lock) {
		List<Object> stack = LockContext.STACK.get();
		stack.add(name);
		stack.add(lock);
	}

	/**
	 * Remove the innermost lock from the chain of the current thread.
	 */
	public static void leave() {
		List<Object> stack = LockContext.STACK.get();
		int last = stack.size() - 1;
		if (last > 0 && stack.get(last) instanceof LockHandle) {
			stack.remove(last);
			stack.remove(last - 1);
		}
	}

	/**
	 * Return the owner of a lock that the current thread acquires or releases with a
	 * blocking method: the owner of the template, or else the asynchronous method that
	 * holds the key and of which the thread runs a part, or else that part, which ends
	 * before the thread does anything else, or else the thread.
	 * @param template the template
	 * @param storeKey the key used in the store
	 * @return the owner
	 */
	public static Object ownerOf(LockTemplate template, String storeKey) {
		return template.ownerOf(storeKey);
	}

	/**
	 * Return a duration as one writes it, such as {@code 1d} or {@code 1m30s}.
	 * @param duration the duration
	 * @return its text
	 */
	public static String text(Duration duration) {
		return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
	}

	/**
	 * Keys of one backend that are acquired with the same options. The leases of several
	 * keys are not retained.
	 *
	 * @param template the template that determines their owner
	 * @param options the options
	 * @param storeKeys the keys used in the store, sorted and without duplicates
	 */
	public record KeyGroup(LockTemplate template, AcquireOptions options, List<String> storeKeys) {

		public KeyGroup {
			if (storeKeys.size() > 1 && options.isRetained()) {
				options = options.withRetain(Duration.ZERO);
			}
		}

		LockEngine engine() {
			return this.template.engine();
		}

		Object ownerOf(String storeKey) {
			return this.template.ownerOf(storeKey);
		}

	}

	/**
	 * Acquisition of a single key by an engine.
	 *
	 * @param <X> the exception thrown if it is interrupted
	 */
	@FunctionalInterface
	public interface Step<X extends Exception> {

		/**
		 * Acquire a key.
		 * @param engine the engine
		 * @param key the key
		 * @param options the options
		 * @param owner the owner
		 * @param waitNanos the available time
		 * @return the hold, or {@code null} if it was not acquired in time
		 * @throws X if interrupted while waiting
		 */
		@Nullable Hold acquire(LockEngine engine, String key, AcquireOptions options, Object owner, long waitNanos) throws X;

	}

	/**
	 * Part of asynchronous work that a thread runs without interruption. It owns the
	 * locks that the thread acquires with blocking methods, so that they are not
	 * reentered by other work that the thread runs later, nor by another part of the same
	 * work that runs concurrently.
	 *
	 * @see LockUtils#begin(LockContext)
	 */
	public interface WorkPart extends AutoCloseable {

		/**
		 * End this part, and everything that was begun inside it, if it is run by the
		 * current thread.
		 */
		@Override
		void close();

	}

}
