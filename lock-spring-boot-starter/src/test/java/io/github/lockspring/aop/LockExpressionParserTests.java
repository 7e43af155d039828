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

import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.aop.expression.LockExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockExpressionParser}.
 */
class LockExpressionParserTests {

	@ParameterizedTest(name = "{1}")
	@MethodSource
	void wrongDeclarationIsRefused(Object bean, String problem) {
		try (LockedProxies proxies = new LockedProxies("known", "a:b", "lease", "1ms", "empty", "")) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("@DistributedLock on " + bean.getClass().getName() + ".run(")
				.withMessageContaining(problem)
				.satisfies((ex) -> assertThat(ex.getRemedy()).endsWith("."));
		}
	}

	static Stream<Arguments> wrongDeclarationIsRefused() {
		return Stream.of(arguments(new Object() {

			@DistributedLock(key = "#id +")
			void run(long id) {
			}

		}, "key = '#id +' is not an expression"), arguments(new Object() {

			@DistributedLock(key = "#order.(id")
			void run(Object order) {
			}

		}, "at position 6"), arguments(new Object() {

			@DistributedLock(key = "#oder")
			void run(Object order) {
			}

		}, "has the unknown variable '#oder' at position 0. Available are #root, #order, #p0, #a0"),
				arguments(new Object() {

					@DistributedLock(key = "'a' + #oder.id")
					void run(Object order) {
					}

				}, "'#oder' at position 6"), arguments(new Object() {

					@DistributedLock(key = "#p1")
					void run(Object order) {
					}

				}, "'#p1'"), arguments(new Object() {

					@DistributedLock(key = "id")
					void run(long id) {
					}

				}, "key = 'id' names the argument id without '#': use '#id'"), arguments(new Object() {

					@DistributedLock(key = "'a' + order.id")
					void run(Object order) {
					}

				}, "names the argument order without '#'"), arguments(new Object() {

					@DistributedLock(key = "#root.methodName.concat(id)")
					void run(String id) {
					}

				}, "key = '#root.methodName.concat(id)' names the argument id without '#': use '#id'"),
				arguments(new Object() {

					@DistributedLock(key = "#order.name(#order.part('x' + order))")
					void run(Object order) {
					}

				}, "names the argument order without '#'"), arguments(new Object() {

					@DistributedLock(key = "everything")
					void run(Object order) {
					}

				}, "has the unknown property 'everything': arguments are written with '#', as in #order"),
				arguments(new Object() {

					@DistributedLock(key = "T(java.lang.Runtime).getRuntime().exec('true')")
					void run() {
					}

				}, "must not refer to a type with T(…); found at position 0"), arguments(new Object() {

					@DistributedLock(key = "#ids.![T(java.lang.Math).abs(#this)]")
					void run(int[] ids) {
					}

				}, "T(…)"), arguments(new Object() {

					@DistributedLock(key = "{a: {1, T(Integer).MAX_VALUE}}")
					void run() {
					}

				}, "T(…)"), arguments(new Object() {

					@DistributedLock(key = "@shop.keyOf(#id ?: T(Integer).MAX_VALUE)")
					void run(Long id) {
					}

				}, "T(…)"), arguments(new Object() {

					@DistributedLock(key = "new java.lang.String('a')")
					void run() {
					}

				}, "must not call a constructor"), arguments(new Object() {

					@DistributedLock(key = "new int[5]")
					void run() {
					}

				}, "must not call a constructor"), arguments(new Object() {

					@DistributedLock(key = "#order.id = 5")
					void run(Object order) {
					}

				}, "must not assign"), arguments(new Object() {

					@DistributedLock(key = "#id++")
					void run(int id) {
					}

				}, "must not assign"), arguments(new Object() {

					@DistributedLock(key = "#hash(#id)")
					void run(int id) {
					}

				}, "must not call a function"), arguments(new Object() {

					@DistributedLock(key = "  ")
					void run() {
					}

				}, "key = '  ' is blank"), arguments(new Object() {

					@DistributedLock(key = "${known}")
					void run() {
					}

				}, "is not an expression"));
	}

}
