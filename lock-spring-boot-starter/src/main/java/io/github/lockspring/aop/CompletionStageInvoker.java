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
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;
import io.github.lockspring.engine.LossReaction;

/**
 * Invoker of methods whose work ends when the returned stage completes. The caller
 * receives a future immediately; the method is called in another thread when the lock is
 * held.
 */
final class CompletionStageInvoker implements LockedInvoker {

	private final TransactionBinding transactions;

	private final Executor executor;

	private final Supplier<TaskDecorator> decorator;

	/**
	 * Create an invoker.
	 * @param transactions the policy for calls inside a transaction
	 * @param executor the executor that runs the methods, never in the calling thread
	 * @param decorator supplies the decorator that propagates the context of the caller
	 * to the thread that runs the method
	 */
	CompletionStageInvoker(TransactionBinding transactions, Executor executor, Supplier<TaskDecorator> decorator) {
		this.transactions = transactions;
		this.executor = executor;
		this.decorator = decorator;
	}

	@Override
	public Object run(LockedMethod method, MethodInvocation invocation) {
		try {
			List<LockInvocation> lockInvocations = method.lockInvocationsOf(invocation);
			LockContext outer = LockContext.get();
			if (TransactionBinding.isOpen()) {
				lockInvocations.forEach((each) -> this.transactions.rejectIfConfigured(each, each.isHeldIn(outer)));
			}
			return new Invocation(method, DetachableInvocation.detach(invocation), lockInvocations, this.executor,
					this.decorator.get())
				.start(outer);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Single call of a method that returns a stage.
	 * <ol>
	 * <li>Acquire one lock after the other without blocking a thread.</li>
	 * <li>Call the method in a thread of the executor, in the context of the caller.</li>
	 * <li>When its stage has completed, release the locks, and then complete the caller's
	 * future.</li>
	 * <li>If the caller cancels its future, cancel the pending acquisition or the
	 * stage.</li>
	 * </ol>
	 */
	private static final class Invocation {

		private final LockedMethod method;

		private final MethodInvocation invocation;

		private final List<LockInvocation> lockInvocations;

		private final Executor executor;

		private final Runnable callerContext;

		private final CompletableFuture<@Nullable Object> promise = new CompletableFuture<>();

		private volatile CompletableFuture<?> awaited = this.promise;

		private volatile boolean running;

		private volatile boolean lost;

		/**
		 * Create a call for the current thread.
		 * @param method the method and its locks
		 * @param invocation the call, whose arguments are not shared
		 * @param lockInvocations the locks to acquire
		 * @param executor the executor of the method and of the code that replaces it,
		 * which never runs them in the calling thread
		 * @param decorator the decorator that propagates the context of the current
		 * thread to another one
		 */
		Invocation(LockedMethod method, MethodInvocation invocation, List<LockInvocation> lockInvocations,
				Executor executor, TaskDecorator decorator) {
			this.method = method;
			this.invocation = invocation;
			this.lockInvocations = lockInvocations;
			this.executor = executor;
			this.callerContext = StageBody.callerContext(decorator);
		}

		/**
		 * Start the acquisition.
		 * @param outer the locks held by the caller
		 * @return the future for the caller
		 */
		CompletableFuture<@Nullable Object> start(@Nullable LockContext outer) {
			this.promise.whenComplete((result, failure) -> cancelIfUnwanted());
			runUnder(0, outer, List.of()).whenComplete((result, failure) -> {
				if (failure != null) {
					this.promise.completeExceptionally(LockInvocation.reasonOf(failure));
				}
				else {
					this.promise.complete(result);
				}
			});
			return this.promise;
		}

		/**
		 * Cancel the pending acquisition or stage. A caller that completes the future,
		 * for example by a timeout, no longer needs the locks. Work that has begun
		 * continues unless it is cancelled.
		 */
		private void cancelIfUnwanted() {
			if (this.lost || (this.running ? this.promise.isCancelled() : this.promise.isDone())) {
				this.awaited.cancel(true);
			}
		}

		/**
		 * Acquire the locks starting at an index, and call the method.
		 * @param interrupting the locks held so far whose loss cancels the work
		 */
		private CompletableFuture<@Nullable Object> runUnder(int index, @Nullable LockContext outer,
				List<LockHandle> interrupting) {
			if (index == this.lockInvocations.size()) {
				return run(new StageBody(() -> runMethod(interrupting), outer));
			}
			LockInvocation lockInvocation = this.lockInvocations.get(index);
			CompletableFuture<LockHandle> acquired = lockInvocation.acquireAsync(outer);
			await(acquired);
			return acquired
				.handle((lock, failure) -> (failure != null)
						? denied(lockInvocation, LockInvocation.reasonOf(failure), index, outer, interrupting)
						: held(lockInvocation, lock, index, outer, interrupting))
				.thenCompose(Function.identity());
		}

		private void await(CompletableFuture<?> future) {
			this.awaited = future;
			cancelIfUnwanted();
		}

		private CompletableFuture<@Nullable Object> denied(LockInvocation lockInvocation, Throwable failure, int index,
				@Nullable LockContext outer, List<LockHandle> interrupting) {
			if (FailurePolicy.appliesTo(failure)) {
				this.running = true;
				FailurePolicy policy = lockInvocation.attributes().failurePolicy();
				MethodInvocation unlocked = new DelegatingInvocation(this.invocation,
						(call) -> runUnder(index + 1, outer, interrupting));
				StageBody substitute = new StageBody(() -> policy.resultOf(unlocked, (LockException) failure), outer);
				return policy.runsApplicationCode() ? run(substitute) : substitute.run();
			}
			return CompletableFuture.failedFuture(lockInvocation.lock().explain(failure));
		}

		private CompletableFuture<@Nullable Object> held(LockInvocation lockInvocation, LockHandle lock, int index,
				@Nullable LockContext outer, List<LockHandle> interrupting) {
			OnLost onLost = lockInvocation.attributes().onLost();
			return runHolding(lockInvocation, lock, index, outer, interrupting)
				.handle((result, failure) -> lock.closeAsync()
					.handle((none, loss) -> end(result, failure, loss, onLost))
					.thenCompose(Function.identity()))
				.thenCompose(Function.identity());
		}

		private CompletableFuture<@Nullable Object> runHolding(LockInvocation lockInvocation, LockHandle lock,
				int index, @Nullable LockContext outer, List<LockHandle> interrupting) {
			try {
				if (this.method.isOffered(lockInvocation.lock())) {
					this.method.offer(lock, this.invocation);
				}
				if (lockInvocation.attributes().onLost() == OnLost.INTERRUPT) {
					lock.onLost((LossReaction) this::cancelLost);
				}
				return runUnder(index + 1, LockUtils.context(lockInvocation.name(), lock, outer),
						lockInvocation.interrupting(interrupting, lock));
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		private void cancelLost() {
			this.lost = true;
			cancelIfUnwanted();
		}

		private static CompletableFuture<@Nullable Object> end(@Nullable Object result, @Nullable Throwable failed,
				@Nullable Throwable lost, OnLost onLost) {
			Throwable failure = (failed != null) ? LockInvocation.reasonOf(failed) : null;
			Throwable loss = (lost != null) ? LockInvocation.reasonOf(lost) : null;
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
		 * Run a body in another thread. The body is the pending future from now on, also
		 * after it has returned its stage.
		 */
		private CompletableFuture<@Nullable Object> run(StageBody body) {
			await(body);
			try {
				this.executor.execute(() -> {
					body.run(this.callerContext);
					await(body);
				});
			}
			catch (Throwable ex) {
				body.completeExceptionally(ex);
			}
			return body;
		}

		/**
		 * Call the method, unless the caller has completed its future or a lock was lost
		 * in the meantime. A lease can end before its callback is called, hence the
		 * checkpoints.
		 */
		private @Nullable Object runMethod(List<LockHandle> interrupting) throws Throwable {
			this.running = true;
			if (this.promise.isDone() || this.lost) {
				throw new CancellationException();
			}
			interrupting.forEach(LockHandle::checkpoint);
			return DetachableInvocation.detach(this.invocation).proceed();
		}

	}

}
