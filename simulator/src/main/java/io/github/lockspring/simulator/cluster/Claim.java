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
import java.util.SplittableRandom;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockInterruptedException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockSuspendedException;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.LockFact;
import io.github.lockspring.simulator.history.LockFact.Change;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Requested;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Acquisition of a lock by a worker, what the worker does while it holds the lock, and
 * the release: all of it is recorded.
 */
final class Claim {

	/**
	 * Longest time of a write to a resource, in nanoseconds.
	 */
	private static final long LONGEST_WRITE = 2_000_000;

	private final Worker worker;

	private final Requested request;

	private final long operation;

	private boolean granted;

	private boolean held;

	/**
	 * Begin an acquisition.
	 * @param worker who acquires
	 * @param request what it acquires
	 */
	Claim(Worker worker, Requested request) {
		this.worker = worker;
		this.request = request;
		this.operation = request.operation();
		worker.record(request);
	}

	void granted(LockHandle handle) {
		this.granted = true;
		this.worker.record(new LockFact.Granted(this.operation, token(handle)));
		tellLoss(handle);
	}

	void tellLoss(LockHandle handle) {
		handle.onLost(() -> this.worker.record(new LockFact.LossTold(this.operation)));
	}

	void denied() {
		this.worker.record(new LockFact.NotAcquired(this.operation));
	}

	/**
	 * Record how the call ended with an exception that acquired the lock, or that
	 * acquired and released it.
	 */
	void failed(Throwable failure) {
		if (this.granted) {
			released((failure instanceof LockLostException) ? Outcome.LOST : Outcome.UNKNOWN);
		}
		else if (failure instanceof LockNotAcquiredException) {
			denied();
		}
		else if (failure instanceof LockInterruptedException) {
			Thread.interrupted();
			this.worker.record(new LockFact.Interrupted(this.operation));
		}
		else {
			this.worker.record(new LockFact.Failed(this.operation, failure.getClass().getSimpleName()));
		}
	}

	/**
	 * Work for a random time, and look at the lock now and then, until it is not held.
	 * The last moment of a lease is looked at, too.
	 */
	void hold(LockHandle handle) {
		Duration usual = this.worker.settings().hold();
		Duration longest = (random().nextInt(5) == 0) ? this.worker.settings().lease().multipliedBy(3) : usual;
		long end = Replaced.nanoTime() + random().nextLong(longest.toNanos());
		do {
			long pause = Math.min(end - Replaced.nanoTime(), 1 + random().nextLong(usual.toNanos()));
			long valid = handle.remaining().toNanos();
			this.worker.sleep((valid > 1 && valid <= pause) ? valid - 1 : pause);
		}
		while (look(handle) && end - Replaced.nanoTime() > 0);
	}

	private boolean look(LockHandle handle) {
		boolean held = this.worker.look(() -> new LockFact.Checked(this.operation, handle.isHeld(), LockFact.NO_TOKEN))
			.held();
		long token = (held && this.request.mode() != Mode.READ) ? token(handle) : LockFact.NO_TOKEN;
		if (token != LockFact.NO_TOKEN) {
			this.worker.write(new LockFact.Written(this.operation, this.request.keys().get(0), token, false),
					random().nextLong(LONGEST_WRITE));
		}
		return held;
	}

	/**
	 * Record that the owner acquired the lock again.
	 */
	void reentered(LockHandle handle, Mode mode) {
		long token = (mode == this.request.mode() && mode != Mode.READ) ? token(handle) : LockFact.NO_TOKEN;
		this.worker.record(new LockFact.Reentered(this.operation, token));
	}

	/**
	 * Change the claim.
	 * @return {@code false} if it turned out to be lost
	 */
	boolean change(Change change, long amount, Runnable call) {
		this.worker.record(new LockFact.ChangeBegun(this.operation, change, amount));
		Outcome outcome = Outcome.DONE;
		try {
			call.run();
		}
		catch (LockLostException ex) {
			outcome = Outcome.LOST;
		}
		catch (LockException | ClientError ex) {
			outcome = Outcome.UNKNOWN;
		}
		this.worker.record(new LockFact.ChangeEnded(this.operation, change, outcome));
		return outcome != Outcome.LOST;
	}

	void release(LockHandle handle) {
		releasing(handle);
		try {
			handle.close();
			returned();
		}
		catch (LockException | ClientError ex) {
			failed(ex);
		}
	}

	/**
	 * Record that the call returned that acquired and released the lock, unless it was
	 * denied.
	 */
	void returned() {
		if (this.granted) {
			released(this.held ? Outcome.DONE : Outcome.UNKNOWN);
		}
	}

	/**
	 * Begin the release, which is what comes next.
	 */
	void releasing(LockHandle handle) {
		this.worker.record(new LockFact.ReleaseBegun(this.operation));
		this.held = handle.isHeld();
	}

	private void released(Outcome outcome) {
		this.worker.record(new LockFact.ReleaseEnded(this.operation, outcome));
	}

	/**
	 * Return the token, if the store has tokens, there is a common one, and the lock is
	 * still held.
	 */
	private long token(LockHandle handle) {
		try {
			return (this.request.mode() != Mode.PERMITS && this.request.keys().size() == 1) ? handle.fencingToken()
					: LockFact.NO_TOKEN;
		}
		catch (LockLostException | LockSuspendedException | UnsupportedOperationException ex) {
			return LockFact.NO_TOKEN;
		}
	}

	private SplittableRandom random() {
		return this.worker.random();
	}

}
