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

package io.github.lockspring.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;

import io.github.lockspring.DistributedLock.OnLost;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;

/**
 * One call of a method that returns a stage.
 * <ol>
 * <li>Acquire one lock after the other, without a thread that waits.</li>
 * <li>Call the method, in the surroundings of the caller.</li>
 * <li>When its stage has completed, give the locks back, and then complete the caller's
 * future.</li>
 * <li>If the caller cancels its future, cancel what is waited for: the acquisition, or
 * the stage.</li>
 * </ol>
 */
final class StageCall {

	private final LockedMethod method;

	private final MethodInvocation invocation;

	private final List<LockClaim> claims;

	private final CompletableFuture<@Nullable Object> promise = new CompletableFuture<>();

	private volatile CompletableFuture<?> awaited = this.promise;

	private volatile boolean running;

	private volatile boolean lost;

	private @Nullable LockContext context;

	private Runnable body = this::runBody;

	private @Nullable CompletableFuture<@Nullable Object> result;

	StageCall(LockedMethod method, MethodInvocation invocation, List<LockClaim> claims) {
		this.method = method;
		this.invocation = invocation;
		this.claims = claims;
	}

	/**
	 * Starts to acquire.
	 * @param outer what the caller holds
	 * @param decorator carries the surroundings of the caller to another thread
	 * @return the future for the caller
	 */
	CompletableFuture<@Nullable Object> start(@Nullable LockContext outer, TaskDecorator decorator) {
		this.body = decorator.decorate(this.body);
		this.promise.whenComplete((result, failure) -> cancelIfUnwanted());
		runUnder(0, outer, List.of()).whenComplete((result, failure) -> {
			if (failure != null) {
				this.promise.completeExceptionally(Invocations.reasonOf(failure));
			}
			else {
				this.promise.complete(result);
			}
		});
		return this.promise;
	}

	private void cancelIfUnwanted() {
		if (isUnwanted()) {
			this.awaited.cancel(true);
		}
	}

	/**
	 * Whoever completes the future, for example with a time-out, does not want the locks
	 * any more. Work that has begun goes on unless it is cancelled.
	 */
	private boolean isUnwanted() {
		return this.lost || (this.running ? this.promise.isCancelled() : this.promise.isDone());
	}

	/**
	 * Acquires the locks from an index on, and calls the method.
	 * @param interrupting the locks held so far whose loss ends the work
	 */
	private CompletableFuture<@Nullable Object> runUnder(int index, @Nullable LockContext outer,
			List<LockHandle> interrupting) {
		if (index == this.claims.size()) {
			return run(outer, interrupting);
		}
		LockClaim claim = this.claims.get(index);
		CompletableFuture<LockHandle> acquired = claim.acquireAsync(outer);
		await(acquired);
		return acquired
			.handle((lock, failure) -> (failure != null)
					? denied(claim, Invocations.reasonOf(failure), index, outer, interrupting)
					: held(claim, lock, index, outer, interrupting))
			.thenCompose(Function.identity());
	}

	private void await(CompletableFuture<?> future) {
		this.awaited = future;
		cancelIfUnwanted();
	}

	private CompletableFuture<@Nullable Object> denied(LockClaim claim, Throwable failure, int index,
			@Nullable LockContext outer, List<LockHandle> interrupting) {
		if (failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException) {
			this.running = true;
			MethodInvocation unlocked = new UnlockedInvocation(this.invocation,
					() -> runUnder(index + 1, outer, interrupting));
			CompletableFuture<@Nullable Object> substitute = resultOf(
					() -> claim.attributes().failurePolicy().resultOf(unlocked, (LockException) failure));
			await(substitute);
			return substitute;
		}
		return CompletableFuture.failedFuture(failure);
	}

	private CompletableFuture<@Nullable Object> held(LockClaim claim, LockHandle lock, int index,
			@Nullable LockContext outer, List<LockHandle> interrupting) {
		if (this.method.isOffered(claim.lock())) {
			this.method.offer(lock, this.invocation);
		}
		OnLost onLost = claim.attributes().onLost();
		if (onLost == OnLost.INTERRUPT) {
			lock.onLost(this::cancelLost);
		}
		CompletableFuture<@Nullable Object> inner = runUnder(index + 1, new LockContext(claim.name(), lock, outer),
				claim.interrupting(interrupting, lock));
		return inner
			.handle((result, failure) -> lock.closeAsync()
				.handle((none, loss) -> end(result, failure, loss, onLost))
				.thenCompose(Function.identity()))
			.thenCompose(Function.identity());
	}

	private void cancelLost() {
		this.lost = true;
		cancelIfUnwanted();
	}

	private static CompletableFuture<@Nullable Object> end(@Nullable Object result, @Nullable Throwable failed,
			@Nullable Throwable lost, OnLost onLost) {
		Throwable failure = (failed != null) ? Invocations.reasonOf(failed) : null;
		Throwable loss = (lost != null) ? Invocations.reasonOf(lost) : null;
		if (loss == null || onLost == OnLost.REPORT) {
			return (failure != null) ? CompletableFuture.failedFuture(failure)
					: CompletableFuture.completedFuture(result);
		}
		if (failure == null || (onLost == OnLost.INTERRUPT && failure instanceof CancellationException)) {
			return CompletableFuture.failedFuture(loss);
		}
		failure.addSuppressed(loss);
		return CompletableFuture.failedFuture(failure);
	}

	/**
	 * A lock may be over before anybody is told, hence the look at those that count.
	 */
	private CompletableFuture<@Nullable Object> run(@Nullable LockContext context, List<LockHandle> interrupting) {
		if (isUnwanted()) {
			return CompletableFuture.failedFuture(new CancellationException());
		}
		try {
			interrupting.forEach(LockHandle::checkpoint);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		this.context = context;
		this.running = true;
		CompletableFuture<@Nullable Object> ended = runBodyInSurroundings();
		await(ended);
		return ended;
	}

	/**
	 * If the surroundings fail, the locks are still held until the stage has completed.
	 */
	private CompletableFuture<@Nullable Object> runBodyInSurroundings() {
		Throwable failure = null;
		try {
			this.body.run();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		CompletableFuture<@Nullable Object> result = this.result;
		if (result == null) {
			return CompletableFuture.failedFuture((failure != null) ? failure
					: new IllegalStateException("The TaskDecorator did not run the method"));
		}
		Throwable thrown = failure;
		return (thrown != null) ? result.thenCompose((value) -> CompletableFuture.failedFuture(thrown)) : result;
	}

	private void runBody() {
		try (LockContext.Part part = LockContext.begin(this.context)) {
			this.result = resultOf(this.invocation::proceed);
		}
	}

	private static CompletableFuture<@Nullable Object> resultOf(Work work) {
		try {
			Object result = work.run();
			return (result instanceof CompletionStage<?> stage) ? futureOf(stage)
					: CompletableFuture.completedFuture(result);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * The stage itself if it is a future, so that cancelling ends the work before anybody
	 * learns of the end.
	 */
	@SuppressWarnings("unchecked")
	private static CompletableFuture<@Nullable Object> futureOf(CompletionStage<?> stage) {
		if (stage instanceof CompletableFuture<?> future) {
			return (CompletableFuture<@Nullable Object>) future.toCompletableFuture();
		}
		CompletableFuture<@Nullable Object> copy = new CompletableFuture<>();
		stage.whenComplete((result, failure) -> {
			if (failure != null) {
				copy.completeExceptionally(failure);
			}
			else {
				copy.complete(result);
			}
		});
		return copy;
	}

	/**
	 * What may fail and may return a stage.
	 */
	@FunctionalInterface
	private interface Work {

		@Nullable Object run() throws Throwable;

	}

}
