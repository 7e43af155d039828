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

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockspring.simulator.cluster.ClusterSettings;
import io.github.lockspring.simulator.cluster.ClusterWork;
import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedRedlock;
import io.github.lockspring.simulator.cluster.SimulatedStore;
import io.github.lockspring.simulator.cluster.Simulation;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.LockFact;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulates what happens to one of three nodes of Redlock, which processes must not
 * notice.
 */
class RedlockSimulationTests {

	private static final long SEEDS = Long.getLong("simulator.seeds", 1);

	/**
	 * For longer than a lease, so that it does not vote twice.
	 */
	private static final long STOP = Duration.ofMillis(3100).toNanos();

	private static final long LOSS_PAUSE = Duration.ofMillis(5500).toNanos();

	private static final long BEGIN = Duration.ofSeconds(5).toNanos();

	private static final long END = Duration.ofSeconds(15).toNanos();

	@ParameterizedTest
	@EnumSource
	void failureOfAMinorityIsNotNoticed(Failure failure) {
		requireNotNoticed(failure::happen);
	}

	@Test
	void nodesThatLoseTheirDataOneAfterTheOtherAreNotNoticed() {
		requireNotNoticed((first) -> {
			SimulatedRedlock store = new SimulatedRedlock(first);
			List<Server> servers = new ArrayList<>(store.otherServers());
			servers.add(first);
			for (int i = 0; i < 5; i++) {
				Server server = servers.get(i % servers.size());
				first.node().scheduler().after(BEGIN + i * LOSS_PAUSE, null, () -> {
					server.stop();
					store.at(server).forget();
				});
				first.node().scheduler().after(BEGIN + i * LOSS_PAUSE + STOP, null, server::start);
			}
			return store;
		});
	}

	private static void requireNotNoticed(Function<Server, SimulatedStore> store) {
		LongStream.range(0, SEEDS).forEach((seed) -> {
			ClusterSettings settings = ClusterSettings.defaults()
				.withDuration(Duration.ofSeconds(25))
				.withTimes(Duration.ofMillis(500), Duration.ofSeconds(6))
				.withWorks(EnumSet.of(ClusterWork.LOCKS));
			Simulation simulation = new Simulation(seed, settings, store);
			History history = simulation.run();
			assertThat(simulation.violations(history)).isEmpty();
			Set<Long> renewed = renewed(history);
			assertThat(renewed).hasSizeGreaterThan(10);
			assertThat(history.events()).noneMatch((event) -> event.fact() instanceof LockFact.Failed
					|| (event.fact() instanceof LockFact.LossTold loss && renewed.contains(loss.operation())));
		});
	}

	/**
	 * Return the operations whose leases are renewed, and so do not end by themselves.
	 */
	private static Set<Long> renewed(History history) {
		Set<Long> renewed = new HashSet<>();
		history.events().forEach((event) -> {
			if (event.fact() instanceof LockFact.Requested request && request.leaseTime() == 0) {
				renewed.add(request.operation());
			}
		});
		return renewed;
	}

	/**
	 * What happens to the node.
	 */
	enum Failure {

		STOPPED(Server::stop, Server::start), PAUSED(Server::pause, Server::resume),
		FAST((server) -> server.node().jump(10_000), (server) -> {
		}), SLOW((server) -> server.node().jump(-10_000), (server) -> {
		});

		private final Consumer<Server> begin;

		private final Consumer<Server> end;

		Failure(Consumer<Server> begin, Consumer<Server> end) {
			this.begin = begin;
			this.end = end;
		}

		SimulatedRedlock happen(Server first) {
			SimulatedRedlock store = new SimulatedRedlock(first);
			Server failing = store.otherServers().get(0);
			first.node().scheduler().after(BEGIN, null, () -> this.begin.accept(failing));
			first.node().scheduler().after(END, null, () -> this.end.accept(failing));
			return store;
		}

	}

}
