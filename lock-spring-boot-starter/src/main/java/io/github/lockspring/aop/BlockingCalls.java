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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;

/**
 * Methods whose work ends when they return: the calling thread waits, holds and releases.
 */
final class BlockingCalls implements LockedCalls {

	private final OpenTransactions transactions;

	private final LockOrder order;

	BlockingCalls(OpenTransactions transactions, LockOrder order) {
		this.transactions = transactions;
		this.order = order;
	}

	@Override
	public @Nullable Object run(LockedMethod method, MethodInvocation invocation) throws Throwable {
		return runUnder(method.claimsOf(invocation), 0, method, invocation);
	}

	private @Nullable Object runUnder(List<LockClaim> claims, int index, LockedMethod method,
			MethodInvocation invocation) throws Throwable {
		if (index == claims.size()) {
			return proceed(method, invocation);
		}
		LockClaim claim = claims.get(index);
		ThreadHold hold;
		try {
			hold = ThreadHold.acquire(claim, this.transactions, this.order);
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			return claim.attributes().failurePolicy().resultOf(invocation, ex);
		}
		try (hold) {
			if (method.isOffered(claim)) {
				method.offer(hold.lock(), invocation);
			}
			return runUnder(claims, index + 1, method, invocation);
		}
	}

	private static @Nullable Object proceed(LockedMethod method, MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (result != null && method.returnType().mayBeDeferred()) {
			requireDone(result, method);
		}
		return result;
	}

	/**
	 * Finds out what the declared type did not tell.
	 */
	private static void requireDone(Object result, LockedMethod method) {
		if (!isDone(result)) {
			throw new IllegalStateException(method.site() + ": the method returned " + result.getClass().getName()
					+ ", whose work is not done when the lock is given back. Declare that type as its return type.");
		}
	}

	private static boolean isDone(Object result) {
		if (result instanceof CompletionStage<?> stage) {
			return isDone(stage);
		}
		if (result instanceof Future<?> future) {
			return future.isDone();
		}
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass()) == null;
	}

	private static boolean isDone(CompletionStage<?> stage) {
		try {
			return stage.toCompletableFuture().isDone();
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

}
