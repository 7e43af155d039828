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
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockInterruptedException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Durations;

/**
 * Default implementation of {@link DistributedDoubleBarrier}.
 * <ol>
 * <li>A participant holds a lease of one of as many permits as there are participants, so
 * that there are never more.</li>
 * <li>The value is the {@link State} of one generation: it fills until all have joined,
 * and is then open until the last has left, which deletes it.</li>
 * <li>A participant joins only after it has acquired its permit, and releases it only
 * after it has left. If fewer permits are held than participants are counted, one of them
 * has lost its lease: a process that notices this breaks the generation by beginning the
 * next one with a mark that this one was broken.</li>
 * <li>No generation can fill while a participant of an earlier one waits with its permit,
 * so that a broken generation is not overlooked.</li>
 * </ol>
 */
final class DefaultDistributedDoubleBarrier implements DistributedDoubleBarrier {

	private static final Log logger = LogFactory.getLog(DefaultDistributedDoubleBarrier.class);

	/**
	 * Longest time between two checks for participants that lost their leases.
	 */
	private static final long MAX_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final ThreadFactory THREADS = DaemonThreads.virtualOrNamed("lock-barrier-");

	private final StoredValue value;

	private final LockTemplate locks;

	private final LockEngine engine;

	private final String permitKey;

	private final String permitStoreKey;

	private final int parties;

	private final LockOptions options;

	private final long checkNanos;

	/**
	 * Guards this participant.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private @Nullable Membership membership;

	DefaultDistributedDoubleBarrier(StoredValue value, LockTemplate locks, LockEngine engine, String permitKey,
			int parties, LockOptions options) {
		this.value = value;
		this.locks = locks;
		this.engine = engine;
		this.permitKey = permitKey;
		this.permitStoreKey = locks.storeKey(permitKey);
		this.parties = parties;
		this.options = options.withPermits(parties).withLockAtLeastFor(Duration.ZERO);
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
		this.lock.lockInterruptibly();
		try {
			if (this.membership != null) {
				throw new IllegalStateException("This participant of the " + this + " has not left it");
			}
			long deadline = this.engine.deadlineAfter(waitNanos);
			Membership joined = join(deadline);
			boolean entered = false;
			try {
				entered = joined != null && awaitOpening(joined, deadline);
				this.membership = entered ? joined : null;
			}
			finally {
				if (!entered && joined != null) {
					release(joined.permit);
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
			if (!awaitState(State::isFilling, deadline)) {
				return null;
			}
			LockHandle permit = acquirePermit(deadline);
			if (permit == null) {
				return null;
			}
			Membership membership = null;
			try {
				membership = join(permit);
			}
			finally {
				if (membership == null) {
					release(permit);
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
	 */
	private boolean awaitState(Predicate<State> condition, long deadline) throws InterruptedException {
		while (true) {
			long remaining = this.engine.nanosUntil(deadline);
			try {
				if (this.value.await((present) -> condition.test(State.of(present)),
						Math.min(remaining, this.checkNanos)) != null) {
					return true;
				}
				if (!breakIfLeaseLost() && this.engine.nanosUntil(deadline) == 0) {
					return false;
				}
			}
			catch (LockUnavailableException ex) {
				if (this.engine.nanosUntil(deadline) == 0) {
					throw ex;
				}
			}
		}
	}

	private @Nullable LockHandle acquirePermit(long deadline) throws InterruptedException {
		Duration wait = Duration.ofNanos(this.engine.nanosUntil(deadline));
		try {
			return this.locks.ownedBy(new Object()).tryAcquire(this.permitKey, this.options.withWaitTime(wait));
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			InterruptedException interrupted = new InterruptedException();
			interrupted.initCause(ex);
			throw interrupted;
		}
	}

	/**
	 * Join the generation that fills, unless there is none.
	 */
	private @Nullable Membership join(LockHandle permit) {
		Value present = this.value.read();
		while (State.of(present).isFilling()) {
			State state = State.of(present);
			if (holders() < state.count() + 1) {
				state = state.broken(); // by one that is not there any more
			}
			if (state.count() == 0 && !present.exists()) {
				state = State.first();
			}
			State joined = state.joined(this.parties);
			ValueUpdateResult result = this.value.update(set(present, joined));
			if (result.applied()) {
				return new Membership(permit, joined.generation());
			}
			present = result.before();
		}
		return null;
	}

	private boolean awaitOpening(Membership membership, long deadline)
			throws InterruptedException, BrokenBarrierException {
		boolean over;
		try {
			over = !awaitState((state) -> membership.isDecided(state) || membership.permit.isLost(), deadline);
		}
		catch (InterruptedException ex) {
			if (leaveEarly(membership)) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			over = false;
		}
		catch (RuntimeException ex) {
			leaveEarlySilently(membership);
			throw ex;
		}
		if (over && leaveEarly(membership)) {
			return false;
		}
		State state = State.of(this.value.read());
		if (membership.permit.isLost() || !membership.isOpen(state)) {
			breakIfLeaseLost();
			throw broken();
		}
		return true;
	}

	/**
	 * Leave a generation that fills.
	 * @return {@code false} if it is open, or was broken
	 */
	private boolean leaveEarly(Membership membership) {
		Value present = this.value.read();
		while (true) {
			State state = State.of(present);
			if (state.generation() != membership.generation || !state.isFilling() || state.count() == 0) {
				return false;
			}
			boolean last = state.count() == 1 && !state.formerBroken();
			ValueUpdateResult result = this.value
				.update(last ? new ValueChange.Delete(present.version()) : set(present, state.left()));
			if (result.applied()) {
				return true;
			}
			present = result.before();
		}
	}

	private void leaveEarlySilently(Membership membership) {
		try {
			leaveEarly(membership);
		}
		catch (LockException ex) {
			logger.debug("Could not leave the " + this + "; it will break when the lease expires", ex);
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
		if (!this.lock.tryLock()) { // an interrupted thread leaves, too
			this.lock.lockInterruptibly();
		}
		try {
			Membership left = this.membership;
			if (left == null) {
				throw new IllegalStateException("This participant of the " + this + " has not entered it");
			}
			long deadline = this.engine.deadlineAfter(waitNanos);
			boolean lost = left.permit.isLost();
			boolean counted;
			try {
				counted = leave(left);
			}
			finally {
				this.membership = null;
				release(left.permit); // breaks the barrier if it is still counted
			}
			if (lost || !counted) {
				throw broken();
			}
			if (!awaitState((state) -> state.generation() != left.generation || state.count() == 0, deadline)) {
				return false;
			}
			if (State.of(this.value.read()).isAfterBroken(left.generation)) {
				throw broken();
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Stop being counted. The last one deletes the value.
	 * @return {@code false} if the generation was broken
	 */
	private boolean leave(Membership membership) {
		Value present = this.value.read();
		while (true) {
			State state = State.of(present);
			if (state.generation() != membership.generation || state.count() == 0) {
				return false;
			}
			ValueUpdateResult result = this.value
				.update((state.count() == 1) ? new ValueChange.Delete(present.version()) : set(present, state.left()));
			if (result.applied()) {
				return true;
			}
			present = result.before();
		}
	}

	/**
	 * Break a generation in which participants are counted that hold no permit any more.
	 * @return whether it was broken
	 */
	private boolean breakIfLeaseLost() {
		Value present = this.value.read();
		State state = State.of(present);
		return state.count() > 0 && holders() < state.count()
				&& this.value.update(set(present, state.broken())).applied();
	}

	private static ValueChange set(Value present, State next) {
		return new ValueChange.Set(next.number(), present.version());
	}

	private int holders() {
		return this.value.call(() -> this.engine.holders(this.permitStoreKey).size());
	}

	private static void release(LockHandle permit) {
		try {
			permit.close();
		}
		catch (LockLostException ex) {
			// the permit is free
		}
	}

	private BrokenBarrierException broken() {
		return new BrokenBarrierException("A participant of the " + this + " lost its lease");
	}

	@Override
	public CompletableFuture<Boolean> enterAsync(Duration waitTime) {
		long waitNanos = Durations.waitNanos(waitTime);
		return async(() -> enter(waitNanos), this::leaveUnnoticed);
	}

	/**
	 * Leave for a caller that cancelled too late: all others have entered.
	 */
	private void leaveUnnoticed() {
		try {
			leave(0);
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			// it has left
		}
		catch (LockException ex) {
			logger.debug("Could not leave the " + this + " after entering it was cancelled", ex);
		}
	}

	@Override
	public CompletableFuture<Boolean> leaveAsync(Duration waitTime) {
		long waitNanos = Durations.waitNanos(waitTime);
		return async(() -> leave(waitNanos), () -> {
		});
	}

	private static CompletableFuture<Boolean> async(Call call, Runnable undo) {
		CompletableFuture<Boolean> future = new CompletableFuture<>();
		Thread thread = THREADS.newThread(() -> {
			try {
				boolean result = call.run();
				if (!future.complete(result) && result) {
					undo.run();
				}
			}
			catch (Throwable ex) {
				future.completeExceptionally(ex);
			}
		});
		future.whenComplete((result, failure) -> {
			if (future.isCancelled()) {
				thread.interrupt();
			}
		});
		thread.start();
		return future;
	}

	@Override
	public String toString() {
		return "double barrier " + this.value + " of " + this.parties;
	}

	/**
	 * A call that waits.
	 */
	private interface Call {

		boolean run() throws InterruptedException, BrokenBarrierException;

	}

	/**
	 * Membership in a generation.
	 */
	private record Membership(LockHandle permit, int generation) {

		/**
		 * Return whether the generation no longer fills.
		 */
		boolean isDecided(State state) {
			return state.generation() != this.generation || !state.isFilling();
		}

		boolean isOpen(State state) {
			return state.generation() == this.generation && !state.isFilling();
		}

	}

	/**
	 * State of the generation of participants: 31 bits of its number, a bit that the
	 * former one was broken, a bit that it is open, and 31 bits of the number of
	 * participants that have joined and not left.
	 */
	private record State(int generation, boolean formerBroken, boolean open, int count) {

		private static final int COUNT_BITS = 31;

		static State of(Value value) {
			long number = value.number();
			return new State((int) (number >>> (COUNT_BITS + 2)), (number >> (COUNT_BITS + 1) & 1) == 1,
					(number >> COUNT_BITS & 1) == 1, (int) (number & Integer.MAX_VALUE));
		}

		/**
		 * Return a state that no earlier generation, as far as anyone may still wait for
		 * it, is likely to have had.
		 */
		static State first() {
			return new State(ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE), false, false, 0);
		}

		long number() {
			return (long) this.generation << (COUNT_BITS + 2) | (this.formerBroken ? 1L << (COUNT_BITS + 1) : 0)
					| (this.open ? 1L << COUNT_BITS : 0) | this.count;
		}

		boolean isFilling() {
			return !this.open;
		}

		State joined(int parties) {
			return new State(this.generation, this.formerBroken, this.count + 1 == parties, this.count + 1);
		}

		State left() {
			return new State(this.generation, this.formerBroken, this.open, this.count - 1);
		}

		State broken() {
			return new State((this.generation == Integer.MAX_VALUE) ? 1 : this.generation + 1, true, false, 0);
		}

		boolean isAfterBroken(int former) {
			return this.formerBroken && this.generation != former;
		}

	}

}
