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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.task.TaskDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockKeyConverter;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Whatever the code of an application throws, wherever it is called: what was taken is
 * released, and the caller is notified.
 */
class ThrowablesTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final LockedProxies proxies = new LockedProxies();

	private LockHandle elsewhere;

	private Bomb bomb;

	private final Orders orders = this.proxies.proxy(new Orders());

	@AfterEach
	void close() {
		this.proxies.close();
	}

	static Stream<Supplier<Throwable>> kinds() {
		return Stream.of(() -> new IllegalStateException("x"), () -> new IOException("x"),
				() -> new StackOverflowError("x"), () -> new NoClassDefFoundError("x"), () -> new OutOfMemoryError("x"),
				() -> new AssertionError("x"), () -> new InterruptedException("x"));
	}

	static Stream<Arguments> everywhere() {
		return kinds().flatMap((kind) -> Arrays.stream(Place.values())
			.map((place) -> Arguments.of(kind.get().getClass().getSimpleName(), place, kind)));
	}

	@ParameterizedTest(name = "{0} from {1}")
	@MethodSource("everywhere")
	void blockingCallEndsAndItsLockIsReleased(String name, Place place, Supplier<Throwable> kind) {
		Bomb bomb = prepare(place, kind);
		assertThat(catchThrowable(() -> this.orders.pay(bomb)) != null).isEqualTo(place.fails(Place.BODY));
		assertEmpty();
	}

	@ParameterizedTest(name = "{0} from {1}")
	@MethodSource("everywhere")
	void stageCallEndsAndItsLockIsReleased(String name, Place place, Supplier<Throwable> kind) {
		Bomb bomb = prepare(place, kind);
		CompletableFuture<String> paid = this.orders.payLater(bomb);
		await().until(paid::isDone);
		assertThat(paid.isCompletedExceptionally())
			.isEqualTo(place.fails(Place.BODY, Place.LATER, Place.DECORATOR, Place.DECORATED));
		assertEmpty();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void stageThatCannotBeCancelledDoesNotKeepTheLock(Supplier<Throwable> kind) {
		CompletableFuture<String> work = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return Bomb.rethrow(kind.get());
			}

		};
		CompletableFuture<String> paid = this.orders.payBy(() -> work);
		await().until(() -> work.getNumberOfDependents() > 0);
		paid.cancel(true);
		assertEmpty();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void stageThatCannotBeFollowedDoesNotKeepTheLock(Supplier<Throwable> kind) {
		CompletableFuture<String> work = new CompletableFuture<>() {

			@Override
			public <U> CompletableFuture<U> newIncompleteFuture() {
				return Bomb.rethrow(kind.get());
			}

		};
		assertThat(this.orders.payBy(() -> work)).failsWithin(LONG);
		assertEmpty();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void callbackThatFailsDoesNotKeepOthersFromBeingCalled(Supplier<Throwable> kind) {
		CompletableFuture<Void> signalled = new CompletableFuture<>();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> paid = this.orders.payWatching((lock) -> {
			lock.onLost(() -> Bomb.rethrow(kind.get()));
			lock.onLost(() -> signalled.complete(null));
			return work;
		}, null);
		await().until(() -> work.getNumberOfDependents() > 0);
		this.proxies.loseLeases();
		assertThat(signalled).succeedsWithin(LONG);
		work.complete("paid");
		assertThat(paid).failsWithin(LONG);
		assertEmpty();
	}

	@ParameterizedTest(name = "{0} from {1}")
	@MethodSource("everywhere")
	void monoEndsAndItsLockIsReleased(String name, Place place, Supplier<Throwable> kind) {
		Bomb bomb = prepare(place, kind);
		assertSignalled(this.orders.payReactively(bomb), bomb, place.fails(Place.BODY, Place.LATER));
	}

	@ParameterizedTest(name = "{0} from {1}")
	@MethodSource("everywhere")
	void fluxEndsAndItsLockIsReleased(String name, Place place, Supplier<Throwable> kind) {
		Bomb bomb = prepare(place, kind);
		assertSignalled(this.orders.items(bomb), bomb,
				place.fails(Place.BODY, Place.LATER, Place.SUBSCRIBER, Place.SUBSCRIPTION));
	}

	static Stream<Arguments> streams() {
		return kinds().flatMap((kind) -> Stream.of("subscribe", "request", "cancel")
			.map((method) -> Arguments.of(kind.get().getClass().getSimpleName(), method, kind)));
	}

	@ParameterizedTest(name = "{0} from {1}")
	@MethodSource("streams")
	void streamThatThrowsDoesNotKeepTheLock(String name, String method, Supplier<Throwable> kind) {
		FaultyStream faulty = new FaultyStream(method, kind);
		for (Publisher<String> stream : List.of(this.orders.itemsOf(faulty), this.orders.itemOf(faulty))) {
			CompletableFuture<Throwable> signalled = new CompletableFuture<>();
			Disposable subscription = Flux.from(stream).subscribe((item) -> {
			}, signalled::complete);
			await().until(() -> faulty.subscriptions.get() > 0 || signalled.isDone());
			if (method.equals("cancel")) {
				catchThrowable(subscription::dispose);
			}
			else {
				assertThat(signalled).succeedsWithin(LONG);
			}
			assertEmpty();
			faulty.subscriptions.set(0);
		}
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void executorThatThrowsDoesNotKeepTheLock(Supplier<Throwable> kind) {
		AtomicBoolean failing = new AtomicBoolean(true);
		this.proxies.context.registerBean("applicationTaskExecutor", Executor.class, () -> (task) -> {
			if (failing.get()) {
				Bomb.rethrow(kind.get());
			}
			new Thread(task).start();
		});
		assertThat(this.orders.payBy(() -> CompletableFuture.completedFuture("paid"))).failsWithin(LONG);
		failing.set(false);
		assertEmpty();
	}

	private void assertSignalled(Publisher<String> stream, Bomb bomb, boolean fails) {
		CompletableFuture<Void> signalled = new CompletableFuture<>();
		catchThrowable(() -> stream.subscribe(new BaseSubscriber<>() {

			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				bomb.explode(Place.SUBSCRIPTION);
				subscription.request(Long.MAX_VALUE);
			}

			@Override
			protected void hookOnNext(String value) {
				bomb.explode(Place.SUBSCRIBER);
			}

			@Override
			protected void hookOnComplete() {
				signalled.complete(null);
			}

			@Override
			protected void hookOnError(Throwable failure) {
				signalled.completeExceptionally(failure);
			}

			@Override
			protected void hookOnCancel() {
				signalled.cancel(false);
			}

		}));
		if (bomb.place != Place.SUBSCRIBER && bomb.place != Place.SUBSCRIPTION) {
			await().until(signalled::isDone);
			assertThat(signalled.isCompletedExceptionally()).isEqualTo(fails);
		}
		assertEmpty();
	}

	private Bomb prepare(Place place, Supplier<Throwable> kind) {
		Bomb bomb = new Bomb(place, kind);
		this.bomb = bomb;
		this.proxies.context.registerBean(LockKeyConverter.class, () -> new BombConverter());
		this.proxies.context.registerBean("handler", LockFailureHandler.class, () -> (invocation, failure) -> {
			throw kind.get();
		});
		this.proxies.context.registerBean(TaskDecorator.class, () -> (task) -> {
			bomb.explode(Place.DECORATOR);
			return () -> {
				task.run();
				bomb.explode(Place.DECORATED);
			};
		});
		if (place == Place.HANDLER) {
			this.elsewhere = this.proxies.holdElsewhere("order:42");
		}
		return bomb;
	}

	private static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).atMost(LONG);
	}

	private void assertEmpty() {
		if (this.bomb != null) {
			this.bomb.armed.set(false);
		}
		if (this.elsewhere != null) {
			this.elsewhere.close();
		}
		await().until(this.proxies::isEmpty);
		assertThat(this.orders.payBy(() -> CompletableFuture.completedFuture("paid"))).succeedsWithin(LONG);
	}

	enum Place {

		BODY, LATER, KEY, CONDITION, CONVERTER, HANDLER, DECORATOR, DECORATED, SUBSCRIBER, SUBSCRIPTION;

		/**
		 * Whether a call fails: anything that happens before the method does it, and what
		 * happens in it in some of these places.
		 */
		boolean fails(Place... places) {
			return Arrays.asList(KEY, CONDITION, CONVERTER, HANDLER).contains(this)
					|| Arrays.asList(places).contains(this);
		}

	}

	public static class Bomb {

		private final Place place;

		private final Supplier<Throwable> kind;

		private final AtomicBoolean armed = new AtomicBoolean(true);

		Bomb(Place place, Supplier<Throwable> kind) {
			this.place = place;
			this.kind = kind;
		}

		void explode(Place here) {
			if (this.place == here && this.armed.getAndSet(false)) {
				rethrow(this.kind.get());
			}
		}

		static <T> T rethrow(Throwable thrown) {
			return Bomb.<T, RuntimeException>rethrowUnchecked(thrown);
		}

		@SuppressWarnings("unchecked")
		private static <T, E extends Throwable> T rethrowUnchecked(Throwable thrown) throws E {
			throw (E) thrown;
		}

		public Object getKey() {
			explode(Place.KEY);
			return (this.place != Place.CONVERTER) ? 42 : this;
		}

		public boolean isCondition() {
			explode(Place.CONDITION);
			return true;
		}

	}

	/**
	 * A stream that emits nothing, and one of whose methods throws.
	 */
	static class FaultyStream implements Publisher<String> {

		private final AtomicInteger subscriptions = new AtomicInteger();

		private final String method;

		private final Supplier<Throwable> kind;

		FaultyStream(String method, Supplier<Throwable> kind) {
			this.method = method;
			this.kind = kind;
		}

		private void called(String method) {
			if (this.method.equals(method)) {
				Bomb.rethrow(this.kind.get());
			}
		}

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			called("subscribe");
			subscriber.onSubscribe(new Subscription() {

				@Override
				public void request(long count) {
					called("request");
				}

				@Override
				public void cancel() {
					called("cancel");
				}

			});
			this.subscriptions.incrementAndGet();
		}

	}

	static class BombConverter implements LockKeyConverter {

		@Override
		public String convert(Object key) {
			if (key instanceof Bomb bomb) {
				bomb.explode(Place.CONVERTER);
			}
			return null;
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#bomb.key", condition = "#bomb.condition", onFailure = OnFailure.HANDLE,
				handler = "handler")
		String pay(Bomb bomb) {
			bomb.explode(Place.BODY);
			return "paid";
		}

		@DistributedLock(name = "order", key = "#bomb.key", condition = "#bomb.condition", onFailure = OnFailure.HANDLE,
				handler = "handler")
		CompletableFuture<String> payLater(Bomb bomb) {
			bomb.explode(Place.BODY);
			return CompletableFuture.supplyAsync(() -> later(bomb));
		}

		@DistributedLock(name = "order", key = "42")
		CompletableFuture<String> payBy(Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "order", key = "42")
		CompletableFuture<String> payWatching(Function<LockHandle, CompletableFuture<String>> work, LockHandle lock) {
			return work.apply(lock);
		}

		@DistributedLock(name = "order", key = "#bomb.key", condition = "#bomb.condition", onFailure = OnFailure.HANDLE,
				handler = "handler")
		Mono<String> payReactively(Bomb bomb) {
			bomb.explode(Place.BODY);
			return Mono.fromCallable(() -> later(bomb));
		}

		@DistributedLock(name = "order", key = "#bomb.key", condition = "#bomb.condition", onFailure = OnFailure.HANDLE,
				handler = "handler")
		Flux<String> items(Bomb bomb) {
			bomb.explode(Place.BODY);
			return Flux.just("a", "b").map((item) -> item + later(bomb));
		}

		@DistributedLock(name = "order", key = "42")
		Mono<String> itemOf(Publisher<String> stream) {
			return Mono.fromDirect(stream);
		}

		@DistributedLock(name = "order", key = "42")
		Flux<String> itemsOf(Publisher<String> stream) {
			return Flux.from(stream);
		}

		private static String later(Bomb bomb) {
			bomb.explode(Place.LATER);
			return "paid";
		}

	}

}
