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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.event.LockAcquiredEvent;
import io.github.lockspring.event.LockNotAcquiredEvent;
import io.github.lockspring.event.LockNotAcquiredEvent.Reason;
import io.github.lockspring.event.LockReleasedEvent;
import io.github.lockspring.spi.TimeSource;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEventPublisher}.
 */
class LockEventPublisherTests {

	private static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final SettableTime time = new SettableTime();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(TimeSource.class, () -> this.time)
		.withPropertyValues("lock.backend=local");

	@Test
	void acquisitionsAndReleasesArePublishedInTheirThread() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			Listeners listeners = context.getBean(Listeners.class);
			LockHandle lock = context.getBean(LockOperations.class).acquire("order:42", TRY_ONCE);
			long token = lock.fencingToken();
			assertThat(listeners.events)
				.containsExactly(new LockAcquiredEvent("lock:order:42", token, "local", Duration.ZERO));
			this.time.advance(Duration.ofSeconds(3));
			lock.close();
			assertThat(listeners.events).last()
				.isEqualTo(new LockReleasedEvent("lock:order:42", token, "local", Duration.ofSeconds(3)));
			assertThat(listeners.threads).containsOnly(Thread.currentThread());
		});
	}

	@Test
	void locksThatAreNotAcquiredArePublishedWithTheReason() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			LockHandle lock = locks.acquire("a", TRY_ONCE);
			assertThat(locks.ownedBy(this).tryAcquire("a", TRY_ONCE)).isNull();
			CompletableFuture<LockHandle> waiting = locks.ownedBy(this)
				.tryAcquireAsync("a", TRY_ONCE.withWaitTime(Duration.ofSeconds(5)));
			this.time.advance(Duration.ofSeconds(6));
			assertThat(waiting.get(1, TimeUnit.MINUTES)).isNull();
			lock.close();
			assertThat(context.getBean(Listeners.class).events).filteredOn(LockNotAcquiredEvent.class::isInstance)
				.containsExactly(new LockNotAcquiredEvent("lock:a", "local", Reason.DENIED, Duration.ZERO),
						new LockNotAcquiredEvent("lock:a", "local", Reason.TIMEOUT, Duration.ofSeconds(6)));
		});
	}

	@Test
	void releaseIsPublishedWhenTheLockIsFree() {
		this.runner.withUserConfiguration(AcquiringListener.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(context.getBean(AcquiringListener.class).free.poll()).isTrue();
		});
	}

	@Test
	void listenerThatThrowsHarmsNoLock() {
		this.runner.withUserConfiguration(FailingListener.class).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			for (int i = 0; i < 3; i++) {
				try (LockHandle lock = locks.acquire("a", TRY_ONCE)) {
					assertThat(lock.isHeld()).isTrue();
					assertThat(locks.ownedBy(this).tryAcquire("a", TRY_ONCE)).isNull();
				}
			}
			assertThat(context.getBean(LockEngine.class).size()).isZero();
		});
	}

	@Test
	void leaseIsRenewedWhileAListenerBlocks() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(BlockingListener.class, () -> new BlockingListener(this.time))
			.run((context) -> {
				context.getBean(BlockingListener.class).meters = context.getBean(MeterRegistry.class);
				try (LockHandle lock = context.getBean(LockTemplate.class).acquire("a", TRY_ONCE)) {
					assertThat(lock.isHeld()).isTrue();
				}
			});
	}

	@Test
	void keysLockedTogetherHaveOneEventEach() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			context.getBean(LockTemplate.class).acquireAll(List.of("a", "b"), TRY_ONCE).close();
			assertThat(context.getBean(Listeners.class).events).filteredOn(LockReleasedEvent.class::isInstance)
				.extracting((event) -> ((LockReleasedEvent) event).storeKey())
				.containsExactlyInAnyOrder("lock:a", "lock:b");
		});
	}

	@Test
	void withoutListenerTheEngineIsNotObserved() {
		this.runner.run((context) -> assertThat(isObserved(context)).isFalse());
	}

	@Test
	void applicationWithoutListenerIsNotObserved() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Empty.class)
			.web(WebApplicationType.NONE)
			.run("--lock.backend=local")) {
			assertThat(isObserved(context)).isFalse();
		}
	}

	@Test
	void listenerInTheParentContextIsFound() {
		new ApplicationContextRunner().withUserConfiguration(Listeners.class)
			.run((parent) -> this.runner.withParent(parent.getSourceApplicationContext()).run((context) -> {
				context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
				assertThat(parent.getBean(Listeners.class).events).hasSize(2);
			}));
	}

	@Test
	void listenerThatIsCreatedLaterIsFound() {
		this.runner.withUserConfiguration(LazyListener.class).run((context) -> {
			assertThat(isObserved(context)).isTrue();
			context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(context.getBean(CountingListener.class).events).hasSize(1);
		});
	}

	@Test
	void listenerThatIsCreatedLaterAndDecidesItselfIsFound() {
		this.runner
			.withBean(DecidingListener.class, DecidingListener::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
				assertThat(context.getBean(DecidingListener.class).events).hasSize(1);
			});
	}

	@Test
	void listenerThatIsAddedLaterReceivesWhatOthersReceive() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			CountingListener added = new CountingListener();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).addApplicationListener(added);
			context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(added.events).hasSize(1);
		});
	}

	@Test
	void onlyListenerThatIsAddedLaterReceivesNothing() {
		this.runner.run((context) -> {
			CountingListener added = new CountingListener();
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).addApplicationListener(added);
			context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(added.events).isEmpty();
		});
	}

	@Test
	void listenerOfAllEventsIsFound() {
		ApplicationListener<ApplicationEvent> listener = (event) -> {
		};
		this.runner.withBean("listener", ApplicationListener.class, () -> listener)
			.run((context) -> assertThat(isObserved(context)).isTrue());
	}

	@Test
	void contextThatIsRestartedPublishesOnce() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			context.stop();
			context.start();
			context.getBean(LockTemplate.class).acquire("a", TRY_ONCE).close();
			assertThat(context.getBean(Listeners.class).events).hasSize(2);
		});
	}

	private static boolean isObserved(ApplicationContext context) {
		Object engineContext = ReflectionTestUtils.getField(context.getBean(LockEngine.class), "context");
		return ReflectionTestUtils.getField(engineContext, "observers") != null;
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

		private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();

		@EventListener({ LockAcquiredEvent.class, LockNotAcquiredEvent.class, LockReleasedEvent.class })
		void on(Object event) {
			this.events.add(event);
			this.threads.add(Thread.currentThread());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AcquiringListener {

		private final BlockingQueue<Boolean> free = new LinkedBlockingQueue<>();

		private final LockOperations locks;

		AcquiringListener(@Lazy LockOperations locks) {
			this.locks = locks;
		}

		@EventListener
		void on(LockReleasedEvent event) {
			if (this.free.isEmpty()) {
				LockHandle lock = this.locks.ownedBy(this).tryAcquire("a", TRY_ONCE);
				this.free.add(lock != null);
				if (lock != null) {
					lock.close();
				}
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailingListener {

		@EventListener({ LockAcquiredEvent.class, LockReleasedEvent.class })
		void fail() {
			throw new StackOverflowError("A listener may fail");
		}

		@EventListener
		void fail(LockNotAcquiredEvent event) {
			throw new IllegalStateException("A listener may fail");
		}

	}

	/**
	 * Blocks for more than one lease time.
	 */
	static class BlockingListener {

		private final SettableTime time;

		private MeterRegistry meters;

		BlockingListener(SettableTime time) {
			this.time = time;
		}

		@EventListener
		void on(LockAcquiredEvent event) {
			this.time.advance(Duration.ofSeconds(20));
			Awaitility.await()
				.until(() -> this.meters.get("lock.renewals").tag("outcome", "success").counter().count() > 0);
			this.time.advance(Duration.ofSeconds(20));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyListener {

		@Bean
		@Lazy
		CountingListener countingListener() {
			return new CountingListener();
		}

	}

	static class CountingListener implements ApplicationListener<PayloadApplicationEvent<LockReleasedEvent>> {

		private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<LockReleasedEvent> event) {
			this.events.add(event);
		}

	}

	static class DecidingListener implements GenericApplicationListener {

		private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

		@Override
		public boolean supportsEventType(ResolvableType eventType) {
			return eventType.hasGenerics() && eventType.getGeneric().isAssignableFrom(LockReleasedEvent.class);
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Empty {

	}

}
