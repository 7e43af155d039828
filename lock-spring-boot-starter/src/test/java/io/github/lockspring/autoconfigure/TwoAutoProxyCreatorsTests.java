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

package io.github.lockspring.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.LockedProxies;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.event.LockAcquiredEvent;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Beans that are proxied twice, because the application defines an auto-proxy creator of
 * its own: each call acquires each lock once.
 */
class TwoAutoProxyCreatorsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
				TaskExecutionAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	private static <T> T await(CompletableFuture<T> stage) {
		return stage.orTimeout(60, TimeUnit.SECONDS).join();
	}

	static Stream<Arguments> calls() {
		return Stream.of(call("blocking", Stock::blocking), call("skipping", Stock::skipping),
				call("two permits", Stock::twoPermits), call("stage", (stock) -> await(stock.stage())),
				call("async stage", (stock) -> await(stock.asyncStage())),
				call("mono", (stock) -> stock.mono().block()), call("flux", (stock) -> stock.flux().blockLast()),
				call("mono in another thread", (stock) -> stock.hoppingMono().block()),
				call("flux in another thread", (stock) -> stock.hoppingFlux().blockLast()),
				call("minimum hold", Stock::atLeast), call("retried inside", Stock::retriedInside));
	}

	private static Arguments call(String name, Function<Stock, String> call) {
		return arguments(name, call);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("calls")
	void eachCallAcquiresItsLockOnce(String name, Function<Stock, String> call) {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(((Advised) stock).getTargetSource().getTarget()).isInstanceOf(Advised.class);
			assertThat(call.apply(stock)).isEqualTo("held");
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			assertThat(backend.requests()).hasSize(1);
			assertThat(backend.released()).hasSize(1);
			assertThat(context.getBean(Events.class).acquired).hasSize(1);
		});
	}

	@Test
	void annotationsAreReadOnce() {
		this.runner
			.run((context) -> assertThat(LockedProxies.annotationsOf(context.getBean(DistributedLockInterceptor.class)))
				.isNotEmpty()
				.doesNotHaveDuplicates());
	}

	@Test
	void handleIsPassedToTheMethod() {
		this.runner.run((context) -> assertThat(context.getBean(Stock.class).handle(null)).isPositive());
	}

	@Test
	void lockIsOutsideTheAdviceOfBothProxies() {
		this.runner.run((context) -> {
			context.getBean(Stock.class).advised();
			assertThat(context.getBean(Events.class).inside).containsExactly(true, true);
		});
	}

	@Test
	void callsMadeByTheMethodAcquireTheirOwnLocks() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.recursive(2);
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:depth:2", "lock:depth:1",
					"lock:depth:0");
			stock.recursiveMono(2).block();
			assertThat(context.getBean(RecordingBackend.class).keys()).hasSize(6);
		});
	}

	/**
	 * The application calls one of the two proxies by itself.
	 */
	@Test
	void callOfTheInnerProxyIsLocked() {
		this.runner.run((context) -> {
			Stock inner = (Stock) AopProxyUtils.getSingletonTarget(context.getBean(Stock.class));
			assertThat(inner).isInstanceOf(Advised.class);
			assertThat(context.getBean(Stock.class).blocking()).isEqualTo("held");
			assertThat(inner.blocking()).isEqualTo("held");
			assertThat(context.getBean(RecordingBackend.class).requests()).hasSize(2);
		});
	}

	@Test
	void callOfTheInnerProxyByTheMethodIsLocked() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			Stock inner = (Stock) AopProxyUtils.getSingletonTarget(stock);
			stock.calling("a", () -> inner.calling("b", () -> {
			}));
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:calling:a",
					"lock:calling:b");
		});
	}

	@Test
	void failurePolicyAppliesOnce() {
		this.runner.run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).ownedBy(this).acquire("busy")) {
				assertThat(lock.isHeld()).isTrue();
				Stock stock = context.getBean(Stock.class);
				assertThat(stock.falling()).isEqualTo("fallback of the bean");
				assertThat(stock.handled()).isEqualTo("free");
				assertThat(context.getBean(Events.class).handled).hasSize(1);
			}
		});
	}

	/**
	 * Whichever proxy has the advice of asynchronous methods, the thread that runs the
	 * method holds the lock until it has ended.
	 */
	@ParameterizedTest
	@ValueSource(classes = { AsyncBefore.class, AsyncAfter.class })
	void asynchronousMethodIsLockedWhileItRuns(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration).run((context) -> {
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			Stock stock = context.getBean(Stock.class);
			stock.async(context.getBean(Events.class).inside::add);
			assertThat(context.getBean(Events.class).ended.await(60, TimeUnit.SECONDS)).isTrue();
			assertThat(context.getBean(Events.class).inside).containsExactly(true);
			assertThat(backend.requests()).hasSize(1);
			Awaitility.await().until(() -> backend.inspect("lock:stock", Duration.ofSeconds(1)).isEmpty());
			assertThat(await(stock.asyncStage())).isEqualTo("held");
			assertThat(backend.requests()).hasSize(2);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		static DefaultAdvisorAutoProxyCreator secondCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			creator.setOrder(100);
			return creator;
		}

		@Bean
		RecordingBackend backend() {
			return new RecordingBackend(new LocalStore());
		}

		@Bean
		Events events() {
			return new Events();
		}

		@Bean
		Stock stock(ObjectProvider<Stock> self, RecordingBackend backend, Events events) {
			return new Stock(self, backend, events);
		}

		@Bean
		LockFailureHandler handler(Events events) {
			return (invocation, failure) -> {
				events.handled.add(failure.getMessage());
				return invocation.proceed();
			};
		}

		/**
		 * Inside the lock, like that of reactive transactions.
		 */
		@Bean
		static Advisor hop() {
			return advisor("hopping*",
					(invocation) -> (invocation.getMethod().getReturnType() == Mono.class)
							? Mono.defer(() -> mono(invocation)).subscribeOn(Schedulers.boundedElastic())
							: Flux.defer(() -> mono(invocation)).subscribeOn(Schedulers.boundedElastic()));
		}

		@Bean
		static Advisor retry() {
			return advisor("retriedInside", (invocation) -> {
				((ProxyMethodInvocation) invocation).invocableClone().proceed();
				return invocation.proceed();
			});
		}

		@Bean
		static Advisor inside(ObjectProvider<Events> events) {
			return advisor("advised", (invocation) -> {
				events.getObject().inside.add(LockContext.get() != null);
				return invocation.proceed();
			});
		}

		@SuppressWarnings("unchecked")
		private static Mono<Object> mono(MethodInvocation invocation) {
			try {
				return Mono.from((Publisher<Object>) invocation.proceed());
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

		private static Advisor advisor(String method, MethodInterceptor advice) {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setMappedName(method);
			pointcut.setClassFilter(Stock.class::isAssignableFrom);
			return new DefaultPointcutAdvisor(pointcut, advice);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AsyncBefore {

		@Bean
		static AsyncAnnotationBeanPostProcessor asyncBefore() {
			AsyncAnnotationBeanPostProcessor processor = new AsyncAnnotationBeanPostProcessor();
			processor.setBeforeExistingAdvisors(true);
			processor.setOrder(50);
			return processor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncAfter {

	}

	static class Events {

		private final List<LockAcquiredEvent> acquired = new ArrayList<>();

		private final List<Boolean> inside = new ArrayList<>();

		private final List<String> handled = new ArrayList<>();

		private final CountDownLatch ended = new CountDownLatch(1);

		@EventListener
		void on(LockAcquiredEvent event) {
			this.acquired.add(event);
		}

	}

	static class Stock {

		private final ObjectProvider<Stock> self;

		private final RecordingBackend backend;

		private final Events events;

		Stock(ObjectProvider<Stock> self, RecordingBackend backend, Events events) {
			this.self = self;
			this.backend = backend;
			this.events = events;
		}

		private String state() {
			boolean held = !this.backend.inspect("lock:stock", Duration.ofSeconds(1)).isEmpty();
			return held ? "held" : "free";
		}

		@DistributedLock(name = "stock")
		String blocking() {
			return state();
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s", onFailure = OnFailure.SKIP)
		String skipping() {
			return state();
		}

		@DistributedSemaphore(name = "stock", permits = "2", waitTime = "0s")
		String twoPermits() {
			return (this.backend.inspect("lock:stock", Duration.ofSeconds(1)).size() == 1) ? "held" : "twice";
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		CompletableFuture<String> stage() {
			return CompletableFuture.supplyAsync(this::state);
		}

		@Async
		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		CompletableFuture<String> asyncStage() {
			return CompletableFuture.supplyAsync(this::state);
		}

		@Async
		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		void async(Consumer<Boolean> held) {
			held.accept(state().equals("held"));
			this.events.ended.countDown();
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		Mono<String> mono() {
			return Mono.fromSupplier(this::state);
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		Flux<String> flux() {
			return Flux.defer(() -> Flux.just(state()));
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		Mono<String> hoppingMono() {
			return Mono.fromSupplier(this::state);
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		Flux<String> hoppingFlux() {
			return Flux.defer(() -> Flux.just(state()));
		}

		@DistributedLock(name = "stock", waitTime = "0s", lockAtLeastFor = "1m")
		String atLeast() {
			return state();
		}

		@DistributedSemaphore(name = "stock", permits = "1", waitTime = "0s")
		String retriedInside() {
			return state();
		}

		@DistributedLock(name = "stock")
		long handle(LockHandle lock) {
			return lock.fencingToken();
		}

		@DistributedLock(name = "stock")
		void advised() {
		}

		@DistributedLock(name = "depth", key = "#depth")
		void recursive(int depth) {
			if (depth > 0) {
				this.self.getObject().recursive(depth - 1);
			}
		}

		@DistributedLock(name = "depth", key = "#depth")
		Mono<Void> recursiveMono(int depth) {
			return (depth > 0) ? Mono.defer(() -> this.self.getObject().recursiveMono(depth - 1)) : Mono.empty();
		}

		@DistributedLock(name = "calling", key = "#key")
		void calling(String key, Runnable action) {
			action.run();
		}

		@DistributedLock(name = "busy", waitTime = "0s", onFailure = OnFailure.FALLBACK, fallback = "instead")
		String falling() {
			return "run";
		}

		private String instead() {
			return (this.backend != null) ? "fallback of the bean" : "fallback of a proxy";
		}

		@DistributedLock(name = "busy", waitTime = "0s", onFailure = OnFailure.HANDLE, handler = "handler")
		String handled() {
			return state();
		}

	}

}
