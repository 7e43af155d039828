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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.concurrent.LeaseSemaphore;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.simulator.history.Fact.Outcome;
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

	SemaphoreWork(Worker worker, LockClient client) {
		this.worker = worker;
		this.semaphore = client.semaphore(NAME, LIMIT);
	}

	@Override
	public void run() {
		Duration lease = this.worker.workplace().settings().lease();
		long operation = this.worker.workplace().nextOperation();
		int permits = 1 + this.worker.random().nextInt(LIMIT);
		Duration waitTime = Duration.ofNanos(this.worker.random().nextLong(lease.toNanos()));
		this.worker.record(new LockFact.Requested(operation, List.of(NAME), Mode.PERMITS, permits, LIMIT, false,
				waitTime.toNanos()));
		LockHandle handle = acquire(operation, this.semaphore.tryAcquireAsync(permits, waitTime));
		if (handle != null) {
			this.worker.record(new LockFact.Granted(operation, LockFact.NO_TOKEN));
			handle.onLost(() -> this.worker.record(new LockFact.LossTold(operation)));
			hold(operation, handle);
		}
	}

	private @Nullable LockHandle acquire(long operation, CompletableFuture<@Nullable LockHandle> future) {
		try {
			LockHandle handle = Replaced.join(future);
			if (handle == null) {
				this.worker.record(new LockFact.NotAcquired(operation));
			}
			return handle;
		}
		catch (CompletionException | CancellationException ex) {
			this.worker.record(new LockFact.Failed(operation, String.valueOf(ex.getCause())));
			return null;
		}
	}

	private void hold(long operation, LockHandle handle) {
		for (int i = this.worker.random().nextInt(4); i >= 0; i--) {
			this.worker.sleep(this.worker.workplace().settings().hold());
			this.worker.look(() -> new LockFact.Checked(operation, handle.isHeld(), LockFact.NO_TOKEN));
		}
		Outcome outcome = handle.isHeld() ? Outcome.DONE : Outcome.UNKNOWN;
		this.worker.record(new LockFact.ReleaseBegun(operation));
		try {
			handle.close();
		}
		catch (LockLostException ex) {
			outcome = Outcome.LOST;
		}
		catch (LockException ex) {
			outcome = Outcome.FAILED;
		}
		this.worker.record(new LockFact.ReleaseEnded(operation, outcome));
	}

}
