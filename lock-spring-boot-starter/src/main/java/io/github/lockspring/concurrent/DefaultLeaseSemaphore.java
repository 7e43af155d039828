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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLimitException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.PermitLedger;
import io.github.lockspring.engine.PermitTerms;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Semaphore of a single key. Has no state of its own: the permits that this process holds
 * are known to the engine.
 */
final class DefaultLeaseSemaphore implements LeaseSemaphore {

	/**
	 * How often to ask for the permits that were available if others are faster.
	 */
	private static final int DRAIN_ATTEMPTS = 20;

	private final LockTemplate locks;

	private final LockEngine engine;

	private final PermitLedger ledger;

	private final String storeKey;

	private final PermitTerms terms;

	/**
	 * Terms of those who try once, and do not queue.
	 */
	private final PermitTerms unfair;

	/**
	 * Create a semaphore.
	 * @param locks the template that has the key
	 * @param key the key
	 * @param permits the number of permits
	 * @param options the type, lease time and renewal
	 */
	DefaultLeaseSemaphore(LockTemplate locks, String key, int permits, LockOptions options) {
		requireLimit(permits);
		this.locks = locks;
		this.engine = LockUtils.engine(locks);
		this.ledger = new PermitLedger(this.engine);
		this.storeKey = locks.storeKey(key);
		this.unfair = new PermitTerms(1, permits, false, options.leaseTime(), options.autoRenew());
		this.terms = new PermitTerms(1, permits, options.type() == LockType.FAIR, options.leaseTime(),
				options.autoRenew());
	}

	private static void requireLimit(int permits) {
		Assert.isTrue(permits > 0, () -> "The number of permits must be 1 or more, not " + permits);
	}

	@Override
	public void acquire(int permits) throws InterruptedException {
		acquire(permits, Durations.MAX_NANOS);
	}

	@Override
	public void acquireUninterruptibly(int permits) {
		acquireUninterruptibly(permits, this.terms, Durations.MAX_NANOS);
	}

	@Override
	public boolean tryAcquire(int permits) {
		return acquireUninterruptibly(permits, this.unfair, 0);
	}

	@Override
	public boolean tryAcquire(int permits, long timeout, TimeUnit unit) throws InterruptedException {
		return acquire(permits, Durations.waitNanos(timeout, unit));
	}

	@Override
	public boolean tryAcquire(int permits, Duration waitTime) throws InterruptedException {
		return acquire(permits, AbstractLeaseLock.waitNanos(waitTime));
	}

	private boolean acquire(int permits, long waitNanos) throws InterruptedException {
		if (isZero(permits)) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			return true;
		}
		try {
			return this.ledger.acquire(this.storeKey, this.terms.withPermits(permits), waitNanos);
		}
		catch (EngineException ex) {
			throw translate(ex);
		}
	}

	private boolean acquireUninterruptibly(int permits, PermitTerms terms, long waitNanos) {
		return isZero(permits)
				|| call(() -> this.ledger.acquireUninterruptibly(this.storeKey, terms.withPermits(permits), waitNanos));
	}

	private static boolean isZero(int permits) {
		Assert.isTrue(permits >= 0, () -> "'permits' must not be negative: " + permits);
		return permits == 0;
	}

	@Override
	public void release(int permits) {
		if (isZero(permits)) {
			return;
		}
		boolean held;
		try {
			held = call(() -> this.ledger.release(this.storeKey, permits));
		}
		catch (IllegalStateException ex) {
			throw new IllegalMonitorStateException(ex.getMessage() + " of the " + this);
		}
		if (!held) {
			throw new LockLostException(this.storeKey);
		}
	}

	@Override
	public int drainPermits() {
		int wanted = availablePermits();
		for (int i = 0; wanted > 0 && i < DRAIN_ATTEMPTS; i++) {
			if (tryDrain(wanted)) {
				return wanted;
			}
			wanted = Math.min(availablePermits(), Math.max(1, wanted / 2));
		}
		return 0;
	}

	private boolean tryDrain(int permits) {
		try {
			return tryAcquire(permits);
		}
		catch (IllegalArgumentException ex) {
			return false; // the limit has become lower
		}
	}

	@Override
	public int availablePermits() {
		return call(() -> this.ledger.available(this.storeKey, this.terms));
	}

	@Override
	public int limit() {
		return call(() -> this.ledger.limit(this.storeKey, this.terms));
	}

	@Override
	public void resize(int limit) {
		requireLimit(limit);
		call(() -> {
			this.ledger.setLimit(this.storeKey, limit);
			return limit;
		});
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(int permits) {
		return acquireAsync(permits, Durations.MAX_NANOS);
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> tryAcquireAsync(int permits, Duration waitTime) {
		return acquireAsync(permits, AbstractLeaseLock.waitNanos(waitTime));
	}

	private CompletableFuture<@Nullable LockHandle> acquireAsync(int permits, long waitNanos) {
		Assert.isTrue(permits > 0, () -> "'permits' must be 1 or more, not " + permits);
		return LockUtils.handle(this.locks,
				this.ledger.acquireAsync(this.storeKey, this.terms.withPermits(permits), waitNanos), this::translate);
	}

	private <T> T call(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (EngineException ex) {
			throw translate(ex);
		}
	}

	private RuntimeException translate(EngineException failure) {
		if (failure.getCause() instanceof PermitLimitException rejection) {
			return new LockLimitException(
					"Could not acquire permits of " + KeyFormat.quote(this.storeKey) + ": " + rejection.getMessage(),
					this.storeKey);
		}
		return LockUtils.translate(failure, this.storeKey);
	}

	@Override
	public boolean isFair() {
		return this.terms.fair();
	}

	@Override
	public int getQueueLength() {
		return this.engine.inspection().waitingCount(this.storeKey);
	}

	@Override
	public String toString() {
		return "distributed semaphore " + KeyFormat.quote(this.storeKey);
	}

}
