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

package io.github.lockspring.aop.annotation;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.LockedProxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link MethodCheck}.
 */
class MethodCheckTests {

	@ParameterizedTest(name = "{1}")
	@MethodSource
	void wrongDeclarationIsRefused(Object bean, String problem) {
		try (LockedProxies proxies = new LockedProxies("known", "a:b", "lease", "1ms", "empty", "")) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> proxies.proxy(bean))
				.withMessageContaining("@DistributedLock on " + bean.getClass().getName() + ".run(")
				.withMessageContaining(problem)
				.satisfies((ex) -> assertThat(ex.getAction()).endsWith("."));
		}
	}

	static Stream<Arguments> wrongDeclarationIsRefused() {
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

	static class WithStaticMethod {

		@DistributedLock
		static void run() {
		}

	}

}
