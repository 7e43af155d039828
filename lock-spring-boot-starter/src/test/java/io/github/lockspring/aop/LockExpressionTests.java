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

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.aop.expression.LockExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for the keys of annotated methods: {@link LockExpressionParser}
 * {@link ArgumentExpression}, {@link LiteralExpression}, {@link SumExpression} and
 * {@link ParsedExpression}.
 */
class LockExpressionTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Keys target = new Keys();

	private Keys keys;

	@BeforeEach
	void proxy() {
		this.proxies.context.registerBean("shop", Shop.class);
		this.proxies.context.registerBean(LockKeyConverter.class,
				() -> (key) -> (key instanceof Order order) ? "order " + order.id() : null);
		this.keys = this.proxies.proxy(this.target);
	}

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource("calls")
	void expressionGivesTheKey(Consumer<Keys> call, String key) {
		call.accept(this.keys);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:" + key);
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource("calls")
	void expressionGivesTheSameKeyOnceItIsCompiled(Consumer<Keys> call, String key) {
		for (int i = 0; i < 300; i++) {
			call.accept(this.keys);
		}
		assertThat(this.proxies.backend.keys()).containsOnly("lock:" + key);
	}

	static Stream<Arguments> calls() {
		return Stream.of(call((keys) -> keys.name("a"), "name:a"), call((keys) -> keys.number(42), "number:42"),
				call((keys) -> keys.first("a", "b"), "first:a"), call((keys) -> keys.second("a", "b"), "second:b"),
				call((keys) -> keys.property(new Order(new Customer("ann"))), "property:ann"),
				call((keys) -> keys.safeProperty(new Order(new Customer("ann"))), "property:ann"),
				call((keys) -> keys.both("a", 1), "both:a/1"), call((keys) -> keys.both('a', 1.0), "both:a/1"),
				call((keys) -> keys.both("a", new BigDecimal("1.00")), "both:a/1"),
				call((keys) -> keys.both(new Order(null), "a"), "both:order 7/a"),
				call((keys) -> keys.sum(1, 2), "sum:3"), call((keys) -> keys.branch("a", 1), "branch:b1"),
				call((keys) -> keys.branch(null, null), "branch:none"),
				call((keys) -> keys.passed("a"), "passed:shop xa"),
				call((keys) -> keys.passed(new Order(null)), "passed:shop xorder 7"),
				call((keys) -> keys.elements("a"), "elements:xa"),
				call((keys) -> keys.looked(Map.of("xa", "found"), "a"), "looked:found"),
				call((keys) -> keys.bean("a"), "bean:shop a"),
				call((keys) -> keys.configured("a"), "configured:" + System.getProperty("java.version") + "/a"),
				call((keys) -> keys.root("a"), "root:root a 1 LockExpressionTests$Keys"),
				call((keys) -> keys.index(List.of("a", "b")), "index:b"),
				call((keys) -> keys.literal("a"), "literal:one"),
				call((keys) -> keys.optional(Optional.of("a")), "optional:a"),
				call((keys) -> keys.converted(new Order(null)), "converted:order 7"),
				call((keys) -> keys.shadowed("a", "b"), "shadowed:b"), call((keys) -> keys.named("b"), "named:b"));
	}

	private static Arguments call(Consumer<Keys> call, String key) {
		return arguments(call, key);
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource("rejectedCalls")
	void whenKeyCannotBeFoundOutThenMethodDoesNotRun(Consumer<Keys> call, String method, String expression,
			String reason) {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> call.accept(this.keys))
			.withMessageContaining(
					"The key '" + expression + "' of @DistributedLock on " + Keys.class.getName() + '.' + method + '(')
			.withMessageContaining(reason);
		assertThat(this.proxies.backend.keys()).isEmpty();
		assertThat(this.target.runs).isZero();
	}

	static Stream<Arguments> rejectedCalls() {
		return Stream.of(rejected((keys) -> keys.name(null), "name", "#name", "it is null"),
				rejected((keys) -> keys.name(""), "name", "#name", "blank"),
				rejected((keys) -> keys.name(" \t"), "name", "#name", "blank"),
				rejected((keys) -> keys.name("x".repeat(513)), "name", "#name", "512 bytes"),
				rejected((keys) -> keys.name("\uD83D"), "name", "#name", "surrogate"),
				rejected((keys) -> keys.optional(Optional.empty()), "optional", "#value", "empty Optional"),
				rejected((keys) -> keys.property(null), "property", "#order.customer.name", "'#order' is null"),
				rejected((keys) -> keys.property(new Order(null)), "property", "#order.customer.name",
						"'#order.customer' is null"),
				rejected((keys) -> keys.property(new Order(new Customer(null))), "property", "#order.customer.name",
						"it is null"),
				rejected((keys) -> keys.safeProperty(new Order(null)), "safeProperty", "#order?.customer?.name",
						"it is null"),
				rejected((keys) -> keys.both(null, 1), "both", "#one + '/' + #two", "'#one' is null"),
				rejected((keys) -> keys.both("a", null), "both", "#one + '/' + #two", "'#two' is null"),
				rejected((keys) -> keys.branch("a", null), "branch", "#one != null ? 'b' + #two : 'none'",
						"'#two' is null"),
				rejected((keys) -> keys.both("a", List.of("b")), "both", "#one + '/' + #two",
						"cannot be converted to a key"),
				rejected((keys) -> keys.both(new Customer("a"), "b"), "both", "#one + '/' + #two",
						"cannot be converted to a key"),
				rejected((keys) -> keys.both("a", LocalDate.EPOCH), "both", "#one + '/' + #two",
						"a value of class java.time.LocalDate cannot be converted to a key"),
				rejected((keys) -> keys.passed(new long[] { 1 }), "passed", "@shop.keyOf('x' + #name)",
						"cannot be converted to a key"),
				rejected((keys) -> keys.passed(null), "passed", "@shop.keyOf('x' + #name)", "'#name' is null"),
				rejected((keys) -> keys.elements(null), "elements", "{'x' + #name}", "'#name' is null"),
				rejected((keys) -> keys.looked(Map.of("xnull", "found"), null), "looked", "#map['x' + #name]",
						"'#name' is null"),
				rejected((keys) -> keys.index(null), "index", "#list[1]", "'#list' is null"),
				rejected((keys) -> keys.called(null), "called", "#order.id()", "'#order' is null"),
				rejected((keys) -> keys.argument(new Order(null)), "argument", "@shop.keyOf(#order.customer.name)",
						"'#order.customer' is null"),
				rejected((keys) -> keys.failing("a"), "failing", "@shop.fail(#name)", "out of stock"),
				rejected((keys) -> keys.unknownBean(), "unknownBean", "@absent.name", "absent"),
				rejected((keys) -> keys.converted(new Object()), "converted", "#value", "cannot be converted to a key"),
				rejected((keys) -> keys.converted(new byte[] { 1 }), "converted", "#value",
						"cannot be converted to a key"),
				rejected((keys) -> keys.all(List.of()), "all", "#ids", "At least one"),
				rejected((keys) -> keys.all(Arrays.asList("a", null)), "all", "#ids", "element 1 is null"),
				rejected((keys) -> keys.all(List.of("a", "")), "all", "#ids", "blank"));
	}

	private static Arguments rejected(Consumer<Keys> call, String method, String expression, String reason) {
		return arguments(call, method, expression, reason);
	}

	@Test
	void argumentsAreNamedByTheParametersOfTheInterfaceWithTheAnnotation() {
		Sender lambda = (text, to) -> {
		};
		this.proxies.proxy(lambda, Sender.class).send("a", "b");
		this.proxies.proxy(new OtherNames()).send("c", "d");
		this.proxies.proxy(new SwappedNames()).send("e", "f");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:to:b", "lock:to:d", "lock:to:f");
	}

	@Test
	void argumentsAreNamedByTheParametersOfTheInterfaceWhoseTypeHasTheAnnotation() {
		this.proxies.proxy(new Receiver()).receive("a");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:from:a");
	}

	@Test
	void argumentsAreAlsoNamedByTheParametersOfTheImplementation() {
		this.proxies.proxy(new Answer()).answer("a");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:answer:a");
	}

	@Test
	void namesOfBothMethodsAreListed() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new OtherUnknown()))
			.withMessageContaining("Available are #root, #text, #words, #p0, #a0");
	}

	@Test
	void exceptionOfTheExpressionIsTheCause() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.keys.failing("a"))
			.havingCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessage("out of stock");
	}

	@Test
	void hugeKeyIsNotCopiedIntoTheMessage() {
		String huge = "x".repeat(100_000_000);
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.keys.name(huge))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(600));
	}

	@Test
	void textThatLooksLikeAnExpressionIsText() {
		String text = "#{T(java.lang.Runtime).getRuntime()} ${user.home} @shop";
		this.keys.name(text);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:name:" + text);
	}

	static class Keys {

		private int runs;

		@DistributedLock(name = "name", key = "#name")
		void name(String name) {
			this.runs++;
		}

		@DistributedLock(name = "number", key = "#number")
		void number(long number) {
			this.runs++;
		}

		@DistributedLock(name = "first", key = "#p0")
		void first(String one, String two) {
			this.runs++;
		}

		@DistributedLock(name = "second", key = "#a1")
		void second(String one, String two) {
			this.runs++;
		}

		@DistributedLock(name = "property", key = "#order.customer.name")
		void property(Order order) {
			this.runs++;
		}

		@DistributedLock(name = "property", key = "#order?.customer?.name")
		void safeProperty(Order order) {
			this.runs++;
		}

		@DistributedLock(name = "both", key = "#one + '/' + #two")
		void both(Object one, Object two) {
			this.runs++;
		}

		@DistributedLock(name = "sum", key = "#one + #two")
		void sum(int one, int two) {
			this.runs++;
		}

		@DistributedLock(name = "branch", key = "#one != null ? 'b' + #two : 'none'")
		void branch(String one, Integer two) {
			this.runs++;
		}

		@DistributedLock(name = "passed", key = "@shop.keyOf('x' + #name)")
		void passed(Object name) {
			this.runs++;
		}

		@DistributedLock(name = "elements", key = "{'x' + #name}")
		void elements(String name) {
			this.runs++;
		}

		@DistributedLock(name = "looked", key = "#map['x' + #name]")
		void looked(Map<String, String> map, String name) {
			this.runs++;
		}

		@DistributedLock(name = "bean", key = "@shop.keyOf(#name)")
		void bean(String name) {
			this.runs++;
		}

		@DistributedLock(name = "configured", key = "@environment.getProperty('java.version') + '/' + #name")
		void configured(String name) {
			this.runs++;
		}

		@DistributedLock(name = "root", key = "#root.methodName + ' ' + #root.args[0] + ' '"
				+ " + #root.method.parameterCount + ' ' + targetClass.typeName.substring(25)")
		void root(String name) {
			this.runs++;
		}

		@DistributedLock(name = "index", key = "#list[1]")
		void index(List<String> list) {
			this.runs++;
		}

		@DistributedLock(name = "literal", key = "'one'")
		void literal(String name) {
			this.runs++;
		}

		@DistributedLock(name = "optional", key = "#value")
		void optional(Optional<String> value) {
			this.runs++;
		}

		@DistributedLock(name = "converted", key = "#value")
		void converted(Object value) {
			this.runs++;
		}

		@DistributedLock(name = "shadowed", key = "#p0")
		void shadowed(String one, String p0) {
			this.runs++;
		}

		@DistributedLock(name = "named", key = "#root1")
		void named(String root1) {
			this.runs++;
		}

		@DistributedLock(name = "called", key = "#order.id()")
		void called(Order order) {
			this.runs++;
		}

		@DistributedLock(name = "argument", key = "@shop.keyOf(#order.customer.name)")
		void argument(Order order) {
			this.runs++;
		}

		@DistributedLock(name = "failing", key = "@shop.fail(#name)")
		void failing(String name) {
			this.runs++;
		}

		@DistributedLock(name = "unknownBean", key = "@absent.name")
		void unknownBean() {
			this.runs++;
		}

		@DistributedLock(name = "all", key = "#ids")
		void all(List<?> ids) {
			this.runs++;
		}

	}

	public static class Shop {

		public String keyOf(String name) {
			return "shop " + name;
		}

		public String fail(String name) {
			throw new IllegalStateException("out of stock");
		}

	}

	public record Order(Customer customer) {

		public long id() {
			return 7;
		}

	}

	public record Customer(String name) {

	}

	interface Sender {

		@DistributedLock(name = "to", key = "#to")
		void send(String text, String to);

	}

	static class OtherNames implements Sender {

		@Override
		public void send(String message, String receiver) {
		}

	}

	static class SwappedNames implements Sender {

		@Override
		public void send(String to, String text) {
		}

	}

	@DistributedLock(name = "from", key = "#from")
	interface Receiving {

		void receive(String from);

	}

	static class Receiver implements Receiving {

		@Override
		public void receive(String sender) {
		}

	}

	interface Answering {

		@DistributedLock(name = "answer", key = "#question")
		void answer(String text);

	}

	static class Answer implements Answering {

		@Override
		public void answer(String question) {
		}

	}

	interface Unknown {

		@DistributedLock(key = "#unknown")
		void say(String text);

	}

	static class OtherUnknown implements Unknown {

		@Override
		public void say(String words) {
		}

	}

}
