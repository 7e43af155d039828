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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous acquisition, for which no thread is blocked.
 * <ol>
 * <li>It enters the local queue in the calling thread, so that acquisitions are queued in
 * the order of the calls.</li>
 * <li>From then on it advances in steps, one at a time, each in a thread that it uses for
 * that step only. A step is triggered by whatever would unpark a thread, by the lease
 * scheduler when its sleep is over, and by the completion of its future.</li>
 * <li>The last step completes the future. If the future was cancelled or completed
 * before, the lease is released.</li>
 * </ol>
 */
final class Acquisition {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private static final long LONGEST_SLEEP_NANOS = Long.MAX_VALUE / 4;

	private final CompletableFuture<@Nullable Hold> future = new CompletableFuture<>();

	private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.AWAKE);

	private final Acquirer acquirer;

	private final AsyncDispatcher asyncDispatcher;

	private final RetrySchedule retrySchedule;

	private final long waitNanos;

	private @Nullable Hold hold;

	private AsyncDispatcher.@Nullable Alarm alarm;

	private boolean toAskAtOnce;

	Acquisition(Acquirer acquirer, AsyncDispatcher asyncDispatcher, long now, long waitNanos) {
		this.acquirer = acquirer;
		this.asyncDispatcher = asyncDispatcher;
		this.retrySchedule = acquirer.newSchedule(now, waitNanos);
		this.waitNanos = waitNanos;
	}

	/**
	 * Start the acquisition.
	 * @param hold the hold to acquire
	 * @param now the time at which it starts to wait
	 * @return the future
	 */
	CompletableFuture<@Nullable Hold> start(Hold hold, long now) {
		this.hold = hold;
		try {
			begin(now);
		}
		catch (Throwable ex) {
			this.acquirer.cancel(hold, ex);
			throw ex;
		}
		return this.future;
	}

	private void begin(long now) {
		LocalQueue.Turn turn = this.acquirer.join(this);
		if (turn == LocalQueue.Turn.REFUSED) {
			complete(null);
			return;
		}
		this.toAskAtOnce = turn != LocalQueue.Turn.WAIT;
		this.future.whenComplete((result, failure) -> wake());
		if (!this.toAskAtOnce) {
			sleep(now, this.waitNanos);
		}
		if (this.toAskAtOnce || this.acquirer.isClosed()
				|| !this.progress.compareAndSet(Progress.AWAKE, Progress.ASLEEP)) {
			getUp();
		}
	}

	/**
	 * Restart with another hold, because the lease of the present one expired before a
	 * step was run. Continues in the same step.
	 */
	void joinAnew() {
		this.hold = hold().anew();
		this.toAskAtOnce = this.acquirer.join(this) != LocalQueue.Turn.WAIT;
	}

	/**
	 * Dispatch a step. Does not block.
	 */
	void wake() {
		VarHandle.fullFence(); // a dispatched step sees the reason for the wake-up
		while (true) {
			Progress current = this.progress.get();
			if (current == Progress.ASLEEP && this.progress.compareAndSet(current, Progress.WOKEN)) {
				this.asyncDispatcher.execute(this::go);
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

	private void getUp() {
		this.progress.set(Progress.WOKEN);
		this.asyncDispatcher.execute(this::go);
	}

	private void go() {
		do {
			this.progress.set(Progress.AWAKE);
			if (makeStep()) {
				this.progress.set(Progress.ENDED);
				return;
			}
		}
		while (!this.progress.compareAndSet(Progress.AWAKE, Progress.ASLEEP));
	}

	/**
	 * Goes on as far as possible.
	 * @return whether it was the last step
	 */
	private boolean makeStep() {
		if (this.alarm != null) {
			this.asyncDispatcher.cancel(this.alarm);
			this.alarm = null;
		}
		try {
			long sleep = this.acquirer.advance(this);
			if (sleep > 0) {
				return false;
			}
			complete((sleep == Acquirer.NOW) ? hold() : null);
		}
		catch (Throwable ex) {
			this.future.completeExceptionally(ex);
		}
		return true;
	}

	/**
	 * Sets the alarm.
	 * @param now the moment since which it sleeps
	 * @param nanos how long
	 */
	void sleep(long now, long nanos) {
		this.alarm = this.asyncDispatcher.wakeAt(now + Math.min(nanos, LONGEST_SLEEP_NANOS), this);
	}

	private void complete(@Nullable Hold held) {
		if (logger.isDebugEnabled()) {
			logger.debug(((held != null) ? "Acquired" : "Did not acquire") + " the lock on "
					+ KeyFormat.quote(hold().key()));
		}
		if (!this.future.complete(held) && held != null) {
			held.release();
		}
	}

	/**
	 * Return whether the future was cancelled or completed by the caller.
	 */
	boolean isUnwanted() {
		return this.future.isDone();
	}

	boolean mayWait() {
		return this.waitNanos > 0;
	}

	/**
	 * Return whether this was the leader from the beginning and did not try yet. Returns
	 * {@code true} only once.
	 */
	boolean isToAskAtOnce() {
		boolean toAskAtOnce = this.toAskAtOnce;
		this.toAskAtOnce = false;
		return toAskAtOnce;
	}

	RetrySchedule retrySchedule() {
		return this.retrySchedule;
	}

	Hold hold() {
		Hold hold = this.hold;
		if (hold == null) {
			throw new IllegalStateException("Not started yet");
		}
		return hold;
	}

	/**
	 * How far a step is.
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
