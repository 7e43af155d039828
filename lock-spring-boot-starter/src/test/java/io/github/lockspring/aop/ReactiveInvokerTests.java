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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.test.util.ReflectionTestUtils;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

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
import io.github.lockspring.ReactiveLockContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ReactiveInvoker}.
 */
class ReactiveInvokerTests extends AsynchronousInvokerContract {

	private final Orders target = new Orders();

	private final Orders orders = this.proxies.proxy(this.target);

	@Override
	@SuppressWarnings("unchecked")
	CompletableFuture<String> call(String method, Object... arguments) {
		return ((Mono<String>) Objects.requireNonNull(ReflectionTestUtils.invokeMethod(this.orders, method, arguments)))
			.toFuture();
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
		this.target.work.tryEmitValue(result);
	}

	@Override
	void fail(Throwable failure) {
		this.target.work.tryEmitError(failure);
	}

	@Override
	LockFailureHandler twice() {
		return (invocation, failure) -> {
			Mono<?> stream = (Mono<?>) invocation.proceed();
			return stream.then(stream);
		};
	}

	private static Throwable failureOf(Mono<?> mono) {
		return mono.<Throwable>then(Mono.empty()).onErrorResume(Mono::just).block(LONG);
	}

	@Test
	void nothingIsLockedBeforeSubscription() {
		Mono<String> paid = this.orders.pay(42);
		Flux<String> items = this.orders.items(42);
		assertThat(this.proxies.backend.keys()).isEmpty();
		assertThat(this.target.runs).hasValue(0);
		paid.subscribe();
		awaitRun();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		assertThat(items).isNotNull();
	}

	@Test
	void lockIsHeldUntilTheMonoCompletesAndReleasedBeforeTheSubscriberLearns() {
		AtomicReference<Boolean> held = new AtomicReference<>();
		this.orders.pay(42).subscribe((result) -> held.set(this.proxies.isHeld("order:42")));
		awaitRun();
		assertThat(this.proxies.isHeld("order:42")).isTrue();
		this.target.work.tryEmitValue("paid");
		Awaitility.await().atMost(LONG).untilAsserted(() -> assertThat(held).hasValue(false));
	}

	@Test
	void lockIsHeldUntilTheFluxCompletesAndReleasedBeforeTheSubscriberLearns() {
		AtomicReference<Boolean> atElement = new AtomicReference<>();
		AtomicReference<Boolean> atEnd = new AtomicReference<>();
		this.orders.items(42)
			.subscribe((item) -> atElement.set(this.proxies.isHeld("order:42")), null,
					() -> atEnd.set(this.proxies.isHeld("order:42")));
		awaitRun();
		this.target.items.tryEmitNext("a");
		Awaitility.await().atMost(LONG).untilAsserted(() -> assertThat(atElement).hasValue(true));
		this.target.items.tryEmitComplete();
		Awaitility.await().atMost(LONG).untilAsserted(() -> assertThat(atEnd).hasValue(false));
	}

	@Test
	void failureIsThatOfTheWorkAndLockIsReleasedBeforeTheSubscriberLearns() {
		IOException failure = new IOException("no paper");
		AtomicReference<Boolean> held = new AtomicReference<>();
		Mono<String> paid = this.orders.pay(42).doOnError((ex) -> held.set(this.proxies.isHeld("order:42")));
		this.target.work.tryEmitError(failure);
		assertThat(failureOf(paid)).isSameAs(failure);
		assertThat(held).hasValue(false);
		this.target.items.tryEmitError(failure);
		assertThat(failureOf(this.orders.items(42).then())).isSameAs(failure);
	}

	@Test
	void exceptionOfTheMethodFailsTheStream() {
		IllegalStateException failure = new IllegalStateException("no paper");
		assertThat(failureOf(this.orders.guarded(42, () -> {
			throw failure;
		}))).isSameAs(failure);
		awaitEmptiness();
	}

	@Test
	void emptyStreamsStayEmpty() {
		this.target.work.tryEmitEmpty();
		this.target.items.tryEmitComplete();
		assertThat(this.orders.pay(42).hasElement().block(LONG)).isFalse();
		assertThat(this.orders.items(42).hasElements().block(LONG)).isFalse();
		awaitEmptiness();
	}

	@Test
	void eachSubscriptionAcquiresAnew() {
		this.target.work.tryEmitValue("paid");
		Mono<String> paid = this.orders.pay(42);
		assertThat(paid.repeat(2).collectList().block(LONG)).containsExactly("paid", "paid", "paid");
		assertThat(this.proxies.backend.keys()).hasSize(3);
		assertThat(this.target.runs).hasValue(3);
	}

	@Test
	void eachSubscriptionPassesTheAdviceInside() {
		AtomicInteger advised = new AtomicInteger();
		((Advised) this.orders).addAdvice((MethodInterceptor) (invocation) -> {
			advised.incrementAndGet();
			return invocation.proceed();
		});
		this.target.work.tryEmitValue("paid");
		this.orders.pay(42).repeat(2).blockLast(LONG);
		assertThat(advised).hasValue(3);
	}

	@Test
	void retryAcquiresAnew() {
		AtomicInteger attempts = new AtomicInteger();
		Mono<String> guarded = this.orders.guarded(42,
				() -> (attempts.incrementAndGet() < 3) ? Mono.error(new IOException()) : Mono.just("done"));
		assertThat(guarded.retry(5).block(LONG)).isEqualTo("done");
		assertThat(this.proxies.backend.keys()).hasSize(3);
	}

	@Test
	void retryAfterADenialAcquiresAnew() {
		LockHandle elsewhere = this.proxies.holdElsewhere("order:42");
		this.target.work.tryEmitValue("paid");
		assertThat(this.orders.pay(42).doOnError((ex) -> elsewhere.close()).retry(1).block(LONG)).isEqualTo("paid");
	}

	@Test
	void subscriptionsOfOneCallExcludeEachOther() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<String> guarded = this.orders.guarded(42, () -> busy(inside, most));
		Flux.range(0, 100).flatMap((i) -> guarded.subscribeOn(Schedulers.parallel()), 100).blockLast(LONG);
		assertThat(most).hasValue(1);
		awaitEmptiness();
	}

	private static Mono<String> busy(AtomicInteger inside, AtomicInteger most) {
		return Mono.fromCallable(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			return "done";
		}).publishOn(Schedulers.parallel()).doOnNext((result) -> {
			Thread.yield();
			inside.decrementAndGet();
		});
	}

	@Test
	void whenHeldElsewhereThenSubscriberIsNotHeldUpAndMethodRunsLater() {
		LockHandle elsewhere = this.proxies.holdElsewhere("guarded:42");
		AtomicReference<String> result = new AtomicReference<>();
		this.orders.guarded(42, () -> Mono.just("done")).subscribe(result::set);
		assertThat(result).hasValue(null);
		elsewhere.close();
		Awaitility.await().atMost(LONG).untilAtomic(result, org.hamcrest.Matchers.is("done"));
	}

	@Test
	void whenHeldElsewhereThenStreamFailsAndMethodDoesNotRun() {
		this.proxies.holdElsewhere("order:42");
		assertThat(failureOf(this.orders.pay(42))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(failureOf(this.orders.items(42).then())).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenStoreIsDownThenStreamFailsAndMethodDoesNotRun() {
		this.proxies.backend.setDown(true);
		assertThat(failureOf(this.orders.pay(42))).isInstanceOf(LockUnavailableException.class);
		assertThat(failureOf(this.orders.payOrSkip(42))).isInstanceOf(LockUnavailableException.class);
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenKeyIsRejectedThenStreamFailsAndMethodDoesNotRun() {
		Mono<String> paid = this.orders.payBy(null);
		assertThat(failureOf(paid)).isInstanceOf(InvalidLockKeyException.class);
		assertThat(failureOf(this.orders.payBoth(42, "x".repeat(1000)))).isInstanceOf(InvalidLockKeyException.class);
		assertThat(this.target.runs).hasValue(0);
		awaitEmptiness();
	}

	@Test
	void semaphoreIsHeldUntilTheStreamEnds() {
		Disposable first = this.orders.call().subscribe();
		awaitRun();
		this.orders.call().subscribe();
		Awaitility.await().atMost(LONG).until(() -> this.target.runs.get() == 2);
		assertThat(failureOf(this.orders.call())).isInstanceOf(LockNotAcquiredException.class);
		first.dispose();
		this.target.work.tryEmitValue("called");
		Awaitility.await().atMost(LONG).until(() -> failureOf(this.orders.call()) == null);
	}

	@Test
	void whenSkippedThenStreamIsEmpty() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.payOrSkip(42).hasElement().block(LONG)).isFalse();
		assertThat(this.orders.itemsOrSkip(42).hasElements().block(LONG)).isFalse();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void fallbackIsFollowed() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.itemsOrLater(42).collectList().block(LONG)).containsExactly("later", "42",
				"lock:order:42");
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void fallbackRunsUnderTheOtherLocks() {
		this.proxies.holdElsewhere("zebra");
		this.target.work.tryEmitValue("paid");
		assertThat(this.orders.payUnlessZebra(() -> this.orders.pay(42)).block(LONG)).isEqualTo("paid");
		assertThat(
				this.orders.payUnlessZebra(() -> ReactiveLockContext.current().map(LockHandle::storeKey)).block(LONG))
			.isEqualTo("lock:order:42");
		assertThat(
				this.orders.payUnlessZebra(() -> Mono.just(String.valueOf(LockContext.current().isHeld()))).block(LONG))
			.isEqualTo("true");
	}

	@Test
	void denialInsideTheWorkIsNotForThePolicyOfTheOuterLock() {
		this.proxies.holdElsewhere("order:42");
		assertThat(failureOf(this.orders.skippingOuter(() -> this.orders.pay(42))))
			.isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void handlerMayReturnTheResultOrAStream() {
		this.proxies.holdElsewhere("order:42");
		AtomicBoolean asStream = new AtomicBoolean();
		this.proxies.context.registerBean("handler", LockFailureHandler.class,
				() -> (invocation, failure) -> asStream.get() ? Flux.just("a", "b") : "value");
		assertThat(this.orders.itemsOrHandle(42).collectList().block(LONG)).containsExactly("value");
		asStream.set(true);
		assertThat(this.orders.itemsOrHandle(42).collectList().block(LONG)).containsExactly("a", "b");
	}

	@Test
	void eachSubscriptionHasAHandleOfItsOwn() {
		this.target.work.tryEmitValue("paid");
		Mono<String> paid = this.orders.payWith(42, null);
		paid.block(LONG);
		LockHandle first = this.target.handle;
		paid.block(LONG);
		assertThat(this.target.handle).isNotSameAs(first);
		assertThat(first.isHeld()).isFalse();
	}

	@Test
	void currentLockIsKnownInTheMethodAndInItsStream() {
		Mono<String> keys = this.orders.guarded(42, () -> {
			String now = LockContext.current("guarded").key();
			return Mono.just("x")
				.publishOn(Schedulers.parallel())
				.flatMap((x) -> ReactiveLockContext.current())
				.map((lock) -> now + ' ' + lock.key())
				.zipWith(ReactiveLockContext.current("guarded").map(LockHandle::isHeld), (a, b) -> a + ' ' + b);
		});
		assertThat(keys.block(LONG)).isEqualTo("42 42 true");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(ReactiveLockContext.current()::block);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.orders.guarded(42, () -> ReactiveLockContext.current("other").map(LockHandle::key))
				.block(LONG))
			.withMessageContaining("guarded");
		assertThat(LockContext.get()).isNull();
	}

	@Test
	void streamReentersAtOnceInAnyThread() {
		Mono<String> nested = this.orders.guarded(42,
				() -> Mono.just("x")
					.publishOn(Schedulers.parallel())
					.flatMap((x) -> this.orders.guarded(42, () -> Mono.just("inner"))));
		assertThat(nested.block(LONG)).isEqualTo("inner");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:guarded:42");
		awaitEmptiness();
	}

	@Test
	void blockingMethodReentersInTheMethod() {
		assertThat(this.orders.guarded(42, () -> Mono.just(this.orders.count(42))).block(LONG)).isEqualTo("counted");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:guarded:42");
		awaitEmptiness();
	}

	@Test
	void branchesInsideTheSameLockExcludeEachOtherFromNewKeysAndShareTheOuterOne() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<Long> nested = this.orders.outer(1,
				() -> Flux.range(0, 100)
					.flatMap((i) -> this.orders
						.outer(1, () -> this.orders.guarded(7, () -> busy(inside, most)).map((done) -> 1L))
						.subscribeOn(Schedulers.parallel()), 100)
					.count());
		assertThat(nested.block(LONG)).isEqualTo(100);
		assertThat(most).hasValue(1);
		assertThat(this.proxies.backend.keys()).containsOnlyOnce("lock:outer:1");
		awaitEmptiness();
	}

	@Test
	void branchesThatLockAgainWhatWasReleasedExcludeEachOther() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<Long> nested = this.orders.outer(1, () -> {
			LockContext.current().close();
			return Flux.range(0, 50)
				.flatMap((i) -> this.orders.outer(1, () -> busy(inside, most).map((done) -> 1L)), 50)
				.count();
		});
		assertThat(nested.block(LONG)).isEqualTo(50);
		assertThat(most).hasValue(1);
		awaitEmptiness();
	}

	@Test
	void whenLostThenSubscriberLearnsItAtTheEnd() {
		Mono<Throwable> paid = this.orders.pay(42).<Throwable>then(Mono.empty()).onErrorResume(Mono::just).cache();
		Mono<Throwable> items = this.orders.things(43).<Throwable>then(Mono.empty()).onErrorResume(Mono::just).cache();
		paid.subscribe();
		items.subscribe();
		Awaitility.await().atMost(LONG).until(() -> this.target.runs.get() == 2);
		this.proxies.loseLeases();
		this.target.work.tryEmitValue("paid");
		this.target.items.tryEmitComplete();
		assertThat(paid.block(LONG)).isInstanceOf(LockLostException.class).hasMessageContaining("lock:order:42");
		assertThat(items.block(LONG)).isInstanceOf(LockLostException.class);
	}

	@Test
	void whenLostThenAnEmptyMonoFailsAsWell() {
		Mono<Throwable> paid = this.orders.pay(42).<Throwable>then(Mono.empty()).onErrorResume(Mono::just).cache();
		paid.subscribe();
		awaitRun();
		this.proxies.loseLeases();
		this.target.work.tryEmitEmpty();
		assertThat(paid.block(LONG)).isInstanceOf(LockLostException.class);
	}

	@Test
	void whenLostAndInterruptingThenStreamIsCancelledAtOnce() {
		AtomicBoolean cancelled = new AtomicBoolean();
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		Mono<Throwable> lost = this.orders.interrupted(42, () -> {
			LockHandle lock = LockContext.current();
			return Mono.<String>never()
				.doOnSubscribe((subscription) -> handle.set(lock))
				.doOnCancel(() -> cancelled.set(true));
		}).<Throwable>then(Mono.empty()).onErrorResume(Mono::just).cache();
		lost.subscribe();
		Awaitility.await().atMost(LONG).until(() -> handle.get() != null);
		this.proxies.loseLeases();
		handle.get().isHeld();
		assertThat(lost.block(LONG)).isInstanceOf(LockLostException.class)
			.hasMessageContaining("lock:interrupted:42")
			.hasNoSuppressedExceptions();
		Awaitility.await().atMost(LONG).untilTrue(cancelled);
	}

	@Test
	void whenInterruptingAndNotLostThenNothingIsDifferent() {
		assertThat(this.orders.interrupted(42, () -> Mono.just("done")).block(LONG)).isEqualTo("done");
		assertThat(this.orders.interrupted(42, Mono::empty).hasElement().block(LONG)).isFalse();
		awaitEmptiness();
	}

	@Test
	void whenCancelledWhileWaitingThenMethodDoesNotRun() {
		LockHandle elsewhere = this.proxies.holdElsewhere("guarded:42");
		Disposable waiting = this.orders.guarded(42, this.target::run).subscribe();
		Awaitility.await().atMost(LONG).until(() -> this.proxies.size() == 1);
		waiting.dispose();
		Awaitility.await().atMost(LONG).until(() -> this.proxies.size() == 0);
		elsewhere.close();
		awaitEmptiness();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void whenCancelledWhileRunningThenLockIsReleased() {
		Disposable paid = this.orders.pay(42).subscribe();
		awaitRun();
		paid.dispose();
		awaitEmptiness();
		this.target.items.tryEmitNext("a");
		assertThat(this.orders.items(42).take(1).collectList().block(LONG)).containsExactly("a");
		awaitEmptiness();
	}

	static class Orders {

		final AtomicInteger runs = new AtomicInteger();

		final Sinks.One<String> work = Sinks.one();

		final Sinks.Many<String> items = Sinks.many().replay().all();

		volatile LockHandle handle;

		private Mono<String> run() {
			this.runs.incrementAndGet();
			return this.work.asMono();
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> pay(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		Flux<String> items(long id) {
			this.runs.incrementAndGet();
			return this.items.asFlux();
		}

		@DistributedLock(name = "thing", key = "#id")
		Flux<String> things(long id) {
			this.runs.incrementAndGet();
			return this.items.asFlux();
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> payBy(String id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id")
		@DistributedLock(name = "zebra", key = "#other")
		Mono<String> payBoth(long id, String other) {
			return run();
		}

		@DistributedLock(name = "item", key = "#items")
		@DistributedLock(name = "order", key = "#id")
		Mono<String> payAll(long id, List<String> items) {
			return run();
		}

		@DistributedSemaphore(name = "partner", permits = "2")
		Mono<String> call() {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", condition = "#locked")
		Mono<String> payIf(long id, boolean locked) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Mono<String> payOrSkip(long id) {
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Flux<String> itemsOrSkip(long id) {
			return run().flux();
		}

		@DistributedLock(name = "skipping", onFailure = OnFailure.SKIP)
		Mono<String> skippingOuter(Supplier<Mono<String>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "later")
		Flux<String> itemsOrLater(long id) {
			return run().flux();
		}

		@DistributedLock(name = "order", key = "42")
		@DistributedLock(name = "zebra", onFailure = OnFailure.FALLBACK, fallback = "instead")
		Mono<String> payUnlessZebra(Supplier<Mono<String>> instead) {
			return run();
		}

		Mono<String> instead(Supplier<Mono<String>> instead) {
			return instead.get();
		}

		Flux<String> later(long id, LockException failure) {
			return Flux.just("later", "" + id, failure.storeKey());
		}

		@DistributedLock(name = "a", onFailure = OnFailure.HANDLE, handler = "handler")
		@DistributedLock(name = "b")
		Mono<String> payTwice() {
			return ReactiveLockContext.current().map(LockHandle::key);
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.HANDLE, handler = "handler")
		Flux<String> itemsOrHandle(long id) {
			return run().flux();
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> payWith(long id, LockHandle lock) {
			this.handle = lock;
			return run();
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.INTERRUPT)
		Mono<String> closing(long id, LockHandle lock) {
			lock.close();
			return run();
		}

		@DistributedLock(name = "guarded", key = "#id", waitTime = "1h")
		Mono<String> guarded(long id, Supplier<Mono<String>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "outer", key = "#id", waitTime = "1h")
		Mono<Long> outer(long id, Supplier<Mono<Long>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "guarded", key = "#id")
		String count(long id) {
			return "counted";
		}

		@DistributedLock(name = "a", onFailure = OnFailure.HANDLE, handler = "handler")
		@DistributedLock(name = "c", onLost = OnLost.INTERRUPT)
		Mono<String> payInterruptiblyOrHandle() {
			return ReactiveLockContext.current().map(LockHandle::key);
		}

		@DistributedLock(name = "a", key = "#id", onLost = OnLost.INTERRUPT)
		@DistributedLock(name = "z", key = "#id", waitTime = "1h")
		Mono<String> payTwiceInterruptibly(long id) {
			return run();
		}

		@DistributedLock(name = "interrupted", key = "#id", onLost = OnLost.INTERRUPT)
		Mono<String> interrupted(long id, Supplier<Mono<String>> inner) {
			return inner.get();
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.REPORT)
		Mono<String> payReporting(long id) {
			return run();
		}

	}

}
