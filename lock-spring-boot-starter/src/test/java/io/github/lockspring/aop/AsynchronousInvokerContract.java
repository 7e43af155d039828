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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;

import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for all methods whose work ends after they have returned, whatever they
 * return. A subclass provides the methods, each of which has its work done elsewhere.
 */
abstract class AsynchronousInvokerContract {

	static final Duration LONG = Duration.ofSeconds(60);

	final LockedProxies proxies = new LockedProxies();

	@AfterEach
	void close() {
		this.proxies.close();
	}

	/**
	 * Calls a method.
	 * @param method the name of the method
	 * @param arguments its arguments
	 * @return its future result; to cancel it cancels the call
	 */
	abstract CompletableFuture<String> call(String method, Object... arguments);

	/**
	 * How often the methods have run.
	 */
	abstract int runs();

	/**
	 * Completes the work of the methods.
	 */
	abstract void complete(String result);

	/**
	 * Lets the work of the methods fail.
	 */
	abstract void fail(Throwable failure);

	/**
	 * The proxy of the methods.
	 */
	abstract Object proxy();

	/**
	 * A handler that runs the method twice, one time after the other.
	 */
	abstract LockFailureHandler twice();

	final void awaitRun() {
		Awaitility.await().atMost(LONG).until(() -> runs() > 0);
	}

	final void awaitEmptiness() {
		Awaitility.await().atMost(LONG).until(this.proxies::isEmpty);
	}

	private static String resultOf(CompletableFuture<String> future) {
		return future.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

	private static Throwable reasonOf(CompletableFuture<String> future) {
		Awaitility.await().atMost(LONG).until(future::isDone);
		return future.handle((result, failure) -> failure).join();
	}

	@Test
	void severalLocksAndKeysAreHeldTogether() {
		CompletableFuture<String> paid = call("payAll", 42L, List.of("b", "a"));
		awaitRun();
		assertThat(List.of("order:42", "item:a", "item:b")).allMatch(this.proxies::isHeld);
		complete("paid");
		resultOf(paid);
		awaitEmptiness();
	}

	@Test
	void whenCancelledThenSeveralLocksAreReleased() {
		CompletableFuture<String> paid = call("payAll", 42L, List.of("b", "a"));
		awaitRun();
		assertThat(List.of("order:42", "item:a", "item:b")).allMatch(this.proxies::isHeld);
		paid.cancel(true);
		awaitEmptiness();
	}

	@Test
	void whenOneOfSeveralLocksIsHeldElsewhereThenTheOthersAreReleased() {
		LockHandle elsewhere = this.proxies.holdElsewhere("order:42");
		assertThat(reasonOf(call("payAll", 42L, List.of("b", "a")))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(runs()).isZero();
		elsewhere.close();
		awaitEmptiness();
	}

	@Test
	void whenConditionIsNotMetThenNothingIsLocked() {
		complete("paid");
		assertThat(resultOf(call("payIf", 42L, false))).isEqualTo("paid");
		assertThat(this.proxies.backend.keys()).isEmpty();
		assertThat(resultOf(call("payIf", 42L, true))).isEqualTo("paid");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42");
	}

	@Test
	void methodThatClosesItsHandleAtOnceIsNotAffected() {
		complete("paid");
		assertThat(resultOf(call("closing", 42L, null))).isEqualTo("paid");
	}

	@Test
	void whenLostAndReportingThenResultIsThatOfTheWork() {
		CompletableFuture<String> paid = call("payReporting", 42L);
		awaitRun();
		this.proxies.loseLeases();
		complete("paid");
		assertThat(resultOf(paid)).isEqualTo("paid");
	}

	@Test
	void whenLostAndWorkFailsThenLossIsSuppressed() {
		CompletableFuture<String> paid = call("pay", 42L);
		awaitRun();
		this.proxies.loseLeases();
		IOException failure = new IOException();
		fail(failure);
		assertThat(reasonOf(paid)).isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void whenLostBeforeTheMethodRunsAndInterruptingThenItDoesNotRun() {
		LockHandle elsewhere = this.proxies.holdElsewhere("z:42");
		CompletableFuture<String> paid = call("payTwiceInterruptibly", 42L);
		Awaitility.await().atMost(LONG).until(() -> this.proxies.isHeld("a:42"));
		this.proxies.loseLeases();
		assertThat(reasonOf(paid)).isInstanceOf(LockLostException.class);
		assertThat(runs()).isZero();
		assertThat(elsewhere.isHeld()).isFalse();
	}

	@Test
	void handlerRunsTheMethodUnderItsOtherLocks() {
		this.proxies.holdElsewhere("a");
		this.proxies.context.registerBean("handler", LockFailureHandler.class,
				() -> (invocation, failure) -> invocation.proceed());
		assertThat(resultOf(call("payTwice"))).isEqualTo("b");
		assertThat(this.proxies.isHeld("b")).isFalse();
	}

	@Test
	void handlerMayRunTheMethodTwiceUnderLocksThatInterrupt() {
		this.proxies.holdElsewhere("a");
		this.proxies.context.registerBean("handler", LockFailureHandler.class, this::twice);
		assertThat(resultOf(call("payInterruptiblyOrHandle"))).isEqualTo("c");
		assertThat(this.proxies.isHeld("c")).isFalse();
	}

	@Test
	void handlerThatRunsTheMethodTwiceRunsOtherAdviceTwice() {
		AtomicInteger advised = new AtomicInteger();
		((Advised) proxy()).addAdvice((MethodInterceptor) (invocation) -> {
			advised.incrementAndGet();
			return invocation.proceed();
		});
		this.proxies.holdElsewhere("a");
		this.proxies.context.registerBean("handler", LockFailureHandler.class, this::twice);
		assertThat(resultOf(call("payTwice"))).isEqualTo("b");
		assertThat(advised).hasValue(2);
	}

}
