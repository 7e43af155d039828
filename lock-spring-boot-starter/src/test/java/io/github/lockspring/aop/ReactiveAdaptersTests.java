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
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.OnFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for return types other than those of Reactor.
 */
class ReactiveAdaptersTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final LockedProxies proxies = new LockedProxies();

	private final Orders target = new Orders();

	private final Orders orders = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	/**
	 * Subscribes twice, looks whether the lock is held before the end, and not held once
	 * the subscriber knows of the end.
	 */
	private void verify(Object stream, Object... elements) {
		assertThat(this.proxies.backend.keys()).isEmpty();
		Flux<Object> flux = Flux
			.from(ReactiveAdapterRegistry.getSharedInstance().getAdapter(stream.getClass()).toPublisher(stream));
		this.target.during = () -> assertThat(this.proxies.isHeld("order:42")).isTrue();
		for (int i = 1; i <= 2; i++) {
			assertThat(flux.collectList().map((list) -> {
				assertThat(this.proxies.isHeld("order:42")).isFalse();
				return list;
			}).block(LONG)).containsExactly(elements);
			assertThat(this.target.runs).hasValue(i);
			assertThat(this.proxies.backend.keys()).hasSize(i);
		}
	}

	@Test
	void single() {
		verify(this.orders.single(42), "a");
	}

	@Test
	void maybe() {
		verify(this.orders.maybe(42), "a");
	}

	@Test
	void completable() {
		verify(this.orders.completable(42));
	}

	@Test
	void observable() {
		verify(this.orders.observable(42), "a", "b");
	}

	@Test
	void flowable() {
		verify(this.orders.flowable(42), "a", "b");
	}

	@Test
	void uni() {
		verify(this.orders.uni(42), "a");
	}

	@Test
	void multi() {
		verify(this.orders.multi(42), "a", "b");
	}

	@Test
	void flowPublisher() {
		verify(JdkFlowAdapter.flowPublisherToFlux(this.orders.flow(42)), "a", "b");
	}

	@Test
	void publisher() {
		verify(this.orders.publisher(42), "a", "b");
	}

	@Test
	void disposedSubscriptionsReleaseTheLock() {
		Stream
			.<Function<Orders, Disposable>>of((orders) -> orders.neverSingle(42).subscribe(),
					(orders) -> orders.neverObservable(42).subscribe())
			.forEach((subscribe) -> {
				Disposable subscription = subscribe.apply(this.orders);
				Awaitility.await().atMost(LONG).until(() -> this.proxies.isHeld("order:42"));
				subscription.dispose();
				Awaitility.await().atMost(LONG).until(this.proxies::isEmpty);
			});
	}

	@Test
	void skippedStreamsAreEmpty() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.maybeSkipped(42).isEmpty().blockingGet()).isTrue();
		assertThat(this.orders.uniSkipped(42).await().atMost(LONG)).isNull();
		assertThat(this.orders.completableSkipped(42).blockingAwait(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(this.target.runs).hasValue(0);
	}

	@Test
	void fallbackOfTheSameType() {
		this.proxies.holdElsewhere("order:42");
		assertThat(this.orders.singleOrLater(42).blockingGet()).isEqualTo("later");
	}

	@Test
	void typesWhoseEndIsUnknownAreRejected() {
		Stream.of(new Futures(), new Streams(), new Iterators(), new Stages(), new Parallels(), new Connectables())
			.forEach((bean) -> assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> this.proxies.proxy(bean))
				.withMessageContaining("before the work is done"));
	}

	@Test
	void singleThatMustHaveAnElementCannotBeSkipped() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new SkippedSingles()))
			.withMessageContaining("SKIP")
			.withMessageContaining("Single");
	}

	@Test
	void blockingMethodThatReturnsAStreamFails() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.orders.anything(42))
			.withMessageContaining("Declare that type");
	}

	static class Orders {

		final AtomicInteger runs = new AtomicInteger();

		Runnable during = () -> {
		};

		private Flux<String> work(String... elements) {
			return Flux.just(elements).doOnSubscribe((subscription) -> {
				this.runs.incrementAndGet();
				this.during.run();
			}).doOnComplete(this.during);
		}

		@DistributedLock(name = "order", key = "#id")
		Single<String> single(long id) {
			return Single.fromPublisher(work("a"));
		}

		@DistributedLock(name = "order", key = "#id")
		Single<String> neverSingle(long id) {
			return Single.never();
		}

		@DistributedLock(name = "order", key = "#id")
		Maybe<String> maybe(long id) {
			return Maybe.fromPublisher(work("a"));
		}

		@DistributedLock(name = "order", key = "#id")
		Completable completable(long id) {
			return Completable.fromPublisher(work("a"));
		}

		@DistributedLock(name = "order", key = "#id")
		Observable<String> observable(long id) {
			return Observable.fromPublisher(work("a", "b"));
		}

		@DistributedLock(name = "order", key = "#id")
		Observable<String> neverObservable(long id) {
			return Observable.never();
		}

		@DistributedLock(name = "order", key = "#id")
		Flowable<String> flowable(long id) {
			return Flowable.fromPublisher(work("a", "b"));
		}

		@DistributedLock(name = "order", key = "#id")
		Uni<String> uni(long id) {
			return Uni.createFrom().publisher(JdkFlowAdapter.publisherToFlowPublisher(work("a")));
		}

		@DistributedLock(name = "order", key = "#id")
		Multi<String> multi(long id) {
			return Multi.createFrom().publisher(JdkFlowAdapter.publisherToFlowPublisher(work("a", "b")));
		}

		@DistributedLock(name = "order", key = "#id")
		Flow.Publisher<String> flow(long id) {
			return JdkFlowAdapter.publisherToFlowPublisher(work("a", "b"));
		}

		@DistributedLock(name = "order", key = "#id")
		Publisher<String> publisher(long id) {
			return work("a", "b");
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Maybe<String> maybeSkipped(long id) {
			return Maybe.fromPublisher(work("a"));
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Completable completableSkipped(long id) {
			return Completable.fromPublisher(work("a"));
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.SKIP)
		Uni<String> uniSkipped(long id) {
			return Uni.createFrom().publisher(JdkFlowAdapter.publisherToFlowPublisher(work("a")));
		}

		@DistributedLock(name = "order", key = "#id", onFailure = OnFailure.FALLBACK, fallback = "later")
		Single<String> singleOrLater(long id) {
			return Single.fromPublisher(work("a"));
		}

		Single<String> later(long id) {
			return Single.just("later");
		}

		@DistributedLock(name = "order", key = "#id")
		Object anything(long id) {
			return Mono.just("a");
		}

	}

	static class Futures {

		@DistributedLock(name = "order")
		Future<String> work() {
			return null;
		}

	}

	static class Streams {

		@DistributedLock(name = "order")
		Stream<String> work() {
			return null;
		}

	}

	static class Iterators {

		@DistributedLock(name = "order")
		Iterator<String> work() {
			return null;
		}

	}

	static class Stages {

		@DistributedLock(name = "order")
		OwnFuture work() {
			return null;
		}

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	static class Parallels {

		@DistributedLock(name = "order")
		ParallelFlux<String> work() {
			return null;
		}

	}

	static class Connectables {

		@DistributedLock(name = "order")
		ConnectableFlux<String> work() {
			return null;
		}

	}

	static class SkippedSingles {

		@DistributedLock(name = "order", onFailure = OnFailure.SKIP)
		Single<String> work() {
			return null;
		}

	}

}
