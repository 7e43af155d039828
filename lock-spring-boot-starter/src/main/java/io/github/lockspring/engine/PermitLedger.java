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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.spi.Value;
import io.github.lockspring.support.Durations;

/**
 * Permits that this process holds on one backend, which any of its threads may release.
 * They are kept as holds in the queues of their keys, so that nothing is left of a key
 * without permits, and all ledgers of an engine are the same.
 * <p>
 * Thread-safe.
 */
public final class PermitLedger {

	/**
	 * Pause after a failure to read the limit, in an acquisition that may wait.
	 */
	private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private final LockEngine engine;

	private final LocalQueues queues;

	private final TimeSource time;

	private final PermitLimits limits;

	/**
	 * Create a ledger.
	 * @param engine the engine that acquires the permits
	 */
	public PermitLedger(LockEngine engine) {
		this.engine = engine;
		this.queues = engine.context().queues();
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
		long answerDeadline = deadline + this.engine.context().answerNanos();
		Value known = this.limits.known(key, terms);
		Value limit = (known != null) ? known : whenAvailable(
				() -> this.limits.get(key, terms, answerDeadline, interruptible), deadline, interruptible);
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
	 * Make a call, waiting for a store that is unavailable.
	 */
	private <T> T whenAvailable(Call<T> call, long deadline, boolean interruptible) throws InterruptedException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return call.call();
				}
				catch (EngineException ex) {
					long remaining = this.engine.nanosUntil(deadline);
					if (ex.getReason() != EngineException.Reason.UNAVAILABLE || remaining == 0) {
						throw ex;
					}
					this.time.parkNanos(this, Math.min(remaining, PAUSE_NANOS));
				}
				interrupted |= Thread.interrupted();
				if (interrupted && interruptible) {
					interrupted = false;
					throw new InterruptedException();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
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
		long deadline = this.engine.deadlineAfter(waitNanos);
		Attempt attempt = new Attempt(key, terms, deadline, deadline + this.engine.context().answerNanos(),
				new CompletableFuture<>());
		readLimit(attempt);
		return attempt.result;
	}

	private void readLimit(Attempt attempt) {
		CompletableFuture<Value> limit = this.limits.getAsync(attempt.key, attempt.terms, attempt.answerDeadline,
				this.engine.steps()::execute);
		long remaining = this.engine.nanosUntil(attempt.answerDeadline);
		if (!limit.isDone() && !Durations.isIndefinite(remaining)) {
			Runnable answered = this.engine.runAfter(Duration.ofNanos(remaining),
					() -> limit.completeExceptionally(this.engine.context().store().notAnswered()));
			limit.whenComplete((value, failure) -> answered.run());
		}
		acquire(attempt, limit);
	}

	private void acquire(Attempt attempt, CompletableFuture<Value> limit) {
		limit.thenAccept((value) -> acquire(attempt, attempt.terms.mode(value))).whenComplete((begun, failure) -> {
			if (failure != null) {
				failed(attempt, failure);
			}
		});
	}

	private void failed(Attempt attempt, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof EngineException ex && ex.getReason() == EngineException.Reason.UNAVAILABLE
				&& this.engine.nanosUntil(attempt.deadline) > 0) {
			readLimitLater(attempt);
		}
		else {
			attempt.result.completeExceptionally(cause);
		}
	}

	/**
	 * Read the limit again when the store may be available again, unless the engine is
	 * closed meanwhile.
	 */
	private void readLimitLater(Attempt attempt) {
		EndWhenClosed end = new EndWhenClosed(this.engine, attempt.result);
		this.engine.stateListeners().add(end);
		end.run();
		long pause = Math.min(this.engine.nanosUntil(attempt.deadline), PAUSE_NANOS);
		this.engine.runAfter(Duration.ofNanos(pause), () -> {
			this.engine.stateListeners().remove(end);
			if (!attempt.result.isDone()) {
				readLimit(attempt);
			}
		});
	}

	private void acquire(Attempt attempt, Permits mode) {
		CompletableFuture<@Nullable Hold> result = attempt.result;
		CompletableFuture<@Nullable Hold> acquisition = this.engine.acquireAsync(attempt.key,
				attempt.terms.options(mode), new Object(), attempt.deadline - this.time.nanoTime());
		result.whenComplete((hold, failure) -> acquisition.cancel(false));
		acquisition.whenComplete((hold, failure) -> {
			if (failure instanceof EngineException ex) {
				Value newer = this.limits.newerThan(attempt.key, mode, ex);
				if (newer != null) {
					acquire(attempt, CompletableFuture.completedFuture(newer));
				}
				else {
					failed(attempt, ex);
				}
			}
			else if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (!result.complete(hold) && hold != null) {
				hold.releaseAsync();
			}
		});
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
		LocalQueue queue = this.queues.get(key);
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
	 * Call to the store that may wait.
	 *
	 * @param <T> the type of the result
	 */
	private interface Call<T> {

		T call() throws InterruptedException;

	}

	/**
	 * Asynchronous acquisition.
	 *
	 * @param key the key
	 * @param terms the terms
	 * @param deadline the deadline
	 * @param answerDeadline the time until which an answer of the store is waited for
	 * @param result completed with the outcome
	 */
	private record Attempt(String key, PermitTerms terms, long deadline, long answerDeadline,
			CompletableFuture<@Nullable Hold> result) {
	}

	/**
	 * Ends an acquisition that pauses when the engine is closed.
	 *
	 * @param engine the engine
	 * @param result the acquisition
	 */
	private record EndWhenClosed(LockEngine engine, CompletableFuture<@Nullable Hold> result) implements Runnable {

		@Override
		public void run() {
			if (this.engine.isClosed()) {
				this.engine.steps().execute(() -> this.result.completeExceptionally(EngineContext.closedException()));
			}
		}

	}

}
