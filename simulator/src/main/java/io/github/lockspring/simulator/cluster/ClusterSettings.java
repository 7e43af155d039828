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

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a simulation consists of.
 *
 * @param processes the number of processes
 * @param workers the number of threads that lock, in each process
 * @param keys the number of keys
 * @param lease the lease time
 * @param operationTimeout the timeout of one call to the store
 * @param duration how long faults happen, after which the cluster heals for a while
 * @param think the longest pause of a worker between two locks
 * @param hold the longest usual time that a lock is held
 * @param faultEvery the mean time between two faults
 * @param faults the kinds of faults
 * @param works the kinds of work
 * @param overtakeAtOneOf one of how many accesses to shared memory at which threads
 * overtake each other, 0 for none
 */
public record ClusterSettings(int processes, int workers, int keys, Duration lease, Duration operationTimeout,
		Duration duration, Duration think, Duration hold, Duration faultEvery, Set<ClusterFault> faults,
		Set<ClusterWork> works, int overtakeAtOneOf) {

	/**
	 * Return a small cluster without faults.
	 * @return the settings
	 */
	public static ClusterSettings defaults() {
		return new ClusterSettings(3, 2, 3, Duration.ofSeconds(3), Duration.ofMillis(500), Duration.ofMinutes(1),
				Duration.ofMillis(500), Duration.ofMillis(300), Duration.ofSeconds(4),
				EnumSet.noneOf(ClusterFault.class), ClusterWork.all(), 0);
	}

	public ClusterSettings withProcesses(int processes, int workers, int keys) {
		return new ClusterSettings(processes, workers, keys, this.lease, this.operationTimeout, this.duration,
				this.think, this.hold, this.faultEvery, this.faults, this.works, this.overtakeAtOneOf);
	}

	public ClusterSettings withDuration(Duration duration) {
		return new ClusterSettings(this.processes, this.workers, this.keys, this.lease, this.operationTimeout, duration,
				this.think, this.hold, this.faultEvery, this.faults, this.works, this.overtakeAtOneOf);
	}

	public ClusterSettings withTimes(Duration think, Duration hold) {
		return new ClusterSettings(this.processes, this.workers, this.keys, this.lease, this.operationTimeout,
				this.duration, think, hold, this.faultEvery, this.faults, this.works, this.overtakeAtOneOf);
	}

	public ClusterSettings withFaults(Set<ClusterFault> faults) {
		return new ClusterSettings(this.processes, this.workers, this.keys, this.lease, this.operationTimeout,
				this.duration, this.think, this.hold, this.faultEvery, faults, this.works, this.overtakeAtOneOf);
	}

	public ClusterSettings withWorks(Set<ClusterWork> works) {
		return new ClusterSettings(this.processes, this.workers, this.keys, this.lease, this.operationTimeout,
				this.duration, this.think, this.hold, this.faultEvery, this.faults, works, this.overtakeAtOneOf);
	}

	public ClusterSettings withOvertakingAtOneOf(int oneOf) {
		return new ClusterSettings(this.processes, this.workers, this.keys, this.lease, this.operationTimeout,
				this.duration, this.think, this.hold, this.faultEvery, this.faults, this.works, oneOf);
	}

	/**
	 * Return whether there is something to simulate.
	 */
	boolean isPossible() {
		return this.processes > 0 && this.workers > 0 && this.keys > 0 && !this.works.isEmpty()
				&& this.duration.compareTo(this.lease) > 0;
	}

}
