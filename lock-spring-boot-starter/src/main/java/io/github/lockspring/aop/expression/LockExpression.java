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
 * Expression that is evaluated for each call of a method, such as a key expression.
 */
public interface LockExpression {

	/**
	 * Evaluate the expression.
	 * @param invocation the call
	 * @return the value
	 * @throws InvalidLockKeyException if the expression cannot be evaluated
	 */
	@Nullable Object valueFor(MethodInvocation invocation);

	/**
	 * Return the expression as written in the annotation.
	 * @return the expression
	 */
	String expression();

	/**
	 * Expression that consists of an argument only, such as {@code #id}, and needs no
	 * evaluation.
	 *
	 * @param expression the expression as written in the annotation
	 * @param index the index of the argument
	 */
	record Argument(String expression, int index) implements LockExpression {

		@Override
		public @Nullable Object valueFor(MethodInvocation invocation) {
			return invocation.getArguments()[this.index];
		}

	}

	/**
	 * Expression that has the same value for all calls, such as {@code 'pay-'}.
	 *
	 * @param expression the expression as written in the annotation
	 * @param value the value
	 */
	record Literal(String expression, @Nullable Object value) implements LockExpression {

		@Override
		public @Nullable Object valueFor(MethodInvocation invocation) {
			return this.value;
		}

	}

}
