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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Lease of one request on one node, with its attempts and releases in order:
 * <ol>
 * <li>A release waits for the attempt before it.</li>
 * <li>A release that fails is retried; one after an attempt with an unknown outcome is
 * repeated until it finds the lease or the lease would have ended.</li>
 * <li>While a release is in progress, or may still arrive, no attempt is made: the
 * release would undo it.</li>
 * </ol>
 * This cannot be done by the caller of the composite: its call is complete when a quorum
 * has denied or released, although nodes of the minority may be pending.
 */
final class NodeLease {

	private static final int RETRIES = 5;

	private static final long MIN_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private final NodeCalls node;

	private final LeaseRequest request;

	/**
	 * Number of calls in progress. Changed by the node only.
	 */
	int calls;

	/**
	 * Time at which the last call ended. Changed by the node only.
	 */
	long endedNanos;

	/**
	 * Completed with the last call.
	 */
	private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

	private @Nullable Release release;

	/**
	 * Whether an attempt may still arrive.
	 */
	private boolean attemptMayArrive;

	/**
	 * Whether a release may still arrive.
	 */
	private boolean releaseMayArrive;

	/**
	 * Whether the last attempt changed nothing.
	 */
	private boolean unchanged;

	NodeLease(NodeCalls node, LeaseRequest request) {
		this.node = node;
		this.request = request;
	}

	/**
	 * Request the lease.
	 * @param deadline the deadline of the answer
	 * @param wanted whether the attempt is still to be made after the preceding calls
	 */
	CompletableFuture<NodeAnswer<Attempt>> acquire(long deadline, BooleanSupplier wanted) {
		CompletableFuture<NodeAnswer<Attempt>> attempt = new CompletableFuture<>();
		if (!begin(attempt)) {
			attempt.complete(
					this.node.failed(new OutcomeUnknownException("an earlier attempt is still being released", null)));
			return attempt;
		}
		this.node.<Attempt>callAsync(deadline, (backend, timeout) -> {
			if (!wanted.getAsBoolean()) {
				throw new BackendUnavailableException("it was not called because the quorum was already decided", null);
			}
			return backend.tryAcquire(this.request, timeout);
		}).thenAccept((answer) -> {
			record(answer);
			attempt.complete(answer);
		});
		return attempt;
	}

	private synchronized boolean begin(CompletableFuture<?> attempt) {
		if (!this.last.isDone() || this.releaseMayArrive) {
			return false;
		}
		this.last = attempt;
		return true;
	}

	private synchronized void record(NodeAnswer<Attempt> answer) {
		this.attemptMayArrive |= answer.failure() instanceof OutcomeUnknownException;
		this.unchanged = answer.failure() instanceof BackendUnavailableException;
	}

	/**
	 * Release the lease after the call in progress, or join the release in progress.
	 * @param delayEndNanos the time at which others may acquire the lease
	 * @param timeout the timeout of one call
	 * @param ended run after the last call
	 * @return the answer to the first call, or to the last of a release in progress
	 */
	CompletableFuture<NodeAnswer<Boolean>> release(long delayEndNanos, Duration timeout, Runnable ended) {
		Release added = new Release(delayEndNanos, timeout);
		CompletableFuture<?> before;
		synchronized (this) {
			if (this.release != null) {
				return this.release.last.whenComplete((answer, failure) -> ended.run());
			}
			before = this.last;
			this.release = added;
			this.last = added.last;
		}
		added.last.thenRun(ended);
		before.thenRun(added::send);
		return added.first;
	}

	/**
	 * Return whether an attempt may still arrive, which must be released, or a release,
	 * which would undo a later attempt.
	 */
	synchronized boolean isInDoubt() {
		return this.attemptMayArrive || this.releaseMayArrive;
	}

	/**
	 * Release with its repetitions.
	 */
	private final class Release {

		/**
		 * Answer to the first call.
		 */
		private final CompletableFuture<NodeAnswer<Boolean>> first = new CompletableFuture<>();

		/**
		 * Answer to the last call.
		 */
		private final CompletableFuture<NodeAnswer<Boolean>> last = new CompletableFuture<>();

		private final long delayEndNanos;

		private final Duration timeout;

		/**
		 * Time at which the lease has expired.
		 */
		private final long leaseEndNanos;

		private int retries;

		Release(long delayEndNanos, Duration timeout) {
			this.delayEndNanos = delayEndNanos;
			this.timeout = timeout;
			this.leaseEndNanos = Deadline.after(NodeLease.this.request.terms().leaseTime().plus(timeout));
		}

		private void send() {
			long deadline = Deadline.after(this.timeout);
			NodeLease.this.node.callAsync(deadline, this::release).thenAccept((answer) -> {
				long pause = Math.min(MIN_PAUSE_NANOS << Math.min(this.retries, 10), MAX_PAUSE_NANOS);
				boolean again = isNeededAgain(answer) && System.nanoTime() + pause - this.leaseEndNanos < 0;
				if (!again || !NodeLease.this.node.retry(this::sendAgain, pause)) {
					end(answer);
				}
				this.first.complete(answer);
			});
		}

		private void sendAgain() {
			this.retries++;
			send();
		}

		private boolean release(LockBackend backend, Duration timeout) {
			long delay = this.delayEndNanos - System.nanoTime();
			return (delay > 0) ? backend.releaseWithDelay(NodeLease.this.request, Duration.ofNanos(delay), timeout)
					: backend.release(NodeLease.this.request, timeout);
		}

		private boolean isNeededAgain(NodeAnswer<Boolean> answer) {
			synchronized (NodeLease.this) {
				NodeLease.this.releaseMayArrive |= answer.failure() instanceof OutcomeUnknownException;
				if (Boolean.TRUE.equals(answer.value())) {
					return false;
				}
				return NodeLease.this.attemptMayArrive
						|| (answer.failure() != null && !NodeLease.this.unchanged && this.retries < RETRIES);
			}
		}

		private void end(NodeAnswer<Boolean> answer) {
			synchronized (NodeLease.this) {
				NodeLease.this.release = null;
				NodeLease.this.attemptMayArrive = false;
			}
			this.last.complete(answer);
		}

	}

}
