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

import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Server of a store: executes one request at a time, when it arrives. It can be paused,
 * stopped and started again.
 */
public final class Server {

	private final Node node;

	private final List<Runnable> arrived = new ArrayList<>();

	private final List<Runnable> stopListeners = new ArrayList<>();

	private boolean stopped;

	private int starts;

	private long requests;

	/**
	 * Create a server that runs.
	 * @param scheduler the scheduler
	 * @param name its name
	 */
	public Server(Scheduler scheduler, String name) {
		this.node = new Node(scheduler, name);
	}

	public Node node() {
		return this.node;
	}

	/**
	 * Return the number of requests that were executed.
	 * @return the number
	 */
	public long requests() {
		return this.requests;
	}

	public boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Close all connections, and refuse others.
	 */
	public void stop() {
		this.stopped = true;
		this.starts++;
		this.arrived.clear();
		this.stopListeners.forEach(Runnable::run);
	}

	/**
	 * Let an action happen whenever the server stops.
	 * @param action the action
	 */
	public void onStop(Runnable action) {
		this.stopListeners.add(action);
	}

	/**
	 * Accept connections again.
	 */
	public void start() {
		this.stopped = false;
	}

	/**
	 * Execute nothing for a while, although requests arrive.
	 */
	public void pause() {
		this.node.pause();
	}

	/**
	 * Execute what has arrived.
	 */
	public void resume() {
		this.node.resume();
		List<Runnable> arrived = List.copyOf(this.arrived);
		this.arrived.clear();
		arrived.forEach(Runnable::run);
	}

	int starts() {
		return this.starts;
	}

	/**
	 * Execute a request that arrives, now or when the server is no longer paused.
	 */
	void execute(Runnable request) {
		Runnable execution = () -> {
			this.requests++;
			request.run();
		};
		if (this.node.isPaused()) {
			this.arrived.add(execution);
		}
		else {
			execution.run();
		}
	}

}
