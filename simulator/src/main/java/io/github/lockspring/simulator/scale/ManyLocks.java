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

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;

/**
 * Processes that hold many leases, which are renewed, or wait for many locks.
 */
final class ManyLocks {

	/**
	 * Longest wait, which does not end while it is measured.
	 */
	private static final Duration LONG = Duration.ofDays(1);

	private final LargeCluster cluster;

	private final List<LockHandle> handles = new ArrayList<>();

	private final List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();

	ManyLocks(LargeCluster cluster) {
		this.cluster = cluster;
	}

	/**
	 * Let a process acquire keys of its own, one after the other, and hold them.
	 * @param keys the number of keys
	 */
	void hold(int keys) {
		this.cluster.start((node, locks) -> {
			for (int i = 0; i < keys; i++) {
				this.handles.add(locks.acquire(node + "-key-" + i, options(locks)));
			}
		});
	}

	/**
	 * Let a process wait many times for one key, asynchronously.
	 * @param key the key
	 * @param count how many times
	 */
	void await(String key, int count) {
		this.cluster.start((node, locks) -> {
			for (int i = 0; i < count; i++) {
				this.waiters.add(locks.acquireAsync(key, options(locks)));
			}
		});
	}

	private static LockOptions options(LockTemplate locks) {
		return locks.defaultOptions().withWaitTime(LONG);
	}

	/**
	 * Return the number of leases that are held.
	 */
	int held() {
		return (int) this.handles.stream().filter(LockHandle::isHeld).count();
	}

	/**
	 * Return how many wait.
	 */
	int waiting() {
		return (int) this.waiters.stream().filter((waiter) -> !waiter.isDone()).count();
	}

	/**
	 * Return the shortest time until a lease ends.
	 */
	Duration shortestLease() {
		return this.handles.stream().map(LockHandle::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
	}

	/**
	 * Return the memory in use, in bytes.
	 */
	static long memory() {
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
