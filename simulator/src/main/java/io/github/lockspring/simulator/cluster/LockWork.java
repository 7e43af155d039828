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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockInterruptedException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockSuspendedException;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.LockFact;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Acquires a lock of any kind, works under it, and releases it.
 */
final class LockWork implements Runnable {

	private static final int PERMITS = 3;

	/**
	 * Longest time of a write to a resource, in nanoseconds.
	 */
	private static final long LONGEST_WRITE = 2_000_000;

	private final Worker worker;

	private final Workplace workplace;

	private final LockTemplate locks;

	private final SplittableRandom random;

	LockWork(Worker worker, LockTemplate locks) {
		this.worker = worker;
		this.workplace = worker.workplace();
		this.locks = locks;
		this.random = worker.random();
	}

	@Override
	public void run() {
		Request request = nextRequest();
		long operation = this.workplace.nextOperation();
		record(new LockFact.Requested(operation, request.storeKeys(this.locks), request.mode(), request.permits(),
				request.limit(), request.options().type() == LockType.FAIR, request.leaseNanos(),
				request.options().waitTime().toNanos()));
		LockHandle handle = acquire(operation, request);
		if (handle != null) {
			work(operation, request, handle);
			release(operation, handle);
		}
	}

	private Request nextRequest() {
		ClusterSettings settings = this.workplace.settings();
		LockType type = LockType.values()[this.random.nextInt(LockType.values().length)];
		LockOptions options = this.locks.defaultOptions()
			.withType(type)
			.withWaitTime(Duration.ofNanos(this.random.nextLong(settings.lease().multipliedBy(2).toNanos())))
			.withAutoRenew(this.random.nextInt(8) > 0);
		String key = "key-" + this.random.nextInt(settings.keys());
		if (type == LockType.REENTRANT && this.random.nextInt(4) == 0) {
			return new Request(List.of("permits-" + key), options.withPermits(PERMITS), Mode.PERMITS, 1, PERMITS);
		}
		Mode mode = switch (type) {
			case READ -> Mode.READ;
			case WRITE -> Mode.WRITE;
			default -> Mode.EXCLUSIVE;
		};
		int others = (settings.keys() > 1 && this.random.nextInt(6) == 0) ? 1 + this.random.nextInt(2) : 0;
		List<String> keys = new ArrayList<>(List.of(key));
		IntStream.range(0, others)
			.mapToObj((i) -> "key-" + this.random.nextInt(settings.keys()))
			.filter((other) -> !keys.contains(other))
			.forEach(keys::add);
		return new Request(keys, options, mode, 1, 1);
	}

	private @Nullable LockHandle acquire(long operation, Request request) {
		try {
			LockHandle handle = (request.keys().size() == 1)
					? this.locks.tryAcquire(request.keys().get(0), request.options())
					: this.locks.tryAcquireAll(request.keys(), request.options());
			if (handle == null) {
				record(new LockFact.NotAcquired(operation));
				return null;
			}
			record(new LockFact.Granted(operation, token(request, handle)));
			handle.onLost(() -> record(new LockFact.LossTold(operation)));
			return handle;
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			record(new LockFact.Interrupted(operation));
		}
		catch (LockException ex) {
			record(new LockFact.Failed(operation, ex.getClass().getSimpleName()));
		}
		return null;
	}

	/**
	 * Return the token, if there is a common one and the lock is still held.
	 */
	private long token(Request request, LockHandle handle) {
		try {
			return (request.mode() != Mode.PERMITS && request.keys().size() == 1) ? handle.fencingToken()
					: LockFact.NO_TOKEN;
		}
		catch (LockLostException | LockSuspendedException ex) {
			return LockFact.NO_TOKEN;
		}
	}

	private void work(long operation, Request request, LockHandle handle) {
		Duration hold = this.workplace.settings().hold();
		Duration longest = (this.random.nextInt(10) == 0) ? this.workplace.settings().lease().multipliedBy(3) : hold;
		long end = Replaced.nanoTime() + this.random.nextLong(longest.toNanos());
		boolean held = true;
		while (held && end - Replaced.nanoTime() > 0) {
			Replaced.parkNanos(this, Math.min(end - Replaced.nanoTime(), 1 + this.random.nextLong(hold.toNanos())));
			Thread.interrupted();
			held = check(operation, request, handle);
		}
	}

	private boolean check(long operation, Request request, LockHandle handle) {
		boolean held = this.worker.look(() -> new LockFact.Checked(operation, handle.isHeld(), LockFact.NO_TOKEN))
			.held();
		long token = (held && request.mode() != Mode.READ) ? token(request, handle) : LockFact.NO_TOKEN;
		if (token != LockFact.NO_TOKEN) {
			String resource = request.keys().get(0);
			this.worker.write(new LockFact.Written(operation, resource, token, false),
					this.random.nextLong(LONGEST_WRITE));
		}
		return held;
	}

	private void release(long operation, LockHandle handle) {
		record(new LockFact.ReleaseBegun(operation));
		Outcome outcome = handle.isHeld() ? Outcome.DONE : Outcome.UNKNOWN;
		try {
			handle.close();
		}
		catch (LockLostException ex) {
			outcome = Outcome.LOST;
		}
		record(new LockFact.ReleaseEnded(operation, outcome));
	}

	private void record(Fact fact) {
		this.worker.record(fact);
	}

	/**
	 * What a worker asks for.
	 */
	private record Request(List<String> keys, LockOptions options, Mode mode, int permits, int limit) {

		/**
		 * Return the time of a lease that is not renewed, or 0.
		 */
		long leaseNanos() {
			return this.options.autoRenew() ? 0 : this.options.leaseTime().toNanos();
		}

		List<String> storeKeys(LockTemplate locks) {
			return this.keys.stream().map(locks::storeKey).toList();
		}

	}

}
