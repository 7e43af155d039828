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

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

import io.github.lockspring.DistributedLock;

/**
 * Advisor that runs methods annotated with {@link DistributedLock @DistributedLock} under
 * their locks.
 * <p>
 * Its default order is just above the lowest precedence, which is that of transactions
 * and caches: the lock is acquired before a transaction begins and released after it has
 * completed. Asynchronous execution and retries of the same method are outside the lock,
 * so that each attempt acquires it anew.
 */
public final class DistributedLockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/**
	 * Default order.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient LockAttributesSource source;

	/**
	 * Create an advisor.
	 * @param interceptor the interceptor that runs the methods under their locks
	 */
	public DistributedLockAdvisor(DistributedLockInterceptor interceptor) {
		super(interceptor);
		this.source = interceptor.source();
		setClassFilter(new LockedClassFilter(this.source));
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.isLocked(method, targetClass);
	}

	/**
	 * Return the same string for all instances, because Spring decides by it whether two
	 * proxies can share a class.
	 */
	@Override
	public String toString() {
		return DistributedLockAdvisor.class.getName();
	}

	private record LockedClassFilter(LockAttributesSource source) implements ClassFilter {

		@Override
		public boolean matches(Class<?> targetClass) {
			return this.source.hasLocks(targetClass);
		}

		@Override
		public String toString() {
			return LockedClassFilter.class.getName();
		}

	}

}
