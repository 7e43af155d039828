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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.LockEngine;

/**
 * Asynchronous acquisition of groups of locks, one group after the other. Used once.
 * <p>
 * If the returned future is completed or cancelled by the caller, the pending acquisition
 * is cancelled and the locks held so far are released.
 */
final class MultiAcquisition {

	private final CompletableFuture<@Nullable LockHandle> result = new CompletableFuture<>();

	private final List<List<DefaultLeaseLock>> groups;

	private final LockEngine clock;

	private final long deadline;

	private final List<LockHandle> held = new ArrayList<>();

	private volatile @Nullable Future<?> current;

	/**
	 * Create an acquisition.
	 * @param groups the locks, those of a group with the same template and options
	 * @param waitNanos the wait time for all of them
	 */
	MultiAcquisition(List<List<DefaultLeaseLock>> groups, long waitNanos) {
		this.groups = groups;
		this.clock = groups.get(0).get(0).engine();
		this.deadline = this.clock.deadlineAfter(waitNanos);
	}

	CompletableFuture<@Nullable LockHandle> start() {
		this.result.whenComplete((lock, failure) -> cancelCurrent());
		advance(this.groups.iterator());
		return this.result;
	}

	private void cancelCurrent() {
		Future<?> current = this.current;
		if (current != null) {
			current.cancel(false);
		}
	}

	private void advance(Iterator<List<DefaultLeaseLock>> remaining) {
		while (remaining.hasNext()) {
			CompletableFuture<@Nullable LockHandle> next = acquire(remaining.next());
			this.current = next;
			if (this.result.isDone()) {
				next.cancel(false);
			}
			if (!next.isDone()) {
				next.whenComplete((lock, failure) -> {
					if (take(next)) {
						advance(remaining);
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

	private CompletableFuture<@Nullable LockHandle> acquire(List<DefaultLeaseLock> group) {
		DefaultLeaseLock first = group.get(0);
		LockOptions options = first.options().withWaitTime(Duration.ofNanos(this.clock.nanosUntil(this.deadline)));
		return first.asyncLocks().tryAcquireAllAsync(group.stream().map(DefaultLeaseLock::key).toList(), options);
	}

	/**
	 * Add the next handle.
	 * @return {@code false} if the locks were not acquired, and the acquisition has ended
	 */
	private boolean take(CompletableFuture<@Nullable LockHandle> done) {
		try {
			LockHandle lock = done.join();
			if (lock != null) {
				this.held.add(lock);
				return true;
			}
			release().whenComplete((closed, loss) -> this.result.complete(null));
		}
		catch (CompletionException | CancellationException ex) {
			Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
			release().whenComplete((closed, loss) -> this.result.completeExceptionally(failure));
		}
		return false;
	}

	private void end() {
		LockHandle lock = LockUtils.handle(this.held);
		if (lock.isHeld()) {
			if (!this.result.complete(lock)) {
				lock.closeAsync();
			}
			return;
		}
		release().whenComplete((closed, loss) -> { // a lease ended in the meantime
			this.held.clear();
			if (this.clock.nanosUntil(this.deadline) > 0) {
				advance(this.groups.iterator());
			}
			else {
				this.result.complete(null);
			}
		});
	}

	private CompletableFuture<Void> release() {
		return LockUtils.handle(this.held).closeAsync();
	}

}
