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

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * Invoker of methods that return a stage and are called by an {@link Async} executor,
 * which waits for that stage. The lock is acquired, held and released in the thread of
 * that executor, and a failure is thrown, so that {@code @Retryable} between the two
 * advices retries the call.
 */
final class AsyncInvocations implements LockedInvoker {

	private final LockedInvoker blockingInvoker;

	AsyncInvocations(LockedInvoker blockingInvoker) {
		this.blockingInvoker = blockingInvoker;
	}

	/**
	 * Return whether the calls of a method are made by an {@code @Async} executor. For
	 * woven code, the annotation decides, because outer advice cannot be inspected.
	 * @param invocation a call of the method
	 * @param targetClass the class of the bean
	 * @param interceptor the interceptor of the call
	 * @return {@code true} if {@code @Async} advice is outside the interceptor
	 */
	public static boolean include(MethodInvocation invocation, Class<?> targetClass, MethodInterceptor interceptor) {
		Method method = invocation.getMethod();
		if (invocation instanceof ProxyMethodInvocation call) {
			return call.getProxy() instanceof Advised proxy && isOutside(proxy, method, targetClass, interceptor);
		}
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	static boolean isOutside(Advised proxy, Method method, Class<?> targetClass, MethodInterceptor interceptor) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor.getAdvice() == interceptor) {
				return false;
			}
			if (advisor.getAdvice() instanceof AsyncExecutionInterceptor && matches(advisor, method, targetClass)) {
				return true;
			}
		}
		return false;
	}

	private static boolean matches(Advisor advisor, Method method, Class<?> targetClass) {
		if (!(advisor instanceof PointcutAdvisor pointcutAdvisor)) {
			return true;
		}
		Pointcut pointcut = pointcutAdvisor.getPointcut();
		return pointcut.getClassFilter().matches(targetClass)
				&& pointcut.getMethodMatcher().matches(method, targetClass);
	}

	@Override
	public @Nullable Object run(LockedMethod method, MethodInvocation invocation) throws Throwable {
		Object result = this.blockingInvoker.run(method,
				new DelegatingInvocation(invocation, (call) -> await(call.proceed())));
		return (result == null || result instanceof CompletionStage) ? result
				: CompletableFuture.completedFuture(result);
	}

	/**
	 * Wait for a result. An interrupt cancels the stage and restores the interrupt
	 * status.
	 * @param result the result of the method, or of the code that replaces it
	 * @return the result, completed if it is a stage
	 * @throws Throwable the failure of the stage
	 */
	static @Nullable Object await(@Nullable Object result) throws Throwable {
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
