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

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.aop.DetachableInvocation;

/**
 * Call that was intercepted by woven code.
 * <p>
 * A join point stores only the arguments of its latest call. Copies of a call that run in
 * several threads therefore proceed one after the other.
 */
final class JoinPointInvocation implements DetachableInvocation {

	private final ProceedingJoinPoint joinPoint;

	private final Lock passing;

	private final @Nullable Object[] arguments;

	JoinPointInvocation(ProceedingJoinPoint joinPoint) {
		this(joinPoint, new ReentrantLock(), joinPoint.getArgs());
	}

	private JoinPointInvocation(ProceedingJoinPoint joinPoint, Lock passing, @Nullable Object[] arguments) {
		this.joinPoint = joinPoint;
		this.passing = passing;
		this.arguments = arguments;
	}

	@Override
	public MethodInvocation detach() {
		return new JoinPointInvocation(this.joinPoint, this.passing, this.arguments.clone());
	}

	@Override
	public Method getMethod() {
		return ((MethodSignature) this.joinPoint.getSignature()).getMethod();
	}

	@Override
	public @Nullable Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		this.passing.lock();
		try {
			return this.joinPoint.proceed(this.arguments);
		}
		finally {
			this.passing.unlock();
		}
	}

	@Override
	public @Nullable Object getThis() {
		return this.joinPoint.getTarget();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

	@Override
	public String toString() {
		return this.joinPoint.toString();
	}

}
