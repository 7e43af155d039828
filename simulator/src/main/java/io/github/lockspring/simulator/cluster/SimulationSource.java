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
import java.util.Set;
import java.util.stream.Collectors;

import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Source code of a test that runs a simulation again: a whole class, to be pasted.
 *
 * @param simulation the simulation
 */
record SimulationSource(Simulation simulation) {

	private static final String CLASS = """
			package io.github.lockspring.simulator;

			import java.time.Duration;
			import java.util.EnumSet;

			import org.junit.jupiter.api.Test;

			import io.github.lockspring.simulator.cluster.ClusterFault;
			import io.github.lockspring.simulator.cluster.ClusterSettings;
			import io.github.lockspring.simulator.cluster.ClusterWork;
			import io.github.lockspring.simulator.cluster.%1$s;
			import io.github.lockspring.simulator.cluster.Simulation;

			import static org.assertj.core.api.Assertions.assertThat;

			/**
			 * Runs the simulation with the seed %2$d on {@link %1$s}.
			 */
			class %3$s {

				private final Simulation simulation = new Simulation(%2$dL, %4$s, %1$s::new);

				@Test
				void guaranteesHold() {
					assertThat(this.simulation.violations(this.simulation.run())).isEmpty();
				}

			}
			""";

	/**
	 * Return the name of the class.
	 */
	String className() {
		return store() + "Seed" + Long.toUnsignedString(this.simulation.seed()) + "SimulationTests";
	}

	private String store() {
		try (Scheduler scheduler = new Scheduler(0)) {
			return this.simulation.store().apply(new Server(scheduler, "server")).getClass().getSimpleName();
		}
	}

	/**
	 * Return the source code.
	 */
	@Override
	public String toString() {
		return CLASS.formatted(store(), this.simulation.seed(), className(), settings(this.simulation.settings()));
	}

	private static String settings(ClusterSettings settings) {
		return """
				new ClusterSettings(%d, %d, %d, %s,
							%s, %s, %s,
							%s, %s,
							%s,
							%s, %d)""".formatted(settings.processes(), settings.workers(), settings.keys(),
				time(settings.lease()), time(settings.operationTimeout()), time(settings.duration()),
				time(settings.think()), time(settings.hold()), time(settings.faultEvery()),
				set(ClusterFault.class, settings.faults()), set(ClusterWork.class, settings.works()),
				settings.overtakeAtOneOf());
	}

	private static String time(Duration duration) {
		return "Duration.parse(\"" + duration + "\")";
	}

	private static <E extends Enum<E>> String set(Class<E> type, Set<E> constants) {
		String name = type.getSimpleName();
		return constants.isEmpty() ? "EnumSet.noneOf(" + name + ".class)"
				: constants.stream()
					.sorted()
					.map((constant) -> name + '.' + constant.name())
					.collect(Collectors.joining(", ", "EnumSet.of(", ")"));
	}

}
