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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.KeyGroup;
import io.github.lockspring.LockUtils.Step;
import io.github.lockspring.engine.Hold;
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
final class MultiLeaseLock extends AbstractLeaseLock {

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
	<X extends Exception> boolean acquire(long waitNanos, Step<X> step) throws X {
		return LockUtils.acquireAll(keys(DefaultLeaseLock::locks), waitNanos, step) != null;
	}

	private List<KeyGroup> keys(Function<DefaultLeaseLock, LockTemplate> template) {
		return this.groups.stream()
			.map((group) -> new KeyGroup(template.apply(group.get(0)), group.get(0).acquireOptions(),
					group.stream().map(DefaultLeaseLock::storeKey).toList()))
			.toList();
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
		return LockUtils.acquireAllAsync(keys(DefaultLeaseLock::asyncLocks), Durations.MAX_NANOS);
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryLockAsync(Duration waitTime) {
		return LockUtils.acquireAllAsync(keys(DefaultLeaseLock::asyncLocks), waitNanos(waitTime));
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

}
