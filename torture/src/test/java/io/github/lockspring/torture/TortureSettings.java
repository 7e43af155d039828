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

package io.github.lockspring.torture;

import java.time.Duration;
import java.util.Set;

import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.ClusterWork;

/**
 * Size and times of a run.
 *
 * @param workers the number of processes that lock
 * @param threads the number of threads of each
 * @param keys the number of keys
 * @param lease the lease time
 * @param operationTimeout the timeout of one call to the store
 * @param duration for how long faults begin
 */
record TortureSettings(int workers, int threads, int keys, Duration lease, Duration operationTimeout,
		Duration duration) {

	/**
	 * Return a run of three processes.
	 * @param duration for how long faults begin
	 */
	static TortureSettings of(Duration duration) {
		return new TortureSettings(3, 3, 3, Duration.ofSeconds(2), Duration.ofMillis(500), duration);
	}

	/**
	 * Return the settings of the work that is done.
	 */
	ClusterSettings work() {
		return new ClusterSettings(this.workers, this.threads, this.keys, this.lease, this.operationTimeout,
				this.duration, Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(2), Set.of(),
				ClusterWork.all(), 0);
	}

}
