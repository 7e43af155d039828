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
package io.github.lockspring.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;

/**
 * Permits that this process holds on one backend, which any of its threads may release.
 * They are kept as holds in the queues of their keys, so that nothing is left of a key
 * without permits, and all ledgers of an engine are the same.
 * <p>
 * Thread-safe.
 */
public final class PermitLedger {

	private final LockEngine engine;

	private final TimeSource time;

	private final PermitLimits limits;

	/**
	 * Create a ledger.
	 * @param engine the engine that acquires the permits
	 */
	public PermitLedger(LockEngine engine) {
		this.engine = engine;
		this.time = engine.context().time();
		this.limits = engine.permitLimits();
	}

	/**
	 * Acquire permits.
	 * @param key the key
	 * @param terms the terms, with the number of permits
	 * @param waitNanos how long to wait; zero tries once
	 * @return {@code false} if there were too few permits for the whole time
	 * @throws InterruptedException if the thread was interrupted before or while waiting
	 * @throws IllegalArgumentException if the limit is lower than the number of permits
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public boolean acquire(String key, PermitTerms terms, long waitNanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		return acquire(key, terms, waitNanos, true);
	}

	/**
	 * Acquire permits, ignoring interrupts.
	 * @param key the key
	 * @param terms the terms, with the number of permits
	 * @param waitNanos how long to wait; zero tries once
	 * @return {@code false} if there were too few permits for the whole time
	 * @throws IllegalArgumentException if the limit is lower than the number of permits
	 * @throws EngineException if the acquisition failed for another reason
	 */
	public boolean acquireUninterruptibly(String key, PermitTerms terms, long waitNanos) {
		try {
			return acquire(key, terms, waitNanos, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt during an uninterruptible acquisition", ex);
		}
	}

	private boolean acquire(String key, PermitTerms terms, long waitNanos, boolean interruptible)
			throws InterruptedException {
		long deadline = this.engine.deadlineAfter(waitNanos);
		Value known = this.limits.known(key, terms);
		Value limit = (known != null) ? known : this.limits.read(key, waitNanos, interruptible);
		// negative if a call took longer
		long remaining = (known != null) ? waitNanos : deadline - this.time.nanoTime();
		while (true) {
			Permits mode = terms.mode(limit);
			PermitOwner owner = new PermitOwner(Thread.currentThread());
			AcquireOptions options = terms.options(mode);
			try {
				return add(owner, mode, interruptible ? this.engine.acquire(key, options, owner, remaining)
						: this.engine.acquireUninterruptibly(key, options, owner, remaining));
			}
			catch (EngineException ex) {
				limit = this.limits.newerThan(key, mode, ex);
				if (limit == null) {
					throw ex;
				}
				remaining = deadline - this.time.nanoTime();
			}
		}
	}

	private static boolean add(PermitOwner owner, Permits mode, @Nullable Hold hold) {
		if (hold == null) {
			return false;
		}
		synchronized (hold.queue()) {
			owner.add(mode.permits());
		}
		return true;
	}

	/**
	 * Acquire permits that are released by their hold, without blocking the calling
	 * thread. Cancelling or completing the future ends the acquisition, and releases
	 * permits granted in the meantime.
	 * @param key the key
	 * @param terms the terms, with the number of permits
	 * @param waitNanos how long to wait; zero tries once
	 * @return the hold, or {@code null} if there were too few permits for the whole time;
	 * fails with an {@link EngineException} or {@link IllegalArgumentException} if there
	 * was no way to acquire
	 */
	public CompletableFuture<@Nullable Hold> acquireAsync(String key, PermitTerms terms, long waitNanos) {
		StackRoom.requireToUndo();
		Attempt attempt = new Attempt(key, terms, this.engine.deadlineAfter(waitNanos), new CompletableFuture<>());
		Value known = this.limits.known(key, terms);
		if (known != null) {
			acquire(attempt, known);
		}
		else {
			acquire(attempt, this.limits.readAsync(key, waitNanos));
		}
		return attempt.result;
	}

	private void acquire(Attempt attempt, CompletableFuture<Value> limit) {
		attempt.result.whenComplete((hold, failure) -> limit.cancel(false));
		limit.whenComplete((value, failure) -> {
			if (failure != null) {
				attempt.result.completeExceptionally(failure);
			}
			else {
				acquire(attempt, this.limits.latest(attempt.key, value));
			}
		});
	}

	private void acquire(Attempt attempt, Value limit) {
		try {
			Permits mode = attempt.terms.mode(limit);
			CompletableFuture<@Nullable Hold> acquisition = this.engine.acquireAsync(attempt.key,
					attempt.terms.options(mode), new Object(), attempt.deadline - this.time.nanoTime());
			attempt.result.whenComplete((hold, failure) -> acquisition.cancel(false));
			acquisition.whenComplete((hold, failure) -> end(attempt, mode, hold, failure));
		}
		catch (Throwable ex) {
			attempt.result.completeExceptionally(ex);
		}
	}

	private void end(Attempt attempt, Permits mode, @Nullable Hold hold, @Nullable Throwable failure) {
		Value newer = (failure instanceof EngineException ex) ? this.limits.newerThan(attempt.key, mode, ex) : null;
		if (newer != null) {
			acquire(attempt, newer);
		}
		else if (failure != null) {
			attempt.result.completeExceptionally(failure);
		}
		else if (!attempt.result.complete(hold) && hold != null) {
			hold.releaseAsync();
		}
	}

	/**
	 * Release permits, whichever thread has acquired them.
	 * @param key the key
	 * @param permits the number of permits
	 * @return {@code false} if some of them had been lost; the others are released
	 * @throws IllegalStateException if this process does not hold so many permits; none
	 * is released
	 * @throws EngineException if the store failed; no permit is released
	 */
	public boolean release(String key, int permits) {
		while (true) {
			PermitClaim claim = claim(key, permits);
			if (claim == null) {
				throw new IllegalStateException("This process does not hold " + permits + " permits");
			}
			CompletableFuture<@Nullable Void> pending = claim.pending();
			if (pending == null) {
				return claim.release();
			}
			pending.join();
		}
	}

	private @Nullable PermitClaim claim(String key, int permits) {
		LocalQueue queue = this.engine.context().queues().get(key);
		if (queue == null) {
			return null;
		}
		synchronized (queue) {
			return PermitClaim.of(queue.holders(), permits, this.time);
		}
	}

	/**
	 * Return the limit of a key.
	 * @param key the key
	 * @param terms the terms with the limit that applies as long as it is not changed
	 * @return the total number of permits
	 * @throws EngineException if the store failed
	 */
	public int limit(String key, PermitTerms terms) {
		return terms.limit(this.limits.get(key));
	}

	/**
	 * Change the limit of a key for all processes.
	 * @param key the key
	 * @param limit the new limit
	 * @throws EngineException if the store failed
	 */
	public void setLimit(String key, int limit) {
		this.limits.set(key, limit);
	}

	/**
	 * Return how many permits can be acquired now.
	 * @param key the key
	 * @param terms the terms with the limit that applies as long as it is not changed
	 * @return the limit less the permits in use, not negative
	 * @throws EngineException if the store failed
	 */
	public int available(String key, PermitTerms terms) {
		Value changed = this.limits.get(key);
		long limit = terms.limit(changed);
		long version = changed.version();
		long used = 0;
		for (LeaseHolder holder : this.engine.inspection().storedHolders(key)) {
			if (!(holder.mode() instanceof Permits held)) {
				return 0;
			}
			used += held.permits();
			if (held.version() > version) {
				limit = held.limit();
				version = held.version();
			}
		}
		return (int) Math.max(0, limit - used);
	}

	/**
	 * Asynchronous acquisition.
	 *
	 * @param key the key
	 * @param terms the terms
	 * @param deadline the deadline
	 * @param result completed with the outcome
	 */
	private record Attempt(String key, PermitTerms terms, long deadline, CompletableFuture<@Nullable Hold> result) {
	}

}
