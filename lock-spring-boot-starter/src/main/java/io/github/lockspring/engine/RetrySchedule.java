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
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.support.Durations;

/**
 * When one that waits asks the store again, and when it gives up. Belongs to one thread.
 * <p>
 * On a store that tells news, it asks once and then sleeps until it is told to ask, by
 * the store or by the {@link Poller}, or until the deadline. On a store without news,
 * asking is the only way to learn that a lease is free: it asks itself, in growing
 * pauses, and sleeps when they have grown to the longest.
 * <p>
 * The pause between two attempts is random within its upper half, so that processes do
 * not ask in step, and ends early when the present lease is known to end.
 */
final class RetrySchedule {

	/**
	 * The longest pause after a failure of the store.
	 */
	static final long LONGEST_AFTER_FAILURE = Duration.ofMillis(500).toNanos();

	/**
	 * The wait after which a place in a queue that tells nothing is worth its cost.
	 */
	private static final long SHORT_WAIT = Duration.ofMillis(10).toNanos();

	private final long start;

	private final long deadline;

	private final EngineSettings settings;

	private final boolean hasNotifications;

	private long askAt;

	private long pause;

	private boolean askedLast;

	private Poller.@Nullable Sleeper sleeper;

	/**
	 * Creates the plan.
	 * @param now the present time
	 * @param deadline when to give up
	 * @param settings the shortest and the longest pause
	 * @param tellsNews whether the store sends news
	 */
	RetrySchedule(long now, long deadline, EngineSettings settings, boolean tellsNews) {
		this.start = now;
		this.askAt = now;
		this.deadline = deadline;
		this.settings = settings;
		this.hasNotifications = tellsNews;
	}

	/**
	 * Whether it has waited for more than a moment.
	 */
	boolean isLong(long now) {
		return now - this.start >= SHORT_WAIT;
	}

	long remaining(long now) {
		return this.deadline - now;
	}

	/**
	 * Takes note of whether it was told to ask.
	 */
	void heed(long now) {
		if (this.sleeper != null && this.sleeper.isTold()) {
			this.askAt = now;
		}
	}

	/**
	 * Whether to ask now. After the last attempt, at the deadline, no news are a reason
	 * to ask any more.
	 */
	boolean isTimeToAsk(long now, boolean news) {
		return !this.askedLast && (news || this.askAt - now <= 0 || remaining(now) <= 0);
	}

	/**
	 * Puts the next attempt off, but not beyond the deadline.
	 */
	void delayUntil(long until) {
		if (until - this.askAt > 0) {
			this.askAt = until;
		}
	}

	/**
	 * Whether there is nothing left to wait for. One that speaks asks once more at the
	 * deadline.
	 */
	boolean isOver(long now, boolean speaking) {
		return remaining(now) <= 0 && (this.askedLast || !speaking);
	}

	/**
	 * Whether to sleep until told after a denial.
	 */
	boolean maySleep() {
		return !this.askedLast && (this.hasNotifications || this.pause >= Durations.nanos(this.settings.maxPoll()));
	}

	/**
	 * Sleeps until told, but not beyond the deadline.
	 */
	void sleep(Poller.Sleeper sleeper) {
		this.sleeper = sleeper;
		this.askAt = this.deadline;
	}

	/**
	 * Wakes up.
	 * @return what slept, if it did
	 */
	Poller.@Nullable Sleeper wake() {
		Poller.Sleeper sleeper = this.sleeper;
		this.sleeper = null;
		return sleeper;
	}

	long sleep(long now, boolean speaking) {
		return speaking ? Math.min(this.askAt - now, remaining(now)) : remaining(now);
	}

	/**
	 * Takes note of an answer. One that arrives after the deadline was the last.
	 */
	void answered(@Nullable Object answer, long now) {
		this.askedLast = remaining(now) <= 0;
		this.pause = this.hasNotifications ? Math.min(Durations.nanos(this.settings.queuePoll()), LONGEST_AFTER_FAILURE)
				: Math.min(Durations.nanos(this.settings.maxPoll()),
						Math.max(Durations.nanos(this.settings.minPoll()), this.pause + this.pause / 2));
		long pause = this.pause;
		if (answer instanceof Denial denial) {
			pause = Math.max(Math.min(pause, Durations.nanos(denial.retryAfter())),
					Durations.nanos(this.settings.minPoll()));
		}
		this.askAt = now + pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
	}

}
