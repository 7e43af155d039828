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

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockException;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockUnavailableException;

/**
 * Policy that determines the result of a call whose lock could not be acquired.
 */
@FunctionalInterface
interface FailurePolicy {

	/**
	 * Policy that throws the failure.
	 */
	FailurePolicy THROW = (invocation, failure) -> {
		throw failure;
	};

	/**
	 * Return whether the policy applies to a failure.
	 * @param failure the reason why the lock is not held
	 * @return {@code true} if the lock is held by another owner, the store is
	 * unavailable, or the application is shutting down
	 */
	static boolean appliesTo(Throwable failure) {
		return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException
				|| failure instanceof LockShutdownException;
	}

	/**
	 * Determine the result of a call.
	 * @param invocation the call
	 * @param failure the reason why the lock is not held: it is held by another owner,
	 * the store is unavailable, or the application is shutting down
	 * @return the result of the call. For an asynchronous method it may also be the value
	 * that the returned stage or stream completes with.
	 * @throws Throwable the exception to throw to the caller
	 */
	@Nullable Object resultOf(MethodInvocation invocation, LockException failure) throws Throwable;

	/**
	 * Return whether the policy runs code of the application, which may block.
	 */
	default boolean runsApplicationCode() {
		return false;
	}

	/**
	 * Policy that skips calls whose lock is held by another owner, or that are made while
	 * the application is shutting down.
	 *
	 * @param result the result of skipped calls
	 */
	record Skip(@Nullable Object result) implements FailurePolicy {

		private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
				OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
				OptionalDouble.empty());

		/**
		 * Create a policy that returns the empty value of a type.
		 */
		static Skip of(Class<?> resultType) {
			return new Skip(EMPTY.get(resultType));
		}

		@Override
		public @Nullable Object resultOf(MethodInvocation invocation, LockException failure) {
			if (failure instanceof LockNotAcquiredException || failure instanceof LockShutdownException) {
				return this.result;
			}
			throw failure;
		}

	}

	/**
	 * Policy that delegates to a {@link LockFailureHandler} bean, which is looked up when
	 * it is needed.
	 *
	 * @param text the attribute that contains the name of the bean
	 * @param beanFactory the bean factory
	 */
	record Handle(AnnotationText text, BeanFactory beanFactory) implements FailurePolicy {

		/**
		 * Check that the bean exists and is a handler.
		 * @throws InvalidLockDeclarationException if there is no such bean
		 */
		public void requireHandler() {
			if (!this.beanFactory.containsBean(this.text.text())) {
				throw this.text.rejection("is not the name of a bean",
						"Define a bean of type " + LockFailureHandler.class.getName() + " with that name.", null);
			}
			if (!this.beanFactory.isTypeMatch(this.text.text(), LockFailureHandler.class)) {
				throw this.text.rejection("is the name of a bean that is not a LockFailureHandler",
						"Specify a bean of type " + LockFailureHandler.class.getName() + '.', null);
			}
		}

		@Override
		public boolean runsApplicationCode() {
			return true;
		}

		@Override
		public @Nullable Object resultOf(MethodInvocation invocation, LockException failure) throws Throwable {
			if (failure instanceof LockShutdownException) {
				throw failure;
			}
			return this.beanFactory.getBean(this.text.text(), LockFailureHandler.class).onFailure(invocation, failure);
		}

	}

}
