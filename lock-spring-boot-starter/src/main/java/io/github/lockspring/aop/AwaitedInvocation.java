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
import java.util.concurrent.ExecutionException;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method that returns a stage, which has ended when that stage has completed.
 */
final class AwaitedInvocation extends DelegatingInvocation {

	private final MethodInvocation invocation;

	AwaitedInvocation(MethodInvocation invocation) {
		super(invocation);
		this.invocation = invocation;
	}

	/**
	 * Calls and waits. An interrupt cancels the stage, and is left to whoever is outside.
	 * @return what the method returned, completed by now
	 * @throws Throwable what the method or its stage failed with
	 */
	@Override
	public @Nullable Object proceed() throws Throwable {
		Object result = this.invocation.proceed();
		return (result instanceof CompletionStage<?> stage) ? await(stage.toCompletableFuture()) : result;
	}

	private static CompletableFuture<?> await(CompletableFuture<?> future) throws Throwable {
		try {
			future.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			Thread.currentThread().interrupt();
		}
		return future;
	}

}
