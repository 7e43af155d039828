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

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.support.KeyFormat;

/**
 * Expression that adds or concatenates like Spring's expression language, such as
 * {@code 'pay-' + #id}, but rejects operands without a value, and converts the operands
 * of a concatenation like keys. Spring's expression language does not compile such an
 * expression if one of its operands is neither a string nor a primitive; here the
 * operands are evaluated and compiled individually.
 *
 * @param expression the expression as written in the annotation
 * @param left the left operand
 * @param right the right operand
 * @param texts the conversion of keys to strings
 */
record SumExpression(String expression, LockExpression left, LockExpression right,
		Function<Object, String> texts) implements LockExpression {

	private static final Expression SUM = new SpelExpressionParser().parseExpression("#left + #right");

	@Override
	public Object valueFor(MethodInvocation invocation) {
		try {
			return sumOf(presentOf(this.left, invocation), presentOf(this.right, invocation), this.texts);
		}
		catch (InvalidLockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new InvalidLockKeyException("its evaluation failed with " + ex, ex);
		}
	}

	private static Object presentOf(LockExpression operand, MethodInvocation invocation) {
		return present(operand.valueFor(invocation), operand::expression);
	}

	/**
	 * Return the value of an operand, unwrapped if it is an {@link Optional}.
	 * @param value the value
	 * @param operand supplies the operand as written in the annotation
	 * @return the value, which is present
	 * @throws InvalidLockKeyException if there is none
	 */
	static Object present(@Nullable Object value, Supplier<String> operand) {
		Object present = (value instanceof Optional<?> optional) ? optional.orElse(null) : value;
		if (present == null) {
			throw new InvalidLockKeyException(
					KeyFormat.quote(operand.get()) + ((value != null) ? " is an empty Optional" : " is null"));
		}
		return present;
	}

	static Object sumOf(Object left, Object right, Function<Object, String> texts) {
		if (left instanceof String || right instanceof String) {
			return texts.apply(left).concat(texts.apply(right));
		}
		StandardEvaluationContext operands = new StandardEvaluationContext();
		operands.setVariable("left", left);
		operands.setVariable("right", right);
		Object value = SUM.getValue(operands);
		return (value != null) ? value : "";
	}

}
