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

import java.util.ArrayList;
import java.util.List;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Puts woven methods under the locks that their annotations name, with the property
 * {@code lock.aop.mode} set to {@code aspectj}. Any call is locked, whoever makes it:
 * calls inside an object, of private, static and final methods, and of objects that are
 * no beans.
 * <p>
 * An application names this class in its own {@code META-INF/aop.xml} for the weaver that
 * weaves classes when they are loaded, or has the compiler of AspectJ weave them. It has
 * the two methods that a compiler of AspectJ would have added, {@link #aspectOf()} and
 * {@link #hasAspect()}, and works with both.
 * <p>
 * Annotations count on the method that does the work, on its class, and on annotations of
 * these. Those of interfaces and of overridden methods are not seen by the weaver, and
 * refused when the application starts.
 * <p>
 * Locks come from the application context: a call before there is one, or after it was
 * closed, gets an {@link IllegalStateException}, and its method does not run. Of several
 * contexts in one process the one that was started last serves all calls, until it is
 * closed. Safe for use by any thread.
 * <p>
 * The lock is outside transactions and caches that are woven as well, and inside woven
 * asynchronous execution.
 */
@Aspect
@DeclarePrecedence("org.springframework.scheduling.aspectj..*, io.github.lockspring.aop.DistributedLockAspect,"
		+ " (org.springframework.transaction.aspectj..* || org.springframework.cache.aspectj..*)")
public final class DistributedLockAspect {

	private static final String EACH = "io.github.lockspring.DistributedLock || io.github.lockspring.DistributedLocks"
			+ " || io.github.lockspring.DistributedSemaphore || io.github.lockspring.DistributedSemaphores";

	/**
	 * One of our annotations, or one that carries it.
	 */
	private static final String ANNOTATED = "@(" + EACH + " || @(" + EACH + ") *)";

	private static final String BY_METHOD = "execution(" + ANNOTATED + " * *(..))";

	/**
	 * The same methods as with proxies, and final ones.
	 */
	private static final String BY_CLASS = "execution(!private !static * (" + ANNOTATED + " *).*(..))"
			+ " && !execution(String toString()) && !execution(int hashCode()) && !execution(boolean equals(Object))";

	private static final DistributedLockAspect INSTANCE = new DistributedLockAspect();

	private final List<DistributedLockInterceptor> interceptors = new ArrayList<>();

	private volatile @Nullable DistributedLockInterceptor interceptor;

	private DistributedLockAspect() {
	}

	/**
	 * The aspect of this class loader. Woven code asks for it.
	 * @return the only instance
	 */
	public static DistributedLockAspect aspectOf() {
		return INSTANCE;
	}

	/**
	 * Whether there is an aspect. Woven code asks for it.
	 * @return always {@code true}
	 */
	public static boolean hasAspect() {
		return true;
	}

	/**
	 * Serves all calls from now on.
	 */
	void add(DistributedLockInterceptor interceptor) {
		synchronized (this.interceptors) {
			this.interceptors.add(interceptor);
			this.interceptor = interceptor;
		}
	}

	/**
	 * Serves no more calls. The latest one of those that are left takes over.
	 */
	void remove(DistributedLockInterceptor interceptor) {
		synchronized (this.interceptors) {
			this.interceptors.remove(interceptor);
			int left = this.interceptors.size();
			this.interceptor = (left > 0) ? this.interceptors.get(left - 1) : null;
		}
	}

	/**
	 * Runs a method under its locks. Woven code calls it.
	 * @param joinPoint the call
	 * @return what the method returns
	 * @throws IllegalStateException if there is no application context
	 * @throws Throwable what the method throws, or the reason why it did not run
	 */
	@Around(BY_METHOD + " || (" + BY_CLASS + ")")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		DistributedLockInterceptor interceptor = this.interceptor;
		if (interceptor == null) {
			throw new IllegalStateException(joinPoint.getSignature().toLongString()
					+ " is to be locked, but was called when there was no application context that locks woven"
					+ " methods: before it has started, after it was closed, or because the property lock.aop.mode"
					+ " is not aspectj");
		}
		return interceptor.invoke(new JoinPointInvocation(joinPoint));
	}

}
