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

package io.github.lockspring.simulator.cluster;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Kinds of work that the threads of a cluster do.
 */
public enum ClusterWork {

	/**
	 * Locks of all types, with one or more keys.
	 */
	LOCKS(3, LockWork::new),

	/**
	 * Methods that are annotated.
	 */
	METHODS(2, MethodWork::new),

	/**
	 * A semaphore, asynchronously.
	 */
	SEMAPHORE(1, SemaphoreWork::new),

	/**
	 * A counter.
	 */
	COUNTER(1, CounterWork::new),

	/**
	 * A latch.
	 */
	LATCH(1, LatchWork::latch),

	/**
	 * A barrier that is set and removed.
	 */
	BARRIER(1, LatchWork::barrier),

	/**
	 * A double barrier.
	 */
	DOUBLE_BARRIER(2, DoubleBarrierWork::new),

	/**
	 * An election.
	 */
	ELECTION(1, ElectionWork::new);

	private final int weight;

	private final BiFunction<Worker, ProcessLocks, Runnable> factory;

	ClusterWork(int weight, BiFunction<Worker, ProcessLocks, Runnable> factory) {
		this.weight = weight;
		this.factory = factory;
	}

	/**
	 * Return all kinds of work.
	 * @return the kinds
	 */
	public static Set<ClusterWork> all() {
		return EnumSet.allOf(ClusterWork.class);
	}

	/**
	 * Return how often this is done, compared with other kinds.
	 */
	int weight() {
		return this.weight;
	}

	Runnable create(Worker worker, ProcessLocks process) {
		return this.factory.apply(worker, process);
	}

}
