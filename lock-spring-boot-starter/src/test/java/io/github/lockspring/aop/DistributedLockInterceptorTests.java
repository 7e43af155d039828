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
import java.util.Optional;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockInterruptedException;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * Tests for {@link DistributedLockInterceptor}.
 */
class DistributedLockInterceptorTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Orders target = new Orders(this.proxies);

	private final Orders orders = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void lockIsHeldWhileTheMethodRuns() {
		assertThat(this.orders.pay(42)).isEqualTo("paid, locked");
	}

	@Test
	void lockIsReleasedAfterTheMethod() {
		this.orders.pay(42);
		assertThat(this.proxies.isHeld("order:42")).isFalse();
	}

	@Test
	void methodThatIsNotAnnotatedIsNotLocked() {
		this.orders.list();
		assertThat(this.proxies.backend.keys()).isEmpty();
	}

	@Test
	void whenLockIsHeldElsewhereThenMethodDoesNotRun() {
		this.proxies.holdElsewhere("order:42");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.pay(42))
			.satisfies((ex) -> assertThat(ex.storeKey()).isEqualTo("lock:order:42"));
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenSkippingAndLockIsHeldElsewhereThenMethodDoesNotRun() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.payOrSkip(42)).isNull();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenSkippingAnOptionalThenResultIsEmpty() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.find(42)).isEmpty();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenSkippingAndLockIsFreeThenMethodRuns() {
		assertThat(this.orders.payOrSkip(42)).isEqualTo("paid");
		assertThat(this.orders.find(42)).contains("found");
	}

	@Test
	void whenSkippingAndStoreIsDownThenItIsNotSkipped() {
		this.proxies.backend.setDown(true);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.payOrSkip(42));
		assertThat(this.target.runs).isZero();
	}

	@Test
	void whenInterruptedThenMethodDoesNotRun() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.orders.pay(42));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void exceptionOfTheMethodSurfacesAndLockIsReleased() {
		IOException failure = new IOException("no paper");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.orders.print(42, () -> failure))
			.isSameAs(failure);
		assertThat(this.proxies.isHeld("order:42")).isFalse();
	}

	@Test
	void errorOfTheMethodSurfacesAndLockIsReleased() {
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> this.orders.print(42, StackOverflowError::new));
		assertThat(this.proxies.isHeld("order:42")).isFalse();
	}

	@Test
	void whenLeaseIsLostThenCallerLearnsIt() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.orders.print(42, () -> {
			loseLease();
			return null;
		}));
	}

	@Test
	void whenLeaseIsLostAndMethodFailsThenLossIsSuppressed() {
		IOException failure = new IOException("no paper");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.orders.print(42, () -> {
			loseLease();
			return failure;
		})).isSameAs(failure).satisfies((ex) -> assertThat(ex).hasSuppressedException(failure.getSuppressed()[0]));
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	private void loseLease() {
		this.proxies.backend.setDown(true);
		this.proxies.time.advance(Duration.ofMinutes(1));
		this.proxies.backend.setDown(false);
	}

	@Test
	void methodGetsTheHandle() {
		assertThat(this.orders.ship(42, null, "express")).isEqualTo("42 express");
		LockHandle handle = this.target.handle;
		assertThat(handle).isNotNull();
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.key()).isEqualTo("42");
	}

	@Test
	void handleDoesNotShiftTheIndexesOfArguments() {
		this.orders.shipBy(null, "express");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:express");
	}

	@Test
	void handleThatIsClosedByTheMethodIsNotClosedAgain() {
		this.orders.closing(null);
		assertThat(this.proxies.backend.released()).hasSize(1);
	}

	@Test
	void methodsOfOneNameShareTheLock() {
		assertThat(this.orders.outer(this.orders)).isEqualTo("paid, locked");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:7");
	}

	@Test
	void whenNameIsMissingThenItIsThatOfTheMethod() {
		this.orders.report();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:" + Orders.class.getName() + ".report");
	}

	@Test
	void whenKeyIsMissingThenTheNameIsLocked() {
		this.orders.clean();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:clean-up");
	}

	@Test
	void attributesOverrideDefaults() {
		this.orders.shortly();
		assertThat(this.proxies.backend.requests().get(0).terms().leaseTime()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void templateIsNotNeededBeforeTheFirstCall() {
		try (LockedProxies proxies = new LockedProxies()) {
			proxies.context.getDefaultListableBeanFactory().removeBeanDefinition("lockTemplate");
			Orders proxy = proxies.proxy(new Orders(proxies));
			assertThatRuntimeException().isThrownBy(() -> proxy.pay(42)).withMessageContaining("LockTemplate");
		}
	}

	static class Orders {

		private final LockedProxies proxies;

		private int runs;

		private LockHandle handle;

		Orders(LockedProxies proxies) {
			this.proxies = proxies;
		}

		@DistributedLock(name = "order", key = "#id")
		String pay(long id) {
			this.runs++;
			return "paid" + (this.proxies.isHeld("order:" + id) ? ", locked" : "");
		}

		void list() {
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		String payOrSkip(long id) {
			this.runs++;
			return "paid";
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Optional<String> find(long id) {
			this.runs++;
			return Optional.of("found");
		}

		@DistributedLock(name = "order", key = "#id")
		void print(long id, Supplier<Throwable> failure) throws Throwable {
			Throwable ex = failure.get();
			if (ex != null) {
				throw ex;
			}
		}

		@DistributedLock(name = "order", key = "#id")
		String ship(long id, LockHandle lock, String how) {
			lock.checkpoint();
			this.handle = lock;
			return id + " " + how;
		}

		@DistributedLock(name = "order", key = "#p1")
		void shipBy(LockHandle lock, String how) {
		}

		@DistributedLock
		void closing(LockHandle lock) {
			lock.close();
		}

		@DistributedLock(name = "order", key = "7")
		String outer(Orders proxy) {
			return proxy.pay(7);
		}

		@DistributedLock
		void report() {
		}

		@DistributedLock(name = "clean-up")
		void clean() {
		}

		@DistributedLock(leaseTime = "3s", waitTime = "PT0S", autoRenew = "false")
		void shortly() {
		}

	}

}
