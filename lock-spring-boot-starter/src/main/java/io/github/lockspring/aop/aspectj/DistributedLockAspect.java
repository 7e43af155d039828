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

package io.github.lockspring.aop.aspectj;

import java.util.ArrayList;
import java.util.List;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.aop.DistributedLockInterceptor;

/**
 * AspectJ aspect that runs woven methods under the locks specified by their annotations
 * if the property {@code lock.aop.mode} is set to {@code aspectj}. All calls are
 * intercepted: calls within an object, calls of private, static and final methods, and
 * calls of objects that are not beans.
 * <p>
 * An application declares this class in its own {@code META-INF/aop.xml} for load-time
 * weaving, or uses the AspectJ compiler for compile-time weaving. The class has the two
 * methods that the AspectJ compiler would have added, {@link #aspectOf()} and
 * {@link #hasAspect()}, and works with both.
 * <p>
 * Annotations are detected on the implementing method, on its class, and as
 * meta-annotations. Annotations on interfaces and on overridden methods are not visible
 * to the weaver and are rejected at startup.
 * <p>
 * Locks are provided by the application context: a call before the context has started or
 * after it was closed throws {@link IllegalStateException}, and the method does not run.
 * If there is more than one context in a process, the one started last handles all calls
 * until it is closed. Thread-safe.
 * <p>
 * The lock is outside woven transactions and caches, and inside woven asynchronous
 * execution.
 */
@Aspect
@DeclarePrecedence("org.springframework.scheduling.aspectj..*, io.github.lockspring.aop.aspectj.DistributedLockAspect,"
		+ " (org.springframework.transaction.aspectj..* || org.springframework.cache.aspectj..*)")
public final class DistributedLockAspect {

	private static final String EACH = "io.github.lockspring.DistributedLock || io.github.lockspring.DistributedLocks"
			+ " || io.github.lockspring.DistributedSemaphore || io.github.lockspring.DistributedSemaphores";

	/**
	 * One of the lock annotations, or an annotation that is meta-annotated with one.
	 */
	private static final String ANNOTATED = "@(" + EACH + " || @(" + EACH + ") *)";

	private static final String BY_METHOD = "execution(" + ANNOTATED + " * *(..))";

	/**
	 * Pointcut of the methods of an annotated class: the same methods as with proxies,
	 * and final ones.
	 */
	private static final String BY_CLASS = "execution(!private !static * (" + ANNOTATED + " *).*(..))"
			+ " && !execution(String toString()) && !execution(int hashCode()) && !execution(boolean equals(Object))";

	private static final DistributedLockAspect INSTANCE = new DistributedLockAspect();

	private final List<DistributedLockInterceptor> interceptors = new ArrayList<>();

	private volatile @Nullable DistributedLockInterceptor interceptor;

	private DistributedLockAspect() {
	}

	/**
	 * Return the aspect instance of this class loader. Called by woven code.
	 * @return the singleton
	 */
	public static DistributedLockAspect aspectOf() {
		return INSTANCE;
	}

	/**
	 * Return whether there is an aspect instance. Called by woven code.
	 * @return always {@code true}
	 */
	public static boolean hasAspect() {
		return true;
	}

	/**
	 * Add an interceptor, which handles all subsequent calls.
	 */
	void add(DistributedLockInterceptor interceptor) {
		synchronized (this.interceptors) {
			this.interceptors.add(interceptor);
			this.interceptor = interceptor;
		}
	}

	/**
	 * Remove an interceptor. The most recently added of the remaining ones handles
	 * subsequent calls.
	 */
	void remove(DistributedLockInterceptor interceptor) {
		synchronized (this.interceptors) {
			this.interceptors.remove(interceptor);
			int left = this.interceptors.size();
			this.interceptor = (left > 0) ? this.interceptors.get(left - 1) : null;
		}
	}

	/**
	 * Run a method under its locks. Called by woven code.
	 * @param joinPoint the call
	 * @return the result of the method
	 * @throws IllegalStateException if there is no application context
	 * @throws Throwable the exception thrown by the method, or the reason why it did not
	 * run
	 */
	@Around(BY_METHOD + " || (" + BY_CLASS + ")")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		DistributedLockInterceptor interceptor = this.interceptor;
		if (interceptor == null) {
			throw new IllegalStateException(joinPoint.getSignature().toLongString()
					+ " requires a lock, but there is no application context that handles woven methods:"
					+ " it has not started yet, it was closed, or the property lock.aop.mode is not set to aspectj");
		}
		return interceptor.invoke(new JoinPointInvocation(joinPoint));
	}

}
