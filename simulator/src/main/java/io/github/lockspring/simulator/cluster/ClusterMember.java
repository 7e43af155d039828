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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.SimulatedTemplate;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.machine.Node;

/**
 * Place of a process in a cluster: when it is killed, another takes its place.
 */
final class ClusterMember {

	private final Cluster cluster;

	private final String name;

	private final List<Thread> workers = new ArrayList<>();

	private Node node;

	private List<Link> links;

	private @Nullable ClusterProcess process;

	private int starts;

	private boolean running;

	ClusterMember(Cluster cluster, String name) {
		this.cluster = cluster;
		this.name = name;
		this.node = new Node(cluster.scheduler(), name);
		this.links = links(this.node);
	}

	private List<Link> links(Node node) {
		return this.cluster.servers().stream().map((server) -> new Link(node, server)).toList();
	}

	String name() {
		return this.name;
	}

	Node node() {
		return this.node;
	}

	/**
	 * Return the links to each of the servers.
	 */
	List<Link> links() {
		return this.links;
	}

	List<Thread> workers() {
		return this.workers;
	}

	boolean isRunning() {
		return this.running;
	}

	void record(ProcessChange change) {
		this.cluster.record(this.name, "", new ProcessChanged(change));
	}

	void start() {
		if (this.running) {
			throw new IllegalStateException(this.name + " is running");
		}
		record((this.starts++ == 0) ? ProcessChange.STARTED : ProcessChange.RESTARTED);
		ClusterSettings settings = this.cluster.settings();
		EngineSettings engineSettings = EngineSettings.defaults().withOperationTimeout(settings.operationTimeout());
		ClusterProcess process = new ClusterProcess(this.node);
		this.process = process;
		this.running = true;
		process.start(() -> this.cluster.store().backend(this.links), engineSettings, EngineListener.NONE,
				() -> startWorkers(process, settings));
	}

	private void startWorkers(ClusterProcess process, ClusterSettings settings) {
		LockTemplate template = SimulatedTemplate.on(process.engine(),
				LockOptions.defaults().withLeaseTime(settings.lease()));
		ProcessLocks locks = ProcessLocks.of(template, this.node.executor());
		for (int i = 1; i <= settings.workers(); i++) {
			Worker worker = new Worker(this.cluster, this.name, "worker-" + i, this.cluster.random().split(), locks);
			this.workers.add(this.node.start(worker.name(), worker));
		}
	}

	/**
	 * Shut down in a thread of the process.
	 * @param onEnd runs when that is done
	 */
	void close(Runnable onEnd) {
		ClusterProcess process = this.process;
		if (process != null && process.isStarted()) {
			this.process = null;
			record(ProcessChange.STOPPING);
			this.node.start(this.name + "-close", () -> {
				process.engine().shutdown(this.cluster.settings().lease());
				onEnd.run();
			});
		}
	}

	void kill() {
		record(ProcessChange.KILLED);
		this.running = false;
		this.process = null;
		this.node.kill();
		this.workers.clear();
		this.node = new Node(this.cluster.scheduler(), this.name);
		this.links = links(this.node);
	}

}
