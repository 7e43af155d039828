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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Gives back in the background what nobody holds any more but the store may still have:
 * leases whose release failed, leases of attempts with an unknown outcome, places in the
 * queue of those who gave up. Each is tried again, in growing pauses, until the store
 * answers, or until the lease would have ended by itself. While the store is known to be
 * out of reach, that time does not pass: leases that last as long as a session may be
 * there when it comes back.
 * <p>
 * An attempt whose outcome is unknown may reach the store after its release did. Its
 * release is therefore repeated until it finds the lease, or the time is over.
 */
final class ReleaseRetrier {

	private static final Log logger = LogFactory.getLog(ReleaseRetrier.class);

	private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private final ConcurrentMap<LeaseRequest, Pending> pending = new ConcurrentHashMap<>();

	private final AtomicBoolean running = new AtomicBoolean();

	private volatile boolean flushing;

	private final Store store;

	private final Duration timeout;

	private final LeaseScheduler leaseScheduler;

	private final TimeSource time;

	private final Executor executor;

	private final BooleanSupplier suspended;

	ReleaseRetrier(Store store, Duration timeout, LeaseScheduler leaseScheduler, TimeSource time, Executor executor,
			BooleanSupplier suspended) {
		this.store = store;
		this.timeout = timeout;
		this.leaseScheduler = leaseScheduler;
		this.time = time;
		this.executor = executor;
		this.suspended = suspended;
	}

	/**
	 * ReleaseRetrier what the store is known to have.
	 */
	void release(LeaseRequest request) {
		release(request, 0);
	}

	/**
	 * ReleaseRetrier what the store is known to have, so that others are kept out for a
	 * rest that is counted from now.
	 */
	void release(LeaseRequest request, long restNanos) {
		add(request, false, restNanos);
	}

	/**
	 * ReleaseRetrier what the store may have now, or may get later.
	 */
	void releaseIfGranted(LeaseRequest request) {
		add(request, true, 0);
	}

	private void add(LeaseRequest request, boolean mayComeLater, long restNanos) {
		long now = this.time.nanoTime();
		long lifeNanos = this.store.lifeNanos(request) + this.timeout.toNanos();
		this.pending.compute(request,
				(same, present) -> new Pending((present != null) ? present.request.and(request) : request, mayComeLater,
						now, restNanos, lifeNanos));
		this.leaseScheduler.wakeUpAt(now);
	}

	/**
	 * The chore: has a round made by another thread, if one is due and none is under way.
	 */
	void run() {
		long wait = this.flushing ? LeaseScheduler.NEVER : untilNext();
		if (wait > 0) {
			if (wait < LeaseScheduler.NEVER) {
				this.leaseScheduler.wakeUpAt(this.time.nanoTime() + wait);
			}
		}
		else if (this.running.compareAndSet(false, true)) {
			start();
		}
	}

	private long untilNext() {
		long now = this.time.nanoTime();
		long wait = LeaseScheduler.NEVER;
		for (Pending entry : this.pending.values()) {
			wait = Math.min(wait, entry.dueNanos - now);
		}
		return wait;
	}

	private void start() {
		try {
			this.executor.execute(this::makeRound);
		}
		catch (Throwable ex) {
			this.running.set(false); // the upkeep will run this again
			throw ex;
		}
	}

	private void makeRound() {
		try {
			for (Pending entry : this.pending.values()) {
				if (!this.flushing && entry.dueNanos - this.time.nanoTime() <= 0) {
					release(entry, this.timeout);
				}
			}
		}
		finally {
			this.running.set(false);
			this.leaseScheduler.wakeUpAt(this.time.nanoTime());
		}
	}

	private void release(Pending entry, Duration timeout) {
		try {
			boolean found = this.store.release(entry.request, entry.restNanos(this.time.nanoTime()), timeout);
			if (found || !entry.mayComeLater) {
				this.pending.remove(entry.request, entry);
			}
		}
		catch (Throwable ex) {
			logger.debug("Could not release the lock on " + KeyFormat.quote(entry.request.key()) + " yet: "
					+ ex.getMessage());
			if (this.suspended.getAsBoolean()) {
				entry.prolong(this.time.nanoTime());
			}
		}
		if (!entry.pause(this.time.nanoTime())) {
			this.pending.remove(entry.request, entry);
		}
	}

	/**
	 * Makes one last round before the end of the engine, with many calls at a time. What
	 * is left then is tried again if the engine is started again.
	 * @param deadline when the round must have ended, by the clock of the machine
	 * @param executor what makes the calls
	 */
	void flush(long deadline, Executor executor) {
		this.flushing = true;
		try {
			CompletableFuture<?>[] calls = this.pending.values()
				.stream()
				.map((entry) -> CompletableFuture.runAsync(() -> releaseBefore(deadline, entry), executor))
				.toArray(CompletableFuture<?>[]::new);
			await(CompletableFuture.allOf(calls), deadline);
		}
		finally {
			this.flushing = false;
		}
	}

	private static void await(CompletableFuture<Void> calls, long deadline) {
		boolean interrupted = false;
		try {
			while (!calls.isDone()) {
				try {
					calls.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("Not all locks could be given back in time: those that are left end with their leases");
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void releaseBefore(long deadline, Pending entry) {
		long remaining = deadline - System.nanoTime();
		if (remaining > 0) {
			release(entry, Duration.ofNanos(Math.min(remaining, this.timeout.toNanos())));
		}
	}

	int size() {
		return this.pending.size();
	}

	/**
	 * One that must be released.
	 */
	private static final class Pending {

		private final LeaseRequest request;

		/**
		 * Whether the store may get the request after the release.
		 */
		private final boolean mayComeLater;

		/**
		 * When others may get the lease.
		 */
		private final long restEndNanos;

		private final long lifeNanos;

		/**
		 * When the lease has ended by itself.
		 */
		private long endNanos;

		private long pauseNanos = SHORTEST_PAUSE_NANOS;

		private volatile long dueNanos;

		Pending(LeaseRequest request, boolean mayComeLater, long now, long restNanos, long lifeNanos) {
			this.restEndNanos = now + restNanos;
			this.request = request;
			this.mayComeLater = mayComeLater;
			this.lifeNanos = lifeNanos;
			this.endNanos = now + lifeNanos;
			this.dueNanos = now;
		}

		long restNanos(long now) {
			return this.restEndNanos - now;
		}

		/**
		 * Has the lease end by itself later.
		 */
		void prolong(long now) {
			this.endNanos = now + this.lifeNanos;
		}

		/**
		 * Waits for the next attempt, longer from one to the next.
		 * @return {@code false} if there is no need for another
		 */
		boolean pause(long now) {
			this.dueNanos = now + this.pauseNanos;
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
			return now - this.endNanos < 0;
		}

	}

}
