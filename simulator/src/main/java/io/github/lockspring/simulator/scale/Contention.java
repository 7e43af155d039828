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

package io.github.lockspring.simulator.scale;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;

/**
 * Processes that want the same keys: each has one thread that thinks, waits for a random
 * key, holds it, and releases it. A wait may end without the lock.
 */
final class Contention {

	private final LargeCluster cluster;

	private final int keys;

	private final Duration think;

	private final Duration hold;

	private final Duration waitTime;

	private final Map<String, Queue> queues = new HashMap<>();

	private long grants;

	private long timeouts;

	private long handOffs;

	private long worstHandOff;

	private long worstLateness;

	private long requestsBefore;

	/**
	 * Create the work.
	 * @param cluster the cluster
	 * @param keys the number of keys
	 * @param think the longest pause between two locks of a process
	 * @param hold the longest time that a lock is held
	 * @param waitTime the longest time that a process waits
	 */
	Contention(LargeCluster cluster, int keys, Duration think, Duration hold, Duration waitTime) {
		this.cluster = cluster;
		this.keys = keys;
		this.think = think;
		this.hold = hold;
		this.waitTime = waitTime;
	}

	/**
	 * Let processes begin.
	 * @param processes their number
	 */
	void start(int processes) {
		for (int i = 0; i < processes; i++) {
			SplittableRandom random = this.cluster.random().split();
			this.cluster.start((node, locks) -> {
				while (true) {
					this.cluster.sleep(1 + random.nextLong(this.think.toNanos()));
					lock(locks, "key-" + random.nextInt(this.keys), random);
				}
			});
		}
	}

	/**
	 * Count from now on.
	 */
	void reset() {
		this.grants = 0;
		this.timeouts = 0;
		this.handOffs = 0;
		this.worstHandOff = 0;
		this.worstLateness = 0;
		this.requestsBefore = this.cluster.requests();
	}

	private void lock(LockTemplate locks, String key, SplittableRandom random) {
		Queue queue = this.queues.computeIfAbsent(key, (any) -> new Queue());
		LockOptions options = locks.defaultOptions()
			.withWaitTime(Duration.ofNanos(1 + random.nextLong(this.waitTime.toNanos())));
		long begin = this.cluster.now();
		queue.waiters++;
		LockHandle handle = locks.tryAcquire(key, options);
		queue.waiters--;
		if (handle == null) {
			this.timeouts++;
			this.worstLateness = Math.max(this.worstLateness,
					this.cluster.now() - begin - options.waitTime().toNanos());
			return;
		}
		granted(queue, begin);
		this.cluster.sleep(1 + random.nextLong(this.hold.toNanos()));
		queue.releasedAt = (queue.waiters > 0) ? this.cluster.now() : null;
		handle.close();
	}

	private void granted(Queue queue, long begin) {
		this.grants++;
		Long releasedAt = queue.releasedAt;
		queue.releasedAt = null;
		if (releasedAt != null && begin < releasedAt) {
			this.handOffs++;
			this.worstHandOff = Math.max(this.worstHandOff, this.cluster.now() - releasedAt);
		}
	}

	/**
	 * Return the number of grants, including those after a hand-off.
	 */
	long grants() {
		return this.grants;
	}

	/**
	 * Return the number of waits that ended without the lock.
	 */
	long timeouts() {
		return this.timeouts;
	}

	/**
	 * Return the number of grants to one that waited when the lock was released.
	 */
	long handOffs() {
		return this.handOffs;
	}

	/**
	 * Return the longest time from a release to the grant to one that waited.
	 */
	Duration worstHandOff() {
		return Duration.ofNanos(this.worstHandOff);
	}

	/**
	 * Return the longest time by which a wait exceeded its wait time.
	 */
	Duration worstLateness() {
		return Duration.ofNanos(this.worstLateness);
	}

	long requests() {
		return this.cluster.requests() - this.requestsBefore;
	}

	/**
	 * Those that want one key.
	 */
	private static final class Queue {

		private int waiters;

		/**
		 * When the lock was released on which others wait, in nanoseconds.
		 */
		private @Nullable Long releasedAt;

	}

}
