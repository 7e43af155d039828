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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Attempts of this process to be elected: a single acquisition at a time, which lasts
 * until it succeeds, and a pause after each that fails. Confined to updates of the
 * election.
 */
final class LeadershipCampaign {

	private static final Log logger = LogFactory.getLog(LeadershipCampaign.class);

	private static final Duration MIN_PAUSE = Duration.ofMillis(500);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	private final LockEngine engine;

	private final String storeKey;

	private final AcquireOptions options;

	private final Runnable update;

	private @Nullable CompletableFuture<@Nullable Hold> acquisition;

	private volatile boolean pausing;

	private Duration pause = MIN_PAUSE;

	/**
	 * Create a campaign, which is not begun yet.
	 * @param engine the engine
	 * @param storeKey the key of the election
	 * @param options the options of the lease
	 * @param update requests an update of the election
	 */
	LeadershipCampaign(LockEngine engine, String storeKey, AcquireOptions options, Runnable update) {
		this.engine = engine;
		this.storeKey = storeKey;
		this.options = options;
		this.update = update;
	}

	boolean isPending() {
		return this.acquisition != null;
	}

	/**
	 * Acquire the lease, unless there is an acquisition or a pause.
	 */
	void begin() {
		if (this.acquisition == null && !this.pausing) {
			CompletableFuture<@Nullable Hold> acquisition = this.engine.acquireAsync(this.storeKey, this.options,
					new Candidate(this.storeKey), Durations.MAX_NANOS);
			this.acquisition = acquisition;
			acquisition.whenComplete((hold, failure) -> this.update.run());
		}
	}

	void cancel() {
		if (this.acquisition != null && this.acquisition.cancel(false)) {
			this.acquisition = null;
		}
	}

	/**
	 * Take the result of an acquisition.
	 * @param wanted whether to retry after a failure other than a failure of the store,
	 * which the engine retries
	 * @return the hold, or {@code null} if there is none
	 */
	@Nullable Hold take(boolean wanted) {
		CompletableFuture<@Nullable Hold> acquisition = this.acquisition;
		if (acquisition == null || !acquisition.isDone()) {
			return null;
		}
		this.acquisition = null;
		try {
			Hold hold = acquisition.join();
			this.pause = (hold != null) ? MIN_PAUSE : this.pause;
			return hold;
		}
		catch (CompletionException ex) {
			if (wanted) {
				retry((ex.getCause() != null) ? ex.getCause() : ex);
			}
			return null;
		}
	}

	private void retry(Throwable failure) {
		if (this.pause.equals(MIN_PAUSE)) {
			logger.warn(
					"Could not take part in the election on " + KeyFormat.quote(this.storeKey) + "; it will be retried",
					failure);
		}
		pause();
	}

	/**
	 * Request an update after a pause, before which no acquisition is begun.
	 */
	void pause() {
		this.pausing = true;
		this.engine.runAfter(this.pause, () -> {
			this.pausing = false;
			this.update.run();
		});
		this.pause = Durations.min(this.pause.multipliedBy(2), MAX_PAUSE);
	}

	/**
	 * Owner of one acquisition.
	 *
	 * @param storeKey the key of the election
	 */
	private record Candidate(String storeKey) {

		@Override
		public String toString() {
			return "the election on " + KeyFormat.quote(this.storeKey);
		}

	}

}
