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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

import io.github.lockspring.LockHandle;
import io.github.lockspring.concurrent.LeaseSemaphore;
import io.github.lockspring.simulator.history.LockFact;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Acquires permits of a semaphore asynchronously, holds them, and releases them.
 */
final class SemaphoreWork implements Runnable {

	private static final String NAME = "semaphore";

	private static final int LIMIT = 3;

	private final Worker worker;

	private final LeaseSemaphore semaphore;

	SemaphoreWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.semaphore = process.client().semaphore(NAME, LIMIT);
	}

	@Override
	public void run() {
		int permits = 1 + this.worker.random().nextInt(LIMIT);
		Duration waitTime = this.worker.nextDuration(this.worker.settings().lease());
		Claim claim = new Claim(this.worker, new LockFact.Requested(this.worker.nextOperation(), List.of(NAME),
				Mode.PERMITS, permits, LIMIT, false, waitTime.toNanos()));
		try {
			LockHandle handle = Replaced.join(this.semaphore.tryAcquireAsync(permits, waitTime));
			if (handle == null) {
				claim.denied();
			}
			else {
				claim.granted(handle);
				claim.hold(handle);
				claim.release(handle);
			}
		}
		catch (CompletionException | CancellationException ex) {
			claim.failed((ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

}
