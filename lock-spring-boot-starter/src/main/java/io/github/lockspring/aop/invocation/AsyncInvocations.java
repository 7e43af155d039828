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

package io.github.lockspring.aop.invocation;

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
 * Methods that return a stage and are called in a thread of {@link Async}, which waits
 * for that stage: everything happens in this thread, as the {@code @Async} executor
 * provides it, and a failure is thrown, so that {@code @Retryable} in between tries
 * again.
 */
public final class AsyncInvocations implements LockedInvoker {

	private final LockedInvoker blockingInvoker;

	public AsyncInvocations(LockedInvoker blockingInvoker) {
		this.blockingInvoker = blockingInvoker;
	}

	/**
	 * Whether the calls of a method come from such a thread. Woven code does not know
	 * what is outside of it, but for the annotation.
	 * @param invocation one of the calls
	 * @param targetClass the class of the bean
	 * @param interceptor what has intercepted the call
	 */
	public static boolean include(MethodInvocation invocation, Class<?> targetClass, MethodInterceptor interceptor) {
		Method method = invocation.getMethod();
		if (invocation instanceof ProxyMethodInvocation call) {
			return call.getProxy() instanceof Advised proxy && isOutside(proxy, method, targetClass, interceptor);
		}
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	private static boolean isOutside(Advised proxy, Method method, Class<?> targetClass,
			MethodInterceptor interceptor) {
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
		return this.blockingInvoker.run(method, new AwaitedInvocation(invocation));
	}

	/**
	 * A call of a method that returns a stage, which has ended when that stage has
	 * completed.
	 */
	private static final class AwaitedInvocation extends DelegatingInvocation {

		private final MethodInvocation invocation;

		AwaitedInvocation(MethodInvocation invocation) {
			super(invocation);
			this.invocation = invocation;
		}

		/**
		 * Calls and waits. An interrupt cancels the stage, and is kept for the caller.
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

}
