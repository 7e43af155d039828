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

package io.github.lockspring.torture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import io.github.lockspring.server.ServerProcess;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Lets faults happen to processes of workers.
 */
final class WorkerFaults implements Inflictor {

	private static final int BUSY_PROCESSES = 4 * Runtime.getRuntime().availableProcessors();

	private static final long LARGEST_JUMP = 7200;

	private final List<WorkerProcess> workers;

	private final Path output;

	/**
	 * Create the faults of some workers.
	 * @param workers the workers
	 * @param output a file for the output of other processes
	 */
	WorkerFaults(List<WorkerProcess> workers, Path output) {
		this.workers = workers;
		this.output = output;
	}

	@Override
	public boolean inflict(Step step, FaultLog log) throws InterruptedException {
		if (step.fault() == TortureFault.PROCESSORS_STARVED) {
			starve(step.duration());
		}
		else {
			inflict(step);
		}
		return true;
	}

	private void inflict(Step step) throws InterruptedException {
		WorkerProcess worker = this.workers.get(step.worker() % this.workers.size());
		switch (step.fault()) {
			case WORKER_STOPPED -> {
				worker.pause();
				sleepAndThen(step.duration(), worker::resume);
			}
			case WORKER_KILLED -> {
				worker.kill();
				sleepAndThen(step.duration(), worker::start);
			}
			case WORKER_TERMINATED -> {
				worker.terminate();
				sleepAndThen(step.duration(), worker::start);
			}
			case WORKER_CLOCK_JUMPED ->
				worker.jump((step.duration() * step.millis()) % (2 * LARGEST_JUMP) - LARGEST_JUMP);
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	private static void sleepAndThen(long millis, Runnable end) throws InterruptedException {
		try {
			Thread.sleep(millis);
		}
		finally {
			end.run();
		}
	}

	private void starve(long millis) throws InterruptedException {
		List<ServerProcess> busy = IntStream.range(0, BUSY_PROCESSES)
			.mapToObj((i) -> ServerProcess.start(this.output, "sh", "-c", "while :; do :; done"))
			.toList();
		sleepAndThen(millis, () -> busy.forEach(ServerProcess::kill));
	}

}
