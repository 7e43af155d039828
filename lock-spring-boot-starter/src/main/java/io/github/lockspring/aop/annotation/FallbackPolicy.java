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

package io.github.lockspring.aop.annotation;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.LockException;
import io.github.lockspring.LockNotAcquiredException;

/**
 * Policy that calls another method of the same object if the lock is held by another
 * owner.
 *
 * @param fallback the other method
 * @param takesFailure whether its last parameter is the failure
 */
record FallbackPolicy(Method fallback, boolean takesFailure) implements FailurePolicy {

	/**
	 * Create a policy for the method that an attribute names.
	 * @param text the attribute that contains the name of the method
	 * @param targetClass the class of the bean
	 * @return the policy
	 * @throws InvalidLockDeclarationException if there is no such method
	 */
	static FallbackPolicy of(AnnotationText text, Class<?> targetClass) {
		Method method = text.site().method();
		Class<?>[] parameters = method.getParameterTypes();
		Class<?>[] withFailure = ObjectUtils.addObjectToArray(parameters, LockException.class,
				failureIndex(method, parameters.length));
		Method plain = ReflectionUtils.findMethod(targetClass, text.text(), parameters);
		Method fallback = (plain != null) ? plain : ReflectionUtils.findMethod(targetClass, text.text(), withFailure);
		if (fallback == null) {
			throw text.rejection(
					"is not a method of " + targetClass.getName() + " with the parameters of " + method.getName()
							+ "(…), optionally followed by a LockException",
					"Define such a method, or correct the name.", null);
		}
		if (fallback.equals(method)) {
			throw text.rejection("is the method itself", "Specify another method.", null);
		}
		if (!ClassUtils.isAssignable(method.getReturnType(), fallback.getReturnType())) {
			throw text.rejection("returns " + fallback.getReturnType().getName() + ", which is not assignable to "
					+ method.getReturnType().getName(), "Use the same return type for both methods.", null);
		}
		ReflectionUtils.makeAccessible(fallback);
		return new FallbackPolicy(fallback, plain == null);
	}

	/**
	 * Return the index of the parameter for the failure, which precedes the continuation
	 * of a suspending function.
	 */
	private static int failureIndex(Method method, int parameterCount) {
		return KotlinDetector.isSuspendingFunction(method) ? parameterCount - 1 : parameterCount;
	}

	@Override
	public boolean runsApplicationCode() {
		return true;
	}

	@Override
	public @Nullable Object resultOf(MethodInvocation invocation, LockException failure) throws Throwable {
		if (!(failure instanceof LockNotAcquiredException)) {
			throw failure;
		}
		return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), this.fallback,
				argumentsOf(invocation, failure));
	}

	private @Nullable Object[] argumentsOf(MethodInvocation invocation, LockException failure) {
		@Nullable Object[] arguments = invocation.getArguments();
		return this.takesFailure
				? ObjectUtils.addObjectToArray(arguments, failure, failureIndex(this.fallback, arguments.length))
				: arguments;
	}

}
