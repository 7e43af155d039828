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

import java.util.List;

import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.machine.Replacement;

/**
 * Runs simulations with the seeds of a range.
 */
public final class SimulationMain {

	private SimulationMain() {
	}

	/**
	 * Run simulations.
	 * @param arguments the store, the first seed, and the number of seeds
	 */
	public static void main(String[] arguments) {
		Replacement.install();
		long first = Long.parseLong(arguments[1]);
		long begin = System.nanoTime();
		long nanos = 0;
		long steps = 0;
		for (long seed = first; seed < first + Long.parseLong(arguments[2]); seed++) {
			ClusterSettings settings = ClusterSettings.defaults()
				.withFaults((seed % 3 == 0) ? ClusterFault.all() : ClusterFault.safe())
				.withOvertakingAtOneOf((seed % 2 == 0) ? 0 : 50);
			Simulation simulation = new Simulation(seed, settings,
					arguments[0].equals("redis") ? SimulatedRedis::new : SimulatedRows::new);
			History history = simulation.run();
			nanos += history.endTime();
			List<Finding> violations = simulation.violations(history);
			if (Boolean.getBoolean("dump")) {
				System.out.print(history);
			}
			if (!violations.isEmpty()) {
				System.out.println("seed " + seed + " " + violations.get(0).describe(history));
			}
		}
		System.out.println(nanos / 1_000_000_000 + " s in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
	}

}
