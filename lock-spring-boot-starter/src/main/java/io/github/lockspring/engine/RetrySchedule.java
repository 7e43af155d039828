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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.support.Durations;

/**
 * Schedule of the attempts of a waiting acquisition, until it times out. Confined to one
 * thread.
 * <p>
 * On a store with notifications, it tries once and then sleeps until it is signalled by
 * the store or by the {@link Poller}, or until the deadline. On a store without
 * notifications, retrying is the only way to find out that a lease is free: it retries
 * with increasing delays, and sleeps when they have reached the maximum.
 * <p>
 * The delay between two attempts is random within its upper half, so that processes do
 * not retry in lockstep, and ends early when the current lease is known to end.
 */
final class RetrySchedule {

	/**
	 * Wait time after which a request enters a queue without notifications, because the
	 * entry has a cost.
	 */
	private static final long SHORT_WAIT = Duration.ofMillis(10).toNanos();

	private final long start;

	private long deadline;

	private final EngineSettings settings;

	private final boolean hasNotifications;

	private long tryAt;

	private long pause;

	private boolean triedLast;

	private Recall recall = Recall.NONE;

	private Poller.@Nullable Sleeper sleeper;

	/**
	 * Create a schedule.
	 * @param now the current time
	 * @param deadline the time at which to time out
	 * @param settings the minimum and the maximum delay
	 * @param hasNotifications whether the store sends notifications
	 */
	RetrySchedule(long now, long deadline, EngineSettings settings, boolean hasNotifications) {
		this.start = now;
		this.tryAt = now;
		this.deadline = deadline;
		this.settings = settings;
		this.hasNotifications = hasNotifications;
	}

	/**
	 * Return whether it has waited for longer than a short wait.
	 */
	boolean isLong(long now) {
		return now - this.start >= SHORT_WAIT;
	}

	long remaining(long now) {
		return this.deadline - now;
	}

	long deadline() {
		return this.deadline;
	}

	/**
	 * Return the time left for calls to the store: the last one may outlast the deadline.
	 */
	long remainingForCalls(long now) {
		return Math.max(remaining(now), -Durations.MAX_NANOS) + this.settings.operationTimeout().toNanos();
	}

	/**
	 * Return whether there is any time to wait.
	 */
	boolean mayWait() {
		return this.deadline - this.start > 0;
	}

	/**
	 * Return whether the last attempt was answered.
	 */
	boolean isLastTried() {
		return this.triedLast;
	}

	/**
	 * Make the next attempt at once: an interrupt may have cut off the last one.
	 */
	void tryAgain() {
		this.tryAt = this.start;
	}

	/**
	 * Make no attempt: after the deadline, the store has answered another acquisition.
	 */
	void end() {
		this.triedLast = true;
	}

	/**
	 * Retry now if the sleeper was signalled.
	 */
	void onSignal(long now) {
		if (this.sleeper != null && this.sleeper.isSignalled()) {
			this.tryAt = now;
		}
	}

	/**
	 * Return whether to retry now. After the last attempt, at the deadline, no signal
	 * causes another one.
	 */
	boolean isTimeToTry(long now, boolean notified) {
		return !this.triedLast && !isRecallOver(now) && (notified || this.tryAt - now <= 0 || remaining(now) <= 0);
	}

	/**
	 * Delay the next attempt, but not beyond the deadline.
	 */
	void delayUntil(long until) {
		if (until - this.tryAt > 0) {
			this.tryAt = until;
		}
	}

	/**
	 * Return whether the wait time is over. A leader tries once more at the deadline.
	 */
	boolean isOver(long now, boolean leading) {
		return remaining(now) <= 0 && (this.triedLast || !leading) || isRecallOver(now);
	}

	/**
	 * Return whether it waits for the answer to a recall.
	 */
	boolean isRecalling() {
		return this.recall != Recall.NONE;
	}

	/**
	 * Return whether the time for a recall is over, which is that for the answer to one
	 * call: there is none left for another.
	 */
	private boolean isRecallOver(long now) {
		return isRecalling() && remaining(now) <= 0;
	}

	/**
	 * Return whether to sleep until signalled after a denial.
	 */
	boolean maySleep() {
		return !this.triedLast && this.recall != Recall.SENT
				&& (this.hasNotifications || this.pause >= Durations.nanos(this.settings.polling().max()));
	}

	/**
	 * Sleep until signalled, but not beyond the deadline.
	 */
	void sleep(Poller.Sleeper sleeper) {
		this.sleeper = sleeper;
		this.tryAt = this.deadline;
	}

	/**
	 * Wake up.
	 * @return the former sleeper, if any
	 */
	Poller.@Nullable Sleeper wake() {
		Poller.Sleeper sleeper = this.sleeper;
		this.sleeper = null;
		return sleeper;
	}

	/**
	 * Return the time to sleep, which is not positive if an attempt is due. After the
	 * deadline, one that does not lead sleeps until the leader is answered.
	 */
	long sleepNanos(long now, boolean leading) {
		if (leading) {
			return Math.min(this.tryAt - now, remaining(now));
		}
		return (remaining(now) > 0) ? remaining(now) : remainingForCalls(now);
	}

	/**
	 * Record an answer to the leader like {@link #answered}. If no time is left to wait,
	 * and the holder was asked to release its lease, it waits for the answer to that, but
	 * altogether no longer than for one call: another attempt enters the queue.
	 */
	void leaderAnswered(@Nullable Denial denial, long now) {
		if (isRecalling()) {
			this.recall = Recall.AWAITED;
			if (denial != null && !denial.recalled()) {
				this.deadline = now + Math.min(remaining(now), 0);
			}
		}
		else if (denial != null && denial.recalled() && remaining(now) <= 0) {
			this.recall = Recall.SENT;
			long left = this.start + this.settings.operationTimeout().toNanos() - now;
			this.deadline = now + Math.max(remaining(now), left);
		}
		answered(denial, now);
		if (this.recall == Recall.SENT) {
			this.tryAt = now;
		}
	}

	/**
	 * Record an answer. One of the store that arrives after the deadline was the last.
	 * @param denial the denial, or {@code null} if the store failed
	 */
	void answered(@Nullable Denial denial, long now) {
		boolean postponed = denial != null && denial.postponed();
		this.triedLast = remaining(now) <= 0 && !postponed;
		this.pause = this.hasNotifications
				? Math.min(Durations.nanos(this.settings.polling().queue()), Poller.MAX_PAUSE_AFTER_FAILURE_NANOS)
				: Math.min(Durations.nanos(this.settings.polling().max()),
						Math.max(Durations.nanos(this.settings.polling().min()), this.pause + this.pause / 2));
		long pause = this.pause;
		if (denial != null) {
			pause = Math.max(Math.min(pause, Durations.nanos(denial.retryAfter())),
					Durations.nanos(this.settings.polling().min()));
		}
		this.tryAt = now + (postponed ? pause : Durations.jitter(pause));
	}

	/**
	 * Progress of the recall of a lease by an acquisition with no time left to wait.
	 */
	private enum Recall {

		NONE, SENT, AWAITED

	}

}
