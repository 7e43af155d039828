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
import java.util.SplittableRandom;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.simulator.cluster.Simulation;
import io.github.lockspring.simulator.cluster.StoreType;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulates clusters under faults. The properties {@code simulator.seed} and
 * {@code simulator.seeds} set the first seed and the number of seeds for each store,
 * {@code simulator.fresh} how many others are drawn for each store and printed.
 */
class ClusterSimulationTests {

	private static final long FIRST = Long.getLong("simulator.seed", 0);

	private static final long SEEDS = Long.getLong("simulator.seeds", 1);

	private static final long FRESH = Long.getLong("simulator.fresh", 1);

	private static final long FRESH_SEEDS = 1_000_000_000;

	@ParameterizedTest
	@EnumSource
	void sameSeedGivesTheSameHistory(StoreType store) {
		Simulation simulation = Simulation.ofSeed(3, store);
		assertThat(simulation.run()).hasToString(simulation.run().toString());
	}

	@ParameterizedTest
	@EnumSource
	void guaranteesHoldUnderFaults(StoreType store) {
		LongStream.range(FIRST, FIRST + SEEDS).forEach((seed) -> check(Simulation.ofSeed(seed, store)));
	}

	@ParameterizedTest
	@EnumSource
	void guaranteesHoldIfCallsThrowErrors(StoreType store) {
		LongStream.range(FIRST, FIRST + SEEDS).forEach((seed) -> check(Simulation.ofSeed(seed, store).withErrors()));
	}

	@Test
	void nodesWhoseDeletionFailsAreDeletedLater() {
		check(Simulation.ofSeed(200075, StoreType.ZOOKEEPER).withErrors());
	}

	@ParameterizedTest
	@EnumSource
	void guaranteesHoldWithFreshSeeds(StoreType store) {
		new SplittableRandom().longs(FRESH, 0, FRESH_SEEDS).forEach((seed) -> {
			System.out.println("A fresh seed of " + store + " is " + seed);
			check(Simulation.ofSeed(seed, store));
		});
	}

	private static void check(Simulation simulation) {
		History history = simulation.run();
		List<Finding> violations = simulation.violations(history);
		if (!violations.isEmpty()) {
			Simulation shrunk = simulation.shrink(violations.get(0).rule());
			History small = shrunk.run();
			throw new AssertionError(
					"seed " + simulation.seed() + ": " + shrunk.describe(small, shrunk.violations(small)));
		}
		assertThat(history.events()).hasSizeGreaterThan(100);
	}

}
