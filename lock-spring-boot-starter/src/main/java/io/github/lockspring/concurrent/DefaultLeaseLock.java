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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.Step;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineInspection;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Lock of a single key. Has no state of its own: what a thread holds is known to the
 * engine.
 */
final class DefaultLeaseLock extends AbstractLeaseLock {

	private final LockTemplate locks;

	private final LockOptions options;

	private final AcquireOptions acquireOptions;

	private final LockEngine engine;

	private final String storeKey;

	/**
	 * Create a lock.
	 * @param locks the template that has the key
	 * @param key the key
	 * @param options the type, lease time and renewal
	 * @param acquireOptions the same options in the form used by the engine
	 */
	DefaultLeaseLock(LockTemplate locks, String key, LockOptions options, AcquireOptions acquireOptions) {
		this.locks = locks;
		this.options = options;
		this.acquireOptions = acquireOptions;
		this.engine = LockUtils.engine(locks);
		this.storeKey = locks.storeKey(key);
	}

	@Override
	<X extends Exception> boolean acquire(long waitNanos, Step<X> step) throws X {
		try {
			return step.acquire(this.engine, this.storeKey, this.acquireOptions, owner(), waitNanos) != null;
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, this.storeKey);
		}
	}

	/**
	 * Return the owner on whose behalf the current thread acts.
	 */
	Object owner() {
		return LockUtils.ownerOf(this.locks, this.storeKey);
	}

	@Override
	public void unlock() {
		if (!requireHold().release()) {
			throw new LockLostException(this.storeKey);
		}
	}

	/**
	 * Return the hold of the current thread, which may be lost.
	 * @throws IllegalMonitorStateException if there is none
	 */
	Hold requireHold() {
		Hold hold = hold();
		if (hold == null) {
			throw new IllegalMonitorStateException("The current thread does not hold the " + this);
		}
		return hold;
	}

	private @Nullable Hold hold() {
		return this.engine.heldBy(this.storeKey, owner(), this.acquireOptions);
	}

	@Override
	public CompletableFuture<LockHandle> lockAsync() {
		return asyncLocks().acquireAsync(key(), this.options.withWaitTime(Durations.MAX));
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryLockAsync(Duration waitTime) {
		return asyncLocks().tryAcquireAsync(key(), this.options.withWaitTime(Duration.ofNanos(waitNanos(waitTime))));
	}

	/**
	 * Return the template for asynchronous acquisitions. If they are not reentrant, their
	 * owner is not that of the template.
	 */
	LockTemplate asyncLocks() {
		return this.acquireOptions.isReentrant() ? this.locks : this.locks.ownedBy(new Object());
	}

	@Override
	public boolean isLocked() {
		return isHeldByCurrentThread()
				|| holders().stream().anyMatch((holder) -> (holder.mode() == LeaseMode.EXCLUSIVE) == isExclusive());
	}

	/**
	 * Return whether no other owner holds the key at the same time.
	 */
	boolean isExclusive() {
		return this.acquireOptions.isExclusive();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		Hold hold = hold();
		return hold != null && hold.isHeld();
	}

	@Override
	public int getHoldCount() {
		Hold hold = hold();
		return (hold != null && hold.isHeld()) ? hold.count() : 0;
	}

	@Override
	public Duration remaining() {
		Hold hold = hold();
		return (hold != null) ? hold.remaining() : Duration.ZERO;
	}

	@Override
	public void extend(Duration leaseTime) {
		if (!isExclusive()) {
			throw new UnsupportedOperationException("Only an exclusive lock can be extended, not the " + this);
		}
		AcquireOptions extended = LockUtils.acquireOptions(this.options.withLeaseTime(leaseTime).withAutoRenew(false));
		Hold hold = requireHold();
		try {
			hold.extend(this.acquireOptions.isReentrant() ? extended : extended.nonReentrant());
		}
		catch (EngineException ex) {
			throw LockUtils.translateRenewalFailure(ex, this.storeKey);
		}
		LockUtils.handle(this.locks, hold).checkpoint();
	}

	@Override
	public long fencingToken() {
		return handle().fencingToken();
	}

	/**
	 * Return a handle of the hold of the current thread.
	 */
	LockHandle handle() {
		return LockUtils.handle(this.locks, requireHold());
	}

	@Override
	public List<LeaseHolder> holders() {
		return inspect(this.engine, this.storeKey, EngineInspection::holders);
	}

	@Override
	public List<LeaseWaiter> waiters() {
		return inspect(this.engine, this.storeKey, EngineInspection::queue);
	}

	/**
	 * Inspect a key, and throw a failure as an exception of the public API.
	 */
	static <T> T inspect(LockEngine engine, String storeKey, BiFunction<EngineInspection, String, T> call) {
		try {
			return call.apply(engine.inspection(), storeKey);
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, storeKey);
		}
	}

	@Override
	public int getQueueLength() {
		return this.engine.inspection().waitingCount(this.storeKey);
	}

	LockTemplate locks() {
		return this.locks;
	}

	private String key() {
		return LockUtils.keyOf(this.locks, this.storeKey);
	}

	AcquireOptions acquireOptions() {
		return this.acquireOptions;
	}

	LockEngine engine() {
		return this.engine;
	}

	String storeKey() {
		return this.storeKey;
	}

	@Override
	public String toString() {
		return "distributed lock " + KeyFormat.quote(this.storeKey);
	}

}
