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

import java.util.concurrent.TimeUnit;

import io.github.lockspring.concurrent.DistributedDoubleBarrier;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStep;
import io.github.lockspring.simulator.history.PrimitiveFact.BarrierStepped;

/**
 * Enters a double barrier and leaves it, with a time limit for both.
 */
final class DoubleBarrierWork implements Runnable {

	private static final String NAME = "double-barrier";

	private static final int PARTIES = 2;

	private final Worker worker;

	private final DistributedDoubleBarrier barrier;

	DoubleBarrierWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.barrier = process.client().doubleBarrier(NAME, PARTIES);
	}

	@Override
	public void run() {
		long operation = this.worker.nextOperation();
		record(operation, BarrierStep.ARRIVED);
		if (!Boolean.TRUE.equals(this.worker.attempt(() -> this.barrier.enter(nextNanos(), TimeUnit.NANOSECONDS)))) {
			record(operation, BarrierStep.WITHDREW);
			return;
		}
		record(operation, BarrierStep.PASSED);
		this.worker.sleep(this.worker.settings().hold());
		record(operation, BarrierStep.LEAVING);
		Boolean left = this.worker.attempt(() -> this.barrier.leave(nextNanos(), TimeUnit.NANOSECONDS));
		record(operation, Boolean.TRUE.equals(left) ? BarrierStep.LEFT : BarrierStep.WITHDREW);
	}

	private long nextNanos() {
		return this.worker.nextDuration(this.worker.settings().lease().multipliedBy(2)).toNanos();
	}

	private void record(long operation, BarrierStep step) {
		this.worker.record(new BarrierStepped(operation, NAME, step, PARTIES));
	}

}
