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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

import io.github.lockspring.LockContext;

/**
 * Methods whose work ends when the stream that they return completes, fails or is
 * cancelled. Each subscription acquires, then calls the method, and gives the lock back
 * before the subscriber learns of the end.
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
	 * A stream that fails. It is of the type that is needed: to make another of it would
	 * throw what the stream is to tell.
	 */
	static Publisher<?> failed(LockedMethod method, Throwable failure) {
		return method.returnType().isSeveral() ? Flux.error(failure) : Mono.error(failure);
	}

	private Publisher<?> prepare(LockedMethod method, MethodInvocation invocation, ContextView context) {
		LockContext outer = context.getOrDefault(LockContext.class, LockContext.get());
		MethodInvocation call = DetachableInvocation.detach(invocation);
		List<LockInvocation> claims = method.claimsOf(call);
		ReactiveTransaction transaction = ReactiveTransaction.of(context);
		if (transaction != null) {
			claims.forEach((claim) -> this.transactions.requireAllowed(claim, outer));
		}
		return new ReactiveInvocation(method, call, claims, transaction).runUnder(0, outer);
	}

	/**
	 * The stream that a method or a policy returned.
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

}
