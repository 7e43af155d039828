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

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.InvalidLockKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link SumExpression}: the values are those of Spring's expression language.
 */
class SumExpressionTests {

	private final Method method = methodOfTheCalls();

	private final LockExpressionParser parser = new LockExpressionParser(new DefaultListableBeanFactory(),
			SumExpressionTests::textOf);

	void call(Object value) {
	}

	private static Method methodOfTheCalls() {
		Method method = ReflectionUtils.findMethod(SumExpressionTests.class, "call", Object.class);
		return Objects.requireNonNull(method);
	}

	private static String textOf(Object value) {
		if (value instanceof List) {
			throw new InvalidLockKeyException("several");
		}
		return value.toString();
	}

	@ParameterizedTest
	@MethodSource
	void valueIsThatOfTheLanguage(String text, Object value) {
		LockExpression expression = parse(text);
		for (int i = 0; i < 300; i++) {
			assertThat(expression.valueFor(new Call(value))).isEqualTo(valueInLanguage(text, value));
		}
		assertThat(expression.expression()).isEqualTo(text);
	}

	static Stream<Arguments> valueIsThatOfTheLanguage() {
		return Stream
			.of("'pay-' + #value", "#value + '-paid'", "'a' + #value + 'b' + #p0", "('a' + #value).length()",
					"'a' + ('b' + #value).length()", "'it''s ' + #value", "'a' + (#value ?: 'none')",
					"'a' + 'b' + #root.methodName + #value", "1 + 2 + 'a' + #value", "'a' + (1 + 2)", "'a' + 1.50",
					"'a' + true", "'a' + #value.toString()", "'a' + #value.class.simpleName + #value.hashCode()",
					"'a' + +1")
			.flatMap((text) -> Stream
				.of(42, 42L, (short) 42, 1.50, new BigDecimal("1.50"), "text", 'c', true, TimeUnit.DAYS,
						UUID.fromString("00000000-0000-002A-0000-00000000002A"), new StringBuilder("b"))
				.map((value) -> arguments(text, value)));
	}

	@ParameterizedTest
	@MethodSource
	void numbersAreAdded(String text, Object value, Object sum) {
		assertThat(parse(text).valueFor(new Call(value))).isEqualTo(sum);
	}

	static Stream<Arguments> numbersAreAdded() {
		return Stream.of(arguments("#value + 1", 2L, 3L), arguments("#value + #value + 'a'", 1, "2a"),
				arguments("'a' + #value + #value", 1, "a11"),
				arguments("#value + 0.5", new BigDecimal("1.5"), new BigDecimal("2.0")));
	}

	@ParameterizedTest
	@MethodSource
	void operandWithoutValueIsRejected(String text, Object value, String reason) {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> parse(text).valueFor(new Call(value)))
			.withMessage(reason);
	}

	static Stream<Arguments> operandWithoutValueIsRejected() {
		return Stream.of(arguments("'a' + #value", null, "'#value' is null"),
				arguments("#value + 'a'", null, "'#value' is null"),
				arguments("'a' + 'b' + #value", null, "'#value' is null"), arguments("'a' + null", 1, "'null' is null"),
				arguments("'a' + #value['b']", Map.of(), "'#value['b']' is null"),
				arguments("'a' + #value.class.componentType.name", 1, "'#value.class.componentType' is null"),
				arguments("'a' + #value.class", null, "'#value' is null"),
				arguments("#value.class + #value.class", null, "'#value' is null"),
				arguments("'a' + #value.class.name + #value.class", null, "'#value' is null"),
				arguments("'a' + #value", Optional.empty(), "'#value' is an empty Optional"),
				arguments("('a' + #value).length()", Optional.empty(), "'#value' is an empty Optional"),
				arguments("#value.!['a' + #this]", Arrays.asList("b", null), "'#this' is null"),
				arguments("#value?.![#this['b'] + 'a']", List.of(Map.of()), "'#this['b']' is null"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "'a' + #value", "#value + 'a'", "('a' + #value).length()", "{'a' + #value}",
			"'a' + (true ? 'b' + #value : 'c')" })
	void operandThatIsNoKeyIsRejected(String text) {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> parse(text).valueFor(new Call(List.of())))
			.withMessage("several");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'a' + #value", "('a' + #value).toString()" })
	void operandIsTakenOutOfAnOptional(String text) {
		assertThat(parse(text).valueFor(new Call(Optional.of(1)))).isEqualTo("a1");
	}

	@Test
	void operandsThatCannotBeAddedAreRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> parse("#value + #value").valueFor(new Call(List.of())))
			.withMessageStartingWith(
					"its evaluation failed with org.springframework.expression.spel.SpelEvaluationException: EL1030E");
	}

	private LockExpression parse(String text) {
		return this.parser.parse(text, this.method);
	}

	private Object valueInLanguage(String text, Object value) {
		StandardEvaluationContext context = new StandardEvaluationContext(
				new LockExpressionRootObject(new Call(value)));
		context.setVariable("value", value);
		context.setVariable("p0", value);
		return new SpelExpressionParser().parseExpression(text).getValue(context);
	}

	private final class Call implements MethodInvocation {

		private final Object[] arguments;

		Call(Object argument) {
			this.arguments = new Object[] { argument };
		}

		@Override
		public Method getMethod() {
			return SumExpressionTests.this.method;
		}

		@Override
		public Object[] getArguments() {
			return this.arguments;
		}

		@Override
		public Object proceed() {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object getThis() {
			return SumExpressionTests.this;
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.getMethod();
		}

	}

}
