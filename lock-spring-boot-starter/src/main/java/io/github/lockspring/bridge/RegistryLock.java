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

package io.github.lockspring.bridge;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.Step;
import io.github.lockspring.bridge.LeaseLockRegistry.Claim;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Lock of a {@link LeaseLockRegistry}, which has all its state. Each thread owns its
 * acquisitions. Once a lease is lost, the next acquisition of the thread has an owner of
 * its own, because the engine does not reenter what is lost.
 */
final class RegistryLock implements DistributedLock {

	private final LeaseLockRegistry registry;

	private final String storeKey;

	private volatile long lastUsed = System.currentTimeMillis();

	RegistryLock(LeaseLockRegistry registry, String storeKey) {
		this.registry = registry;
		this.storeKey = storeKey;
	}

	String storeKey() {
		return this.storeKey;
	}

	/**
	 * Return the wall time of the last acquisition.
	 */
	long lastUsed() {
		return this.lastUsed;
	}

	@Override
	public void lock() {
		acquire(this.registry.options(), Durations.MAX_NANOS, LockEngine::acquireUninterruptibly);
	}

	@Override
	public void lock(Duration ttl) {
		acquire(this.registry.optionsFor(ttl), Durations.MAX_NANOS, LockEngine::acquireUninterruptibly);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(this.registry.options(), Durations.MAX_NANOS, LockEngine::acquire);
	}

	@Override
	public boolean tryLock() {
		return acquire(this.registry.options(), 0, LockEngine::acquireUninterruptibly);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire(this.registry.options(), Durations.waitNanos(time, unit), LockEngine::acquire);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return acquire(this.registry.optionsFor(ttl), Durations.waitNanos(waitTime), LockEngine::acquire);
	}

	private <X extends Exception> boolean acquire(AcquireOptions options, long waitNanos, Step<X> step) throws X {
		Claim claim = new Claim(Thread.currentThread(), this.storeKey);
		Hold held = innermost(claim);
		Object owner = (held != null && held.hasLease()) ? held.owner() : claim;
		Hold hold;
		try {
			hold = step.acquire(this.registry.engine(), this.storeKey, options, owner, waitNanos);
		}
		catch (EngineException ex) {
			if (ex.getReason() == EngineException.Reason.LOST && owner != claim) {
				return acquire(options, waitNanos, step); // for a new owner
			}
			throw LockUtils.translate(ex, this.storeKey);
		}
		if (hold == null) {
			this.registry.holds().remove(claim); // what it held before is lost
			return false;
		}
		this.lastUsed = System.currentTimeMillis();
		this.registry.add(claim, hold);
		return true;
	}

	private @Nullable Hold innermost(Claim claim) {
		Deque<Hold> holds = this.registry.holds().get(claim);
		return (holds != null) ? holds.peek() : null;
	}

	/**
	 * Release an acquisition that is lost, if there is one, so that a key that was
	 * acquired again afterwards is held until the last {@code unlock()}.
	 */
	@Override
	public void unlock() {
		Claim claim = new Claim(Thread.currentThread(), this.storeKey);
		Deque<Hold> holds = this.registry.holds().get(claim);
		if (holds == null) {
			throw notOwned();
		}
		Hold hold = holds.stream().filter((each) -> !each.hasLease()).findFirst().orElseGet(holds::element);
		holds.remove(hold);
		if (holds.isEmpty()) {
			this.registry.holds().remove(claim);
		}
		if (!hold.release()) {
			throw new ConcurrentModificationException("The lease of the lock on " + KeyFormat.quote(this.storeKey)
					+ " was lost before it was unlocked. What it protects may have been changed by others");
		}
	}

	void renew(Duration ttl) {
		Hold hold = innermost(new Claim(Thread.currentThread(), this.storeKey));
		if (hold == null) {
			throw notOwned();
		}
		AcquireOptions options = this.registry.optionsFor(ttl);
		try {
			if (!hold.extend(options)) {
				throw new IllegalStateException("Could not renew the lock on " + KeyFormat.quote(this.storeKey)
						+ ", because its lease was lost");
			}
		}
		catch (EngineException ex) {
			throw LockUtils.translateRenewalFailure(ex, this.storeKey);
		}
	}

	private IllegalMonitorStateException notOwned() {
		return new IllegalMonitorStateException(
				"The current thread does not own the lock on " + KeyFormat.quote(this.storeKey));
	}

	/**
	 * Not supported.
	 */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Distributed locks do not support conditions");
	}

	@Override
	public String toString() {
		return "lock on " + KeyFormat.quote(this.storeKey);
	}

}
