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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.KeyFormat;

/**
 * Releases in the background leases and queue entries that may still be in the store: of
 * failed releases, of attempts with an unknown outcome, and of acquisitions that timed
 * out. Each release is retried with increasing delays until the store answers, or until
 * the lease would have expired. While the connection to the store is suspended, that time
 * does not pass: leases bound to a session may still exist when it is restored.
 * <p>
 * An attempt whose outcome is unknown may reach the store after its release did. Its
 * release is therefore repeated until it finds the lease, or the time is over.
 */
final class ReleaseRetrier implements DueCalls.Work<ReleaseRetrier.PendingRelease> {

	private static final Log logger = LogFactory.getLog(ReleaseRetrier.class);

	private static final long MIN_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private final ConcurrentMap<LeaseRequest, PendingRelease> pending = new ConcurrentHashMap<>();

	private volatile boolean flushing;

	private final EngineContext context;

	private final Store store;

	private final TimeSource time;

	private final Duration timeout;

	private final DueCalls<PendingRelease> calls;

	ReleaseRetrier(EngineContext context) {
		this.context = context;
		this.store = context.store();
		this.time = context.time();
		this.timeout = context.settings().operationTimeout();
		this.calls = new DueCalls<>(context, context.threads().releases(), this);
	}

	/**
	 * Release the lease of a hold that has ended again, because the store failed.
	 */
	void retry(Hold hold, LeaseRequest request, Throwable failure) {
		release(hold, request);
		logger.warn("Could not release the lock on " + KeyFormat.quote(request.key())
				+ "; it will be retried in the background: " + failure.getMessage());
	}

	/**
	 * Release the lease of a hold that has ended in the background, after its minimum
	 * hold time.
	 */
	void release(Hold hold, LeaseRequest request) {
		add(request, false, hold.remainingMinimumNanos(this.time));
	}

	/**
	 * Release a lease that the store is known to have.
	 */
	void release(LeaseRequest request) {
		add(request, false, 0);
	}

	/**
	 * Release a lease that the store may have now, or may get later.
	 */
	void releaseIfGranted(LeaseRequest request) {
		add(request, true, 0);
	}

	/**
	 * Add a release.
	 * @param delayNanos how long the key remains locked from now on
	 */
	private void add(LeaseRequest request, boolean mayArriveLater, long delayNanos) {
		long now = this.time.nanoTime();
		long lifeNanos = this.store.lifeNanos(request) + this.timeout.toNanos();
		PendingRelease added = this.pending.compute(request,
				(same, present) -> new PendingRelease((present != null) ? present.request.and(request) : request,
						mayArriveLater || (present != null && present.mayArriveLater), now, delayNanos, lifeNanos));
		this.calls.schedule(added, now);
	}

	/**
	 * Release the leases that are due, one after the other. Those that remain are due
	 * again after a pause.
	 */
	@Override
	public void call(List<PendingRelease> due) {
		for (PendingRelease entry : due) {
			if (this.pending.get(entry.request) == entry) {
				long pause = this.flushing ? MIN_PAUSE_NANOS : release(entry, this.timeout);
				this.calls.repeat(entry, this.time.nanoTime() + pause);
			}
		}
	}

	@Override
	public long pauseAfterFailure() {
		return MIN_PAUSE_NANOS;
	}

	/**
	 * Release a lease. It is not released again if it was found, or the time is over.
	 * @return the pause before the next attempt
	 */
	private long release(PendingRelease entry, Duration timeout) {
		try {
			boolean found = this.store.release(entry.request, entry.delayNanos(this.time.nanoTime()), timeout);
			if (found || !entry.mayArriveLater) {
				remove(entry);
			}
		}
		catch (Throwable ex) {
			logger.debug("Could not release the lock on " + KeyFormat.quote(entry.request.key()) + " yet: "
					+ ex.getMessage());
			if (this.context.isSuspended()) {
				entry.extend(this.time.nanoTime());
			}
		}
		if (entry.isOver(this.time.nanoTime())) {
			remove(entry);
		}
		return entry.nextPause();
	}

	private void remove(PendingRelease entry) {
		this.pending.remove(entry.request, entry);
		this.calls.remove(entry);
	}

	/**
	 * Run one last round before the shutdown of the engine, with many calls in parallel.
	 * Releases that remain are retried if the engine is started again.
	 * @param deadline the deadline of the round, by the clock of the machine
	 */
	void flush(long deadline) {
		Executor executor = this.context.threads().steps();
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
		try {
			Deadline.await(calls, deadline);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger
				.warn("Not all locks could be released in time; the remaining ones are held until their leases expire");
		}
	}

	private void releaseBefore(long deadline, PendingRelease entry) {
		long remaining = deadline - System.nanoTime();
		if (remaining > 0) {
			release(entry, Duration.ofNanos(Math.min(remaining, this.timeout.toNanos())));
		}
	}

	/**
	 * Request that must be released.
	 */
	static final class PendingRelease extends DueCalls.Item {

		private final LeaseRequest request;

		/**
		 * Whether the store may get the request after the release.
		 */
		private final boolean mayArriveLater;

		/**
		 * Time at which others may acquire the lease.
		 */
		private final long delayEndNanos;

		private final long lifeNanos;

		/**
		 * Time at which the lease has expired in the store.
		 */
		private long endNanos;

		private long pauseNanos = MIN_PAUSE_NANOS;

		PendingRelease(LeaseRequest request, boolean mayArriveLater, long now, long delayNanos, long lifeNanos) {
			this.delayEndNanos = now + delayNanos;
			this.request = request;
			this.mayArriveLater = mayArriveLater;
			this.lifeNanos = lifeNanos;
			this.endNanos = now + lifeNanos;
		}

		long delayNanos(long now) {
			return this.delayEndNanos - now;
		}

		/**
		 * Extend the time until the lease has expired in the store.
		 */
		void extend(long now) {
			this.endNanos = now + this.lifeNanos;
		}

		boolean isOver(long now) {
			return now - this.endNanos >= 0;
		}

		/**
		 * Return the pause before the next attempt, which increases.
		 */
		long nextPause() {
			long pause = this.pauseNanos;
			this.pauseNanos = Math.min(2 * pause, MAX_PAUSE_NANOS);
			return pause;
		}

	}

}
