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

import java.util.SplittableRandom;
import java.util.concurrent.Callable;

import io.github.lockspring.concurrent.DistributedAtomicLong;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterAction;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.CounterEnded;

/**
 * Changes and reads a counter.
 */
final class CounterWork implements Runnable {

	private static final String NAME = "counter";

	private final Worker worker;

	private final DistributedAtomicLong counter;

	CounterWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.counter = process.client().atomicLong(NAME);
	}

	@Override
	public void run() {
		SplittableRandom random = this.worker.random();
		long number = random.nextInt(5);
		switch (random.nextInt(4)) {
			case 0 -> perform(CounterAction.GET, 0, 0, this.counter::get);
			case 1 -> perform(CounterAction.COMPARE_AND_SET, number, number + 1,
					() -> this.counter.compareAndSet(number + 1, number) ? 1L : 0L);
			default -> perform(CounterAction.ADD, number, 0, () -> this.counter.addAndGet(number));
		}
	}

	private void perform(CounterAction action, long argument, long expected, Callable<Long> call) {
		long operation = this.worker.nextOperation();
		this.worker.record(new CounterBegun(operation, NAME, action, argument, expected));
		Long result = this.worker.attempt(call);
		this.worker.record((result != null) ? new CounterEnded(operation, Outcome.DONE, result)
				: new CounterEnded(operation, Outcome.UNKNOWN, 0));
	}

}
