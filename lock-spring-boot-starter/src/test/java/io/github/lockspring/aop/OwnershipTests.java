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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.WorkPart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Whose are the locks that blocking methods acquire in threads that run parts of
 * asynchronous methods. All of these run in one thread here, one after the other.
 */
class OwnershipTests {

	private static final LockOptions TRY_ONCE = LockedProxies.TRY_ONCE;

	private final ExecutorService thread = Executors.newSingleThreadExecutor();

	private final LockedProxies proxies = new LockedProxies();

	private final LockTemplate locks = this.proxies.locks();

	private final Payments payments = this.proxies.proxy(new Payments());

	private final CompletableFuture<String> work = new CompletableFuture<>();

	@BeforeEach
	void runAllInOneThread() {
		this.proxies.context.registerBean("applicationTaskExecutor", Executor.class, () -> this.thread);
	}

	@AfterEach
	void close() {
		this.thread.shutdown();
		this.proxies.close();
	}

	private static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

	/**
	 * Begins a call that acquires an account and keeps it until the work is done.
	 */
	private CompletableFuture<String> beginTransfer() {
		CompletableFuture<String> acquired = new CompletableFuture<>();
		CompletableFuture<String> ended = this.payments.pay(1, () -> {
			LockHandle account = this.locks.acquire("account:7", TRY_ONCE);
			acquired.complete("acquired");
			return this.work.whenComplete((result, failure) -> account.close());
		}).toCompletableFuture();
		await(CompletableFuture.anyOf(acquired, ended));
		assertThat(ended).isNotDone();
		return ended;
	}

	@Test
	void anotherCallInTheSameThreadDoesNotAcquireAgain() {
		CompletableFuture<String> first = beginTransfer();
		assertThat(await(this.payments.pay(2, () -> completed(this.locks.tryAcquire("account:7", TRY_ONCE)))))
			.isEqualTo("null");
		this.work.complete("paid");
		assertThat(await(first)).isEqualTo("paid");
		assertThat(await(this.payments.pay(2, () -> {
			LockHandle account = this.locks.acquire("account:7", TRY_ONCE);
			account.close();
			return completed("free");
		}))).isEqualTo("free");
	}

	@Test
	void anotherTaskOfTheSameThreadDoesNotAcquireAgain() {
		beginTransfer();
		assertThat(
				CompletableFuture.supplyAsync(() -> this.locks.tryAcquire("account:7", TRY_ONCE), this.thread).join())
			.isNull();
		this.work.complete("paid");
	}

	@Test
	void severalKeysAndStreamsAreKeptApartAsWell() {
		CompletableFuture<LockHandle> both = new CompletableFuture<>();
		Mono<String> first = this.payments.stream(1, () -> {
			both.complete(this.locks.acquireAll(List.of("account:7", "account:8"), TRY_ONCE));
			return Mono.just("acquired");
		});
		assertThat(first.block()).isEqualTo("acquired");
		String second = this.payments
			.stream(2, () -> Mono.just(String.valueOf(this.locks.tryAcquire("account:8", TRY_ONCE))))
			.block();
		assertThat(second).isEqualTo("null");
		both.join().close();
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void oneCallAcquiresAgainWhatItHolds() {
		assertThat(await(this.payments.pay(1, () -> {
			try (LockHandle account = this.locks.acquire("account:7", TRY_ONCE);
					LockHandle again = this.locks.acquire("account:7", TRY_ONCE);
					LockHandle order = this.locks.acquire("order:1", TRY_ONCE)) {
				assertThat(again.fencingToken()).isEqualTo(account.fencingToken());
				assertThat(order.fencingToken()).isEqualTo(LockContext.current().fencingToken());
				this.payments.inside(() -> this.locks.acquire("account:7", TRY_ONCE).close());
				return completed(this.payments.inside(() -> this.locks.acquire("nested", TRY_ONCE).close()));
			}
		}))).isEqualTo("inside");
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void lockOfJavaUtilConcurrentBelongsToTheCallAsWell() {
		Lock account = this.proxies.client().lock("account:7");
		await(this.payments.pay(1, () -> {
			account.lock();
			assertThat(account.tryLock()).isTrue();
			account.unlock();
			return completed("left locked");
		}));
		assertThat(await(this.payments.pay(2, () -> completed(account.tryLock())))).isEqualTo("false");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> await(this.payments.pay(3, () -> {
			account.unlock();
			return completed("unlocked");
		}))).withCauseInstanceOf(IllegalMonitorStateException.class);
	}

	@Test
	void threadHasItsOwnLocksBackAfterThePart() {
		try (LockHandle own = this.locks.acquire("own", TRY_ONCE);
				WorkPart part = LockUtils.begin(null);
				WorkPart inner = LockUtils.begin(null)) {
			assertThat(this.locks.tryAcquire("own", TRY_ONCE)).isNull();
			part.close();
			inner.close();
			LockHandle again = this.locks.tryAcquire("own", TRY_ONCE);
			assertThat(again).isNotNull();
			again.close();
			assertThat(own.isHeld()).isTrue();
		}
	}

	private static CompletionStage<String> completed(Object result) {
		return CompletableFuture.completedFuture(String.valueOf(result));
	}

	static class Payments {

		@DistributedLock(name = "order", key = "#id")
		CompletionStage<String> pay(long id, Supplier<CompletionStage<String>> body) {
			return body.get();
		}

		@DistributedLock(name = "stream", key = "#id")
		Mono<String> stream(long id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(name = "nested")
		String inside(Runnable body) {
			body.run();
			return "inside";
		}

	}

}
