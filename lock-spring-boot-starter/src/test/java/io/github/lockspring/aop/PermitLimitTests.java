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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedSemaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A semaphore that is in use with another limit.
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

	static class Partner {

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
