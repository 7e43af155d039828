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
import java.util.Arrays;
import java.util.stream.IntStream;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.aop.expression.LockExpressionRootObject;

/**
 * Policy that calls another method of the same object if the lock is held by another
 * owner.
 *
 * @param fallback the other method
 * @param takesFailure whether its last parameter is the failure
 */
record FallbackPolicy(Method fallback, boolean takesFailure) implements FailurePolicy {

	/**
	 * Create a policy for the method that an attribute names. Type variables are resolved
	 * for the class of the bean.
	 * @param text the attribute that contains the name of the method
	 * @param targetClass the class of the bean
	 * @return the policy
	 * @throws InvalidLockDeclarationException if there is no such method
	 */
	static FallbackPolicy of(AnnotationText text, Class<?> targetClass) {
		Method method = text.site().method();
		Class<?>[] parameters = parametersOf(method, targetClass);
		Class<?>[] withFailure = ObjectUtils.addObjectToArray(parameters, LockException.class,
				failureIndex(method, parameters.length));
		Method plain = find(text, targetClass, parameters);
		Method fallback = (plain != null) ? plain : find(text, targetClass, withFailure);
		if (fallback == null) {
			throw text.rejection(
					text.text().equals(method.getName()) ? "is the method itself"
							: "is not a method of " + targetClass.getName() + " with the parameters of "
									+ method.getName() + "(…), optionally followed by a LockException",
					"Define such a method, or correct the name.", null);
		}
		Class<?> returned = ResolvableType.forMethodReturnType(fallback, targetClass).toClass();
		Class<?> required = ResolvableType.forMethodReturnType(method, targetClass).toClass();
		if (!ClassUtils.isAssignable(required, returned)) {
			throw text.rejection("returns " + returned.getName() + ", which is not assignable to " + required.getName(),
					"Use the same return type for both methods.", null);
		}
		ReflectionUtils.makeAccessible(fallback);
		return new FallbackPolicy(fallback, plain == null);
	}

	/**
	 * Find another method than the annotated one.
	 */
	private static @Nullable Method find(AnnotationText text, Class<?> targetClass, Class<?>[] parameters) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(ClassUtils.getUserClass(targetClass)))
			.filter((each) -> each.getName().equals(text.text()) && !each.isBridge())
			.filter((each) -> Arrays.equals(parametersOf(each, targetClass), parameters))
			.filter((each) -> !each.equals(text.site().method()))
			.findFirst()
			.orElse(null);
	}

	private static Class<?>[] parametersOf(Method method, Class<?> targetClass) {
		return IntStream.range(0, method.getParameterCount())
			.mapToObj((index) -> ResolvableType.forMethodParameter(method, index, targetClass).toClass())
			.toArray(Class<?>[]::new);
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
		return AopUtils.invokeJoinpointUsingReflection(targetOf(invocation), this.fallback,
				argumentsOf(invocation, failure));
	}

	/**
	 * Return the object itself, because a proxy does not delegate private methods.
	 */
	private @Nullable Object targetOf(MethodInvocation invocation) {
		Object target = LockExpressionRootObject.targetOf(invocation);
		return this.fallback.getDeclaringClass().isInstance(target) ? target : invocation.getThis();
	}

	private @Nullable Object[] argumentsOf(MethodInvocation invocation, LockException failure) {
		@Nullable Object[] arguments = invocation.getArguments();
		return this.takesFailure
				? ObjectUtils.addObjectToArray(arguments, failure, failureIndex(this.fallback, arguments.length))
				: arguments;
	}

}
