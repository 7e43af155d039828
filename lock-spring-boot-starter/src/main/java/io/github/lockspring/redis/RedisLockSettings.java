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

package io.github.lockspring.redis;

import java.time.Duration;

import org.springframework.util.Assert;

import io.github.lockspring.support.Durations;

/**
 * Settings of a {@link RedisLockBackend}.
 *
 * @param operationTimeout the timeout of a call that has to open a connection
 * @param waitReplicas the number of replicas that must acknowledge a grant, or an update
 * of a value, before it is effective; 0 for none
 * @param waitTimeout the maximum time to wait for the acknowledgements
 * @param markKey the name of the key in which a primary reported by sentinels stores the
 * time of the failover; a lock or a value of that name has another key
 */
public record RedisLockSettings(Duration operationTimeout, int waitReplicas, Duration waitTimeout, String markKey) {

	private static final RedisLockSettings DEFAULTS = new RedisLockSettings(Duration.ofSeconds(1), 0,
			Duration.ofMillis(500), "lock:");

	/**
	 * Check the numbers.
	 */
	public RedisLockSettings {
		Assert.isTrue(waitReplicas >= 0, () -> "'waitReplicas' must not be negative: " + waitReplicas);
		Durations.requirePositive(operationTimeout, "operationTimeout");
		Durations.requirePositive(waitTimeout, "waitTimeout");
		Assert.hasText(markKey, "'markKey' must not be blank");
		operationTimeout = Durations.cap(operationTimeout);
		waitTimeout = Durations.cap(waitTimeout);
	}

	/**
	 * Return the settings of an application that configures nothing.
	 * @return the settings
	 */
	public static RedisLockSettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Return a copy of these settings with a different timeout of one call.
	 * @param operationTimeout the timeout, positive; 1 second by default
	 * @return the settings
	 */
	public RedisLockSettings withOperationTimeout(Duration operationTimeout) {
		return new RedisLockSettings(operationTimeout, this.waitReplicas, this.waitTimeout, this.markKey);
	}

	/**
	 * Return a copy of these settings in which replicas must confirm a grant, or an
	 * update of a value.
	 * @param waitReplicas the number of replicas; 0, the default, asks none
	 * @param waitTimeout the maximum time to wait for their confirmation, positive; 500
	 * milliseconds by default
	 * @return the settings
	 */
	public RedisLockSettings withReplicas(int waitReplicas, Duration waitTimeout) {
		return new RedisLockSettings(this.operationTimeout, waitReplicas, waitTimeout, this.markKey);
	}

	/**
	 * Return a copy of these settings with a different key for the time at which a
	 * primary took over. Applications that share locks need the same one.
	 * @param markKey the name of the key; {@code lock:} by default
	 * @return the settings
	 */
	public RedisLockSettings withMarkKey(String markKey) {
		return new RedisLockSettings(this.operationTimeout, this.waitReplicas, this.waitTimeout, markKey);
	}

}
