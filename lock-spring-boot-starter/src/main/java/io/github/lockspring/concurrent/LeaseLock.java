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

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockLostException;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.KeyFormat;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.internal.LockAccess;
import io.github.lockspring.support.Durations;

/**
 * {@link Lock} that is held by a single thread among all processes that use the store.
 * Inside an asynchronous annotated method, the lock is owned by the part of the method
 * that the thread runs without interruption, which must unlock it before it ends; if the
 * method holds the key already, the owner is the method.
 * <p>
 * {@link #lock()} waits indefinitely, regardless of interrupts and while the store is
 * unavailable; {@link #tryLock(long, TimeUnit)} waits no longer than specified and throws
 * {@link io.github.lockspring.LockUnavailableException} if the store failed.
 * {@link #unlock()} throws {@link LockLostException} if the lease was lost in the
 * meantime, and {@link IllegalMonitorStateException} if the thread does not hold the
 * lock.
 */
final class LeaseLock implements Lock {

	private static final long FOREVER = Durations.LONGEST_NANOS;

	private final LockEngine engine;

	private final String key;

	private final AcquireOptions terms;

	LeaseLock(LockEngine engine, String key, AcquireOptions terms) {
		this.engine = engine;
		this.key = key;
		this.terms = terms;
	}

	@Override
	public void lock() {
		acquireUninterruptibly(FOREVER);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(FOREVER);
	}

	@Override
	public boolean tryLock() {
		return acquireUninterruptibly(0) != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire(Math.min(Math.max(unit.toNanos(time), 0), FOREVER)) != null;
	}

	private @Nullable Hold acquire(long waitNanos) throws InterruptedException {
		try {
			return this.engine.acquire(this.key, this.terms, owner(), waitNanos);
		}
		catch (EngineException ex) {
			throw LockAccess.get().translate(ex, this.key);
		}
	}

	private @Nullable Hold acquireUninterruptibly(long waitNanos) {
		try {
			return this.engine.acquireUninterruptibly(this.key, this.terms, owner(), waitNanos);
		}
		catch (EngineException ex) {
			throw LockAccess.get().translate(ex, this.key);
		}
	}

	private Object owner() {
		return LockAccess.get().ownerOf(this.engine.backendName(), this.key);
	}

	@Override
	public void unlock() {
		Hold hold = this.engine.heldBy(this.key, owner(), this.terms);
		if (hold == null) {
			throw new IllegalMonitorStateException("The current thread does not hold the " + this);
		}
		if (!hold.release()) {
			throw new LockLostException(this.key);
		}
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
		return "distributed lock " + KeyFormat.quote(this.key);
	}

}
