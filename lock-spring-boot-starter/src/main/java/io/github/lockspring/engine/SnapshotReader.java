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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.lockspring.spi.LeaseMode;

/**
 * Reads the queues of an engine for operators. Changes nothing: an expired lease is
 * reported as lost here, and handled as lost where it is used.
 */
final class SnapshotReader {

	private final EngineContext context;

	private final RenewalPlan plan;

	private final long nanos;

	private final long millis;

	private final List<EngineSnapshot.Held> held = new ArrayList<>();

	private final List<EngineSnapshot.Waiting> waiting = new ArrayList<>();

	SnapshotReader(EngineContext context, RenewalPlan plan) {
		this.context = context;
		this.plan = plan;
		this.nanos = context.time().nanoTime();
		this.millis = context.time().currentTimeMillis();
	}

	/**
	 * Read all queues.
	 */
	EngineSnapshot read() {
		this.context.queues().all().forEach((queue) -> queue.read(this::addHeld, this::addWaiting));
		return new EngineSnapshot(this.held, this.waiting);
	}

	private void addHeld(Hold hold) {
		Lease lease = hold.lease();
		LeaseMode mode = hold.isBorrowing() ? LeaseMode.SHARED : lease.request().terms().mode();
		EngineSnapshot.State state = stateOf(hold);
		long remaining = (state != EngineSnapshot.State.LOST) ? lease.remainingNanos(this.context.time()) : 0;
		this.held.add(new EngineSnapshot.Held(hold.key(), mode, EngineSnapshot.Owner.of(hold.owner()), state,
				at(lease.grantedNanos()), Duration.ofNanos(Math.max(0, remaining)), hold.token(), hold.acquisitions(),
				lease.request().owner().toString()));
	}

	private EngineSnapshot.State stateOf(Hold hold) {
		if (hold.isLost() || hold.lease().isExpired(this.context.time())) {
			return EngineSnapshot.State.LOST;
		}
		return this.plan.isInDoubt(hold) ? EngineSnapshot.State.IN_DOUBT : EngineSnapshot.State.HELD;
	}

	private void addWaiting(Hold hold, int position) {
		this.waiting.add(new EngineSnapshot.Waiting(hold.key(), hold.options().mode(),
				EngineSnapshot.Owner.of(hold.owner()), at(hold.waitStartNanos()), position));
	}

	private Instant at(long nanos) {
		return Instant.ofEpochMilli(this.millis).minusNanos(Math.max(0, this.nanos - nanos));
	}

}
