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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;

import org.springframework.core.task.TaskDecorator;

import io.github.lockspring.LockContext;

/**
 * Methods whose work ends when the stage that they return completes. The caller gets a
 * future at once; the method is called in another thread when the lock is held.
 */
final class CompletionStageInvoker implements LockedInvoker {

	private final TransactionBinding transactions;

	private final Executor executor;

	private final Supplier<TaskDecorator> decorator;

	/**
	 * Creates the calls.
	 * @param transactions refuses calls of those who are in a transaction
	 * @param executor runs the methods, in other threads than those of their callers
	 * @param decorator finds what carries the surroundings of the caller to the thread
	 * that runs the method
	 */
	CompletionStageInvoker(TransactionBinding transactions, Executor executor, Supplier<TaskDecorator> decorator) {
		this.transactions = transactions;
		this.executor = executor;
		this.decorator = decorator;
	}

	@Override
	public Object run(LockedMethod method, MethodInvocation invocation) {
		try {
			List<LockInvocation> claims = method.claimsOf(invocation);
			LockContext outer = LockContext.get();
			if (TransactionBinding.isOpen()) {
				claims.forEach((claim) -> this.transactions.requireNotRefused(claim, outer));
			}
			return new CompletionStageInvocation(method, DetachableInvocation.detach(invocation), claims, this.executor,
					this.decorator.get())
				.start(outer);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
