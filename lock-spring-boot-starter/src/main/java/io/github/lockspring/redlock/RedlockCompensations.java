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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Requests that have, or may have, calls in progress on the nodes.
 */
final class RedlockCompensations {

	/**
	 * How long a call may be under way in the network, at the most.
	 */
	private static final long MEMORY_NANOS = Duration.ofMinutes(5).toNanos();

	private final ConcurrentMap<LeaseRequest, RedlockCompensation> trails = new ConcurrentHashMap<>();

	private final RedlockNodeIdentities servers;

	private final List<RedlockNode> nodes;

	private volatile long sweptNanos = System.nanoTime();

	RedlockCompensations(RedlockNodeIdentities servers, List<RedlockNode> nodes) {
		this.servers = servers;
		this.nodes = nodes;
	}

	/**
	 * The trail of a request, to be {@linkplain #leave left} by the caller.
	 */
	RedlockCompensation enter(LeaseRequest request) {
		long now = System.nanoTime();
		if (now - this.sweptNanos > MEMORY_NANOS) {
			this.sweptNanos = now;
			this.trails.keySet().forEach((old) -> this.trails.computeIfPresent(old, (key, trail) -> {
				long memory = MEMORY_NANOS + key.terms().leaseTime().toNanos();
				return (trail.users == 0 && trail.busy() == 0 && now - trail.usedNanos > memory) ? null : trail;
			}));
		}
		return this.trails.compute(request, (key, present) -> {
			RedlockCompensation trail = (present != null) ? present
					: new RedlockCompensation(this.servers, key, this.nodes, this);
			trail.users++;
			trail.usedNanos = now;
			return trail;
		});
	}

	void leave(RedlockCompensation trail) {
		this.trails.computeIfPresent(trail.request(), (key, present) -> {
			present.users--;
			return keep(present);
		});
	}

	/**
	 * Remove a compensation if all its calls have ended.
	 */
	void settle(RedlockCompensation trail) {
		this.trails.computeIfPresent(trail.request(), (key, present) -> keep(present));
	}

	private static @Nullable RedlockCompensation keep(RedlockCompensation trail) {
		return (trail.users == 0 && trail.isSettled()) ? null : trail;
	}

	int size() {
		return this.trails.size();
	}

}
