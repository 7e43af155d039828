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

import java.util.function.Function;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOutcome;
import io.github.lockspring.engine.EngineObserver.LockObservation;

/**
 * Observation of one acquisition and its hold, each of which is an observation of
 * Micrometer. The meters are updated first: they do not depend on handlers.
 */
final class ObservedAcquisition implements LockObservation {

	private final LockMeters meters;

	private final Function<LockObservationContext, Observation> observations;

	private final LockObservationContext acquireContext;

	private final LockObservationContext holdContext;

	private final Observation acquire;

	private @Nullable Observation hold;

	ObservedAcquisition(String key, LockMeters meters, Function<LockObservationContext, Observation> observations) {
		this.meters = meters;
		this.observations = observations;
		this.acquireContext = LockObservationContext.acquire(key, meters.tags());
		this.holdContext = LockObservationContext.hold(key, meters.tags());
		this.acquire = observations.apply(this.acquireContext);
	}

	@Override
	public void onContended() {
		this.meters.onContended();
	}

	@Override
	public void onWaited() {
		this.meters.onWaited();
	}

	@Override
	public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
		this.meters.countNotAcquired(outcome);
		endAcquire(outcome, failure, waitedNanos);
	}

	@Override
	public void onAcquired(long token, long waitedNanos) {
		this.meters.countAcquired();
		try {
			endAcquire(AcquireOutcome.ACQUIRED, null, waitedNanos);
		}
		finally {
			this.hold = this.observations.apply(this.holdContext);
		}
	}

	private void endAcquire(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
		if (!this.acquireContext.isMeasured()) {
			this.meters.recordAcquire(outcome, failure, waitedNanos);
		}
		this.acquireContext.setOutcome(LockMeters.nameOf(outcome));
		if (failure != null && LockMeters.hasError(outcome)) {
			this.acquire.error(LockMeters.errorOf(failure));
		}
		this.acquire.stop();
	}

	@Override
	public void onReleased(long heldNanos, long releaseNanos) {
		this.meters.countReleased(releaseNanos);
		if (!this.holdContext.isMeasured()) {
			this.meters.recordReleased(heldNanos);
		}
		endHold("released");
	}

	@Override
	public void onLost(long heldNanos) {
		this.meters.countEnded();
		if (!this.holdContext.isMeasured()) {
			this.meters.recordLost(heldNanos);
		}
		endHold("lost");
	}

	private void endHold(String outcome) {
		this.holdContext.setOutcome(outcome);
		if (this.hold != null) {
			this.hold.stop();
		}
	}

}
