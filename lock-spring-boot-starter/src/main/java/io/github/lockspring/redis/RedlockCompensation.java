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
package io.github.lockspring.redis;

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
 * What one request may have under way on the nodes, so that its calls stay in order on
 * each of them:
 * <ol>
 * <li>A release waits for the attempt before it.</li>
 * <li>A release that fails is tried again; one after an attempt with an unknown outcome
 * is repeated until it finds the lease or the lease would have ended.</li>
 * <li>A node on which a release is under way, or may still arrive, is not asked for the
 * same request again: the release would take away what the later attempt got.</li>
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
	 * Asks the nodes for the lease.
	 * @param deadline when the answers must be there
	 * @param wanted whether a node that was not asked yet must still be asked
	 */
	RedlockQuorumCall<Attempt> acquire(long deadline, BooleanSupplier wanted) {
		RedlockQuorumCall<Attempt> poll = new RedlockQuorumCall<>();
		this.steps.forEach((step) -> poll.add(step.acquire(deadline, wanted)));
		return poll;
	}

	/**
	 * Gives the lease back on all nodes, in the background where they do not answer.
	 * @param rest how long the nodes are to keep others out, zero if not at all
	 * @param timeout how long one call to a node may take
	 * @return the answers of the nodes; those on which an attempt or a release is still
	 * under way give theirs when that is over
	 */
	RedlockQuorumCall<Boolean> release(Duration rest, Duration timeout) {
		RedlockQuorumCall<Boolean> poll = new RedlockQuorumCall<>();
		long restEndNanos = System.nanoTime() + rest.toNanos();
		this.steps.forEach((step) -> poll.add(step.release(restEndNanos, timeout)));
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
		private boolean attemptAtLarge;

		/**
		 * A release may still arrive.
		 */
		private boolean releaseAtLarge;

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
					.failed(new OutcomeUnknownException("an earlier attempt is still being given back", null)));
				return noted;
			}
			this.node.<Attempt>ask(RedlockCompensation.this.servers, deadline, (backend, timeout) -> {
				if (!wanted.getAsBoolean()) {
					throw new BackendUnavailableException("it was not asked, the others had decided", null);
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
			if (isBusy() || this.releaseAtLarge) {
				return false;
			}
			this.last = attempt;
			return true;
		}

		private synchronized void note(RedlockAnswer<Attempt> answer) {
			this.attemptAtLarge |= answer.failure() instanceof OutcomeUnknownException;
			this.untouched = answer.failure() instanceof BackendUnavailableException;
		}

		/**
		 * ReleaseRetrier after what is under way.
		 * @return the answer to the first call that is made, or to the last if a release
		 * is under way already
		 */
		CompletableFuture<RedlockAnswer<Boolean>> release(long restEndNanos, Duration timeout) {
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
			before.thenRun(() -> release(new Repetition(restEndNanos, timeout, end), 0, first));
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
			this.releaseAtLarge |= answer.failure() instanceof OutcomeUnknownException;
			if (Boolean.TRUE.equals(answer.value())) {
				return false;
			}
			return this.attemptAtLarge || (answer.failure() != null && !this.untouched && count < RETRIES);
		}

		private void end(RedlockAnswer<Boolean> answer, CompletableFuture<RedlockAnswer<Boolean>> end) {
			synchronized (this) {
				this.releasing = null;
				this.attemptAtLarge = false;
			}
			end.complete(answer);
			RedlockCompensation.this.settled.run();
		}

		synchronized boolean isBusy() {
			return !this.last.isDone();
		}

		synchronized boolean isSettled() {
			return this.last.isDone() && !this.attemptAtLarge && !this.releaseAtLarge;
		}

	}

	/**
	 * What is the same in all repetitions of a release.
	 */
	private final class Repetition {

		/**
		 * When others may get the lease.
		 */
		private final long restEndNanos;

		private final Duration timeout;

		private final CompletableFuture<RedlockAnswer<Boolean>> end;

		/**
		 * When the lease has ended by itself.
		 */
		private final long endNanos;

		Repetition(long restEndNanos, Duration timeout, CompletableFuture<RedlockAnswer<Boolean>> end) {
			this.restEndNanos = restEndNanos;
			this.timeout = timeout;
			this.end = end;
			this.endNanos = System.nanoTime()
					+ RedlockCompensation.this.request.terms().leaseTime().plus(timeout).toNanos();
		}

		boolean release(LockBackend backend, Duration timeout) {
			LeaseRequest request = RedlockCompensation.this.request;
			long rest = this.restEndNanos - System.nanoTime();
			return (rest > 0) ? backend.releaseWithDelay(request, Duration.ofNanos(rest), timeout)
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
