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

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.simulator.cluster.ClusterFault;
import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.ClusterWork;
import io.github.lockspring.simulator.cluster.Link;
import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedRedis;
import io.github.lockspring.simulator.cluster.SimulatedRows;
import io.github.lockspring.simulator.cluster.SimulatedStore;
import io.github.lockspring.simulator.cluster.Simulation;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the tests that simulations are printed as, and for shrinking.
 */
class PrintedSimulationTests {

	private static final ClusterSettings SMALL = ClusterSettings.defaults()
		.withProcesses(2, 1, 1)
		.withDuration(Duration.ofMillis(3700));

	@TempDir
	private Path folder;

	@Test
	void printedTestRunsTheSimulation() throws Exception {
		Simulation simulation = new Simulation(7,
				SMALL.withFaults(EnumSet.of(ClusterFault.LINK_SLOW, ClusterFault.PROCESS_KILLED))
					.withWorks(EnumSet.of(ClusterWork.LOCKS, ClusterWork.DOUBLE_BARRIER))
					.withOvertakingAtOneOf(20),
				SimulatedRows::new);
		Simulation printed = compiled("SimulatedRowsSeed7SimulationTests", simulation.toTest());
		assertThat(printed.settings()).isEqualTo(simulation.settings());
		assertThat(printed.run()).hasToString(simulation.run().toString());
	}

	@Test
	void printedTestNamesTheStoreAndNoFaults() {
		assertThat(new Simulation(9, SMALL, SimulatedRedis::new).toTest()).contains(
				"class SimulatedRedisSeed9SimulationTests", "SimulatedRedis::new",
				"EnumSet.noneOf(ClusterFault.class)");
	}

	@Test
	void descriptionEndsWithTheTest() {
		Simulation simulation = new Simulation(7, SMALL, SimulatedRows::new);
		assertThat(simulation.describe(new History(), List.of())).endsWith(simulation.toTest());
	}

	@Test
	void shrunkSimulationBreaksTheSameRule() {
		Simulation simulation = new Simulation(7,
				SMALL.withProcesses(2, 2, 1)
					.withFaults(EnumSet.of(ClusterFault.LINK_SLOW))
					.withWorks(EnumSet.of(ClusterWork.LOCKS, ClusterWork.COUNTER)),
				UnsharedRows::new);
		Simulation shrunk = simulation.shrink("exclusion");
		assertThat(shrunk.violations(shrunk.run())).extracting(Finding::rule).contains("exclusion");
		assertThat(shrunk.settings().processes()).isEqualTo(2);
		assertThat(shrunk.settings().workers()).isEqualTo(1);
		assertThat(shrunk.settings().faults()).isEmpty();
		assertThat(shrunk.settings().works()).containsExactly(ClusterWork.LOCKS);
	}

	private Simulation compiled(String name, String source) throws Exception {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> options = List.of("-proc:none", "-nowarn", "-d", this.folder.toString(), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		assertThat(compiler.getTask(null, null, null, options, null, List.of(new Source(name, source))).call())
			.isTrue();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() },
				getClass().getClassLoader())) {
			Class<?> test = loader.loadClass("io.github.lockspring.simulator." + name);
			Constructor<?> constructor = test.getDeclaredConstructor();
			constructor.setAccessible(true);
			Field simulation = test.getDeclaredField("simulation");
			simulation.setAccessible(true);
			return (Simulation) simulation.get(constructor.newInstance());
		}
	}

	/**
	 * Store of which each process has one of its own.
	 */
	private static final class UnsharedRows implements SimulatedStore {

		private final Server server;

		UnsharedRows(Server server) {
			this.server = server;
		}

		@Override
		public LockBackend backend(Link link) {
			return new SimulatedRows(this.server).backend(link);
		}

		@Override
		public void remember() {
			// nothing to fail over to
		}

		@Override
		public void failOver() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void forget() {
			throw new UnsupportedOperationException();
		}

	}

	/**
	 * Source file in memory.
	 */
	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String name, String text) {
			super(URI.create("string:///io/github/lockspring/simulator/" + name + ".java"), JavaFileObject.Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
			return this.text;
		}

	}

}
