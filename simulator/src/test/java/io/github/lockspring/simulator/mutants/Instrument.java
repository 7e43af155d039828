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

package io.github.lockspring.simulator.mutants;

import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import io.github.lockspring.simulator.cluster.ClusterFault;
import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.ClusterWork;
import io.github.lockspring.simulator.cluster.Simulation;
import io.github.lockspring.simulator.cluster.StoreType;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.machine.Replacement;
import io.github.lockspring.simulator.threads.Trials;

/**
 * What finds faults.
 */
public enum Instrument {

	/**
	 * Pairs of operations in threads of one process. The argument is a pattern of their
	 * names.
	 */
	PAIRS("Pairs: ") {

		@Override
		int find(String pattern, int from, int to) {
			Replacement.install();
			return Trials.runsToFailure(FIRST_SEED, pattern, from, to);
		}

	},

	/**
	 * Simulations of clusters. The argument is the store, and the kinds of work and of
	 * faults unless there are all of them.
	 */
	CLUSTER("Cluster: ") {

		@Override
		int find(String argument, int from, int to) {
			Replacement.install();
			String[] words = argument.split("[ ,]");
			Set<ClusterWork> works = constants(ClusterWork.class, words);
			Set<ClusterFault> faults = constants(ClusterFault.class, words);
			return firstOf(from, to, (seed) -> {
				Simulation simulation = Simulation.ofSeed(seed, StoreType.of(words[0]));
				ClusterSettings settings = simulation.settings();
				if (!works.isEmpty()) {
					settings = settings.withWorks(works);
				}
				if (!faults.isEmpty()) {
					settings = settings.withFaults(faults);
				}
				simulation = new Simulation(seed, settings, simulation.store());
				List<Finding> violations = simulation.violations(simulation.run());
				if (EXPLAINS && !violations.isEmpty()) {
					System.out.println("seed " + seed + ": " + violations.get(0));
				}
				return !violations.isEmpty();
			});
		}

		private <E extends Enum<E>> Set<E> constants(Class<E> type, String[] names) {
			return Stream.of(type.getEnumConstants())
				.filter((constant) -> List.of(names).contains(constant.name()))
				.collect(Collectors.toSet());
		}

	},

	/**
	 * A test class that simulates.
	 */
	SIMULATION("Simulation: ") {

		@Override
		int find(String test, int from, int to) {
			Replacement.install();
			return TEST.find(test, from, to);
		}

	},

	/**
	 * A test class.
	 */
	TEST("Test: ") {

		@Override
		int find(String test, int from, int to) {
			SummaryGeneratingListener listener = new SummaryGeneratingListener();
			LauncherFactory
				.create(LauncherConfig.builder().enableLauncherSessionListenerAutoRegistration(false).build())
				.execute(LauncherDiscoveryRequestBuilder.request()
					.selectors(DiscoverySelectors.selectClass(Instrument.class.getClassLoader(), test))
					.build(), listener);
			if (listener.getSummary().getTestsFoundCount() == 0) {
				throw new IllegalArgumentException("No tests in " + test);
			}
			if (EXPLAINS) {
				listener.getSummary().printFailuresTo(new PrintWriter(System.out, true));
			}
			return (listener.getSummary().getTotalFailureCount() > 0) ? 1 : 0;
		}

	};

	private static final long FIRST_SEED = 5000;

	private static final long FIRST_SEED_OF_CLUSTER = 0;

	private static final boolean EXPLAINS = Boolean.getBoolean("simulator.explain");

	private final String header;

	Instrument(String header) {
		this.header = header;
	}

	/**
	 * Return the begin of the line of a mutant that names this instrument.
	 */
	String header() {
		return this.header;
	}

	/**
	 * Look for a fault.
	 * @param argument what to look at
	 * @param from the number of seeds to skip
	 * @param to the maximum number of seeds
	 * @return the number of seeds after which it was found, or 0 if it was not
	 */
	abstract int find(String argument, int from, int to);

	/**
	 * Look for a fault with an instrument. This is called in the class loader of the
	 * fault.
	 * @param instrument the name of the instrument
	 * @param argument what to look at
	 * @param from the number of seeds to skip
	 * @param to the maximum number of seeds
	 * @return the number of seeds after which it was found, or 0 if it was not
	 */
	public static int find(String instrument, String argument, int from, int to) {
		return valueOf(instrument).find(argument, from, to);
	}

	private static int firstOf(int from, int to, LongPredicate finds) {
		return IntStream.range(from, to)
			.filter((i) -> isFound(FIRST_SEED_OF_CLUSTER + i, finds))
			.map((i) -> i + 1)
			.findFirst()
			.orElse(0);
	}

	/**
	 * Return whether a fault is found with a seed: a simulation that fails finds it, too.
	 */
	private static boolean isFound(long seed, LongPredicate finds) {
		try {
			return finds.test(seed);
		}
		catch (RuntimeException | Error ex) {
			if (EXPLAINS) {
				ex.printStackTrace(System.out);
			}
			return true;
		}
	}

}
