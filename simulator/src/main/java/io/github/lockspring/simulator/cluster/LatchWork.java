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

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.github.lockspring.LockException;
import io.github.lockspring.concurrent.DistributedCountDownLatch;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchAction;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchEnded;

/**
 * Sets, counts down and awaits a latch.
 */
final class LatchWork implements Runnable {

	private static final String NAME = "latch";

	private static final int COUNT = 3;

	private final Worker worker;

	private final DistributedCountDownLatch latch;

	LatchWork(Worker worker, LockClient client) {
		this.worker = worker;
		this.latch = client.countDownLatch(NAME);
	}

	@Override
	public void run() {
		long waitNanos = this.worker.random().nextLong(this.worker.workplace().settings().lease().toNanos());
		switch (this.worker.random().nextInt(4)) {
			case 0 ->
				perform(LatchAction.RESET, COUNT, () -> this.latch.trySetCount(COUNT) ? Outcome.DONE : Outcome.FAILED);
			case 1 -> perform(LatchAction.AWAIT, 0,
					() -> this.latch.await(waitNanos, TimeUnit.NANOSECONDS) ? Outcome.DONE : Outcome.TIMED_OUT);
			default -> perform(LatchAction.COUNT_DOWN, 0, () -> {
				this.latch.countDown();
				return Outcome.DONE;
			});
		}
	}

	private void perform(LatchAction action, long count, Callable<Outcome> call) {
		long operation = this.worker.workplace().nextOperation();
		this.worker.record(new LatchBegun(operation, NAME, action, count));
		Outcome outcome;
		try {
			outcome = call.call();
		}
		catch (LockException | InterruptedException ex) {
			outcome = Outcome.UNKNOWN;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		this.worker.record(new LatchEnded(operation, outcome));
		Thread.interrupted();
	}

}
