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

import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.Report;
import io.github.lockspring.simulator.machine.Replacement;

/**
 * Runs the simulations of a range of seeds, and prints the violation of each seed that
 * has one, and the numbers of all histories together. With the system property
 * {@code dump}, each history is printed as well; with {@code errors}, calls throw errors,
 * too.
 */
public final class SimulationMain {

	private SimulationMain() {
	}

	/**
	 * Run simulations.
	 * @param arguments the store, {@code redis}, {@code redlock}, {@code zookeeper} or
	 * {@code rows}, the first seed, and the number of seeds
	 */
	public static void main(String[] arguments) {
		Replacement.install();
		StoreType store = StoreType.of(arguments[0]);
		long first = Long.parseLong(arguments[1]);
		long begin = System.nanoTime();
		long simulated = 0;
		Report total = new Report();
		for (long seed = first; seed < first + Long.parseLong(arguments[2]); seed++) {
			Simulation simulation = Simulation.ofSeed(seed, store);
			simulation = Boolean.getBoolean("errors") ? simulation.withErrors() : simulation;
			History history = simulation.run();
			simulated += history.endTime();
			Report report = simulation.report(history);
			total.add(report);
			if (Boolean.getBoolean("dump")) {
				System.out.print(history);
			}
			if (!report.violations().isEmpty()) {
				System.out.println("seed " + seed + " " + report.violations().get(0).describe(history));
				if (Boolean.getBoolean("shrink")) {
					System.out.println(simulation.shrink(report.violations().get(0).rule()).toTest());
				}
			}
		}
		System.out.print(total);
		System.out.println(simulated / 1_000_000_000 + " s in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
	}

}
