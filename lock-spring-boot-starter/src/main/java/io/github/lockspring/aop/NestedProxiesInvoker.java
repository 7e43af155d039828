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

import java.util.Arrays;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Invoker of calls whose target is a proxy itself, as with two auto-proxy creators. If
 * that proxy has the same advice, only one of them acquires the locks:
 * <ol>
 * <li>The outer one does, so that the locks are outside the transactions of both, and
 * marks the call for the inner one, which only proceeds.</li>
 * <li>If the method is asynchronous because of advice in between, the inner one does, in
 * the thread that runs the method.</li>
 * </ol>
 * A call that does not pass through the outer proxy is not marked.
 */
final class NestedProxiesInvoker implements LockedInvoker {

	/**
	 * The proxy that is being called by a holder of its locks.
	 */
	private static final ThreadLocal<@Nullable Object> GUARDED = new ThreadLocal<>();

	private final LockedInvoker invoker;

	private final MethodInterceptor interceptor;

	/**
	 * Create an invoker.
	 * @param invoker the invoker that acquires the locks
	 * @param interceptor the advice that the inner proxy may have as well
	 */
	NestedProxiesInvoker(LockedInvoker invoker, MethodInterceptor interceptor) {
		this.invoker = invoker;
		this.interceptor = interceptor;
	}

	/**
	 * Return whether the locks of a call are held by an outer proxy.
	 * @param invocation the call
	 * @return {@code true} if the call is to proceed without acquiring them
	 */
	public static boolean isGuarded(MethodInvocation invocation) {
		return isGuarded(invocation, GUARDED.get());
	}

	static boolean isGuarded(MethodInvocation invocation, @Nullable Object guarded) {
		return guarded != null && invocation instanceof ProxyMethodInvocation call && call.getProxy() == guarded;
	}

	/**
	 * Proceed with a call whose locks are held by an outer proxy. Calls made by the
	 * method are not marked.
	 * @param invocation the call
	 * @return the result of the method
	 * @throws Throwable the exception thrown by the method
	 */
	public static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		return proceed(invocation, null);
	}

	private static @Nullable Object proceed(MethodInvocation invocation, @Nullable Object guarded) throws Throwable {
		Object previous = GUARDED.get();
		mark(guarded);
		try {
			return invocation.proceed();
		}
		finally {
			mark(previous);
		}
	}

	private static void mark(@Nullable Object proxy) {
		if (proxy != null) {
			GUARDED.set(proxy);
		}
		else {
			GUARDED.remove();
		}
	}

	/**
	 * Return the inner proxy that a call is marked for when it proceeds.
	 */
	static @Nullable Object proxyGuardedBy(MethodInvocation invocation) {
		return (invocation instanceof DelegatingInvocation call && call.body() instanceof Guarded guarded)
				? guarded.proxy() : null;
	}

	@Override
	public @Nullable Object run(LockedMethod method, MethodInvocation invocation) throws Throwable {
		boolean async = false;
		Object proxy = invocation.getThis();
		while (proxy instanceof Advised advised) {
			async |= AsyncInvocations.isOutside(advised, invocation.getMethod(), proxy.getClass(), this.interceptor);
			if (Arrays.stream(advised.getAdvisors()).anyMatch((each) -> each.getAdvice() == this.interceptor)) {
				return async ? invocation.proceed()
						: this.invoker.run(method, new DelegatingInvocation(invocation, new Guarded(proxy)));
			}
			proxy = AopProxyUtils.getSingletonTarget(proxy);
		}
		return this.invoker.run(method, invocation);
	}

	/**
	 * Marks a call for an inner proxy when it proceeds.
	 */
	private record Guarded(Object proxy) implements DelegatingInvocation.Body {

		@Override
		public @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
			return NestedProxiesInvoker.proceed(invocation, this.proxy);
		}

	}

}
