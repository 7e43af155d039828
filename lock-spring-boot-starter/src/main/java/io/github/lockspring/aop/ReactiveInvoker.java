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
import java.util.function.Function;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.WorkPart;
import io.github.lockspring.aop.NestedProxiesInvoker.GuardedInvocation;

/**
 * Invoker of methods whose work ends when the returned stream completes, fails or is
 * cancelled. Each subscription acquires the locks, calls the method, and releases the
 * locks before the terminal signal is passed to the subscriber.
 */
final class ReactiveInvoker implements LockedInvoker {

	private final TransactionBinding transactions;

	ReactiveInvoker(TransactionBinding transactions) {
		this.transactions = transactions;
	}

	@Override
	public Object run(LockedMethod method, MethodInvocation invocation) {
		ReactiveAdapter adapter = method.returnType().adapter();
		MethodInvocation later = DetachableInvocation.detach(invocation);
		Publisher<?> result = method.returnType().isSeveral()
				? Flux.deferContextual((context) -> Flux.from(subscribe(method, later, context)))
				: Mono.deferContextual((context) -> Mono.from(subscribe(method, later, context)));
		return (adapter != null) ? adapter.fromPublisher(result) : result;
	}

	private Publisher<?> subscribe(LockedMethod method, MethodInvocation invocation, ContextView context) {
		try {
			return prepare(method, invocation, context);
		}
		catch (Throwable ex) {
			return failed(method, ex);
		}
	}

	/**
	 * Return a stream that fails, of the type of the method: a conversion of another type
	 * would throw the failure instead of signalling it.
	 */
	static Publisher<?> failed(LockedMethod method, Throwable failure) {
		return method.returnType().isSeveral() ? Flux.error(failure) : Mono.error(failure);
	}

	private Publisher<?> prepare(LockedMethod method, MethodInvocation invocation, ContextView context) {
		LockContext outer = context.getOrDefault(LockContext.class, LockContext.get());
		MethodInvocation call = DetachableInvocation.detach(invocation);
		if (NestedProxiesInvoker.isGuarded(call, context.getOrDefault(NestedProxiesInvoker.class, null))) {
			return new Invocation(method, call, List.of(), null).runUnder(0, outer, List.of());
		}
		List<LockInvocation> lockInvocations = method.lockInvocationsOf(call);
		ReactiveTransaction transaction = ReactiveTransaction.of(context);
		if (transaction != null) {
			lockInvocations.forEach((each) -> this.transactions.requireAllowed(each, each.isHeldIn(outer)));
		}
		return new Invocation(method, call, lockInvocations, transaction).runUnder(0, outer, List.of());
	}

	/**
	 * Return the result of a method or a policy as a stream.
	 */
	static Publisher<?> publisherOf(@Nullable Object result) {
		if (result == null) {
			return Mono.empty();
		}
		if (result instanceof Publisher<?> publisher) {
			return publisher;
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass(), result);
		return (adapter != null) ? adapter.toPublisher(result) : Mono.just(result);
	}

	/**
	 * Single subscription to the result of a method.
	 * <ol>
	 * <li>Acquire one lock after the other without blocking a thread.</li>
	 * <li>Call the method and subscribe to its stream, with the locks in the
	 * context.</li>
	 * <li>When the stream has completed, failed or was cancelled, release the locks, and
	 * then pass the terminal signal to the subscriber.</li>
	 * </ol>
	 */
	private static final class Invocation {

		private final LockedMethod method;

		private final MethodInvocation invocation;

		private final List<LockInvocation> lockInvocations;

		private final @Nullable ReactiveTransaction transaction;

		Invocation(LockedMethod method, MethodInvocation invocation, List<LockInvocation> lockInvocations,
				@Nullable ReactiveTransaction transaction) {
			this.method = method;
			this.invocation = invocation;
			this.lockInvocations = lockInvocations;
			this.transaction = transaction;
		}

		/**
		 * Acquire the locks starting at an index, and call the method.
		 * @param index the index of the next lock
		 * @param outer the locks that are held already
		 * @param interrupting the locks held so far whose loss cancels the stream
		 * @return the stream, which ends after the locks were released
		 */
		Publisher<?> runUnder(int index, @Nullable LockContext outer, List<LockHandle> interrupting) {
			if (index == this.lockInvocations.size()) {
				return run(outer, interrupting);
			}
			ReactiveHold hold = new ReactiveHold(this.lockInvocations.get(index), outer, this.transaction);
			if (this.method.returnType().isSeveral()) {
				return Flux
					.<Object, ReactiveHold>usingWhen(hold.acquire(),
							(acquired) -> runUnder(acquired, index, interrupting), ReactiveHold::release,
							ReactiveHold::releaseAfter, ReactiveHold::release)
					.concatWith(hold.end());
			}
			return Mono
				.<Object, ReactiveHold>usingWhen(hold.acquire(),
						(acquired) -> Mono.from(runUnder(acquired, index, interrupting)), ReactiveHold::release,
						ReactiveHold::releaseAfter, ReactiveHold::release)
				.flatMap((result) -> hold.end().defaultIfEmpty(result))
				.switchIfEmpty(hold.end());
		}

		/**
		 * Continue with the next lock. Any throwable fails the stream from here on, so
		 * that the lock is released.
		 */
		private Publisher<?> runUnder(ReactiveHold hold, int index, List<LockHandle> interrupting) {
			hold.take();
			LockException denial = hold.denial();
			if (denial != null) {
				return denied(hold, denial, index, interrupting);
			}
			if (this.method.isOffered(hold.lockInvocation().lock())) {
				this.method.offer(hold.lock(), this.invocation);
			}
			Mono<Object> loss = hold.endsOnLoss() ? hold.loss() : Mono.never();
			Publisher<?> stream = runUnder(index + 1, hold.context(),
					hold.lockInvocation().interrupting(interrupting, hold.lock()));
			return failing(hold.endsOnLoss() ? untilLoss(stream, loss) : stream);
		}

		private Publisher<?> failing(Publisher<?> stream) {
			Publisher<?> failing = new FailingPublisher(stream);
			return this.method.returnType().isSeveral() ? Flux.from(failing) : Mono.fromDirect(failing);
		}

		private Publisher<?> denied(ReactiveHold hold, LockException failure, int index,
				List<LockHandle> interrupting) {
			MethodInvocation unlocked = new UnlockedInvocation(this.invocation,
					() -> runOthers(hold, index + 1, interrupting));
			try {
				return publisherOf(hold.lockInvocation().attributes().failurePolicy().resultOf(unlocked, failure));
			}
			catch (Throwable ex) {
				return failed(this.method, ex);
			}
		}

		private Object runOthers(ReactiveHold hold, int index, List<LockHandle> interrupting) {
			ReactiveAdapter adapter = this.method.returnType().adapter();
			Publisher<?> stream = runUnder(index, hold.outer(), interrupting);
			return (adapter != null) ? adapter.fromPublisher(stream) : stream;
		}

		/**
		 * Cancel a stream when the lock is lost. The signal of the loss completes and
		 * never fails, because the stream would not be cancelled by a failure.
		 */
		private Publisher<?> untilLoss(Publisher<?> stream, Mono<Object> loss) {
			return this.method.returnType().isSeveral() ? Flux.from(stream).takeUntilOther(loss)
					: Mono.from(stream).takeUntilOther(loss);
		}

		/**
		 * Call the method. A lease can end before its callback is called, hence the
		 * checkpoints.
		 */
		private Publisher<?> run(@Nullable LockContext context, List<LockHandle> interrupting) {
			try (WorkPart part = LockUtils.begin(context)) {
				interrupting.forEach(LockHandle::checkpoint);
				if (context != null && this.method.returnType().kind() == ReturnType.Kind.SUSPENDING) {
					CoroutineLocks.addTo(this.invocation, context);
				}
				Publisher<?> stream = publisherOf(DetachableInvocation.detach(this.invocation).proceed());
				Object guarded = (this.invocation instanceof GuardedInvocation call) ? call.proxy() : null;
				return (context != null || guarded != null) ? inContext(stream, context, guarded) : stream;
			}
			catch (Throwable ex) {
				return failed(this.method, ex);
			}
		}

		private Publisher<?> inContext(Publisher<?> stream, @Nullable LockContext locks, @Nullable Object guarded) {
			Function<Context, Context> addition = (context) -> context.putNonNull(LockContext.class, locks)
				.delete(NestedProxiesInvoker.class)
				.putNonNull(NestedProxiesInvoker.class, guarded);
			return this.method.returnType().isSeveral() ? Flux.from(stream).contextWrite(addition)
					: Mono.from(stream).contextWrite(addition);
		}

	}

}
