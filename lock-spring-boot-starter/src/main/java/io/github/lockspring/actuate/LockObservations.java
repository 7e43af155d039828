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
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Starts the observations of locks.
 * <p>
 * Thread-safe.
 */
public final class LockObservations {

	private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	/**
	 * Create observations.
	 * @param registry the registry of the observations
	 * @param convention the convention, or {@code null} for the default
	 */
	public LockObservations(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	Observation start(LockObservationContext context) {
		return Observation.start(this.convention, DEFAULT, () -> context, this.registry);
	}

	/**
	 * Return whether a handler of the observation measures it.
	 */
	static boolean isMeasured(LockObservationContext context) {
		return context.containsKey(Timer.Sample.class);
	}

}
