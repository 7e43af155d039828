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
 * Settings of an engine. Durations are capped at a hundred years.
 *
 * @param operationTimeout the timeout of one call to the store
 * @param handOffLimit the maximum number of hand-offs of a lease inside this process
 * before it is released to the store; 0 disables hand-offs
 * @param handOffSpan the maximum time for which a lease is handed off before it is
 * released to the store
 * @param renewInterval the time between two renewals, capped at half the lease time, or
 * {@code null} for a third of each lease time
 * @param minPoll the minimum delay between two attempts
 * @param maxPoll the maximum delay between two attempts on a store without notifications
 * @param queuePoll the delay between two attempts on a store with notifications, in case
 * a notification was lost; less than half the time for which stores keep queue entries
 * @param maxHoldTime the time after which a lease is no longer renewed, because its
 * holder is assumed to have failed to release it
 * @param maxKeys the maximum number of keys that are held or waited for at the same time
 * in this process
 * @param probeKey the key used to check whether the store works; blank after the prefix,
 * as no key of a user is
 * @param application the name of the application for operators, empty if it has none
 */
public record EngineSettings(Duration operationTimeout, int handOffLimit, Duration handOffSpan,
		@Nullable Duration renewInterval, Duration minPoll, Duration maxPoll, Duration queuePoll, Duration maxHoldTime,
		int maxKeys, String probeKey, String application) {

	private static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), 256, Duration.ofMillis(20),
			null, Duration.ofMillis(1), Duration.ofMillis(110), Duration.ofSeconds(2), Duration.ofDays(1), 1_000_000,
			"lock: ", "");

	/**
	 * Validate the settings.
	 */
	public EngineSettings {
		operationTimeout = Durations.cap(operationTimeout);
		handOffSpan = Durations.cap(handOffSpan);
		renewInterval = (renewInterval != null) ? Durations.cap(renewInterval) : null;
		minPoll = Durations.cap(minPoll);
		maxPoll = Durations.cap(maxPoll);
		queuePoll = Durations.cap(queuePoll);
		maxHoldTime = Durations.cap(maxHoldTime);
		Assert.isTrue(handOffLimit >= 0 && handOffLimit <= AcquireOptions.MAX_HAND_OFFS,
				() -> "'handOffLimit' must be between 0 and " + AcquireOptions.MAX_HAND_OFFS + ", not " + handOffLimit);
		Durations.requirePositive(operationTimeout, "operationTimeout");
		Assert.isTrue(maxKeys > 0, () -> "'maxKeys' must be positive, not " + maxKeys);
	}

	/**
	 * Return the default settings.
	 * @return the settings
	 */
	public static EngineSettings defaults() {
		return DEFAULTS;
	}

	long handOffNanos() {
		return Durations.nanos(this.handOffSpan);
	}

	public EngineSettings withOperationTimeout(Duration operationTimeout) {
		return new EngineSettings(operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, this.maxHoldTime, this.maxKeys, this.probeKey,
				this.application);
	}

	public EngineSettings withHandOff(int handOffLimit, Duration handOffSpan) {
		return new EngineSettings(this.operationTimeout, handOffLimit, handOffSpan, this.renewInterval, this.minPoll,
				this.maxPoll, this.queuePoll, this.maxHoldTime, this.maxKeys, this.probeKey, this.application);
	}

	public EngineSettings withRenewInterval(@Nullable Duration renewInterval) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, this.maxHoldTime, this.maxKeys, this.probeKey,
				this.application);
	}

	public EngineSettings withPoll(Duration minPoll, Duration maxPoll, Duration queuePoll) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				minPoll, maxPoll, queuePoll, this.maxHoldTime, this.maxKeys, this.probeKey, this.application);
	}

	public EngineSettings withMaxHoldTime(Duration maxHoldTime) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, maxHoldTime, this.maxKeys, this.probeKey, this.application);
	}

	public EngineSettings withMaxKeys(int maxKeys) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, this.maxHoldTime, maxKeys, this.probeKey, this.application);
	}

	public EngineSettings withProbeKey(String probeKey) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, this.maxHoldTime, this.maxKeys, probeKey, this.application);
	}

	public EngineSettings withApplication(String application) {
		return new EngineSettings(this.operationTimeout, this.handOffLimit, this.handOffSpan, this.renewInterval,
				this.minPoll, this.maxPoll, this.queuePoll, this.maxHoldTime, this.maxKeys, this.probeKey, application);
	}

}
