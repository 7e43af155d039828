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

	private static final LockAcquireObservationConvention ACQUIRE = new DefaultLockAcquireObservationConvention();

	private static final LockHoldObservationConvention HOLD = new DefaultLockHoldObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable LockAcquireObservationConvention acquireConvention;

	private final @Nullable LockHoldObservationConvention holdConvention;

	/**
	 * Create observations.
	 * @param registry the registry of the observations
	 * @param acquireConvention the convention for acquisitions, or {@code null} for the
	 * default
	 * @param holdConvention the convention for holds, or {@code null} for the default
	 */
	public LockObservations(ObservationRegistry registry, @Nullable LockAcquireObservationConvention acquireConvention,
			@Nullable LockHoldObservationConvention holdConvention) {
		this.registry = registry;
		this.acquireConvention = acquireConvention;
		this.holdConvention = holdConvention;
	}

	Observation startAcquire(LockAcquireObservationContext context) {
		return LockObservationDocumentation.ACQUIRE.start(this.acquireConvention, ACQUIRE, () -> context,
				this.registry);
	}

	Observation startHold(LockHoldObservationContext context) {
		return LockObservationDocumentation.HOLD.start(this.holdConvention, HOLD, () -> context, this.registry);
	}

	/**
	 * Return whether a handler of the observation measures it.
	 */
	static boolean isMeasured(LockObservationContext context) {
		return context.containsKey(Timer.Sample.class);
	}

}
