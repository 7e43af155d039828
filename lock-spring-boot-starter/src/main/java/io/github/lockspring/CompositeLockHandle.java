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
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LossReaction;

/**
 * Handle of several keys that were acquired together.
 */
final class CompositeLockHandle implements LockHandle {

	private final Collection<DefaultLockHandle> locks;

	/**
	 * Create a handle.
	 * @param locks the handles, in the order in which they are closed
	 */
	CompositeLockHandle(Deque<DefaultLockHandle> locks) {
		this.locks = locks;
	}

	/**
	 * Create a handle of the locks of other handles.
	 * @param handles the handles, in the order in which they were acquired
	 */
	static CompositeLockHandle of(Collection<LockHandle> handles) {
		Deque<DefaultLockHandle> locks = new ArrayDeque<>();
		handles.forEach((handle) -> push(handle, locks));
		return new CompositeLockHandle(locks);
	}

	/**
	 * Create a handle of holds.
	 * @param holds the holds, in the order in which they were acquired
	 * @param prefixLength the length of the prefix of all keys in the store
	 */
	static CompositeLockHandle of(List<Hold> holds, int prefixLength) {
		Deque<DefaultLockHandle> locks = new ArrayDeque<>(holds.size());
		holds.forEach((hold) -> locks.push(new DefaultLockHandle(hold, prefixLength)));
		return new CompositeLockHandle(locks);
	}

	/**
	 * Add the locks of a handle to those that are to be closed.
	 */
	static void push(LockHandle handle, Deque<DefaultLockHandle> locks) {
		if (handle instanceof CompositeLockHandle composite) {
			new ArrayDeque<>(composite.locks).descendingIterator().forEachRemaining(locks::push);
		}
		else {
			locks.push((DefaultLockHandle) handle);
		}
	}

	@Nullable Hold holdOf(String backend, String storeKey) {
		return this.locks.stream()
			.map((lock) -> lock.holdOf(backend, storeKey))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	@Override
	public String key() {
		return this.locks.stream().map(LockHandle::key).sorted().collect(Collectors.joining(","));
	}

	@Override
	public String storeKey() {
		return this.locks.stream().map(LockHandle::storeKey).sorted().collect(Collectors.joining(","));
	}

	@Override
	public long fencingToken() {
		checkpoint();
		LongSummaryStatistics tokens = this.locks.stream().mapToLong(LockHandle::fencingToken).summaryStatistics();
		long backends = this.locks.stream().map(DefaultLockHandle::backendName).distinct().count();
		if (tokens.getMin() == tokens.getMax() && backends == 1) {
			return tokens.getMax();
		}
		throw new IllegalStateException("The keys were acquired one after the other and do not share a fencing token");
	}

	@Override
	public boolean isHeld() {
		return this.locks.stream().allMatch(LockHandle::isHeld);
	}

	@Override
	public boolean isLost() {
		return this.locks.stream().anyMatch(LockHandle::isLost);
	}

	@Override
	public Duration remaining() {
		return this.locks.stream().map(LockHandle::remaining).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	/**
	 * Reports a loss before a suspension: the lost keys cannot be held again.
	 */
	@Override
	public void checkpoint() {
		this.locks.stream().filter(LockHandle::isLost).forEach(LockHandle::checkpoint);
		this.locks.forEach(LockHandle::checkpoint);
	}

	@Override
	public void onLost(Runnable callback) {
		AtomicBoolean notified = new AtomicBoolean();
		LossReaction once = () -> {
			if (notified.compareAndSet(false, true)) {
				callback.run();
			}
		};
		this.locks.forEach((lock) -> lock.onLost((callback instanceof LossReaction) ? once : once::run));
	}

	@Override
	public void close() {
		DefaultLockHandle.releaseAll(markClosed());
	}

	/**
	 * Releases all keys in a single thread, so that many keys do not use many threads.
	 */
	@Override
	public CompletableFuture<Void> closeAsync() {
		List<DefaultLockHandle> closed = markClosed();
		return closed.isEmpty() ? CompletableFuture.completedFuture(null)
				: closed.get(0).runAsync(() -> DefaultLockHandle.releaseAll(closed));
	}

	private List<DefaultLockHandle> markClosed() {
		return this.locks.stream().filter(DefaultLockHandle::markClosed).toList();
	}

	@Override
	public String toString() {
		return this.locks.toString();
	}

}
