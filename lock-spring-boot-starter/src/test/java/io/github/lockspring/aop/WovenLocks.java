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

import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;

/**
 * Locks woven methods. It has the two methods that a weaver would add, so that it works
 * with classes that were woven by the compiler, too, without having been compiled by it.
 */
@Aspect
public final class WovenLocks {

	private static final WovenLocks INSTANCE = new WovenLocks();

	private volatile @Nullable MethodInterceptor interceptor;

	private WovenLocks() {
	}

	public static WovenLocks aspectOf() {
		return INSTANCE;
	}

	public static boolean hasAspect() {
		return true;
	}

	void use(MethodInterceptor interceptor) {
		this.interceptor = interceptor;
	}

	@Around("execution(@io.github.lockspring.DistributedLock * *(..))")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodInterceptor interceptor = this.interceptor;
		if (interceptor == null) {
			throw new IllegalStateException("Called before there are locks: " + joinPoint.getSignature());
		}
		return interceptor.invoke(new JoinPointInvocation(joinPoint));
	}

}
