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
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;
import io.github.lockspring.support.TimerThread;

/**
 * Discards holds that were lost and are never released.
 * <p>
 * A lost hold remains visible to its owner, whose reentrant acquisitions are rejected,
 * until the owner releases it. A hold that was not released within the maximum hold time,
 * a day at most, after its lease has ended is discarded, so that its owner can acquire
 * the key anew.
 */
final class LostHolds {

	private static final Log logger = LogFactory.getLog(LostHolds.class);

	private static final long MAX_RETENTION_NANOS = Duration.ofDays(1).toNanos();

	private final LocalQueues queues;

	private final TimeSource time;

	private final TimerThread.Task task;

	private final long retentionNanos;

	LostHolds(EngineContext context) {
		this.queues = context.queues();
		this.time = context.time();
		this.task = context.task(() -> forEachLost(this::look));
		this.retentionNanos = Math.min(Durations.nanos(context.settings().limits().maxHoldTime()), MAX_RETENTION_NANOS);
	}

	/**
	 * Schedule the removal of a hold that was just lost.
	 */
	void watch(Hold hold) {
		this.task.wakeUpAt(endOf(hold));
	}

	/**
	 * Return the monotonic time at which a lost hold is discarded.
	 */
	private long endOf(Hold hold) {
		return hold.lease().deadlineNanos() + this.retentionNanos;
	}

	/**
	 * Discard all lost holds now.
	 */
	void discardAll() {
		forEachLost(this.queues::end);
	}

	private void forEachLost(Consumer<Hold> action) {
		this.queues.forEachHolder((hold) -> {
			if (hold.isLost()) {
				action.accept(hold);
			}
		});
	}

	private void look(Hold hold) {
		if (endOf(hold) - this.time.nanoTime() > 0) {
			watch(hold);
			return;
		}
		logger.warn("Discarding the lost lock on " + KeyFormat.quote(hold.key()) + ", which was never released by "
				+ hold.owner());
		this.queues.end(hold);
	}

}
