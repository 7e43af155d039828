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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.SimulatedTemplate;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.simulator.cluster.ClusterProcess;
import io.github.lockspring.simulator.cluster.Link;
import io.github.lockspring.simulator.cluster.Server;
import io.github.lockspring.simulator.cluster.SimulatedStore;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Processes with the default settings on one store, without faults.
 */
final class LargeCluster implements AutoCloseable {

	private final Scheduler scheduler;

	private final Server server;

	private final SimulatedStore store;

	private final List<ClusterProcess> processes = new ArrayList<>();

	/**
	 * Create a cluster without processes.
	 * @param seed the seed of all decisions
	 * @param store makes the store
	 */
	LargeCluster(long seed, Function<Server, SimulatedStore> store) {
		this.scheduler = new Scheduler(seed);
		this.server = new Server(this.scheduler, "server");
		this.store = store.apply(this.server);
	}

	/**
	 * Add a process.
	 * @param work what its main thread does with its locks
	 */
	void start(BiConsumer<Node, LockTemplate> work) {
		ClusterProcess process = new ClusterProcess(new Node(this.scheduler, "process-" + (this.processes.size() + 1)));
		this.processes.add(process);
		Link link = new Link(process.node(), this.server);
		process.start(() -> this.store.backend(link), EngineSettings.defaults(), EngineListener.NONE,
				() -> work.accept(process.node(), SimulatedTemplate.on(process.engine(), LockOptions.defaults())));
	}

	/**
	 * Let time pass.
	 */
	void run(Duration duration) {
		this.scheduler.run(duration.toNanos());
	}

	/**
	 * Let the calling thread of a process sleep.
	 */
	void sleep(long nanos) {
		for (long end = now() + nanos; now() < end;) {
			Replaced.parkNanos(this, end - now());
		}
	}

	/**
	 * Return the virtual time, in nanoseconds.
	 */
	long now() {
		return this.scheduler.now();
	}

	/**
	 * Return the number of requests that the store has executed.
	 */
	long requests() {
		return this.server.requests();
	}

	SplittableRandom random() {
		return this.scheduler.random();
	}

	@Override
	public void close() {
		this.scheduler.close();
	}

}
