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
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.lockspring.simulator.history.Bounds;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.HistoryChecker;
import io.github.lockspring.simulator.history.Report;

/**
 * Simulation that can be run again: the same seed and settings give the same history.
 *
 * @param seed the seed of all decisions
 * @param settings the settings
 * @param store makes the store
 */
public record Simulation(long seed, ClusterSettings settings, Function<Server, SimulatedStore> store) {

	/**
	 * Longest time between two looks of one that waits.
	 */
	private static final Duration POLL = Duration.ofSeconds(2);

	private static final Duration SLACK = Duration.ofMillis(50);

	/**
	 * Run the simulation.
	 * @return what happened
	 */
	public History run() {
		try (Cluster cluster = new Cluster(this.seed, this.settings, this.store)) {
			return cluster.run();
		}
	}

	/**
	 * Return the simulation of a seed, with settings that depend on it: every third has
	 * all faults, the others those under which a lock has one holder; in every other,
	 * threads overtake each other.
	 * @param seed the seed
	 * @param store makes the store
	 * @return the simulation
	 */
	public static Simulation ofSeed(long seed, Function<Server, SimulatedStore> store) {
		ClusterSettings settings = ClusterSettings.defaults()
			.withFaults((seed % 3 == 0) ? ClusterFault.all() : ClusterFault.safe())
			.withOvertakingAtOneOf((seed % 2 == 0) ? 0 : 50);
		return new Simulation(seed, settings, store);
	}

	/**
	 * Return this simulation with calls that throw errors, so that it takes another
	 * course.
	 * @return the simulation
	 */
	public Simulation withErrors() {
		Set<ClusterFault> faults = EnumSet.of(ClusterFault.CALLS_THROW);
		faults.addAll(this.settings.faults());
		return new Simulation(this.seed, this.settings.withFaults(faults), this.store);
	}

	/**
	 * Check a history of this simulation, and count what it contains.
	 * @param history the history
	 * @return what was found, and the numbers of the history
	 */
	public Report report(History history) {
		return new HistoryChecker(bounds()).report(history);
	}

	private Bounds bounds() {
		try (Cluster cluster = new Cluster(this.seed, this.settings, this.store)) {
			Duration lease = this.settings.lease();
			return new Bounds(lease, cluster.store().longestLease(lease), this.settings.operationTimeout(), POLL, SLACK,
					cluster.store().reservation(lease));
		}
	}

	/**
	 * Check a history of this simulation.
	 * @param history the history
	 * @return what the documentation does not except
	 */
	public List<Finding> violations(History history) {
		return report(history).violations();
	}

	/**
	 * Return a simulation that breaks the same rule with fewer faults, processes and
	 * operations: the smaller ones are tried until none of them does.
	 * @param rule the rule that this simulation breaks
	 * @return the smallest that was found
	 */
	public Simulation shrink(String rule) {
		return smaller().filter((candidate) -> candidate.breaks(rule))
			.findFirst()
			.map((candidate) -> candidate.shrink(rule))
			.orElse(this);
	}

	private boolean breaks(String rule) {
		return violations(run()).stream().anyMatch((finding) -> finding.rule().equals(rule));
	}

	private Stream<Simulation> smaller() {
		ClusterSettings from = this.settings;
		Stream<ClusterSettings> lessFaults = from.faults().stream().sorted().map((fault) -> {
			Set<ClusterFault> others = EnumSet.copyOf(from.faults());
			others.remove(fault);
			return from.withFaults(others);
		});
		Stream<ClusterSettings> lessWorks = from.works().stream().sorted().map((work) -> {
			Set<ClusterWork> others = EnumSet.copyOf(from.works());
			others.remove(work);
			return from.withWorks(others);
		});
		Stream<ClusterSettings> others = Stream.of(from.withDuration(from.duration().dividedBy(2)),
				from.withProcesses(from.processes() - 1, from.workers(), from.keys()),
				from.withProcesses(from.processes(), from.workers() - 1, from.keys()),
				from.withProcesses(from.processes(), from.workers(), from.keys() - 1), from.withOvertakingAtOneOf(0));
		return Stream.of(others, lessFaults, lessWorks)
			.flatMap(Function.identity())
			.filter((settings) -> settings.isPossible() && !settings.equals(from))
			.map((settings) -> new Simulation(this.seed, settings, this.store));
	}

	/**
	 * Return the source code of a test that runs this simulation again.
	 * @return a whole class
	 */
	public String toTest() {
		return new SimulationSource(this).toString();
	}

	/**
	 * Describe what a history breaks, and the test that repeats it.
	 * @param history the history
	 * @param violations what it breaks
	 * @return the text
	 */
	public String describe(History history, List<Finding> violations) {
		return violations.stream()
			.limit(3)
			.map((one) -> one.describe(history))
			.collect(Collectors.joining("\n", "", "\n\n" + toTest()));
	}

}
