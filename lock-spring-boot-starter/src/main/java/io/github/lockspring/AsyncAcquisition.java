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

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;

/**
 * Asynchronous acquisition of one or more keys for one owner with one set of options.
 * Keys that are held by a lock context already are reentered. Used once.
 * <p>
 * If the returned future is completed or cancelled by the caller, the pending acquisition
 * is cancelled and the locks held so far are released.
 */
final class AsyncAcquisition {

	private final CompletableFuture<@Nullable LockHandle> result = new CompletableFuture<>();

	private final Deque<DefaultLockHandle> held = new ArrayDeque<>();

	private final LockEngine engine;

	private final int prefixLength;

	private final LockOptions options;

	private final Object owner;

	private final @Nullable LockContext context;

	private final long deadline;

	private volatile @Nullable Future<?> current;

	/**
	 * Create an acquisition.
	 * @param engine the lock engine
	 * @param prefixLength the length of the prefix of all keys in the store
	 * @param options the options
	 * @param owner the owner of locks that are not held yet
	 * @param context the locks that are held already, or {@code null}
	 */
	AsyncAcquisition(LockEngine engine, int prefixLength, LockOptions options, Object owner,
			@Nullable LockContext context) {
		this.engine = engine;
		this.prefixLength = prefixLength;
		this.options = options;
		this.owner = owner;
		this.context = context;
		this.deadline = engine.deadlineAfter(options.waitNanos());
		this.result.whenComplete((lock, failure) -> cancelCurrent());
	}

	private void cancelCurrent() {
		Future<?> current = this.current;
		if (current != null) {
			current.cancel(false);
		}
	}

	/**
	 * Return a future that fails if another future completes without a lock.
	 * @param lock completes with the lock, or with {@code null}
	 * @param otherwise supplies the failure
	 */
	static CompletableFuture<LockHandle> require(CompletableFuture<@Nullable LockHandle> lock,
			Supplier<LockException> otherwise) {
		CompletableFuture<LockHandle> required = new CompletableFuture<>();
		lock.whenComplete((handle, failure) -> {
			if (failure != null || handle == null) {
				required.completeExceptionally((failure != null) ? failure : otherwise.get());
			}
			else if (!required.complete(handle)) {
				handle.closeAsync();
			}
		});
		required.whenComplete((handle, failure) -> lock.cancel(false));
		return required;
	}

	CompletableFuture<@Nullable LockHandle> acquire(String storeKey) {
		CompletableFuture<@Nullable Hold> next = next(storeKey);
		next.whenComplete((hold, failure) -> {
			if (take(next, storeKey)) {
				end(this.held.pop());
			}
		});
		return this.result;
	}

	CompletableFuture<@Nullable LockHandle> acquireAll(List<String> storeKeys) {
		CompletableFuture<@Nullable List<Hold>> together = this.engine.acquireTogetherAsync(storeKeys,
				this.options.acquireOptions(), this.owner, this.engine.nanosUntil(this.deadline));
		setCurrent(together);
		together.whenComplete((holds, failure) -> {
			if (failure != null) {
				fail(failure, storeKeys.get(0));
				return;
			}
			if (holds == null) {
				this.result.complete(null);
				return;
			}
			holds.forEach(this::add);
			advance(storeKeys, holds.isEmpty() ? storeKeys.iterator() : Collections.emptyIterator());
		});
		return this.result;
	}

	/**
	 * Acquire the keys one after the other, in a loop for as long as they are acquired
	 * immediately.
	 */
	private void advance(List<String> all, Iterator<String> storeKeys) {
		while (storeKeys.hasNext()) {
			if (this.engine.isLongOver(this.deadline)) {
				release().whenComplete((closed, loss) -> this.result.complete(null));
				return;
			}
			String storeKey = storeKeys.next();
			CompletableFuture<@Nullable Hold> next = next(storeKey);
			if (!next.isDone()) {
				next.whenComplete((hold, failure) -> {
					if (take(next, storeKey)) {
						advance(all, storeKeys);
					}
				});
				return;
			}
			if (!take(next, storeKey)) {
				return;
			}
		}
		endAll(all);
	}

	private CompletableFuture<@Nullable Hold> next(String storeKey) {
		CompletableFuture<@Nullable Hold> next = this.engine.acquireAsync(storeKey, this.options.acquireOptions(),
				ownerOf(storeKey), this.engine.nanosUntil(this.deadline));
		setCurrent(next);
		return next;
	}

	private Object ownerOf(String storeKey) {
		Object holder = (this.context != null) ? this.context.asyncOwnerOf(this.engine.backendName(), storeKey) : null;
		return (holder != null) ? holder : this.owner;
	}

	/**
	 * Set the pending acquisition, which is cancelled if the result has been completed in
	 * the meantime.
	 */
	private void setCurrent(Future<?> current) {
		this.current = current;
		if (this.result.isDone()) {
			current.cancel(false);
		}
	}

	/**
	 * Add the next hold.
	 * @return {@code false} if it was not acquired and the acquisition is complete
	 */
	private boolean take(CompletableFuture<@Nullable Hold> done, String storeKey) {
		try {
			Hold hold = done.join();
			if (hold != null) {
				add(hold);
				return true;
			}
			release().whenComplete((closed, loss) -> this.result.complete(null));
		}
		catch (CompletionException | CancellationException ex) {
			fail((ex.getCause() != null) ? ex.getCause() : ex, storeKey);
		}
		return false;
	}

	private void add(Hold hold) {
		this.held.push(new DefaultLockHandle(hold, this.prefixLength));
	}

	private void endAll(List<String> storeKeys) {
		if (this.held.stream().allMatch(LockHandle::isHeld)) {
			end(new CompositeLockHandle(this.held));
			return;
		}
		// a lease expired before the last key was acquired
		release().whenComplete((closed, loss) -> {
			this.held.clear();
			if (this.engine.nanosUntil(this.deadline) > 0) {
				acquireAll(storeKeys);
			}
			else {
				this.result.complete(null);
			}
		});
	}

	private void end(LockHandle lock) {
		if (!this.result.complete(lock)) {
			lock.closeAsync();
		}
	}

	private void fail(Throwable failure, String storeKey) {
		Throwable translated = (failure instanceof EngineException ex) ? LockException.of(ex, storeKey) : failure;
		release().whenComplete((closed, loss) -> this.result.completeExceptionally(translated));
	}

	private CompletableFuture<Void> release() {
		return new CompositeLockHandle(this.held).closeAsync();
	}

}
