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

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;
import io.github.lockspring.engine.LossReaction;

/**
 * Lock that is acquired, held and released by a single subscription. A release never
 * fails, so that it does not replace the result of the work: its failure is reported
 * afterwards.
 */
final class ReactiveHold {

	private final LockInvocation lockInvocation;

	private final @Nullable LockContext outer;

	private final @Nullable ReactiveTransaction transaction;

	private volatile @Nullable LockHandle lock;

	private volatile boolean taken;

	private volatile @Nullable LockException denial;

	private volatile @Nullable Throwable failure;

	/**
	 * Create a hold that is not acquired yet.
	 * @param lockInvocation the lock to acquire
	 * @param outer the locks that are held already
	 * @param transaction the transaction that releases the lock when it has completed, or
	 * {@code null}
	 */
	ReactiveHold(LockInvocation lockInvocation, @Nullable LockContext outer,
			@Nullable ReactiveTransaction transaction) {
		this.lockInvocation = lockInvocation;
		this.outer = outer;
		this.transaction = transaction;
	}

	/**
	 * Acquire the lock without blocking a thread.
	 * @return this hold, acquired or denied; an error for failures that the failure
	 * policy does not apply to
	 */
	Mono<ReactiveHold> acquire() {
		return Mono.create((sink) -> {
			CompletableFuture<LockHandle> acquired = this.lockInvocation
				.acquireAsync((this.transaction != null) ? this.transaction.locks(this.outer) : this.outer);
			sink.onCancel(() -> acquired.cancel(true));
			acquired.whenComplete((lock, failure) -> {
				if (failure != null) {
					denied(LockInvocation.reasonOf(failure), sink);
				}
				else {
					held(lock, sink);
				}
			});
		});
	}

	private void denied(Throwable failure, MonoSink<ReactiveHold> sink) {
		if (FailurePolicy.appliesTo(failure)) {
			this.denial = (LockException) failure;
			sink.success(this);
		}
		else {
			sink.error(this.lockInvocation.lock().explain(failure));
		}
	}

	/**
	 * Pass the lock to the subscriber, or release it. A sink that is cancelled
	 * concurrently drops its value without a signal.
	 */
	private void held(LockHandle lock, MonoSink<ReactiveHold> sink) {
		try {
			if (this.transaction != null) {
				this.transaction.keep(this.lockInvocation.name(), lock, this.lockInvocation.attributes().onLost());
			}
			this.lock = lock;
		}
		catch (Throwable ex) {
			sink.error(ex);
			return;
		}
		try {
			sink.success(this);
		}
		finally {
			if (!this.taken && this.transaction == null) {
				lock.closeAsync();
			}
		}
	}

	/**
	 * Mark the lock as received by the subscriber, which releases it.
	 */
	void take() {
		this.taken = true;
	}

	/**
	 * Return the locks that were held before.
	 */
	@Nullable LockContext outer() {
		return this.outer;
	}

	LockInvocation lockInvocation() {
		return this.lockInvocation;
	}

	/**
	 * Return the reason why the lock is not held, or {@code null} if it is held.
	 */
	@Nullable LockException denial() {
		return this.denial;
	}

	LockHandle lock() {
		return Objects.requireNonNull(this.lock, "Not acquired");
	}

	/**
	 * Return the chain of held locks, including this one.
	 */
	LockContext context() {
		return LockUtils.context(this.lockInvocation.name(), lock(), this.outer);
	}

	/**
	 * Return whether a loss of the lock cancels the work.
	 */
	boolean endsOnLoss() {
		return this.lockInvocation.attributes().onLost() == OnLost.INTERRUPT;
	}

	/**
	 * Return a signal of the loss of the lock.
	 * @return a mono that completes when the lock is lost, and never fails, because a
	 * failure would not cancel the stream; the loss is reported by {@link #end()}
	 */
	Mono<Object> loss() {
		Sinks.Empty<Object> loss = Sinks.empty();
		lock().onLost((LossReaction) loss::tryEmitEmpty);
		return loss.asMono();
	}

	/**
	 * Release the lock, if it was acquired and no transaction keeps it.
	 * @return a mono that completes when the lock is released; never fails
	 */
	Mono<Void> release() {
		LockHandle lock = this.lock;
		return (lock == null || this.transaction != null) ? Mono.empty()
				: Mono.fromFuture(lock::closeAsync, true).onErrorResume((failure) -> {
					this.failure = failure;
					return Mono.empty();
				});
	}

	/**
	 * Release the lock after the work has failed.
	 * @param reason the failure of the work, to which a loss is added as a suppressed
	 * exception
	 * @return a mono that completes when the lock is released; never fails
	 */
	Mono<Void> releaseAfter(Throwable reason) {
		return release().then(Mono.fromRunnable(() -> {
			Throwable failure = toBeReported();
			if (failure != null) {
				reason.addSuppressed(failure);
			}
		}));
	}

	/**
	 * Return an error if the lock was lost and the loss is to be reported.
	 * @param <T> the element type
	 * @return an empty mono, or the failure
	 */
	<T> Mono<T> end() {
		return Mono.defer(() -> {
			Throwable failure = toBeReported();
			return (failure != null) ? Mono.error(failure) : Mono.empty();
		});
	}

	private @Nullable Throwable toBeReported() {
		return (this.lockInvocation.attributes().onLost() != OnLost.REPORT) ? this.failure : null;
	}

}
