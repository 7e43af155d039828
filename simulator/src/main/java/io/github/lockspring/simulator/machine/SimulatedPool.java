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

package io.github.lockspring.simulator.machine;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Pool of threads of a process, as many as there are tasks.
 */
public final class SimulatedPool extends ThreadPoolExecutor {

	private final Node node;

	private boolean shutDown;

	private int running;

	private SimulatedPool(Node node, int core, int max, long keepAlive, TimeUnit unit, BlockingQueue<Runnable> queue,
			ThreadFactory threads) {
		super(core, max, keepAlive, unit, queue, threads);
		this.node = node;
	}

	/**
	 * Create a pool, in a process that is simulated or in any other.
	 * @param core the number of threads that are kept
	 * @param max the largest number of threads
	 * @param keepAlive how long the others are idle
	 * @param unit the unit of that time
	 * @param queue has the tasks
	 * @param threads creates the threads
	 * @return the pool
	 */
	public static ThreadPoolExecutor construct(int core, int max, long keepAlive, TimeUnit unit,
			BlockingQueue<Runnable> queue, ThreadFactory threads) {
		Node node = Replaced.node();
		return (node != null) ? new SimulatedPool(node, core, max, keepAlive, unit, queue, threads)
				: new ThreadPoolExecutor(core, max, keepAlive, unit, queue, threads);
	}

	@Override
	public void execute(Runnable task) {
		if (this.shutDown) {
			throw new RejectedExecutionException("shut down");
		}
		this.running++;
		this.node.executor().execute(() -> {
			try {
				task.run();
			}
			finally {
				this.running--;
			}
		});
	}

	@Override
	public void shutdown() {
		this.shutDown = true;
	}

	@Override
	public boolean isShutdown() {
		return this.shutDown;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		long deadline = Replaced.nanoTime() + unit.toNanos(timeout);
		while (this.running > 0 && Replaced.nanoTime() - deadline < 0) {
			Replaced.parkNanos(this, 1_000_000);
		}
		return this.running == 0;
	}

}
