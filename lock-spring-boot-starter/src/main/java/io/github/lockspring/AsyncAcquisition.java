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
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.LockEngine;

/**
 * Asynchronous acquisition of either all of several keys or none of them. Used once.
 * <p>
 * If the returned future is completed or cancelled by the caller, the pending step is
 * cancelled and the locks held so far are released.
 */
final class AsyncAcquisition {

	private final CompletableFuture<@Nullable LockHandle> result = new CompletableFuture<>();

	private final Deque<DefaultLockHandle> held = new ArrayDeque<>();

	/**
	 * The next steps. Each is called with the remaining time in nanoseconds, and supplies
	 * a handle, or {@code null} if its keys are held by other owners.
	 */
	private final Deque<LongFunction<CompletableFuture<@Nullable LockHandle>>> steps = new ArrayDeque<>();

	private final List<KeyGroup> groups;

	private final LockEngine clock;

	private final long deadline;

	private volatile @Nullable Future<?> current;

	AsyncAcquisition(List<KeyGroup> groups, long waitNanos) {
		this.groups = groups;
		this.clock = groups.get(0).engine();
		this.deadline = this.clock.deadlineAfter(waitNanos);
	}

	/**
	 * Return a future with the handle of what another future acquires, which is cancelled
	 * or released if the returned one is completed before.
	 * @param acquired completes with what was acquired, or with {@code null}
	 * @param handle creates the handle
	 * @param translation translates exceptions of the engine
	 */
	static <T> CompletableFuture<@Nullable LockHandle> handle(CompletableFuture<@Nullable T> acquired,
			Function<T, LockHandle> handle, Function<EngineException, RuntimeException> translation) {
		CompletableFuture<@Nullable LockHandle> result = new CompletableFuture<>();
		acquired.whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally((failure instanceof EngineException ex) ? translation.apply(ex) : failure);
			}
			else {
				complete(result, (value != null) ? handle.apply(value) : null);
			}
		});
		result.whenComplete((lock, failure) -> acquired.cancel(false));
		return result;
	}

	/**
	 * Return a future that fails if another future completes without a lock.
	 * @param acquired completes with the lock, or with {@code null}
	 * @param otherwise creates the failure
	 */
	static CompletableFuture<LockHandle> require(CompletableFuture<@Nullable LockHandle> acquired,
			Supplier<LockException> otherwise) {
		CompletableFuture<LockHandle> result = new CompletableFuture<>();
		acquired.whenComplete((lock, failure) -> {
			if (failure != null || lock == null) {
				result.completeExceptionally((failure != null) ? failure : otherwise.get());
			}
			else {
				complete(result, lock);
			}
		});
		result.whenComplete((lock, failure) -> acquired.cancel(false));
		return result;
	}

	private static <T extends @Nullable LockHandle> void complete(CompletableFuture<T> result, @Nullable T lock) {
		if (!result.complete(lock) && lock != null) {
			lock.closeAsync();
		}
	}

	CompletableFuture<@Nullable LockHandle> start() {
		this.result.whenComplete((lock, failure) -> cancelCurrent());
		begin();
		return this.result;
	}

	private void cancelCurrent() {
		Future<?> current = this.current;
		if (current != null) {
			current.cancel(false);
		}
	}

	private void begin() {
		this.groups.forEach((group) -> this.steps.add((waitNanos) -> acquireTogether(group, waitNanos)));
		advance();
	}

	/**
	 * Acquire the keys of a group together, or one by one in the next steps if that is
	 * not possible.
	 */
	private CompletableFuture<@Nullable LockHandle> acquireTogether(KeyGroup group, long waitNanos) {
		LockTemplate template = group.template();
		String first = group.storeKeys().get(0);
		Object owner = template.asyncOwner();
		return handle(group.engine().acquireTogetherAsync(group.storeKeys(), group.options(), owner, waitNanos),
				(holds) -> {
					if (holds.isEmpty()) {
						acquireOneByOne(group, owner);
					}
					return template.handle(holds);
				}, (ex) -> LockUtils.translate(ex, first));
	}

	private void acquireOneByOne(KeyGroup group, Object owner) {
		for (int i = group.storeKeys().size() - 1; i >= 0; i--) {
			String key = group.storeKeys().get(i);
			this.steps.push((waitNanos) -> group.template().acquireAsync(key, group.options(), owner, waitNanos));
		}
	}

	private void advance() {
		while (!this.steps.isEmpty()) {
			if (this.clock.isLongOver(this.deadline)) {
				release(() -> this.result.complete(null));
				return;
			}
			CompletableFuture<@Nullable LockHandle> next = next(this.steps.remove());
			if (!next.isDone()) {
				next.whenComplete((lock, failure) -> {
					if (take(next)) {
						advance();
					}
				});
				return;
			}
			if (!take(next)) {
				return;
			}
		}
		end();
	}

	private CompletableFuture<@Nullable LockHandle> next(LongFunction<CompletableFuture<@Nullable LockHandle>> step) {
		CompletableFuture<@Nullable LockHandle> next;
		try {
			next = step.apply(this.clock.nanosUntil(this.deadline));
		}
		catch (Throwable ex) {
			next = CompletableFuture.failedFuture(ex);
		}
		this.current = next;
		if (this.result.isDone()) {
			next.cancel(false);
		}
		return next;
	}

	/**
	 * Add the locks of a step.
	 * @return {@code false} if they were not acquired and the acquisition is complete
	 */
	private boolean take(CompletableFuture<@Nullable LockHandle> done) {
		try {
			LockHandle lock = done.join();
			if (lock != null) {
				CompositeLockHandle.push(lock, this.held);
				return true;
			}
			release(() -> this.result.complete(null));
		}
		catch (CompletionException | CancellationException ex) {
			Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
			release(() -> this.result.completeExceptionally(failure));
		}
		return false;
	}

	private void end() {
		CompositeLockHandle lock = new CompositeLockHandle(this.held);
		if (lock.isHeld()) {
			complete(this.result, lock);
			return;
		}
		release(() -> { // a lease expired before the last lock was acquired
			this.held.clear();
			if (this.clock.nanosUntil(this.deadline) > 0) {
				begin();
			}
			else {
				this.result.complete(null);
			}
		});
	}

	private void release(Runnable next) {
		new CompositeLockHandle(this.held).closeAsync().whenComplete((closed, loss) -> next.run());
	}

}
