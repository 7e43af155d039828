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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;

/**
 * Calls of one request that may be in progress on the nodes, kept in order on each of
 * them:
 * <ol>
 * <li>A release waits for the attempt before it.</li>
 * <li>A release that fails is retried; one after an attempt with an unknown outcome is
 * repeated until it finds the lease or the lease would have ended.</li>
 * <li>A node on which a release is in progress, or may still arrive, is not called for
 * the same request again: the release would undo the later attempt.</li>
 * </ol>
 */
final class RedlockCompensation {

	private static final int RETRIES = 5;

	private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

	private final RedlockNodeIdentities servers;

	private final LeaseRequest request;

	private final List<Step> steps;

	private final Runnable settled;

	/**
	 * How many calls use this now. Written by {@link RedlockCompensations} only.
	 */
	int users;

	/**
	 * When a call used this last. Written by {@link RedlockCompensations} only.
	 */
	long usedNanos;

	RedlockCompensation(RedlockNodeIdentities servers, LeaseRequest request, List<RedlockNode> nodes,
			RedlockCompensations trails) {
		this.servers = servers;
		this.request = request;
		this.steps = nodes.stream().map(Step::new).toList();
		this.settled = () -> trails.settle(this);
	}

	LeaseRequest request() {
		return this.request;
	}

	/**
	 * Request the lease from the nodes.
	 * @param deadline the deadline of the answers
	 * @param wanted whether a node that was not called yet must still be called
	 */
	RedlockQuorumCall<Attempt> acquire(long deadline, BooleanSupplier wanted) {
		RedlockQuorumCall<Attempt> poll = new RedlockQuorumCall<>();
		this.steps.forEach((step) -> poll.add(step.acquire(deadline, wanted)));
		return poll;
	}

	/**
	 * Release the lease on all nodes, in the background where they do not answer.
	 * @param delay how long the key remains locked on the nodes, zero if not at all
	 * @param timeout how long one call to a node may take
	 * @return the answers of the nodes; nodes on which an attempt or a release is still
	 * in progress answer when that has ended
	 */
	RedlockQuorumCall<Boolean> release(Duration delay, Duration timeout) {
		RedlockQuorumCall<Boolean> poll = new RedlockQuorumCall<>();
		long delayEndNanos = System.nanoTime() + delay.toNanos();
		this.steps.forEach((step) -> poll.add(step.release(delayEndNanos, timeout)));
		return poll;
	}

	/**
	 * How many nodes have an attempt or a release under way.
	 */
	int busy() {
		return (int) this.steps.stream().filter(Step::isBusy).count();
	}

	boolean isSettled() {
		return this.steps.stream().allMatch(Step::isSettled);
	}

	/**
	 * The calls to one node.
	 */
	private final class Step {

		private final RedlockNode node;

		/**
		 * Ends with the last call.
		 */
		private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

		/**
		 * The release that is under way.
		 */
		private @Nullable CompletableFuture<RedlockAnswer<Boolean>> releasing;

		/**
		 * An attempt may still arrive.
		 */
		private boolean attemptMayArrive;

		/**
		 * A release may still arrive.
		 */
		private boolean releaseMayArrive;

		/**
		 * The last attempt changed nothing.
		 */
		private boolean untouched;

		Step(RedlockNode node) {
			this.node = node;
		}

		CompletableFuture<RedlockAnswer<Attempt>> acquire(long deadline, BooleanSupplier wanted) {
			CompletableFuture<RedlockAnswer<Attempt>> noted = new CompletableFuture<>();
			if (!begin(noted)) {
				noted.complete(this.node
					.failed(new OutcomeUnknownException("an earlier attempt is still being released", null)));
				return noted;
			}
			this.node.<Attempt>ask(RedlockCompensation.this.servers, deadline, (backend, timeout) -> {
				if (!wanted.getAsBoolean()) {
					throw new BackendUnavailableException("it was not called because the quorum was already decided",
							null);
				}
				return backend.tryAcquire(RedlockCompensation.this.request, timeout);
			}).thenAccept((answer) -> {
				note(answer);
				noted.complete(answer);
				RedlockCompensation.this.settled.run();
			});
			return noted;
		}

		private synchronized boolean begin(CompletableFuture<?> attempt) {
			if (isBusy() || this.releaseMayArrive) {
				return false;
			}
			this.last = attempt;
			return true;
		}

		private synchronized void note(RedlockAnswer<Attempt> answer) {
			this.attemptMayArrive |= answer.failure() instanceof OutcomeUnknownException;
			this.untouched = answer.failure() instanceof BackendUnavailableException;
		}

		/**
		 * ReleaseRetrier after what is under way.
		 * @return the answer to the first call that is made, or to the last if a release
		 * is under way already
		 */
		CompletableFuture<RedlockAnswer<Boolean>> release(long delayEndNanos, Duration timeout) {
			CompletableFuture<RedlockAnswer<Boolean>> first = new CompletableFuture<>();
			CompletableFuture<RedlockAnswer<Boolean>> end = new CompletableFuture<>();
			CompletableFuture<?> before;
			synchronized (this) {
				if (this.releasing != null) {
					return this.releasing;
				}
				before = this.last;
				this.last = end;
				this.releasing = end;
			}
			before.thenRun(() -> release(new Repetition(delayEndNanos, timeout, end), 0, first));
			return first;
		}

		private void release(Repetition repetition, int count, CompletableFuture<RedlockAnswer<Boolean>> first) {
			long deadline = System.nanoTime() + repetition.timeout().toNanos();
			this.node.ask(RedlockCompensation.this.servers, deadline, repetition::release).thenAccept((answer) -> {
				long pause = Math.min(SHORTEST_PAUSE_NANOS << Math.min(count, 10), LONGEST_PAUSE_NANOS);
				boolean again = isNeededAgain(answer, count) && repetition.isInTime(pause);
				if (!again || !this.node.retry(() -> release(repetition, count + 1, first), pause)) {
					end(answer, repetition.end());
				}
				first.complete(answer);
			});
		}

		private synchronized boolean isNeededAgain(RedlockAnswer<Boolean> answer, int count) {
			this.releaseMayArrive |= answer.failure() instanceof OutcomeUnknownException;
			if (Boolean.TRUE.equals(answer.value())) {
				return false;
			}
			return this.attemptMayArrive || (answer.failure() != null && !this.untouched && count < RETRIES);
		}

		private void end(RedlockAnswer<Boolean> answer, CompletableFuture<RedlockAnswer<Boolean>> end) {
			synchronized (this) {
				this.releasing = null;
				this.attemptMayArrive = false;
			}
			end.complete(answer);
			RedlockCompensation.this.settled.run();
		}

		synchronized boolean isBusy() {
			return !this.last.isDone();
		}

		synchronized boolean isSettled() {
			return this.last.isDone() && !this.attemptMayArrive && !this.releaseMayArrive;
		}

	}

	/**
	 * What is the same in all repetitions of a release.
	 */
	private final class Repetition {

		/**
		 * When others may get the lease.
		 */
		private final long delayEndNanos;

		private final Duration timeout;

		private final CompletableFuture<RedlockAnswer<Boolean>> end;

		/**
		 * When the lease has ended by itself.
		 */
		private final long endNanos;

		Repetition(long delayEndNanos, Duration timeout, CompletableFuture<RedlockAnswer<Boolean>> end) {
			this.delayEndNanos = delayEndNanos;
			this.timeout = timeout;
			this.end = end;
			this.endNanos = System.nanoTime()
					+ RedlockCompensation.this.request.terms().leaseTime().plus(timeout).toNanos();
		}

		boolean release(LockBackend backend, Duration timeout) {
			LeaseRequest request = RedlockCompensation.this.request;
			long delay = this.delayEndNanos - System.nanoTime();
			return (delay > 0) ? backend.releaseWithDelay(request, Duration.ofNanos(delay), timeout)
					: backend.release(request, timeout);
		}

		Duration timeout() {
			return this.timeout;
		}

		CompletableFuture<RedlockAnswer<Boolean>> end() {
			return this.end;
		}

		boolean isInTime(long pauseNanos) {
			return System.nanoTime() + pauseNanos - this.endNanos < 0;
		}

	}

}
