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

package io.github.lockspring.simulator;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.simulator.cluster.ClusterFault;
import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.SimulatedRedis;
import io.github.lockspring.simulator.cluster.SimulatedRows;
import io.github.lockspring.simulator.cluster.Simulation;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of clusters on rows that are read and replaced.
 */
class ClusterTests {

	@Test
	void sameSeedGivesTheSameHistory() {
		Simulation simulation = simulation(1);
		assertThat(simulation.run()).hasToString(simulation.run().toString());
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void guaranteesHoldUnderFaults(long seed) {
		Simulation simulation = simulation(seed);
		History history = simulation.run();
		List<Finding> violations = simulation.violations(history);
		if (!violations.isEmpty() && Boolean.getBoolean("simulator.shrink")) {
			simulation = simulation.shrink(violations.get(0).rule());
			history = simulation.run();
			violations = simulation.violations(history);
		}
		assertThat(violations).as(simulation.describe(history, violations)).isEmpty();
	}

	static LongStream seeds() {
		return LongStream.range(0, Integer.getInteger("simulator.seeds", 10));
	}

	private static Simulation simulation(long seed) {
		ClusterSettings settings = ClusterSettings.defaults()
			.withFaults((seed % 3 == 0) ? ClusterFault.all() : ClusterFault.safe())
			.withOvertakingAtOneOf((seed % 2 == 0) ? 0 : 50);
		return new Simulation(seed, settings, Boolean.getBoolean("redis") ? SimulatedRedis::new : SimulatedRows::new);
	}

}
