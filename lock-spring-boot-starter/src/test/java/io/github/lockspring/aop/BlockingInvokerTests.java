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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link BlockingInvoker}.
 */
class BlockingInvokerTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Work work = this.proxies.proxy(new Work());

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@ParameterizedTest
	@MethodSource
	void errorSurfacesAndLocksAreReleased(Error error) {
		assertThatExceptionOfType(Error.class).isThrownBy(() -> this.work.run(() -> {
			assertThat(this.proxies.isHeld("work")).isTrue();
			throw error;
		})).isSameAs(error);
		assertReleased();
	}

	static Stream<Error> errorSurfacesAndLocksAreReleased() {
		return Stream.of(new OutOfMemoryError("none left"), new StackOverflowError(), new NoClassDefFoundError());
	}

	@Test
	void whenStackIsTooShortThenLocksAreReleased() {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.work.run(this::fallForEver));
		assertReleased();
	}

	private void fallForEver() {
		fallForEver();
	}

	@ParameterizedTest
	@MethodSource
	void workThatIsNotDoneIsRejected(Object result) {
		assertThatIllegalStateException().isThrownBy(() -> this.work.result(result))
			.withMessageContaining("@DistributedLock on " + Work.class.getName() + ".result(Object)")
			.withMessageContaining(result.getClass().getName())
			.withMessageContaining("Declare that type as its return type");
		assertReleased();
	}

	static Stream<Object> workThatIsNotDoneIsRejected() {
		return Stream.of(new CompletableFuture<>(), new FutureTask<>(() -> 1), Mono.just(1), Flux.just(1, 2),
				new CompletableFuture<>().minimalCompletionStage());
	}

	@Test
	void workThatIsNotDoneIsRejectedForATypeVariable() {
		assertThatIllegalStateException().isThrownBy(() -> this.work.generic(new CompletableFuture<>()));
		assertReleased();
	}

	@ParameterizedTest
	@NullSource
	@MethodSource
	void workThatIsDoneIsReturned(Object result) {
		assertThat(this.work.result(result)).isSameAs(result);
		assertReleased();
	}

	static Stream<Object> workThatIsDoneIsReturned() {
		return Stream.of("text", 1, CompletableFuture.completedFuture(1),
				CompletableFuture.failedFuture(new IllegalStateException()),
				CompletableFuture.completedFuture(1).minimalCompletionStage());
	}

	private void assertReleased() {
		assertThat(this.proxies.isHeld("work")).isFalse();
		assertThat(this.proxies.isHeld("more")).isFalse();
	}

	static class Work {

		@DistributedLock(name = "work")
		@DistributedLock(name = "more")
		void run(Runnable body) {
			body.run();
		}

		@DistributedLock(name = "work")
		Object result(Object result) {
			return result;
		}

		@DistributedLock(name = "work")
		<T> T generic(T result) {
			return result;
		}

	}

}
