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

package io.github.lockspring.actuate;

import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;

/**
 * Context of an observation of one lock, whose {@linkplain #getName() name} is
 * {@code lock.acquire} for an acquisition and {@code lock.hold} for the time for which
 * the lock is held, until it is released or lost. Acquisitions of a lock that its owner
 * holds already are not observed.
 * <p>
 * Not thread-safe.
 */
public final class LockObservationContext extends Observation.Context {

	/**
	 * Outcome of an observation that has not ended.
	 */
	static final String UNKNOWN = "unknown";

	private final String storeKey;

	private final LockTags tags;

	private String outcome = UNKNOWN;

	private LockObservationContext(String name, String storeKey, LockTags tags) {
		setName(name);
		this.storeKey = storeKey;
		this.tags = tags;
	}

	static LockObservationContext acquire(String storeKey, LockTags tags) {
		return new LockObservationContext("lock.acquire", storeKey, tags);
	}

	static LockObservationContext hold(String storeKey, LockTags tags) {
		return new LockObservationContext("lock.hold", storeKey, tags);
	}

	/**
	 * Return the key of the lock as used in the store.
	 * @return the store key, of which there may be many
	 */
	public String storeKey() {
		return this.storeKey;
	}

	/**
	 * Return the name of the lock.
	 * @return the name, {@code none} for a lock without a name, and {@code other} if
	 * there are too many names
	 */
	public String lockName() {
		return this.tags.name();
	}

	/**
	 * Return the name of the backend.
	 * @return the name
	 */
	public String backend() {
		return this.tags.backend();
	}

	/**
	 * Return the type of the lock.
	 * @return {@code exclusive}, {@code fair}, {@code read} or {@code semaphore}
	 */
	public String type() {
		return this.tags.type();
	}

	/**
	 * Return the outcome of the observation.
	 * @return the outcome, {@code unknown} until it has ended
	 */
	public String outcome() {
		return this.outcome;
	}

	/**
	 * Return whether a handler of the observation measures it.
	 */
	boolean isMeasured() {
		return containsKey(Timer.Sample.class);
	}

	void setOutcome(String outcome) {
		this.outcome = outcome;
	}

}
