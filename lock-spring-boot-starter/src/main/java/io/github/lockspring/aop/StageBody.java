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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.WorkPart;

/**
 * Body of a method that returns a stage, or of the code that replaces it, and the future
 * of its result. It completes with the value that the body returns, or with the result of
 * the stage that the body returns. If it is cancelled, that stage is cancelled as well;
 * this future is cancelled even if the stage does not support it, but not before the body
 * has returned.
 */
final class StageBody extends CompletableFuture<@Nullable Object> {

	private static final Log logger = LogFactory.getLog(StageBody.class);

	private static final ThreadLocal<@Nullable StageBody> CURRENT = new ThreadLocal<>();

	private final Work work;

	private final @Nullable LockContext locks;

	private volatile @Nullable CompletionStage<?> stage;

	private State state = State.NEW;

	/**
	 * Create a body that has not run yet.
	 * @param work the code to run
	 * @param locks the locks that the code holds
	 */
	StageBody(Work work, @Nullable LockContext locks) {
		this.work = work;
		this.locks = locks;
	}

	/**
	 * Capture the context of the current thread.
	 * @param decorator the decorator that propagates the context to another thread
	 * @return a task that runs a body in that context
	 * @see #run(Runnable)
	 */
	static Runnable callerContext(TaskDecorator decorator) {
		return decorator.decorate(() -> {
			StageBody body = CURRENT.get();
			if (body != null) {
				body.call();
			}
		});
	}

	/**
	 * Run the body in the current thread, unless it was cancelled before. If the
	 * propagation of the context fails, the future fails when the stage has completed.
	 * @param callerContext the context that was captured when the method was called
	 */
	void run(Runnable callerContext) {
		if (isDone() || change(State.NEW, State.RUNNING) != State.NEW) {
			return;
		}
		Throwable failure = null;
		CURRENT.set(this);
		try {
			callerContext.run();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			CURRENT.remove();
		}
		follow(failure);
	}

	/**
	 * Run the body in the current thread, without the context of the caller.
	 */
	StageBody run() {
		change(State.NEW, State.RUNNING);
		call();
		follow(null);
		return this;
	}

	private void call() {
		try (WorkPart part = LockUtils.begin(this.locks)) {
			Object result = this.work.run();
			this.stage = (result instanceof CompletionStage<?> returned) ? returned
					: CompletableFuture.completedFuture(result);
		}
		catch (Throwable ex) {
			this.stage = CompletableFuture.failedFuture(ex);
		}
	}

	private void follow(@Nullable Throwable failure) {
		boolean unwanted = change(State.RUNNING, State.RETURNED) == State.UNWANTED;
		CompletionStage<?> stage = this.stage;
		if (stage == null) {
			completeExceptionally((failure != null) ? failure
					: new IllegalStateException("The TaskDecorator did not run the method in its thread"));
			return;
		}
		try {
			stage.whenComplete((result, thrown) -> end(result, (failure != null) ? failure : thrown));
		}
		catch (Throwable ex) {
			completeExceptionally(ex);
		}
		if (unwanted) {
			cancelStage();
			super.cancel(true);
		}
	}

	private void end(@Nullable Object result, @Nullable Throwable failure) {
		if (failure != null) {
			completeExceptionally(failure);
		}
		else {
			complete(result);
		}
	}

	/**
	 * Cancel the stage first, so that the work has ended before this future completes. If
	 * the body runs in another thread, that is done when it returns.
	 */
	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		change(State.NEW, State.RETURNED);
		if (change(State.RUNNING, State.UNWANTED) != State.RETURNED) {
			return false;
		}
		cancelStage();
		return super.cancel(mayInterruptIfRunning);
	}

	/**
	 * Change the state, if it is the expected one.
	 * @return the state before
	 */
	private synchronized State change(State expected, State next) {
		State before = this.state;
		this.state = (before == expected) ? next : before;
		return before;
	}

	private void cancelStage() {
		try {
			if (this.stage instanceof Future<?> future) {
				future.cancel(true);
			}
		}
		catch (Throwable ex) {
			logger.warn("Could not cancel the stage of a cancelled call; its lock is released", ex);
		}
	}

	/**
	 * Whether the body runs, and still has to.
	 */
	private enum State {

		NEW, RUNNING, UNWANTED, RETURNED

	}

	/**
	 * Code that may throw any exception and may return a stage.
	 */
	@FunctionalInterface
	interface Work {

		@Nullable Object run() throws Throwable;

	}

}
