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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;

/**
 * Acquires several keys in one call to the store, or many of them in one call for each
 * group, without waiting for them.
 * <ol>
 * <li>Enter the local queues of the keys of a group, unless one of them is held or wanted
 * in this process.</li>
 * <li>Granted in time: hold these keys under one lease, and continue with the next
 * group.</li>
 * <li>Otherwise leave the queues, and release the groups before. A request that may have
 * been granted is released in the background.</li>
 * <li>If there is time left, or a key is wanted in this process, the keys are then
 * acquired one after the other. Otherwise the answer of the store, or its failure, is
 * that of the acquisition.</li>
 * </ol>
 */
final class MultiKeyAcquirer {

	/**
	 * Maximum number of keys acquired in one call, so that it does not block the store.
	 */
	private static final int MAX_KEYS = 256;

	private static final BiPredicate<Hold, AcquireOptions> NOT_RETAINED = (holder, options) -> false;

	private final EngineContext context;

	private final Store store;

	private final LocalQueues queues;

	private final TimeSource time;

	private final Acquirer acquirer;

	private final RenewalPlan plan;

	private final ReleaseRetrier releaseRetrier;

	private final Hold.Engine engine;

	private final AsyncDispatcher dispatcher;

	MultiKeyAcquirer(EngineContext context, Acquirer acquirer, RenewalPlan plan, ReleaseRetrier releaseRetrier,
			Hold.Engine engine, AsyncDispatcher dispatcher) {
		this.context = context;
		this.store = context.store();
		this.queues = context.queues();
		this.time = context.time();
		this.acquirer = acquirer;
		this.plan = plan;
		this.releaseRetrier = releaseRetrier;
		this.engine = engine;
		this.dispatcher = dispatcher;
	}

	/**
	 * Acquire several keys, unless they have to be acquired one after the other.
	 * @param waitNanos the available time, which the call to the store may exceed
	 * @return the holds, nothing if the keys have to be acquired one after the other, or
	 * {@code null} if another owner holds one of them and no time is left
	 */
	@Nullable List<Hold> acquire(List<String> keys, AcquireOptions options, Object owner, long waitNanos) {
		boolean possible = canAcquire(keys, options) && !Thread.currentThread().isInterrupted();
		return possible ? acquireAll(keys, options, owner, waitNanos) : List.of();
	}

	/**
	 * Acquire several keys without blocking the calling thread.
	 */
	CompletableFuture<@Nullable List<Hold>> acquireAsync(List<String> keys, AcquireOptions options, Object owner,
			long waitNanos) {
		if (!canAcquire(keys, options)) {
			return CompletableFuture.completedFuture(List.of());
		}
		CompletableFuture<@Nullable List<Hold>> future = new CompletableFuture<>();
		this.dispatcher
			.<@Nullable List<Hold>>call(
					() -> future.isDone() ? List.<Hold>of() : acquireAll(keys, options, owner, waitNanos))
			.whenComplete((holds, failure) -> {
				boolean wanted = (failure != null) ? future.completeExceptionally(failure) : future.complete(holds);
				if (!wanted && holds != null) {
					Hold.releaseAll(holds);
				}
			});
		return future;
	}

	private @Nullable List<Hold> acquireAll(List<String> keys, AcquireOptions wanted, Object owner, long waitNanos) {
		StackRoom.requireToUndo();
		if (this.plan.isOverloaded(wanted)) {
			return List.of();
		}
		AcquireOptions options = this.context.capLeaseTime(wanted);
		EngineObservers observers = this.context.observers();
		List<Hold> holds = keys.stream()
			.map((key) -> new Hold((observers != null) ? new ObservedHoldListener(this.engine, observers) : this.engine,
					key, options, owner))
			.toList();
		try {
			Outcome outcome = acquire(holds, waitNanos);
			if (outcome == Outcome.DENIED) {
				Hold.Listener listener = ObservedHoldListener.of(this.engine, observers, keys.get(0), options);
				listener.onContended();
				listener.onNotAcquired(AcquireOutcome.notAcquiredWithin(waitNanos), null);
				return null;
			}
			return (outcome == Outcome.HELD) ? holds : List.of();
		}
		catch (EngineException ex) {
			ObservedHoldListener.of(this.engine, observers, keys.get(0), options)
				.onNotAcquired(AcquireOutcome.of(ex), ex);
			throw ex;
		}
	}

	/**
	 * Return whether keys can be acquired in one call to the store, or one for each group
	 * of them.
	 */
	private boolean canAcquire(List<String> keys, AcquireOptions options) {
		return keys.size() > 1 && options.isCombinable() && this.store.hasMultiKey() && !this.context.isClosed();
	}

	/**
	 * Acquire several keys, group by group.
	 * @param holds the holds to acquire, in the order of the keys
	 * @param waitNanos the available time, which the call may exceed by that of one call
	 * @return the outcome; unless they are held, the attempt leaves nothing behind
	 * @throws EngineException if the store failed and no time is left
	 */
	private Outcome acquire(List<Hold> holds, long waitNanos) {
		long deadline = this.time.nanoTime() + Math.min(waitNanos, Durations.MAX_NANOS);
		int groups = (holds.size() + MAX_KEYS - 1) / MAX_KEYS;
		int held = 0;
		boolean acquired = false;
		try {
			for (int i = 1; i <= groups; i++) {
				int end = (int) ((long) holds.size() * i / groups);
				boolean longOver = this.time.nanoTime() - deadline > this.context.answerNanos();
				Outcome outcome = longOver ? Outcome.UNDECIDED : tryAcquire(holds.subList(held, end), deadline);
				if (outcome != Outcome.HELD) {
					return outcome;
				}
				held = end;
			}
			this.context.requireOpen();
			holds.forEach(Hold::notifyAcquired);
			acquired = true;
			return Outcome.HELD;
		}
		finally {
			if (!acquired) {
				Hold.releaseAll(holds.subList(0, held));
			}
		}
	}

	private Outcome tryAcquire(List<Hold> holds, long deadline) {
		long now = this.time.nanoTime();
		Outcome outcome = Outcome.UNDECIDED;
		try {
			for (Hold hold : holds) {
				hold.waitFrom(now);
				if (this.queues.join(hold, false, NOT_RETAINED) != LocalQueue.Turn.CONTEND) {
					return Outcome.UNDECIDED;
				}
			}
			outcome = contend(holds, deadline);
			return outcome;
		}
		finally {
			if (outcome != Outcome.HELD) {
				holds.forEach(this::leave);
			}
		}
	}

	/**
	 * Leave the queue, also if a lease was handed off just before.
	 */
	private void leave(Hold hold) {
		if (hold.isPending()) {
			this.queues.leave(hold);
		}
		if (hold.isActive()) {
			hold.release();
		}
	}

	private Outcome contend(List<Hold> holds, long deadline) {
		List<String> keys = holds.stream().map(Hold::key).toList();
		Lease lease = new MultiKeyLease(this.store.newRequest(keys, holds.get(0).options()));
		long now = this.time.nanoTime();
		long nowMillis = this.time.currentTimeMillis();
		boolean answered = false;
		try {
			Attempt attempt = this.store.tryAcquire(lease.request(), false, this.context.settings().operationTimeout());
			answered = attempt instanceof Denial;
			if (attempt instanceof Denial denial) {
				return (isOver(deadline) && !denial.recalled()) ? Outcome.DENIED : Outcome.UNDECIDED;
			}
			Grant grant = (Grant) attempt;
			lease.granted(grant, now, nowMillis);
			if (lease.begin(this.time)) {
				beginAll(holds, lease, grant.token());
				answered = true;
				return Outcome.HELD;
			}
			return Outcome.UNDECIDED;
		}
		catch (BackendException ex) {
			answered = ex instanceof BackendUnavailableException;
			return failed(holds, deadline, ex);
		}
		finally {
			if (!answered) {
				this.releaseRetrier.releaseIfGranted(lease.request());
			}
		}
	}

	private Outcome failed(List<Hold> holds, long deadline, BackendException failure) {
		if (Thread.currentThread().isInterrupted()) {
			return Outcome.UNDECIDED; // the call may have been cut off
		}
		holds.forEach((hold) -> hold.queue().answered(this.time.nanoTime(), failure));
		if (isOver(deadline)) {
			throw this.store.unavailable(failure);
		}
		return Outcome.UNDECIDED;
	}

	private boolean isOver(long deadline) {
		return this.time.nanoTime() - deadline >= 0;
	}

	private void beginAll(List<Hold> holds, Lease lease, long token) {
		try {
			for (Hold hold : holds) {
				this.acquirer.begin(hold, lease, token);
			}
		}
		catch (Throwable ex) {
			Hold.releaseAll(holds.stream().filter(Hold::isActive).toList());
			throw ex;
		}
	}

	/**
	 * Outcome of an attempt.
	 */
	private enum Outcome {

		/**
		 * All keys are held.
		 */
		HELD,

		/**
		 * A key is held by another owner, and no time is left.
		 */
		DENIED,

		/**
		 * The keys have to be acquired one after the other.
		 */
		UNDECIDED

	}

}
