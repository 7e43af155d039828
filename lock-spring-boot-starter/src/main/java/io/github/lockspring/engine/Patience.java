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

import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Denial;
import io.github.lockspring.support.Durations;

/**
 * When one that waits asks the store again, and when it gives up. Belongs to one thread.
 * <p>
 * The pause between two attempts is random within its upper half, so that processes do
 * not ask in step. It grows on a store without news, where asking is the only way to
 * learn that a lease is free, and ends early when the present lease is known to end.
 */
final class Patience {

	private final long deadline;

	private final EngineSettings settings;

	private final boolean tellsNews;

	private long askAt;

	private long pause;

	private boolean askedLast;

	/**
	 * Creates the plan.
	 * @param now the present time
	 * @param deadline when to give up
	 * @param settings the shortest and the longest pause
	 * @param tellsNews whether the store sends news
	 */
	Patience(long now, long deadline, EngineSettings settings, boolean tellsNews) {
		this.askAt = now;
		this.deadline = deadline;
		this.settings = settings;
		this.tellsNews = tellsNews;
	}

	long remaining(long now) {
		return this.deadline - now;
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
	void keepQuiet(long until) {
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

	long sleep(long now, boolean speaking) {
		return speaking ? Math.min(this.askAt - now, remaining(now)) : remaining(now);
	}

	/**
	 * Takes note of an answer. One that arrives after the deadline was the last.
	 */
	void answered(@Nullable Object answer, long now) {
		this.askedLast = remaining(now) <= 0;
		this.pause = this.tellsNews ? Durations.nanos(this.settings.queuePoll())
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
