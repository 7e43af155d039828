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

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockType;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.expression.LockExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockAttributesReader}, and for what it rejects by means of
 * {@link LockExpressionParser}.
 */
class LockAttributesReaderTests {

	@ParameterizedTest(name = "{1}")
	@MethodSource
	void wrongDeclarationIsRejected(Object bean, String problem) {
		try (LockedProxies proxies = new LockedProxies("known", "a:b", "lease", "1ms", "empty", "")) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("@DistributedLock on " + bean.getClass().getName() + ".run(")
				.withMessageContaining(problem)
				.satisfies((ex) -> assertThat(ex.getAction()).endsWith("."));
		}
	}

	static Stream<Arguments> wrongDeclarationIsRejected() {
		return Stream.of(times(), names(), expressions()).flatMap(Function.identity());
	}

	private static Stream<Arguments> times() {
		return Stream.of(arguments(new Object() {

			@DistributedLock(waitTime = "-5s")
			void run() {
			}

		}, "waitTime = '-5s' is out of range"), arguments(new Object() {

			@DistributedLock(waitTime = "abc")
			void run() {
			}

		}, "waitTime = 'abc' is not a duration"), arguments(new Object() {

			@DistributedLock(waitTime = "5")
			void run() {
			}

		}, "waitTime = '5' has no unit"), arguments(new Object() {

			@DistributedLock(waitTime = "99999999999999999999s")
			void run() {
			}

		}, "waitTime = '99999999999999999999s' is not a duration"), arguments(new Object() {

			@DistributedLock(waitTime = "${missing}")
			void run() {
			}

		}, "waitTime = '${missing}'"), arguments(new Object() {

			@DistributedLock(leaseTime = "0s")
			void run() {
			}

		}, "leaseTime = '0s' is out of range: 'leaseTime' must be between 100ms and 1d, not 0s"),
				arguments(new Object() {

					@DistributedLock(leaseTime = "99ms")
					void run() {
					}

				}, "leaseTime = '99ms'"), arguments(new Object() {

					@DistributedLock(leaseTime = "PT-1S")
					void run() {
					}

				}, "leaseTime = 'PT-1S'"), arguments(new Object() {

					@DistributedLock(leaseTime = "25h")
					void run() {
					}

				}, "leaseTime = '25h'"), arguments(new Object() {

					@DistributedLock(leaseTime = "${lease}")
					void run() {
					}

				}, "leaseTime = '1ms'"), arguments(new Object() {

					@DistributedLock(autoRenew = "yes")
					void run() {
					}

				}, "autoRenew = 'yes' is neither true nor false"), arguments(new Object() {

					@DistributedLock(retain = "-1s")
					void run() {
					}

				}, "retain = '-1s' is out of range"), arguments(new Object() {

					@DistributedLock(retain = "5s", type = LockType.FAIR)
					void run() {
					}

				}, "retain = '5s' has no effect with type=FAIR"), arguments(new Object() {

					@DistributedLock(retain = "5s", autoRenew = "false")
					void run() {
					}

				}, "retain = '5s' has no effect with"), arguments(new Object() {

					@DistributedLock(retain = "5s", lockAtLeastFor = "1s")
					void run() {
					}

				}, "retain = '5s' has no effect with"));
	}

	private static Stream<Arguments> names() {
		return Stream.of(arguments(new Object() {

			@DistributedLock(name = "a:b")
			void run() {
			}

		}, "name = 'a:b' contains a colon"), arguments(new Object() {

			@DistributedLock(name = "${known}")
			void run() {
			}

		}, "name = 'a:b' contains a colon"), arguments(new Object() {

			@DistributedLock(name = "${missing}")
			void run() {
			}

		}, "name = '${missing}'"), arguments(new Object() {

			@DistributedLock(name = "${empty}")
			void run() {
			}

		}, "name = '' is blank"), arguments(new Object() {

			@DistributedLock(name = " \n")
			void run() {
			}

		}, "name = ' \\u000a' is blank"), arguments(new Object() {

			@DistributedLock(name = "\uD83D")
			void run() {
			}

		}, "not well-formed"), arguments(new Object() {

			@DistributedLock(name = "#id")
			void run(long id) {
			}

		}, "name = '#id' looks like an expression"), arguments(new Object() {

			@DistributedLock(name = "order-#{#id}")
			void run(long id) {
			}

		}, "name = 'order-#{#id}' looks like an expression"), arguments(new Object() {

			@DistributedLock(name = LONG + LONG + LONG)
			void run() {
			}

		}, "…' is longer than 256 bytes"));
	}

	private static Stream<Arguments> expressions() {
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

				}, "contains a placeholder"), arguments(new Object() {

					@DistributedLock(key = "'${known}/' + #id")
					void run(long id) {
					}

				}, "contains a placeholder"), arguments(new Object() {

					@DistributedLock(condition = "'${known}' == 'a'")
					void run() {
					}

				}, "contains a placeholder"));
	}

	private static final String LONG = "0123456789012345678901234567890123456789012345678901234567890123456789"
			+ "01234567890123456789";

	@Test
	void whenLeaseIsNotLongerThanRenewIntervalThenBothAreNamed() {
		LockDefaults defaults = LockedProxies.defaults(LockOptions.defaults(), Duration.ofSeconds(10));
		try (LockedProxies proxies = new LockedProxies(defaults)) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> proxies.proxy(new Object() {

					@DistributedLock(leaseTime = "10s")
					void run() {
					}

				}))
				.withMessageContaining("leaseTime = '10s'")
				.withMessageContaining("lock.renew-interval, which is PT10S");
		}
	}

	@Test
	void whenLeaseIsNotRenewedThenRenewIntervalDoesNotMatter() {
		LockDefaults defaults = LockedProxies.defaults(LockOptions.defaults(), Duration.ofSeconds(10));
		try (LockedProxies proxies = new LockedProxies(defaults)) {
			assertThat(proxies.proxy(new Object() {

				@DistributedLock(leaseTime = "10s", autoRenew = "false")
				void run() {
				}

			})).isNotNull();
		}
	}

	@Test
	void rightDeclarationsAreTaken() {
		try (LockedProxies proxies = new LockedProxies("wait", "1s", "name", "a")) {
			RightDeclarations proxy = proxies.proxy(new RightDeclarations());
			proxy.threeHundredYears();
			proxy.placeholders();
			assertThat(proxy.skipped(1)).isNull();
			assertThat(proxies.backend.keys()).hasSize(3);
		}
	}

	static class RightDeclarations {

		@DistributedLock(waitTime = "109500d")
		void threeHundredYears() {
		}

		@DistributedLock(name = "${name}", waitTime = "${wait}", leaseTime = "${none:}", autoRenew = "${none:true}")
		void placeholders() {
		}

		@DistributedLock(key = "#id", onFailure = OnFailure.SKIP)
		Optional<String> skipped(int id) {
			return null;
		}

	}

}
