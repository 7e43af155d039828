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

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.InvalidLockKeyException;

/**
 * An expression that is evaluated for each call of a method, such as that of a key.
 */
public interface LockExpression {

	/**
	 * Evaluates the expression.
	 * @param invocation the call
	 * @return the value
	 * @throws InvalidLockKeyException if that is not possible
	 */
	@Nullable Object valueFor(MethodInvocation invocation);

	/**
	 * The expression as the annotation has it.
	 * @return the expression
	 */
	String expression();

	/**
	 * An expression that is an argument as it is, such as {@code #id}. Nothing has to be
	 * evaluated.
	 *
	 * @param expression the expression as the annotation has it
	 * @param index the index of the argument
	 */
	record Argument(String expression, int index) implements LockExpression {

		@Override
		public @Nullable Object valueFor(MethodInvocation invocation) {
			return invocation.getArguments()[this.index];
		}

	}

	/**
	 * An expression that has the same value for all calls, such as {@code 'pay-'}.
	 *
	 * @param expression the expression as the annotation has it
	 * @param value the value
	 */
	record Literal(String expression, @Nullable Object value) implements LockExpression {

		@Override
		public @Nullable Object valueFor(MethodInvocation invocation) {
			return this.value;
		}

	}

}
