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

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.SimulatedEngine;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.spi.LockBackend;

/**
 * Process with an engine.
 */
public final class ClusterProcess {

	private final Node node;

	private @Nullable LockEngine engine;

	/**
	 * Create a process, which begins with its first step.
	 * @param node where it runs
	 */
	public ClusterProcess(Node node) {
		this.node = node;
	}

	public Node node() {
		return this.node;
	}

	public boolean isStarted() {
		return this.engine != null;
	}

	/**
	 * Return the engine.
	 * @return the engine, which exists once the main thread runs
	 */
	public LockEngine engine() {
		LockEngine engine = this.engine;
		if (engine == null) {
			throw new IllegalStateException(this.node + " has not started");
		}
		return engine;
	}

	/**
	 * Start the engine, and then the work.
	 * @param backend makes the store
	 * @param settings the settings
	 * @param listener the listener
	 * @param work what runs in the main thread
	 */
	public void start(Supplier<LockBackend> backend, EngineSettings settings, EngineListener listener, Runnable work) {
		this.node.start(this.node + "-main", () -> {
			this.engine = SimulatedEngine.create(backend.get(), settings, listener, new NodeClocks(this.node),
					this.node.executor());
			work.run();
		});
	}

}
