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
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.DoubleBarrierState.Phase;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.Durations;

/**
 * Default implementation of {@link DistributedDoubleBarrier}.
 * <ol>
 * <li>A participant holds a lease of one of as many permits as there are participants, so
 * that there are never more.</li>
 * <li>The value is the {@link DoubleBarrierState} of one generation. It fills until all
 * have joined. Each of them then confirms that it is still there, because the lease of
 * one that is not may last for a while, and its permit may have got another owner since.
 * When all have confirmed, it is open until the last has left, which deletes it.</li>
 * <li>A participant joins only after it has acquired its permit, and releases it only
 * after it has left. If fewer permits are held than participants are counted, one of them
 * has lost its lease: a process that notices this breaks the generation by beginning the
 * next one with a mark that this one was broken. So does a participant whose time is over
 * and to which another one does not confirm.</li>
 * <li>No generation can fill while a participant of an earlier one waits with its permit,
 * so that a broken generation is not overlooked.</li>
 * </ol>
 */
final class DefaultDistributedDoubleBarrier implements DistributedDoubleBarrier {

	private static final Log logger = LogFactory.getLog(DefaultDistributedDoubleBarrier.class);

	/**
	 * Longest time between two checks for participants that lost their leases, and the
	 * time in which all confirm that they are there.
	 */
	private static final long MAX_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final StoredValue value;

	private final LockEngine engine;

	/**
	 * Key of the permits in the store.
	 */
	private final String permitKey;

	private final int parties;

	private final AcquireOptions options;

	private final long checkNanos;

	/**
	 * Guards this participant.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private @Nullable Membership membership;

	/**
	 * Create a participant.
	 * @param value the value, whose key in the store is that of the permits, too
	 * @param engine the engine
	 * @param parties the number of participants
	 * @param options the lease time and renewal
	 */
	DefaultDistributedDoubleBarrier(StoredValue value, LockEngine engine, int parties, LockOptions options) {
		this.value = value;
		this.engine = engine;
		this.permitKey = value.storeKey();
		this.parties = parties;
		this.options = LockUtils.acquireOptions(options.withPermits(parties).withLockAtLeastFor(Duration.ZERO));
		this.checkNanos = Math.min(MAX_CHECK_NANOS, options.leaseTime().toNanos() / 3);
	}

	@Override
	public void enter() throws InterruptedException, BrokenBarrierException {
		enter(Durations.MAX_NANOS);
	}

	@Override
	public boolean enter(long waitTime, TimeUnit unit) throws InterruptedException, BrokenBarrierException {
		return enter(Durations.waitNanos(waitTime, unit));
	}

	private boolean enter(long waitNanos) throws InterruptedException, BrokenBarrierException {
		long deadline = this.engine.deadlineAfter(waitNanos);
		if (!this.lock.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
			return false;
		}
		try {
			if (this.membership != null) {
				throw new IllegalStateException("This participant of the " + this + " has not left it");
			}
			Membership joined = join(deadline);
			boolean entered = false;
			try {
				entered = joined != null && awaitOpening(joined, deadline);
				this.membership = entered ? joined : null;
			}
			finally {
				if (!entered && joined != null) {
					joined.permit.release();
				}
			}
			return entered;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Become a participant of the generation that fills.
	 * @return the membership, or {@code null} if the time was over
	 */
	private @Nullable Membership join(long deadline) throws InterruptedException {
		while (true) {
			Hold permit = (awaitState(DoubleBarrierState::isFilling, deadline) != null) ? acquirePermit(deadline)
					: null;
			if (permit == null) {
				return null;
			}
			Membership membership = null;
			try {
				membership = join(permit);
			}
			finally {
				if (membership == null) {
					permit.release();
				}
			}
			if (membership != null) {
				return membership;
			}
		}
	}

	/**
	 * Wait for a state, and break generations that cannot come to an end, also when the
	 * time is over: those who never wait for long would never get past them otherwise.
	 * @return the state, or {@code null} if the time was over
	 */
	private @Nullable DoubleBarrierState awaitState(Predicate<DoubleBarrierState> condition, long deadline)
			throws InterruptedException {
		while (true) {
			long remaining = this.engine.nanosUntil(deadline);
			try {
				Value met = this.value.await((present) -> condition.test(DoubleBarrierState.of(present)),
						Math.min(remaining, this.checkNanos));
				if (met != null) {
					return DoubleBarrierState.of(met);
				}
				if (!breakIfLeaseLost() && this.engine.nanosUntil(deadline) == 0) {
					return null;
				}
			}
			catch (LockUnavailableException ex) {
				if (this.engine.nanosUntil(deadline) == 0) {
					throw ex;
				}
			}
		}
	}

	private @Nullable Hold acquirePermit(long deadline) throws InterruptedException {
		try {
			return this.engine.acquire(this.permitKey, this.options, new Object(), this.engine.nanosUntil(deadline));
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, this.permitKey);
		}
	}

	/**
	 * Join the generation that fills, unless there is none.
	 */
	private @Nullable Membership join(Hold permit) {
		DoubleBarrierState joined = change((state) -> state.isFilling() && permit.hasLease(), this::joined);
		return (joined != null) ? new Membership(permit, joined.generation(), !joined.isFilling()) : null;
	}

	private DoubleBarrierState joined(DoubleBarrierState state) {
		boolean incomplete = holders() < state.count() + 1; // one is not there any more
		return (incomplete ? state.broken() : state).joined(this.parties);
	}

	/**
	 * Change the state if it meets a condition.
	 * @return the new state, or {@code null} if it does not meet the condition
	 */
	private @Nullable DoubleBarrierState change(Predicate<DoubleBarrierState> condition,
			UnaryOperator<DoubleBarrierState> change) {
		Value present = this.value.read();
		while (condition.test(DoubleBarrierState.of(present))) {
			DoubleBarrierState next = change.apply(DoubleBarrierState.of(present));
			ValueUpdateResult result = this.value.update(next.isOver() ? new ValueChange.Delete(present.version())
					: new ValueChange.Set(next.number(), present.version()));
			if (result.applied()) {
				return next;
			}
			present = result.before();
		}
		return null;
	}

	private boolean awaitOpening(Membership joined, long deadline) throws InterruptedException, BrokenBarrierException {
		boolean interrupted = false;
		try {
			if (awaitState((state) -> !joined.isIn(state, Phase.FILLING), deadline) == null && leaveEarly(joined)) {
				return false;
			}
		}
		catch (InterruptedException ex) {
			if (leaveEarlySilently(joined)) {
				throw ex;
			}
			interrupted = true;
		}
		catch (RuntimeException ex) {
			leaveEarlySilently(joined);
			throw ex;
		}
		return awaitConfirmations(joined, deadline, interrupted);
	}

	/**
	 * Wait until all have confirmed, which takes no longer than a few calls to the store
	 * unless one of them is gone.
	 */
	private boolean awaitConfirmations(Membership joined, long deadline, boolean interruptedBefore)
			throws InterruptedException, BrokenBarrierException {
		boolean interrupted = interruptedBefore;
		boolean over = false;
		DoubleBarrierState state = null;
		try {
			if (!joined.confirmed) {
				change((present) -> joined.isIn(present, Phase.FULL), (present) -> present.confirmed(this.parties));
			}
			while (state == null && !over) {
				long wait = Math.max(interrupted ? 0 : this.engine.nanosUntil(deadline), this.checkNanos);
				try {
					state = awaitState((present) -> !joined.isIn(present, Phase.FULL), this.engine.deadlineAfter(wait));
					over = state == null && change((present) -> joined.isIn(present, Phase.FULL),
							DoubleBarrierState::broken) != null;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			if (over && interrupted) {
				interrupted = false;
				throw new InterruptedException();
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		return state != null && requireOpened(joined, state);
	}

	private boolean requireOpened(Membership joined, DoubleBarrierState state) throws BrokenBarrierException {
		if (!joined.permit.hasLease() || !state.isOpened(joined.generation)) {
			breakIfLeaseLost();
			throw broken();
		}
		return true;
	}

	/**
	 * Leave a generation that fills.
	 * @return {@code false} if it is full, or was broken
	 */
	private boolean leaveEarly(Membership joined) {
		return change((state) -> joined.isCountedIn(state) && state.isFilling(), DoubleBarrierState::left) != null;
	}

	/**
	 * Leave a generation that fills, unless the store is away: then it will break.
	 * @return {@code false} if it is full, or was broken
	 */
	private boolean leaveEarlySilently(Membership joined) {
		try {
			return leaveEarly(joined);
		}
		catch (LockException ex) {
			logger.debug("Could not leave the " + this + "; it will break when the lease expires", ex);
			return true;
		}
	}

	@Override
	public void leave() throws InterruptedException, BrokenBarrierException {
		leave(Durations.MAX_NANOS);
	}

	@Override
	public boolean leave(long waitTime, TimeUnit unit) throws InterruptedException, BrokenBarrierException {
		return leave(Durations.waitNanos(waitTime, unit));
	}

	private boolean leave(long waitNanos) throws InterruptedException, BrokenBarrierException {
		long deadline = this.engine.deadlineAfter(waitNanos);
		// an interrupted thread leaves, too
		if (!this.lock.tryLock() && !this.lock.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
			throw notEntered();
		}
		try {
			Membership left = this.membership;
			if (left == null) {
				throw notEntered();
			}
			boolean lost = !left.permit.hasLease();
			boolean counted;
			try {
				counted = change(left::isCountedIn, DoubleBarrierState::left) != null;
			}
			finally {
				this.membership = null;
				left.permit.release(); // breaks the barrier if it is still counted
			}
			if (lost || !counted) {
				throw broken();
			}
			DoubleBarrierState state = awaitState((present) -> !left.isCountedIn(present), deadline);
			if (state != null && state.isBroken(left.generation)) {
				throw broken();
			}
			return state != null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Break a generation in which participants are counted that hold no permit any more.
	 * @return whether it was broken
	 */
	private boolean breakIfLeaseLost() {
		Value present = this.value.read();
		DoubleBarrierState state = DoubleBarrierState.of(present);
		return state.count() > 0 && holders() < state.leases(this.parties)
				&& this.value.update(new ValueChange.Set(state.broken().number(), present.version())).applied();
	}

	private int holders() {
		return this.value.call(() -> this.engine.inspection().holders(this.permitKey).size());
	}

	private IllegalStateException notEntered() {
		return new IllegalStateException("This participant of the " + this + " has not entered it");
	}

	private BrokenBarrierException broken() {
		return new BrokenBarrierException("A participant of the " + this + " lost its lease, or did not answer");
	}

	@Override
	public CompletableFuture<Boolean> enterAsync(Duration waitTime) {
		long waitNanos = Durations.waitNanos(waitTime);
		return InterruptibleCall.start(() -> enter(waitNanos), this::leaveUnnoticed);
	}

	/**
	 * Leave for a caller that cancelled too late: all others have entered. Another call
	 * for this participant either fails or leaves.
	 */
	private void leaveUnnoticed() {
		this.lock.lock();
		try {
			leave(0);
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			// it has left
		}
		catch (LockException ex) {
			logger.debug("Could not leave the " + this + " after entering it was cancelled", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public CompletableFuture<Boolean> leaveAsync(Duration waitTime) {
		long waitNanos = Durations.waitNanos(waitTime);
		return InterruptibleCall.start(() -> leave(waitNanos), () -> {
		});
	}

	@Override
	public String toString() {
		return "double barrier " + this.value + " of " + this.parties;
	}

	/**
	 * Membership in a generation.
	 *
	 * @param permit the permit
	 * @param generation the number of the generation
	 * @param confirmed whether this one has confirmed already that it is there
	 */
	private record Membership(Hold permit, int generation, boolean confirmed) {

		/**
		 * Return whether the generation is in a phase, and the lease is not lost.
		 */
		boolean isIn(DoubleBarrierState state, Phase phase) {
			return state.generation() == this.generation && state.phase() == phase && this.permit.hasLease();
		}

		/**
		 * Return whether participants of the generation are counted.
		 */
		boolean isCountedIn(DoubleBarrierState state) {
			return state.generation() == this.generation && state.count() > 0;
		}

	}

}
