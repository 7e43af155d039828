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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import kotlin.jvm.functions.Function0;
import kotlin.sequences.Sequence;
import kotlinx.coroutines.Deferred;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link MethodCheck}.
 */
class MethodCheckTests {

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
		return Stream.of(arguments(new Object() {

			@DistributedLock(onFailure = OnFailure.SKIP)
			int run() {
				return 1;
			}

		}, "the method returns int"), arguments(new Object() {

			@DistributedLock
			private void run() {
			}

		}, "the method is private"), arguments(new Object() {

			@DistributedLock
			final void run() {
			}

		}, "the method is final"), arguments(new WithStaticMethod(), "the method is static"), arguments(new Object() {

			@DistributedLock
			Future<String> run() {
				return CompletableFuture.completedFuture("a");
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			Iterator<String> run() {
				return List.of("a").iterator();
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			Stream<String> run() {
				return Stream.of();
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			Callable<String> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			Supplier<String> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			Runnable run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			DeferredResult<String> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			WebAsyncTask<String> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			SseEmitter run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			StreamingResponseBody run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			ResponseEntity<StreamingResponseBody> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@DistributedLock
			ResponseEntity<CompletableFuture<String>> run() {
				return null;
			}

		}, "the lock would be released before the work is done"), arguments(new Object() {

			@GetMapping("/orders")
			@DistributedLock
			void run(LockHandle lock) {
			}

		}, "which do not include a LockHandle"), arguments(new Object() {

			@PostConstruct
			@DistributedLock
			void run() {
			}

		}, "called by the container, as @PostConstruct specifies"), arguments(new Object() {

			@DistributedLock
			void run(LockHandle one, LockHandle two) {
			}

		}, "2 parameters of type LockHandle"));
	}

	@ParameterizedTest
	@MethodSource
	void callbackOfTheContainerIsRejected(Object bean, String type) {
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("called by the container, as " + type + " specifies");
		}
	}

	static Stream<Arguments> callbackOfTheContainerIsRejected() {
		return Stream.of(arguments(new InitializingBean() {

			@Override
			@DistributedLock
			public void afterPropertiesSet() {
			}

		}, "InitializingBean"), arguments(new DisposableBean() {

			@Override
			@DistributedLock
			public void destroy() {
			}

		}, "DisposableBean"));
	}

	/**
	 * Methods whose result contains work that is done later.
	 */
	@ParameterizedTest(name = "{0}")
	@MethodSource
	void workWithinTheResultIsRejected(Method method) {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> MethodCheck.requireEnd(site(method), ReturnType.of(method, method.getDeclaringClass())))
			.withMessageContaining("the method returns " + method.getGenericReturnType().getTypeName() + ", so that")
			.withMessageContaining("the lock would be released before the work is done");
	}

	static Stream<Method> workWithinTheResultIsRejected() {
		return Arrays.stream(Later.class.getDeclaredMethods());
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void resultWithoutWorkIsAccepted(Method method) {
		assertThatNoException()
			.isThrownBy(() -> MethodCheck.requireEnd(site(method), ReturnType.of(method, method.getDeclaringClass())));
	}

	static Stream<Method> resultWithoutWorkIsAccepted() {
		return Arrays.stream(Done.class.getDeclaredMethods());
	}

	private static AnnotatedMethod site(Method method) {
		return new AnnotatedMethod("DistributedLock", method);
	}

	@Test
	void typeArgumentOfTheClassIsResolved() {
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> proxies.proxy(new Lists<Future<String>>() {
				}))
				.withMessageContaining("before the work is done");
			assertThatNoException().isThrownBy(() -> proxies.proxy(new Lists<String>() {
			}));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { FactoryMethod.class, ComposedFactoryMethod.class, LockedConfiguration.class })
	void methodThatCreatesABeanIsRejected(Class<?> type) throws ReflectiveOperationException {
		Object bean = type.getDeclaredConstructor().newInstance();
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("@DistributedLock on " + type.getName() + ".consumer()")
				.withMessageContaining("the method creates a bean")
				.satisfies((ex) -> assertThat(ex.getAction()).contains("methods of the bean", "LockTemplate"));
		}
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource
	void methodThatWouldWaitForItselfIsRejected(Object bean, String problem) {
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("each call would wait for itself")
				.withMessageContaining(problem);
		}
	}

	static Stream<Arguments> methodThatWouldWaitForItselfIsRejected() {
		return Stream.of(arguments(new Object() {

			@DistributedLock
			@DistributedSemaphore(permits = "3")
			void run() {
			}

		}, ".run' as a lock and as a semaphore"), arguments(new Object() {

			@DistributedLock(name = "a", key = "#key")
			@DistributedSemaphore(name = "a", key = "#key", permits = "3")
			void run(String key) {
			}

		}, "the name 'a' as a lock and as a semaphore"), arguments(new Object() {

			@DistributedSemaphore(name = "a", permits = "1")
			@DistributedSemaphore(name = "a", permits = "1")
			void run() {
			}

		}, "the name 'a' more often than there are permits"));
	}

	@Test
	void locksAndSemaphoresOfDifferentCallsAreAccepted() {
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatNoException().isThrownBy(() -> proxies.proxy(new Object() {

				@DistributedLock(name = "a", key = "1")
				@DistributedSemaphore(name = "a", key = "2", permits = "1")
				void keys() {
				}

				@DistributedLock(name = "a", condition = "#write")
				@DistributedSemaphore(name = "a", condition = "!#write", permits = "1")
				void conditions(boolean write) {
				}

				@DistributedSemaphore(name = "a", permits = "2")
				@DistributedSemaphore(name = "a", permits = "2")
				void twoPermits() {
				}

			}));
		}
	}

	interface Later<T extends Later<T>> {

		Mono<ResponseEntity<Flux<String>>> response();

		ResponseEntity<Mono<String>> body();

		ResponseEntity<Callable<String>> callable();

		List<CompletableFuture<String>> list();

		List<? extends CompletionStage<String>> wildcard();

		Map<String, Optional<Future<?>>> deep();

		CompletableFuture<?>[] array();

		CompletableFuture<Stream<String>> stream();

		CompletableFuture<Mono<String>> mono();

		Flux<Flux<String>> windows();

		Optional<Supplier<String>> supplier();

		Function<String, String> function();

		Consumer<String> consumer();

		IntPredicate predicate();

		Function0<String> kotlinFunction();

		Sequence<String> kotlinSequence();

		List<Deferred<String>> kotlinDeferred();

	}

	interface Done<T extends Done<T>> {

		T itself();

		List<T> themselves();

		Mono<ResponseEntity<List<String>>> response();

		CompletableFuture<Map<String, Optional<int[]>>> stage();

		Class<Runnable> type();

		Iterable<String> iterable();

		Streamable<String> streamable();

		ResponseEntity<?> anyBody();

		@SuppressWarnings("rawtypes")
		List raw();

		Flow.Publisher<String> publisher();

	}

	/**
	 * Declares that it can be implemented by a function.
	 */
	@FunctionalInterface
	interface Streamable<T> extends Iterable<T> {

	}

	static class Lists<T> {

		@DistributedLock
		List<T> run() {
			return List.of();
		}

	}

	static class FactoryMethod {

		@Bean
		@DistributedLock
		static Consumer<String> consumer() {
			return (text) -> {
			};
		}

	}

	@Bean
	@Retention(RetentionPolicy.RUNTIME)
	@interface Handler {

	}

	static class ComposedFactoryMethod {

		@Handler
		@DistributedLock
		Consumer<String> consumer() {
			return (text) -> {
			};
		}

	}

	@Configuration
	@DistributedLock
	static class LockedConfiguration {

		@Bean
		Object consumer() {
			return "a";
		}

	}

	static class WithStaticMethod {

		@DistributedLock
		static void run() {
		}

	}

}
