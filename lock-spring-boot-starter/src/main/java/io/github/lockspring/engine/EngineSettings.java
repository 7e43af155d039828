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
import org.springframework.util.Assert;

import io.github.lockspring.support.Durations;

/**
 * Settings of an engine. Durations are capped at a hundred years. Immutable.
 *
 * @param operationTimeout the timeout of one call to the store
 * @param renewInterval the time between two renewals, capped at half the lease time, or
 * {@code null} for a third of each lease time
 * @param handOff the hand-off of leases inside this process
 * @param polling the delays between two attempts
 * @param limits the limits of what is held
 * @param names the names in the store
 */
public record EngineSettings(Duration operationTimeout, @Nullable Duration renewInterval, HandOff handOff,
		Polling polling, Limits limits, Names names) {

	private static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), null,
			new HandOff(256, Duration.ofMillis(20)),
			new Polling(Duration.ofMillis(1), Duration.ofMillis(110), Duration.ofSeconds(2)),
			new Limits(Duration.ofDays(1), 1_000_000, 10_000), new Names("lock: ", ""));

	/**
	 * Validate the settings.
	 */
	public EngineSettings {
		operationTimeout = Durations.cap(operationTimeout);
		renewInterval = (renewInterval != null) ? Durations.cap(renewInterval) : null;
		Durations.requirePositive(operationTimeout, "operationTimeout");
	}

	/**
	 * Return the default settings.
	 * @return the settings
	 */
	public static EngineSettings defaults() {
		return DEFAULTS;
	}

	public EngineSettings withOperationTimeout(Duration operationTimeout) {
		return new EngineSettings(operationTimeout, this.renewInterval, this.handOff, this.polling, this.limits,
				this.names);
	}

	public EngineSettings withRenewInterval(@Nullable Duration renewInterval) {
		return new EngineSettings(this.operationTimeout, renewInterval, this.handOff, this.polling, this.limits,
				this.names);
	}

	public EngineSettings withHandOff(int limit, Duration span) {
		return new EngineSettings(this.operationTimeout, this.renewInterval, new HandOff(limit, span), this.polling,
				this.limits, this.names);
	}

	public EngineSettings withPoll(Duration min, Duration max, Duration queue) {
		return new EngineSettings(this.operationTimeout, this.renewInterval, this.handOff, new Polling(min, max, queue),
				this.limits, this.names);
	}

	public EngineSettings withMaxHoldTime(Duration maxHoldTime) {
		return with(new Limits(maxHoldTime, this.limits.maxKeys, this.limits.maxRetainedKeys), this.names);
	}

	public EngineSettings withMaxKeys(int maxKeys) {
		return with(new Limits(this.limits.maxHoldTime, maxKeys, this.limits.maxRetainedKeys), this.names);
	}

	public EngineSettings withMaxRetainedKeys(int maxRetainedKeys) {
		return with(new Limits(this.limits.maxHoldTime, this.limits.maxKeys, maxRetainedKeys), this.names);
	}

	public EngineSettings withProbeKey(String probeKey) {
		return with(this.limits, new Names(probeKey, this.names.application));
	}

	public EngineSettings withApplication(String application) {
		return with(this.limits, new Names(this.names.probeKey, application));
	}

	private EngineSettings with(Limits limits, Names names) {
		return new EngineSettings(this.operationTimeout, this.renewInterval, this.handOff, this.polling, limits, names);
	}

	/**
	 * Hand-off of leases inside this process.
	 *
	 * @param limit the maximum number of hand-offs of a lease before it is released to
	 * the store; 0 disables hand-offs
	 * @param span the maximum time for which a lease is handed off before it is released
	 * to the store
	 */
	public record HandOff(int limit, Duration span) {

		public HandOff {
			span = Durations.cap(span);
			Assert.isTrue(limit >= 0 && limit <= AcquireOptions.MAX_HAND_OFFS,
					() -> "'handOffLimit' must be between 0 and " + AcquireOptions.MAX_HAND_OFFS + ", not " + limit);
		}

		long spanNanos() {
			return Durations.nanos(this.span);
		}

	}

	/**
	 * Delays between two attempts.
	 *
	 * @param min the minimum delay
	 * @param max the maximum delay on a store without notifications
	 * @param queue the delay on a store with notifications, in case a notification was
	 * lost; less than half the time for which stores keep queue entries
	 */
	public record Polling(Duration min, Duration max, Duration queue) {

		public Polling {
			min = Durations.cap(min);
			max = Durations.cap(max);
			queue = Durations.cap(queue);
		}

	}

	/**
	 * Limits of what is held.
	 *
	 * @param maxHoldTime the time after which a lease is no longer renewed, because its
	 * holder is assumed to have failed to release it
	 * @param maxKeys the maximum number of keys that are held or waited for at the same
	 * time in this process
	 * @param maxRetainedKeys the maximum number of keys whose leases are retained after
	 * their last use at the same time in this process
	 */
	public record Limits(Duration maxHoldTime, int maxKeys, int maxRetainedKeys) {

		public Limits {
			maxHoldTime = Durations.cap(maxHoldTime);
			Assert.isTrue(maxKeys > 0, () -> "'maxKeys' must be positive, not " + maxKeys);
			Assert.isTrue(maxRetainedKeys >= 0,
					() -> "'maxRetainedKeys' must not be negative, but was " + maxRetainedKeys);
		}

	}

	/**
	 * Names in the store.
	 *
	 * @param probeKey the key used to check whether the store works; blank after the
	 * prefix, as no key of a user is
	 * @param application the name of the application for operators, empty if it has none
	 */
	public record Names(String probeKey, String application) {
	}

}
