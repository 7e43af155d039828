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

package io.github.lockspring.aop.expression;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

/**
 * Root object of expressions, which provides {@code #root.method},
 * {@code #root.methodName}, {@code #root.target}, {@code #root.targetClass} and
 * {@code #root.args}, as in {@code @Cacheable}.
 */
public final class LockExpressionRootObject {

	private final MethodInvocation invocation;

	LockExpressionRootObject(MethodInvocation invocation) {
		this.invocation = invocation;
	}

	/**
	 * Return the method being called.
	 * @return the method
	 */
	public Method getMethod() {
		return this.invocation.getMethod();
	}

	/**
	 * Return the name of the method being called.
	 * @return the name
	 */
	public String getMethodName() {
		return this.invocation.getMethod().getName();
	}

	/**
	 * Return the target object.
	 * @return the object
	 */
	public @Nullable Object getTarget() {
		return targetOf(this.invocation);
	}

	/**
	 * Return the target object of a call, also if it is proxied more than once.
	 * @param invocation the call
	 * @return the object, or the innermost proxy with an object that changes
	 */
	public static @Nullable Object targetOf(MethodInvocation invocation) {
		Object target = invocation.getThis();
		Object next = target;
		while (next != null) {
			target = next;
			next = AopProxyUtils.getSingletonTarget(target);
		}
		return target;
	}

	/**
	 * Return the class of the target object.
	 * @return the class
	 */
	public Class<?> getTargetClass() {
		Object target = getTarget();
		return (target != null) ? AopUtils.getTargetClass(target) : getMethod().getDeclaringClass();
	}

	/**
	 * Return the arguments of the call.
	 * @return the arguments
	 */
	public @Nullable Object[] getArgs() {
		return this.invocation.getArguments();
	}

}
