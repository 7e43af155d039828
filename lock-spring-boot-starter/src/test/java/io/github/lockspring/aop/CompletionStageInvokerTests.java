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
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskDecorator;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.OnFailure;
import io.github.lockspring.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CompletionStageInvoker}.
 */
class CompletionStageInvokerTests extends AsynchronousInvokerContract {

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private final Orders target = new Orders();

	private final Orders orders = this.proxies.proxy(this.target);

	private static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
	}

	private static Throwable failureOf(CompletionStage<?> stage) {
		CompletableFuture<?> future = stage.toCompletableFuture();
		Awaitility.await().atMost(LONG).until(future::isDone);
		return future.handle((result, failure) -> failure).join();
	}

	@Override
	@SuppressWarnings("unchecked")
	CompletableFuture<String> call(String method, Object... arguments) {
		return ((CompletionStage<String>) Objects
			.requireNonNull(ReflectionTestUtils.invokeMethod(this.orders, method, arguments))).toCompletableFuture();
	}

	@Override
	Object proxy() {
		return this.orders;
	}

	@Override
	int runs() {
		return this.target.runs.get();
	}

	@Override
	void complete(String result) {
		this.target.work.complete(result);
	}

	@Override
	void fail(Throwable failure) {
		this.target.work.completeExceptionally(failure);
	}

	@Override
	LockFailureHandler twice() {
		return (invocation, failure) -> {
			await((CompletionStage<?>) invocation.proceed());
			return invocation.proceed();
		};
	}

	@Test
	void lockIsHeldUntilTheStageCompletes() {
		CompletableFuture<String> paid = this.orders.pay(42);
		awaitRun();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		assertThat(paid).isNotDone();
		this.target.work.complete("paid");
		assertThat(await(paid)).isEqualTo("paid");
	}

	@Test
	void lockIsReleasedBeforeTheCallerLearnsOfTheEnd() {
		CompletableFuture<Boolean> held = this.orders.pay(42).thenApply((result) -> this.proxies.isHeld("order:42"));
		this.target.work.complete("paid");
		assertThat(await(held)).isFalse();
	}

	@Test
	void lockIsReleasedBeforeTheCallerLearnsOfAFailure() {
		CompletableFuture<Boolean> held = this.orders.pay(42)
			.handle((result, failure) -> this.proxies.isHeld("order:42"));
		this.target.work.completeExceptionally(new IOException());
		assertThat(await(held)).isFalse();
	}

	@Test
	void failureOfTheStageIsThatOfTheCaller() {
		IOException failure = new IOException("no paper");
		this.target.work.completeExceptionally(failure);
		assertThat(failureOf(this.orders.pay(42))).isSameAs(failure);
		assertThat(failureOf(this.orders.derived(42))).isSameAs(failure);
	}

	@Test
	void exceptionOfTheMethodFailsTheStage() throws IOException {
		IOException failure = new IOException("no paper");
		assertThat(failureOf(this.orders.failing(42, failure))).isSameAs(failure);
		awaitEmptiness();
	}

	@Test
	void stageThatIsNoFutureIsFollowed() {
		CompletionStage<String> shipped = this.orders.ship(42);
		awaitRun();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		this.target.work.complete("shipped");
		assertThat(await(shipped)).isEqualTo("shipped");
	}

	@Test
	void whenMethodReturnsNullThenStageIsEmpty() {
		assertThat(await(this.orders.nothing(42))).isNull();
		awaitEmptiness();
	}

	@Test
	void whenHeldElsewhereThenCallerIsNotHeldUpAndMethodRunsLater() {
		LockHandle elsewhere = this.proxies.holdElsewhere("order:42");
		this.target.work.complete("paid");
		CompletableFuture<String> paid = this.orders.payPatiently(42);
		assertThat(this.target.runs).hasValue(0);
		assertThat(paid).isNotDone();
		elsewhere.close();
		assertThat(await(paid)).isEqualTo("paid");
	}

	@Test
	void whenHeldElsewhereThenStageFailsAndMethodDoesNotRun() {
		this.proxies.holdElsewhere("order:42");
		assertThat(failureOf(this.orders.pay(42))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenStoreIsDownThenStageFailsAndMethodDoesNotRun() {
		this.proxies.backend.setDown(true);
		assertThat(failureOf(this.orders.pay(42))).isInstanceOf(LockUnavailableException.class);
		assertThat(failureOf(this.orders.payOrSkip(42))).isInstanceOf(LockUnavailableException.class);
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenKeyIsNullThenStageFailsAndMethodDoesNotRun() {
		assertThat(failureOf(this.orders.payBy(null))).isInstanceOf(InvalidLockKeyException.class);
		assertThat(failureOf(this.orders.payBoth(42, null))).isInstanceOf(InvalidLockKeyException.class);
		assertThat(this.target.runs).hasValue(0);
		awaitEmptiness();
	}

	@Test
	void whenTheSecondOfTwoLocksIsRejectedThenTheFirstIsReleased() {
		assertThat(failureOf(this.orders.payBoth(42, "x".repeat(1000)))).isInstanceOf(InvalidLockKeyException.class);
		assertThat(failureOf(this.orders.payAll(42, Collections.nCopies(10_001, "a"))))
			.isInstanceOf(LockException.class);
		assertThat(this.target.runs).hasValue(0);
		awaitEmptiness();
	}

	@Test
	void semaphoreIsHeldUntilTheStageCompletes() {
		CompletableFuture<String> first = this.orders.call();
		awaitRun();
		CompletableFuture<String> second = this.orders.call();
		Awaitility.await().atMost(LONG).until(() -> this.target.runs.get() == 2);
		assertThat(failureOf(this.orders.call())).isInstanceOf(LockNotAcquiredException.class);
		this.target.work.complete("called");
		await(first);
		await(second);
		assertThat(await(this.orders.call())).isEqualTo("called");
	}

	@Test
	void whenSkippedThenResultIsEmpty() {
		this.proxies.holdElsewhere("order:42");
		assertThat(await(this.orders.payOrSkip(42))).isNull();
		assertThat(await(this.orders.find(42))).isEmpty();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void fallbackIsFollowed() {
		this.proxies.holdElsewhere("order:42");
		CompletableFuture<String> later = this.orders.payOrLater(42);
		this.target.work.complete("later");
		assertThat(await(later)).isEqualTo("later 42 lock:order:42");
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenRejectedInsideATransactionThenMethodDoesNotRun() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			CompletableFuture<String> paid = inTransaction(() -> rejecting.proxy(this.target).pay(42));
			assertThat(failureOf(paid)).isInstanceOf(IllegalTransactionStateException.class);
			assertThat(rejecting.backend.keys()).isEmpty();
		}
	}

	private static <T> T inTransaction(Supplier<T> action) {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			return action.get();
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	void handlerMayReturnTheResultOrAStage() {
		this.proxies.holdElsewhere("order:42");
		AtomicBoolean asStage = new AtomicBoolean();
		this.proxies.context.registerBean("handler", LockFailureHandler.class,
				() -> (invocation, failure) -> asStage.get() ? CompletableFuture.completedFuture("stage") : "value");
		assertThat(await(this.orders.payOrHandle(42))).isEqualTo("value");
		asStage.set(true);
		assertThat(await(this.orders.payOrHandle(42))).isEqualTo("stage");
	}

	@Test
	void methodGetsTheHandleWhichBelongsToNoThread() throws InterruptedException {
		CompletableFuture<String> paid = this.orders.payWith(42, null);
		awaitRun();
		LockHandle handle = this.target.handle;
		assertThat(handle.isHeld()).isTrue();
		Thread thread = new Thread(handle::close);
		thread.start();
		thread.join();
		assertThat(this.proxies.isHeld("order:42")).isFalse();
		this.target.work.complete("paid");
		assertThat(await(paid)).isEqualTo("paid");
	}

	@Test
	void currentLockIsKnownInTheMethodButNotToTheCaller() {
		this.target.work.complete("paid");
		assertThat(await(this.orders.current(42))).isEqualTo("42");
		assertThat(LockContext.get()).isNull();
	}

	@Test
	void asynchronousMethodReentersAtOnce() {
		this.target.work.complete("paid");
		assertThat(await(this.orders.outer(42, () -> this.orders.pay(42)))).isEqualTo("paid");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42");
		awaitEmptiness();
	}

	@Test
	void blockingMethodReentersInTheMethod() {
		assertThat(await(this.orders.outer(42, () -> CompletableFuture.completedFuture(this.orders.count(42)))))
			.isEqualTo("counted");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42");
		awaitEmptiness();
	}

	@Test
	void collectionThatContainsAHeldKeyReenters() {
		this.target.work.complete("paid");
		assertThat(await(this.orders.outerItem("a", () -> this.orders.payAll(1, List.of("a", "b"))))).isEqualTo("paid");
		awaitEmptiness();
	}

	@Test
	void branchesInsideTheSameLockExcludeEachOtherFromNewKeys() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Supplier<CompletableFuture<String>> branch = () -> this.orders.guarded(7, () -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			return CompletableFuture.supplyAsync(() -> "done").thenApply((result) -> {
				Thread.yield();
				inside.decrementAndGet();
				return result;
			});
		});
		for (int i = 0; i < 50; i++) {
			await(this.orders.outer(42, () -> {
				CompletableFuture<String> left = branch.get();
				return left.thenCombine(branch.get(), String::concat);
			}));
		}
		assertThat(most).hasValue(1);
		awaitEmptiness();
	}

	@Test
	void whenLostThenCallerLearnsItAtTheEnd() {
		CompletableFuture<String> paid = this.orders.pay(42);
		awaitRun();
		this.proxies.loseLeases();
		assertThat(this.target.work).isNotDone();
		assertThat(paid).isNotDone();
		this.target.work.complete("paid");
		assertThat(failureOf(paid)).isInstanceOf(LockLostException.class);
	}

	@Test
	void whenLostAndInterruptingThenStageIsCancelledAtOnce() {
		CompletableFuture<String> paid = this.orders.payInterruptibly(42, null);
		awaitRun();
		this.proxies.loseLeases();
		this.target.handle.isHeld();
		assertThat(failureOf(paid)).isInstanceOf(LockLostException.class);
		assertThat(this.target.work).isCancelled();
	}

	@Test
	void whenCancelledWhileWaitingThenMethodDoesNotRun() {
		LockHandle elsewhere = this.proxies.holdElsewhere("order:42");
		CompletableFuture<String> paid = this.orders.payPatiently(42);
		Awaitility.await().atMost(LONG).until(() -> this.proxies.size() == 1);
		paid.cancel(true);
		Awaitility.await().atMost(LONG).until(() -> this.proxies.size() == 0);
		elsewhere.close();
		awaitEmptiness();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenTimedOutWhileWaitingThenMethodDoesNotRun() {
		LockHandle elsewhere = this.proxies.holdElsewhere("order:42");
		CompletableFuture<String> paid = this.orders.payPatiently(42);
		paid.completeExceptionally(new TimeoutException());
		elsewhere.close();
		awaitEmptiness();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenTimedOutWhileRunningThenLockIsHeldUntilTheStageCompletes() {
		CompletableFuture<String> paid = this.orders.pay(42);
		awaitRun();
		paid.completeExceptionally(new TimeoutException());
		assertThat(this.target.work).isNotDone();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		this.target.work.complete("paid");
		awaitEmptiness();
	}

	@Test
	void whenCancelledWhileRunningThenStageIsCancelledAndLockReleased() {
		CompletableFuture<String> paid = this.orders.pay(42);
		awaitRun();
		paid.cancel(true);
		Awaitility.await().atMost(LONG).until(this.target.work::isCancelled);
		awaitEmptiness();
	}

	@Test
	void whenCancelledBeforeTheMethodReturnsThenLockIsHeldUntilItDoes() throws InterruptedException {
		CountDownLatch returning = new CountDownLatch(1);
		CompletableFuture<String> paid = this.orders.payWhen(42, returning);
		awaitRun();
		paid.cancel(true);
		assertThat(paid).isCancelled();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		assertThat(this.target.work).isNotDone();
		returning.countDown();
		Awaitility.await().atMost(LONG).until(this.target.work::isCancelled);
		awaitEmptiness();
	}

	@Test
	void whenCancelledThenTheFallbackIsCancelled() {
		this.proxies.holdElsewhere("order:42");
		CompletableFuture<String> later = this.orders.payOrWork(42);
		Awaitility.await().atMost(LONG).until(() -> this.target.work.getNumberOfDependents() > 0);
		later.cancel(true);
		assertThat(this.target.work).isCancelled();
	}

	@Test
	void decoratorsCarryTheCallersSurroundings() {
		registerTenants();
		this.proxies.context.registerBean("second", TaskDecorator.class, () -> (task) -> () -> {
			this.target.decorations.incrementAndGet();
			task.run();
		});
		TENANT.set("acme");
		try {
			assertThat(await(this.orders.tenant(42))).isEqualTo("acme");
		}
		finally {
			TENANT.remove();
		}
		assertThat(this.target.decorations).hasValue(1);
	}

	private void registerTenants() {
		this.proxies.context.registerBean("tenants", TaskDecorator.class, () -> (task) -> {
			String tenant = TENANT.get();
			return () -> {
				TENANT.set(tenant);
				try {
					task.run();
				}
				finally {
					TENANT.remove();
				}
			};
		});
	}

	@Test
	void whenDecoratorFailsThenLockIsReleased() {
		this.proxies.context.registerBean("failing", TaskDecorator.class, () -> (task) -> () -> {
			throw new IllegalStateException("no surroundings");
		});
		assertThat(failureOf(this.orders.pay(42))).hasMessage("no surroundings");
		awaitEmptiness();
	}

	@Test
	void whenDecoratorFailsAfterTheMethodThenLockIsHeldUntilTheStageCompletes() {
		this.proxies.context.registerBean("failing", TaskDecorator.class, () -> (task) -> () -> {
			task.run();
			throw new IllegalStateException("no surroundings");
		});
		CompletableFuture<String> paid = this.orders.pay(42);
		awaitRun();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		this.target.work.complete("paid");
		assertThat(failureOf(paid)).hasMessage("no surroundings");
		awaitEmptiness();
	}

	@Test
	void joiningCallerSeesTheCauseOnce() {
		this.target.work.completeExceptionally(new IOException("no paper"));
		CompletableFuture<String> paid = this.orders.pay(42);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(paid::join)
			.withCauseInstanceOf(IOException.class);
	}

	static class Orders {

		final AtomicInteger runs = new AtomicInteger();

		final AtomicInteger decorations = new AtomicInteger();

		final CompletableFuture<String> work = new CompletableFuture<>();

		volatile LockHandle handle;

		private CompletableFuture<String> run() {
			this.runs.incrementAndGet();
			return this.work;
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> pay(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> payWhen(long id, CountDownLatch returning) throws InterruptedException {
			CompletableFuture<String> paid = run();
			returning.await();
			return paid;
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "1h")
		CompletableFuture<String> payPatiently(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> derived(long id) {
			return run().thenApply((result) -> result + '!');
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> failing(long id, IOException failure) throws IOException {
			throw failure;
		}

		@DistributedLock(name = "order", key = "#id")
		CompletionStage<String> ship(long id) {
			return run().minimalCompletionStage();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> nothing(long id) {
			return null;
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> payBy(String id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		@DistributedLock(name = "zebra", key = "#other")
		CompletableFuture<String> payBoth(long id, String other) {
			return run();
		}

		@DistributedLock(name = "item", key = "#items")
		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> payAll(long id, List<String> items) {
			return run();
		}

		@DistributedLock(name = "item", key = "#item")
		CompletableFuture<String> outerItem(String item, Supplier<CompletableFuture<String>> inner) {
			return inner.get();
		}

		@DistributedSemaphore(name = "partner", permits = "2")
		CompletableFuture<String> call() {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", condition = "#locked")
		CompletableFuture<String> payIf(long id, boolean locked) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		CompletableFuture<String> payOrSkip(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		CompletionStage<Optional<String>> find(long id) {
			return run().thenApply(Optional::of);
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "later")
		CompletableFuture<String> payOrLater(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "workOf")
		CompletableFuture<String> payOrWork(long id) {
			return run();
		}

		CompletableFuture<String> workOf(long id) {
			return this.work;
		}

		CompletableFuture<String> later(long id, LockException failure) {
			return this.work.thenApply((result) -> result + ' ' + id + ' ' + failure.storeKey());
		}

		@DistributedLock(name = "a", onFailure = OnFailure.HANDLE, handler = "handler")
		@DistributedLock(name = "b")
		CompletableFuture<String> payTwice() {
			return CompletableFuture.completedFuture(LockContext.current().key());
		}

		@DistributedLock(name = "a", onFailure = OnFailure.HANDLE, handler = "handler")
		@DistributedLock(name = "c", onLost = OnLost.INTERRUPT)
		CompletableFuture<String> payInterruptiblyOrHandle() {
			return CompletableFuture.completedFuture(LockContext.current().key());
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.HANDLE, handler = "handler")
		CompletableFuture<String> payOrHandle(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> payWith(long id, LockHandle lock) {
			this.handle = lock;
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.INTERRUPT)
		CompletableFuture<String> closing(long id, LockHandle lock) {
			lock.close();
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> current(long id) {
			return CompletableFuture.completedFuture(LockContext.current("order").key());
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> outer(long id, Supplier<CompletableFuture<String>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "guarded", key = "#id", waitTime = "1h")
		CompletableFuture<String> guarded(long id, Supplier<CompletableFuture<String>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "order", key = "#id")
		String count(long id) {
			return "counted";
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.INTERRUPT)
		CompletableFuture<String> payInterruptibly(long id, LockHandle lock) {
			this.handle = lock;
			return run();
		}

		@DistributedLock(name = "a", key = "#id", onLost = OnLost.INTERRUPT)
		@DistributedLock(name = "z", key = "#id", waitTime = "1h")
		CompletableFuture<String> payTwiceInterruptibly(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.REPORT)
		CompletableFuture<String> payReporting(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> tenant(long id) {
			return CompletableFuture.completedFuture(TENANT.get());
		}

	}

}
