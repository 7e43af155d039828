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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockAssert;
import io.github.lockspring.LockException;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for what calls get that could not acquire their locks.
 */
class FailurePolicyTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Orders target = new Orders();

	private final Orders orders = this.proxies.proxy(this.target);

	private final List<LockException> handled = new ArrayList<>();

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void skippedMethodsReturnWhatIsEmpty() {
		this.proxies.holdElsewhere("order");
		this.orders.nothing();
		assertThat(this.orders.optional()).isEmpty();
		assertThat(this.orders.optionalInt()).isEmpty();
		assertThat(this.orders.wrapper()).isNull();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void skippedGenericMethodsReturnWhatIsEmptyForTheirType() {
		this.proxies.holdElsewhere("order");
		assertThat(this.proxies.proxy(new Names()).find()).isNull();
		assertThat(this.proxies.proxy(new OptionalNames()).find()).isEmpty();
		Finder<Optional<String>> finder = this.proxies.proxy(new OptionalNames());
		assertThat(finder.find()).isEmpty();
	}

	@Test
	void skippedMethodsRunWhenTheLockIsFree() {
		assertThat(this.orders.optionalInt()).hasValue(1);
		assertThat(this.orders.wrapper()).isEqualTo(1);
	}

	@Test
	void skippedCallOfASemaphoreDoesNotRun() {
		this.proxies.elsewhere().acquire("limit", LockedProxies.TRY_ONCE.withPermits(1));
		assertThat(this.orders.limited()).isNull();
	}

	@Test
	void fallbackGetsTheArguments() {
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.pay(7, "cash")).isEqualTo("later 7 cash");
		assertThat(this.target.runs).isZero();
	}

	@Test
	void fallbackIsNotCalledWhenTheLockIsFree() {
		assertThat(this.orders.pay(7, "cash")).isEqualTo("paid");
	}

	@Test
	void fallbackMayGetTheReason() {
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.ship(7)).isEqualTo("not shipped 7: lock:order");
	}

	@Test
	void fallbackMayBeInherited() {
		this.proxies.holdElsewhere("order");
		assertThat(this.proxies.proxy(new RushOrders()).pay(7, "cash")).isEqualTo("later 7 cash");
	}

	@Test
	void fallbackMayHaveTheNameOfTheMethod() {
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.quote("a")).isEqualTo("a, not now");
	}

	@Test
	void fallbackMayBeThatOfAGenericClass() {
		this.proxies.holdElsewhere("order");
		assertThat(this.proxies.proxy(new Texts()).find("a")).isEqualTo("a");
		assertThat(this.proxies.proxy(new Texts()).findInherited("a")).isEqualTo("text a");
	}

	@Test
	void fallbackOfAGenericClassForAnotherTypeIsNotTaken() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new WrongTexts()))
			.withMessageContaining("fallback = 'later' is not a method");
	}

	@Test
	void fallbackHasNoHandle() {
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.handled(null)).isEqualTo("without");
	}

	@Test
	void checkedExceptionOfTheFallbackSurfaces() {
		this.proxies.holdElsewhere("order");
		assertThatExceptionOfType(IOException.class).isThrownBy(this.orders::print).withMessage("no paper");
	}

	@Test
	void whenStoreIsDownThenFallbackIsNotCalled() {
		this.proxies.backend.setDown(true);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.pay(7, "cash"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.ship(7));
		assertThat(this.target.runs).isZero();
	}

	@Test
	void keyThatCannotBeLockedIsNoReasonForAFallback() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.keyed(null));
		assertThat(this.target.runs).isZero();
	}

	@Test
	void handlerGivesTheResult() {
		handle((invocation, failure) -> "handled " + invocation.getArguments()[0]);
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.ask(7)).isEqualTo("handled 7");
		assertThat(this.handled).singleElement().isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.target.runs).isZero();
	}

	@Test
	void handlerIsAskedWhenStoreIsDown() {
		handle((invocation, failure) -> "down");
		this.proxies.backend.setDown(true);
		assertThat(this.orders.ask(7)).isEqualTo("down");
		assertThat(this.handled).singleElement().isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void handlerIsNotAskedWhenTheLockIsFree() {
		handle((invocation, failure) -> "handled");
		assertThat(this.orders.ask(7)).isEqualTo("asked 7");
		assertThat(this.handled).isEmpty();
	}

	@Test
	void handlerMayRunTheMethod() {
		handle((invocation, failure) -> invocation.proceed() + " without lock");
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.ask(7)).isEqualTo("asked 7 without lock");
		assertThat(this.target.runs).isOne();
	}

	@Test
	void handlerRunsTheMethodUnderItsOtherLocks() {
		handle((invocation, failure) -> invocation.proceed());
		this.proxies.holdElsewhere("a");
		assertThat(this.orders.askTwice()).isEqualTo("b is held");
		assertThat(this.proxies.isHeld("b")).isFalse();
	}

	@Test
	void handlerThatRunsTheMethodTwiceRunsOtherAdviceTwice() {
		AtomicInteger advised = new AtomicInteger();
		((Advised) this.orders).addAdvice((MethodInterceptor) (invocation) -> {
			advised.incrementAndGet();
			return invocation.proceed();
		});
		handle((invocation, failure) -> invocation.proceed() + ", " + invocation.proceed());
		this.proxies.holdElsewhere("order");
		assertThat(this.orders.ask(7)).isEqualTo("asked 7, asked 7");
		assertThat(advised).hasValue(2);
	}

	@Test
	void exceptionOfTheHandlerSurfaces() {
		handle((invocation, failure) -> {
			throw new IllegalStateException("busy", failure);
		});
		this.proxies.holdElsewhere("order");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.orders.ask(7))
			.withMessage("busy")
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void whenHandlerIsMissingThenCallFailsAndMethodDoesNotRun() {
		this.proxies.holdElsewhere("order");
		assertThatExceptionOfType(NoSuchBeanDefinitionException.class).isThrownBy(() -> this.orders.ask(7))
			.withMessageContaining("'busy'");
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenHandlerIsOfAnotherTypeThenCallFailsAndMethodDoesNotRun() {
		this.proxies.context.registerBean("busy", String.class, () -> "no handler");
		this.proxies.holdElsewhere("order");
		assertThatExceptionOfType(BeanNotOfRequiredTypeException.class).isThrownBy(() -> this.orders.ask(7))
			.withMessageContaining("'busy'");
		assertThat(this.target.runs).isZero();
	}

	private void handle(LockFailureHandler handler) {
		this.proxies.context.registerBean("busy", LockFailureHandler.class, () -> (invocation, failure) -> {
			this.handled.add(failure);
			return handler.onFailure(invocation, failure);
		});
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource
	void wrongDeclarationIsRejected(Object bean, String problem) {
		assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> this.proxies.proxy(bean))
			.withMessageContaining(bean.getClass().getName() + ".run(")
			.withMessageContaining(problem)
			.satisfies((ex) -> assertThat(ex.getAction()).endsWith("."));
	}

	static Stream<Arguments> wrongDeclarationIsRejected() {
		return Stream.concat(attributes(), fallbacks());
	}

	private static Stream<Arguments> attributes() {
		return Stream.of(arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK)
			void run() {
			}

		}, "onFailure = FALLBACK requires the attribute fallback"), arguments(new Object() {

			@DistributedLock(fallback = "other")
			void run() {
			}

			void other() {
			}

		}, "fallback = 'other' is not supported with onFailure = THROW"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.HANDLE)
			void run() {
			}

		}, "onFailure = HANDLE requires the attribute handler"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.SKIP, handler = "busy")
			void run() {
			}

		}, "handler = 'busy' is not supported with onFailure = SKIP"), arguments(new Object() {

			@DistributedSemaphore(permits = "1", onFailure = OnFailure.SKIP)
			long run() {
				return 1;
			}

		}, "the method returns long"));
	}

	private static Stream<Arguments> fallbacks() {
		return Stream.of(arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "missing")
			void run() {
			}

		}, "fallback = 'missing' is not a method"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "other")
			void run() {
			}

			@DistributedLock("other")
			void other() {
			}

		}, "fallback = 'other' is a method with a lock annotation"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "other")
			void run(int number) {
			}

			void other(long number) {
			}

		}, "fallback = 'other' is not a method"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "other")
			void run(int number) {
			}

			void other(LockException failure, int number) {
			}

		}, "fallback = 'other' is not a method"), arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "other")
			Integer run() {
				return 1;
			}

			Object other() {
				return 1;
			}

		}, "fallback = 'other' returns java.lang.Object, which is not assignable to java.lang.Integer"),
				arguments(new Object() {

					@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "other")
					int run() {
						return 1;
					}

					void other() {
					}

				}, "fallback = 'other' returns void"), arguments(new Object() {

					@DistributedLock(onFailure = OnFailure.FALLBACK, fallback = "run")
					void run() {
					}

				}, "fallback = 'run' is the method itself"));
	}

	static class Orders {

		private int runs;

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		void nothing() {
			this.runs++;
		}

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		Optional<String> optional() {
			this.runs++;
			return Optional.of("a");
		}

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		OptionalInt optionalInt() {
			this.runs++;
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		Integer wrapper() {
			this.runs++;
			return 1;
		}

		@DistributedSemaphore(name = "limit", permits = "1", onFailure = OnFailure.SKIP)
		String limited() {
			return "run";
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "later")
		String pay(long id, String how) {
			this.runs++;
			return "paid";
		}

		private String later(long id, String how) {
			return "later " + id + " " + how;
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "quote")
		String quote(String isin) {
			return isin;
		}

		private String quote(String isin, LockException failure) {
			return isin + ", not now";
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "notShipped")
		Object ship(long id) {
			this.runs++;
			return "shipped";
		}

		String notShipped(long id, LockException failure) {
			return "not shipped " + id + ": " + ((LockNotAcquiredException) failure).storeKey();
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "unhandled")
		String handled(LockHandle lock) {
			return "with";
		}

		String unhandled(LockHandle lock) {
			return (lock != null) ? "with" : "without";
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "printLater")
		void print() throws IOException {
			this.runs++;
		}

		private void printLater() throws IOException {
			throw new IOException("no paper");
		}

		@DistributedLock(name = "keyed", key = "#key", onFailure = OnFailure.FALLBACK, fallback = "keyedLater")
		void keyed(String key) {
			this.runs++;
		}

		void keyedLater(String key) {
			this.runs++;
		}

		@DistributedLock(name = "a", onFailure = OnFailure.HANDLE, handler = "busy")
		@DistributedLock(name = "b")
		String askTwice() {
			LockAssert.assertLocked("b");
			return "b is held";
		}

		@DistributedLock(name = "order", onFailure = OnFailure.HANDLE, handler = "busy")
		String ask(long id) {
			this.runs++;
			return "asked " + id;
		}

	}

	static class RushOrders extends Orders {

	}

	static class Finder<T> {

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		T find() {
			throw new AssertionError("runs");
		}

	}

	static class Names extends Finder<String> {

	}

	static class OptionalNames extends Finder<Optional<String>> {

	}

	abstract static class Found<T> {

		T later(T id) {
			return id;
		}

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "textLater")
		T findInherited(T id) {
			return id;
		}

	}

	static class Texts extends Found<String> {

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "later")
		String find(String id) {
			return id;
		}

		String textLater(String id) {
			return "text " + id;
		}

	}

	static class WrongTexts extends Found<Integer> {

		@DistributedLock(name = "order", onFailure = OnFailure.FALLBACK, fallback = "later")
		String find(String id) {
			return id;
		}

		Integer textLater(Integer id) {
			return id;
		}

	}

}
