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

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.WorkPart;
import io.github.lockspring.aop.StageBody.Work;

/**
 * Invoker of methods whose work ends when the returned stream completes, fails or is
 * cancelled. Each subscription acquires the locks, calls the method, and releases the
 * locks before the terminal signal is passed to the subscriber. A single result is passed
 * with that signal, so that it is replaced by a loss.
 */
final class ReactiveInvoker implements LockedInvoker {

	private final TransactionBinding transactions;

	ReactiveInvoker(TransactionBinding transactions) {
		this.transactions = transactions;
	}

	@Override
	public Object run(LockedMethod method, MethodInvocation invocation) {
		MethodInvocation later = DetachableInvocation.detach(invocation);
		return resultOf(Flux.deferContextual((context) -> subscribe(method, later, context)), method.returnType());
	}

	private static Object resultOf(Flux<?> stream, ReturnType type) {
		Publisher<?> result = type.isSeveral() ? stream : stream.singleOrEmpty();
		ReactiveAdapter adapter = type.adapter();
		return (adapter != null) ? adapter.fromPublisher(result) : result;
	}

	private Flux<?> subscribe(LockedMethod method, MethodInvocation invocation, ContextView context) {
		try {
			return prepare(method, invocation, context);
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	private Flux<?> prepare(LockedMethod method, MethodInvocation invocation, ContextView context) {
		LockContext outer = context.getOrDefault(LockContext.class, LockContext.get());
		MethodInvocation call = DetachableInvocation.detach(invocation);
		if (NestedProxiesInvoker.isGuarded(call, context.getOrDefault(NestedProxiesInvoker.class, null))) {
			return new Invocation(method, call, List.of(), null).runUnder(0, outer, List.of());
		}
		List<LockInvocation> lockInvocations = method.lockInvocationsOf(call);
		ReactiveTransaction transaction = ReactiveTransaction.of(context);
		if (transaction != null) {
			LockContext held = transaction.locks(outer);
			lockInvocations.forEach((each) -> this.transactions.requireAllowed(each, each.isHeldIn(held)));
		}
		return new Invocation(method, call, lockInvocations, transaction).runUnder(0, outer, List.of());
	}

	/**
	 * Return the result of a method or a policy as a stream.
	 */
	private static Flux<?> streamOf(@Nullable Object result, ReturnType type) {
		Publisher<?> stream = publisherOf(result);
		return Flux.from(type.isSeveral() ? stream : Mono.from(stream));
	}

	private static Publisher<?> publisherOf(@Nullable Object result) {
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
		Flux<?> runUnder(int index, @Nullable LockContext outer, List<LockHandle> interrupting) {
			if (index == this.lockInvocations.size()) {
				return run(outer, interrupting);
			}
			ReactiveHold hold = new ReactiveHold(this.lockInvocations.get(index), outer, this.transaction);
			return Flux
				.<Object, ReactiveHold>usingWhen(hold.acquire(), (acquired) -> runUnder(acquired, index, interrupting),
						ReactiveHold::release, ReactiveHold::releaseAfter, ReactiveHold::release)
				.concatWith(hold.end());
		}

		/**
		 * Continue with the next lock. Any throwable fails the stream from here on, so
		 * that the lock is released.
		 */
		private Flux<?> runUnder(ReactiveHold hold, int index, List<LockHandle> interrupting) {
			hold.take();
			LockException denial = hold.denial();
			if (denial != null) {
				return denied(hold, denial, index, interrupting);
			}
			if (this.method.isOffered(hold.lockInvocation().lock())) {
				this.method.offer(hold.lock(), this.invocation);
			}
			Mono<Object> loss = hold.endsOnLoss() ? hold.loss() : Mono.never();
			Flux<?> stream = runUnder(index + 1, hold.context(),
					hold.lockInvocation().interrupting(interrupting, hold.lock()));
			return Flux.from(new FailingPublisher(hold.endsOnLoss() ? stream.takeUntilOther(loss) : stream));
		}

		private Flux<?> denied(ReactiveHold hold, LockException failure, int index, List<LockHandle> interrupting) {
			MethodInvocation unlocked = new DelegatingInvocation(this.invocation,
					(call) -> resultOf(runUnder(index + 1, hold.outer(), interrupting), this.method.returnType()));
			FailurePolicy policy = hold.lockInvocation().attributes().failurePolicy();
			return under(hold.outer(), null, () -> policy.resultOf(unlocked, failure));
		}

		/**
		 * Call the method. A lease can end before its callback is called, hence the
		 * checkpoints.
		 */
		private Flux<?> run(@Nullable LockContext context, List<LockHandle> interrupting) {
			return under(context, NestedProxiesInvoker.proxyGuardedBy(this.invocation), () -> {
				interrupting.forEach(LockHandle::checkpoint);
				return DetachableInvocation.detach(this.invocation).proceed();
			});
		}

		/**
		 * Run the method or the code that replaces it, with the locks that it holds in
		 * the context of the thread, of the coroutine and of the stream.
		 */
		private Flux<?> under(@Nullable LockContext locks, @Nullable Object guarded, Work work) {
			try (WorkPart part = LockUtils.begin(locks)) {
				if (locks != null && this.method.returnType().kind() == ReturnType.Kind.SUSPENDING) {
					CoroutineLocks.addTo(this.invocation, locks);
				}
				Flux<?> stream = streamOf(work.run(), this.method.returnType());
				return (locks != null || guarded != null) ? inContext(stream, locks, guarded) : stream;
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
		}

		private static Flux<?> inContext(Flux<?> stream, @Nullable LockContext locks, @Nullable Object guarded) {
			return stream.contextWrite((context) -> context.putNonNull(LockContext.class, locks)
				.delete(NestedProxiesInvoker.class)
				.putNonNull(NestedProxiesInvoker.class, guarded));
		}

	}

}
