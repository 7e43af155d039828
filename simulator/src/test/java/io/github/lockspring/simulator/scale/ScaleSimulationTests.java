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
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedRedis;
import io.github.lockspring.simulator.cluster.SimulatedStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the cost of a lock does not grow with the number of those that want it.
 */
class ScaleSimulationTests {

	private static final Function<Server, SimulatedStore> STORE = SimulatedRedis::new;

	@Test
	void requestsOfHandOffDoNotGrowWithWaiters() {
		assertThat(requestsOfHandOff(20)).isLessThan(requestsOfHandOff(5) + 0.5);
	}

	@Test
	void manyLeasesAreRenewedWithOneRequest() {
		assertThat(requestsOfRenewals(1000)).isLessThan(5 * requestsOfRenewals(10));
	}

	private static double requestsOfHandOff(int processes) {
		try (LargeCluster cluster = new LargeCluster(1, STORE)) {
			Contention contention = new Contention(cluster, 1, Duration.ofMillis(1), Duration.ofMillis(20),
					Duration.ofMinutes(1));
			contention.start(processes);
			cluster.run(Duration.ofSeconds(1));
			contention.reset();
			cluster.run(Duration.ofSeconds(1));
			assertThat(contention.handOffs()).isGreaterThan(50);
			return (double) contention.requests() / contention.grants();
		}
	}

	private static long requestsOfRenewals(int keys) {
		try (LargeCluster cluster = new LargeCluster(1, STORE)) {
			ManyLocks locks = new ManyLocks(cluster);
			locks.hold(keys);
			cluster.run(Duration.ofSeconds(9));
			long before = cluster.requests();
			cluster.run(Duration.ofSeconds(30));
			assertThat(locks.held()).isEqualTo(keys);
			return cluster.requests() - before;
		}
	}

}
