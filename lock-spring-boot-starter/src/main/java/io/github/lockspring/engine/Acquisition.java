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

import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Asynchronous acquisition, for which no thread is blocked.
 * <ol>
 * <li>It enters the local queue in the calling thread, so that acquisitions are queued in
 * the order of the calls.</li>
 * <li>From then on it advances in steps, one at a time, each in a thread that it uses for
 * that step only. A step is triggered by each event that would unpark a thread, by a
 * timer when its sleep is over, and by the completion of its future.</li>
 * <li>The last step completes the future. If the future was cancelled or completed
 * before, the lease is released.</li>
 * </ol>
 */
final class Acquisition implements Waiter {

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	private final CompletableFuture<@Nullable Hold> future = new CompletableFuture<>();

	private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.AWAKE);

	private final EngineContext context;

	private final Acquirer acquirer;

	private final AsyncDispatcher asyncDispatcher;

	private final RetrySchedule retrySchedule;

	private final long start;

	private final long waitNanos;

	private Hold hold;

	private AsyncDispatcher.@Nullable Timer timer;

	/**
	 * Whether this was the leader from the beginning and has not contended yet.
	 */
	private boolean contendNow;

	/**
	 * Create an acquisition.
	 * @param waitNanos how long to wait; zero tries once
	 * @param newHold returns the hold to acquire, for which this waits
	 */
	Acquisition(EngineContext context, Acquirer acquirer, AsyncDispatcher asyncDispatcher, long waitNanos,
			Function<Waiter, Hold> newHold) {
		this.context = context;
		this.acquirer = acquirer;
		this.asyncDispatcher = asyncDispatcher;
		this.start = context.time().nanoTime();
		this.retrySchedule = acquirer.newSchedule(this.start, waitNanos);
		this.waitNanos = waitNanos;
		this.hold = newHold.apply(this);
	}

	/**
	 * Start the acquisition.
	 * @param options the options before the lease time was capped
	 * @return the future
	 */
	CompletableFuture<@Nullable Hold> start(AcquireOptions options) {
		try {
			this.context.requireOpen(options);
			begin();
		}
		catch (Throwable ex) {
			try {
				this.acquirer.cancel(this.hold, ex);
			}
			finally {
				this.hold.notifyNotAcquired(AcquireOutcome.of(ex), ex);
			}
			throw ex;
		}
		return this.future;
	}

	private void begin() {
		if (this.hold.options().isShareable() && this.acquirer.share(this.hold)) {
			if (this.hold.hasLease()) {
				complete(this.hold);
				return;
			}
			this.hold.release();
			this.hold = this.hold.anew();
		}
		LocalQueue.Turn turn = join();
		if (turn == LocalQueue.Turn.REJECTED) {
			complete(null);
			return;
		}
		if (turn == LocalQueue.Turn.HELD) {
			this.context.requireOpen();
			complete(this.hold);
			return;
		}
		this.contendNow = turn != LocalQueue.Turn.WAIT;
		this.future.whenComplete((result, failure) -> wakeUp());
		if (!this.contendNow) {
			sleep(this.start, this.waitNanos);
		}
		if (this.contendNow || this.context.isClosed()
				|| !this.progress.compareAndSet(Progress.AWAKE, Progress.ASLEEP)) {
			this.progress.set(Progress.WOKEN);
			this.asyncDispatcher.execute(this::run);
		}
	}

	/**
	 * Dispatch a step. Does not block.
	 */
	@Override
	public void wakeUp() {
		VarHandle.fullFence(); // a dispatched step sees the reason for the wake-up
		while (true) {
			Progress current = this.progress.get();
			if (current == Progress.ASLEEP && this.progress.compareAndSet(current, Progress.WOKEN)) {
				dispatch();
				return;
			}
			if (current == Progress.AWAKE) {
				if (this.progress.compareAndSet(current, Progress.WOKEN_AGAIN)) {
					return;
				}
			}
			else if (current != Progress.ASLEEP) {
				return;
			}
		}
	}

	/**
	 * Continue in another thread. If that fails, the acquisition can be woken again.
	 */
	private void dispatch() {
		try {
			this.asyncDispatcher.execute(this::run);
		}
		catch (Throwable ex) {
			this.progress.compareAndSet(Progress.WOKEN, Progress.ASLEEP);
			throw ex;
		}
	}

	private void run() {
		do {
			this.progress.set(Progress.AWAKE);
			if (advanceOrFail()) {
				this.progress.set(Progress.ENDED);
				return;
			}
		}
		while (!this.progress.compareAndSet(Progress.AWAKE, Progress.ASLEEP));
	}

	/**
	 * Advance as far as possible.
	 * @return whether this is complete
	 */
	private boolean advanceOrFail() {
		if (this.timer != null) {
			this.asyncDispatcher.cancel(this.timer);
			this.timer = null;
		}
		try {
			Acquirer.Step step = advance();
			if (step == Acquirer.Step.SLEEP) {
				return false;
			}
			complete((step == Acquirer.Step.PROCEED) ? this.hold : null);
		}
		catch (Throwable ex) {
			this.hold.notifyNotAcquired(AcquireOutcome.of(ex), ex);
			this.future.completeExceptionally(ex);
		}
		return true;
	}

	/**
	 * Make steps until the lease is held, or this sleeps or has timed out.
	 * @return {@link Acquirer.Step#PROCEED} if the lease is held
	 */
	private Acquirer.Step advance() {
		try {
			while (true) {
				Acquirer.Step step = advanceToGrant();
				if (step != Acquirer.Step.PROCEED || this.acquirer.hasLease(this.hold, this.retrySchedule)) {
					return step;
				}
				this.hold.release();
				joinAnew();
			}
		}
		catch (Throwable ex) {
			this.acquirer.wakeUp(this.retrySchedule);
			this.acquirer.cancel(this.hold, ex);
			throw ex;
		}
	}

	/**
	 * Make steps until the hold is granted.
	 * @return {@link Acquirer.Step#PROCEED} if it is
	 */
	private Acquirer.Step advanceToGrant() {
		Hold hold = this.hold;
		while (hold.isPending()) {
			this.context.requireOpen();
			if (this.future.isDone()) {
				this.acquirer.wakeUp(this.retrySchedule);
				this.acquirer.cancel(hold);
				return Acquirer.Step.TIMED_OUT;
			}
			long now = this.context.time().nanoTime();
			Acquirer.Step step = step(hold, now);
			if (step == Acquirer.Step.SLEEP) {
				sleep(now, this.retrySchedule.sleepNanos(now, hold.isContending()));
				return step;
			}
			if (step == Acquirer.Step.TIMED_OUT && this.acquirer.timeOut(hold)) {
				return step;
			}
		}
		return Acquirer.Step.PROCEED;
	}

	/**
	 * Make a step. An acquisition that is the leader from the beginning contends
	 * immediately, like one with a thread.
	 */
	private Acquirer.Step step(Hold hold, long now) {
		if (!this.contendNow) {
			return this.acquirer.step(hold, this.retrySchedule, now);
		}
		this.contendNow = false;
		this.acquirer.attemptFirst(hold, this.retrySchedule, now, this.waitNanos > 0);
		return Acquirer.Step.PROCEED;
	}

	/**
	 * Restart with another hold, because the lease of the present one expired before a
	 * step was run. Continues in the same step.
	 */
	private void joinAnew() {
		this.hold = this.hold.anew();
		LocalQueue.Turn turn = join();
		this.contendNow = turn == LocalQueue.Turn.CONTEND || turn == LocalQueue.Turn.TRY;
	}

	private LocalQueue.Turn join() {
		this.hold.waitFrom(this.start);
		return this.acquirer.join(this.hold, this.waitNanos > 0);
	}

	/**
	 * Set the timer.
	 * @param now the time since which this sleeps
	 * @param nanos how long to sleep
	 */
	private void sleep(long now, long nanos) {
		this.timer = this.asyncDispatcher.wakeUpAt(now + Math.min(nanos, Durations.MAX_NANOS), this);
	}

	static void log(String key, @Nullable Hold hold) {
		logger.debug(((hold != null) ? "Acquired" : "Did not acquire") + " the lock on " + KeyFormat.quote(key));
	}

	private void complete(@Nullable Hold held) {
		try {
			notify(held);
		}
		catch (Throwable ex) {
			if (held != null) {
				held.release();
			}
			throw ex;
		}
		if (!this.future.complete(held) && held != null) {
			held.release();
		}
	}

	private void notify(@Nullable Hold held) {
		if (logger.isDebugEnabled()) {
			log(this.hold.key(), held);
		}
		if (held != null) {
			held.notifyAcquired();
		}
		else {
			this.hold.notifyNotAcquired(
					this.future.isDone() ? AcquireOutcome.CANCELLED : AcquireOutcome.notAcquiredWithin(this.waitNanos),
					null);
		}
	}

	/**
	 * Progress of a step.
	 */
	private enum Progress {

		/**
		 * No step is run until it is woken.
		 */
		ASLEEP,

		/**
		 * A step will be made.
		 */
		WOKEN,

		/**
		 * A step is being made.
		 */
		AWAKE,

		/**
		 * A step is being made, and another must follow.
		 */
		WOKEN_AGAIN,

		/**
		 * There are no more steps.
		 */
		ENDED

	}

}
