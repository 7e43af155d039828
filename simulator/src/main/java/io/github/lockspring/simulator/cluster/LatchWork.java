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

import io.github.lockspring.concurrent.DistributedBarrier;
import io.github.lockspring.concurrent.DistributedCountDownLatch;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchAction;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchBegun;
import io.github.lockspring.simulator.history.PrimitiveFact.LatchEnded;

/**
 * Sets, counts down and awaits a latch, or a barrier, which is a latch with the count 1.
 */
final class LatchWork implements Runnable {

	private final Worker worker;

	private final String name;

	private final int count;

	private final Callable<Boolean> set;

	private final Runnable countDown;

	private final Waiting waiting;

	private LatchWork(Worker worker, String name, int count, Callable<Boolean> set, Runnable countDown,
			Waiting waiting) {
		this.worker = worker;
		this.name = name;
		this.count = count;
		this.set = set;
		this.countDown = countDown;
		this.waiting = waiting;
	}

	static LatchWork latch(Worker worker, ProcessLocks process) {
		DistributedCountDownLatch latch = process.client().countDownLatch("latch");
		return new LatchWork(worker, "latch", 3, () -> latch.trySetCount(3), latch::countDown,
				(nanos) -> latch.await(nanos, TimeUnit.NANOSECONDS));
	}

	static LatchWork barrier(Worker worker, ProcessLocks process) {
		DistributedBarrier barrier = process.client().barrier("barrier");
		return new LatchWork(worker, "barrier", 1, () -> {
			barrier.setBarrier();
			return true;
		}, barrier::removeBarrier, (nanos) -> barrier.waitOnBarrier(nanos, TimeUnit.NANOSECONDS));
	}

	@Override
	public void run() {
		long waitNanos = this.worker.nextDuration(this.worker.settings().lease()).toNanos();
		switch (this.worker.random().nextInt(4)) {
			case 0 -> perform(LatchAction.RESET, this.count, () -> this.set.call() ? Outcome.DONE : Outcome.FAILED);
			case 1 ->
				perform(LatchAction.AWAIT, 0, () -> this.waiting.await(waitNanos) ? Outcome.DONE : Outcome.TIMED_OUT);
			default -> perform(LatchAction.COUNT_DOWN, 0, () -> {
				this.countDown.run();
				return Outcome.DONE;
			});
		}
	}

	private void perform(LatchAction action, long count, Callable<Outcome> call) {
		long operation = this.worker.nextOperation();
		this.worker.record(new LatchBegun(operation, this.name, action, count));
		Outcome outcome = this.worker.attempt(call);
		this.worker.record(new LatchEnded(operation, (outcome != null) ? outcome : Outcome.UNKNOWN));
	}

	/**
	 * Waits until a latch is open.
	 */
	private interface Waiting {

		boolean await(long nanos) throws InterruptedException;

	}

}
