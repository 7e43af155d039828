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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.support.Durations;

/**
 * Lock of several keys, which may be on different backends: all of them are acquired, or
 * none.
 * <ol>
 * <li>The locks are sorted by backend and key, which is the same order for all callers,
 * so that they cannot wait for each other. A key that occurs several times is locked
 * once.</li>
 * <li>Neighbours of the same backend with the same options are acquired in one call to
 * the store if that is possible, others one after the other. One deadline applies to all
 * of them.</li>
 * <li>If one is not acquired, the others are released. If the lease of one ended while
 * the others were acquired, all are released and acquired again until the deadline.</li>
 * </ol>
 */
final class MultiLeaseLock implements LeaseLock {

	private final List<DefaultLeaseLock> locks;

	private final List<List<DefaultLeaseLock>> groups;

	private MultiLeaseLock(LockGroups groups) {
		this.locks = groups.locks();
		this.groups = groups.groups();
	}

	/**
	 * Create a lock.
	 * @param locks the locks, created by any {@link LockClient}
	 */
	static MultiLeaseLock of(Collection<? extends LeaseLock> locks) {
		return new MultiLeaseLock(LockGroups.of(locks.stream().flatMap(MultiLeaseLock::single).toList()));
	}

	private static Stream<DefaultLeaseLock> single(LeaseLock lock) {
		Assert.notNull(lock, "'locks' must not contain null");
		if (lock instanceof MultiLeaseLock multi) {
			return multi.locks.stream();
		}
		if (lock instanceof DefaultLeaseLock single) {
			return Stream.of(single);
		}
		throw new IllegalArgumentException("Only locks that were created by a LockClient can be combined, not " + lock);
	}

	@Override
	public void lock() {
		acquireUninterruptibly(Durations.MAX_NANOS);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(Durations.MAX_NANOS, DefaultLeaseLock::acquire);
	}

	@Override
	public boolean tryLock() {
		return acquireUninterruptibly(0);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire(Durations.waitNanos(time, unit), DefaultLeaseLock::acquire);
	}

	@Override
	public boolean tryLock(Duration waitTime) throws InterruptedException {
		return acquire(DefaultLeaseLock.waitNanos(waitTime), DefaultLeaseLock::acquire);
	}

	private boolean acquireUninterruptibly(long waitNanos) {
		try {
			return acquire(waitNanos, DefaultLeaseLock::acquireUninterruptibly);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt during an uninterruptible acquisition", ex);
		}
	}

	private boolean acquire(long waitNanos, Step step) throws InterruptedException {
		LockEngine clock = this.locks.get(0).engine();
		long deadline = clock.deadlineAfter(waitNanos);
		do {
			List<Hold> held = new ArrayList<>(this.locks.size());
			if (!acquireAll(clock, deadline, step, held)) {
				return false;
			}
			if (held.stream().allMatch(Hold::isHeld)) {
				return true;
			}
			Hold.releaseAll(held); // a lease ended before the last one was acquired
		}
		while (clock.nanosUntil(deadline) > 0);
		return false;
	}

	/**
	 * Acquire either all locks or none.
	 * @param held receives the holds
	 */
	private boolean acquireAll(LockEngine clock, long deadline, Step step, List<Hold> held)
			throws InterruptedException {
		boolean complete = false;
		try {
			for (List<DefaultLeaseLock> group : this.groups) {
				List<Hold> together = acquireTogether(group, clock.nanosUntil(deadline));
				if (together == null) {
					return false;
				}
				held.addAll(together);
				if (together.isEmpty() && !acquireOneByOne(group, clock, deadline, step, held)) {
					return false;
				}
			}
			complete = true;
			return true;
		}
		finally {
			if (!complete) {
				Hold.releaseAll(held);
			}
		}
	}

	/**
	 * Try to acquire the locks of a group in one call to the store.
	 * @return the holds, empty if that is not possible at present, {@code null} if one is
	 * held by another owner and no time is left
	 */
	private static @Nullable List<Hold> acquireTogether(List<DefaultLeaseLock> group, long waitNanos) {
		DefaultLeaseLock first = group.get(0);
		try {
			return first.engine()
				.acquireTogether(group.stream().map(DefaultLeaseLock::storeKey).toList(), first.acquireOptions(),
						first.owner(), waitNanos);
		}
		catch (EngineException ex) {
			throw first.translate(ex);
		}
	}

	private static boolean acquireOneByOne(List<DefaultLeaseLock> group, LockEngine clock, long deadline, Step step,
			List<Hold> held) throws InterruptedException {
		for (DefaultLeaseLock lock : group) {
			Hold hold = clock.isLongOver(deadline) ? null : step.acquire(lock, clock.nanosUntil(deadline));
			if (hold == null) {
				return false;
			}
			held.add(hold);
		}
		return true;
	}

	@Override
	public void unlock() {
		List<Hold> lost = Hold.releaseAll(this.locks.stream().map(DefaultLeaseLock::requireHold).toList());
		if (!lost.isEmpty()) {
			throw new LockLostException(lost.get(0).key());
		}
	}

	@Override
	public CompletableFuture<LockHandle> lockAsync() {
		return new MultiAcquisition(this.groups, Durations.MAX_NANOS).start();
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryLockAsync(Duration waitTime) {
		return new MultiAcquisition(this.groups, DefaultLeaseLock.waitNanos(waitTime)).start();
	}

	/**
	 * Return whether all locks are held, by whatever owners.
	 */
	@Override
	public boolean isLocked() {
		return this.locks.stream().allMatch(LeaseLock::isLocked);
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.locks.stream().allMatch(LeaseLock::isHeldByCurrentThread);
	}

	@Override
	public int getHoldCount() {
		return this.locks.stream().mapToInt(LeaseLock::getHoldCount).min().orElse(0);
	}

	@Override
	public Duration remaining() {
		return this.locks.stream().map(LeaseLock::remaining).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public void extend(Duration leaseTime) {
		throw new UnsupportedOperationException("A lock of several keys cannot be extended");
	}

	@Override
	public long fencingToken() {
		return LockUtils.handle(this.locks.stream().map(DefaultLeaseLock::handle).toList()).fencingToken();
	}

	@Override
	public List<LeaseHolder> holders() {
		return this.locks.stream().flatMap((lock) -> lock.holders().stream()).distinct().toList();
	}

	@Override
	public List<LeaseWaiter> waiters() {
		return this.locks.stream().flatMap((lock) -> lock.waiters().stream()).distinct().toList();
	}

	@Override
	public int getQueueLength() {
		return this.locks.stream().mapToInt(LeaseLock::getQueueLength).sum();
	}

	@Override
	public String toString() {
		return this.locks.toString();
	}

	/**
	 * Acquires one of the locks.
	 */
	@FunctionalInterface
	private interface Step {

		@Nullable Hold acquire(DefaultLeaseLock lock, long waitNanos) throws InterruptedException;

	}

}
