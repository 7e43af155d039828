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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A semaphore that is in use with another limit, or by the caller itself.
 */
class PermitLimitTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Partner partner = this.proxies.proxy(new Partner());

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("calls")
	void keyAndMethodAreNamed(String method, Consumer<Partner> call) {
		Throwable failure = catchThrowable(() -> this.partner.callTwo(() -> call.accept(this.partner)));
		assertThat(failure).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("@DistributedSemaphore on " + Partner.class.getName() + '.' + method + "()")
			.hasMessageContaining("'lock:partner'")
			.hasMessageContaining("in use with a limit of 2 permits");
	}

	static Stream<Arguments> calls() {
		return Stream.of(call("callThree", Partner::callThree),
				call("callLater", (partner) -> get(partner.callLater())),
				call("callReactively", (partner) -> partner.callReactively().block(Duration.ofSeconds(60))));
	}

	private static void get(CompletableFuture<String> stage) {
		Throwable failure = stage.handle((result, thrown) -> thrown).orTimeout(60, TimeUnit.SECONDS).join();
		throw (IllegalArgumentException) failure;
	}

	private static Arguments call(String method, Consumer<Partner> call) {
		return arguments(method, call);
	}

	@Test
	void callThatWouldWaitForItsCallerIsRejectedAtOnce() {
		this.partner.nestable(() -> this.partner.nestable(() -> rejected(() -> this.partner.nestable(() -> {
		}), "nestable(Runnable) would wait for itself: the key 'lock:nestable' is held with 2 permits")));
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void keyIsALockOrASemaphore() {
		this.partner.nestable(() -> rejected(this.partner::lockNestable,
				"would wait for itself: the key 'lock:nestable' is held with 1 permit by"));
		this.partner.keyed("a", () -> {
			rejected(() -> this.partner.limitKey("a"),
					"would wait for itself: the key 'lock:keyed:a' is held as a lock");
			this.partner.limitKey("b");
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void callThatWouldWaitForItselfIsRejected(String method, BiConsumer<Partner, List<String>> call) {
		call.accept(this.partner, List.of("a", "b"));
		rejected(() -> call.accept(this.partner, List.of("a", "a")), "Both(",
				"would wait for itself: the key 'lock:both:a'");
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	static Stream<Arguments> callThatWouldWaitForItselfIsRejected() {
		return Stream.of(both("blockingBoth", Partner::blockingBoth),
				both("stageBoth", (partner, keys) -> await(partner.stageBoth(keys))),
				both("reactiveBoth", (partner, keys) -> partner.reactiveBoth(keys).block(Duration.ofSeconds(60))));
	}

	private static void await(CompletableFuture<Void> stage) {
		Throwable failure = stage.handle((result, thrown) -> thrown).orTimeout(60, TimeUnit.SECONDS).join();
		if (failure instanceof RuntimeException ex) {
			throw ex;
		}
	}

	private static Arguments both(String method, BiConsumer<Partner, List<String>> call) {
		return arguments(method, call);
	}

	/**
	 * The caller need not wait for a stage.
	 */
	@Test
	void stageThatFollowsItsCallerIsNotRejected() {
		List<CompletableFuture<Void>> stages = new ArrayList<>();
		this.partner.only(() -> stages.add(this.partner.onlyLater()));
		assertThat(stages.get(0)).succeedsWithin(Duration.ofSeconds(60));
	}

	private static void rejected(ThrowingCallable call, String... texts) {
		assertThatIllegalStateException().isThrownBy(call).withMessageContainingAll(texts);
	}

	static class Partner {

		@DistributedSemaphore(name = "nestable", permits = "2", onFailure = OnFailure.SKIP)
		void nestable(Runnable inside) {
			inside.run();
		}

		@DistributedLock(name = "nestable", onFailure = OnFailure.SKIP)
		void lockNestable() {
		}

		@DistributedLock(name = "keyed", key = "#key")
		void keyed(String key, Runnable inside) {
			inside.run();
		}

		@DistributedSemaphore(name = "keyed", key = "#key", permits = "3")
		void limitKey(String key) {
		}

		@DistributedLock(name = "both", key = "#keys[0]")
		@DistributedSemaphore(name = "both", key = "#keys[1]", permits = "3")
		void blockingBoth(List<String> keys) {
		}

		@DistributedLock(name = "both", key = "#keys[0]")
		@DistributedSemaphore(name = "both", key = "#keys[1]", permits = "3")
		CompletableFuture<Void> stageBoth(List<String> keys) {
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(name = "both", key = "#keys[0]")
		@DistributedSemaphore(name = "both", key = "#keys[1]", permits = "3")
		Mono<Void> reactiveBoth(List<String> keys) {
			return Mono.empty();
		}

		@DistributedSemaphore(name = "only", permits = "1")
		void only(Runnable inside) {
			inside.run();
		}

		@DistributedSemaphore(name = "only", permits = "1", waitTime = "1m")
		CompletableFuture<Void> onlyLater() {
			return CompletableFuture.completedFuture(null);
		}

		@DistributedSemaphore(name = "partner", permits = "2")
		void callTwo(Runnable inside) {
			inside.run();
		}

		@DistributedSemaphore(name = "partner", permits = "3")
		void callThree() {
		}

		@DistributedSemaphore(name = "partner", permits = "3")
		CompletableFuture<String> callLater() {
			return null;
		}

		@DistributedSemaphore(name = "partner", permits = "3")
		Mono<String> callReactively() {
			return Mono.empty();
		}

	}

}
