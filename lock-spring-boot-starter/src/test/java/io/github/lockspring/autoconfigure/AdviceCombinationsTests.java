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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of {@code docs/order-of-advice.md}: a lock together with other advice, row by
 * row, for methods that return a stage or a stream. {@link AdviceOrderTests} has the rows
 * of blocking methods.
 */
class AdviceCombinationsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
				TaskExecutionAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.task.execution.pool.core-size=1");

	private static <T> T await(CompletableFuture<T> stage) {
		return stage.orTimeout(60, TimeUnit.SECONDS).join();
	}

	@Test
	void stageRunsInTheExecutorOfTheApplication() {
		this.runner
			.run((context) -> assertThat(await(context.getBean(Stock.class).stage()).getName()).isEqualTo("task-1"));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void stageRunsInAVirtualThreadWhereTheApplicationHasThem() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(await(context.getBean(Stock.class).stage()).toString())
				.startsWith("VirtualThread"));
	}

	@Test
	void asynchronousStageStaysInTheThreadOfItsExecutorEvenIfThatHasOnlyOne() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			List<CompletableFuture<Thread>> calls = IntStream.range(0, 8).mapToObj((i) -> stock.async()).toList();
			assertThat(calls).extracting((call) -> await(call).getName()).containsOnly("task-1");
			assertThat(stock.keys()).hasSize(8);
		});
	}

	@Test
	void asynchronousStageIsLockedUntilItHasCompleted() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			CompletableFuture<String> waiting = stock.asyncWork();
			assertThat(stock.entered().await(60, TimeUnit.SECONDS)).isTrue();
			assertThat(stock.isLocked()).isTrue();
			stock.work().complete("done");
			assertThat(await(waiting)).isEqualTo("done");
			assertThat(stock.isLocked()).isFalse();
		});
	}

	@Test
	void asynchronousStageThatIsSkippedHasAnEmptyResult() {
		this.runner.run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire("stock")) {
				assertThat(await(context.getBean(Stock.class).skippedAsync())).isEmpty();
			}
		});
	}

	@Test
	void fallbackOfAnAsynchronousStageIsAwaitedUnderTheOtherLocks() {
		this.runner.run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire("stock")) {
				assertThat(await(context.getBean(Stock.class).asyncOrLater())).isTrue();
			}
		});
	}

	@Test
	void handlerThatRunsAnAsynchronousStageTwiceBeginsATransactionTwice() {
		this.runner.run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire("stock")) {
				assertThat(await(context.getBean(Stock.class).handledAsync())).isTrue();
			}
		});
	}

	@Test
	void eachAttemptOfAnAsynchronousStageAcquiresAnewWhateverWayItFails() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(await(stock.retriedAsync(true))).isEqualTo("locked");
			assertThat(stock.keys()).hasSize(3);
			stock.attempts().set(0);
			assertThat(await(stock.retriedAsync(false))).isEqualTo("locked");
			assertThat(stock.keys()).hasSize(6);
		});
	}

	@Test
	void stageThatFailsIsNotRetried() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.retried()).failsWithin(60, TimeUnit.SECONDS);
			assertThat(stock.keys()).hasSize(1);
		});
	}

	@Test
	void eachAttemptOfAMonoAcquiresAnew() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.retriedMono().block()).isEqualTo("done");
			assertThat(stock.keys()).hasSize(3);
		});
	}

	@Test
	void limitCountsAsynchronousStagesUntilTheyHaveCompletedAndOthersNot() {
		this.runner.withPropertyValues("spring.task.execution.pool.core-size=2").run((context) -> {
			Stock stock = context.getBean(Stock.class);
			CompletableFuture<String> first = stock.limitedAsync();
			assertThat(stock.entered().await(60, TimeUnit.SECONDS)).isTrue();
			assertThat(stock.limitedAsync()).failsWithin(60, TimeUnit.SECONDS);
			assertThat(stock.keys()).as("the call above the limit does not ask for the lock").hasSize(1);
			CompletableFuture<String> second = stock.limited("a");
			CompletableFuture<String> third = stock.limited("b");
			stock.work().complete("done");
			assertThat(List.of(await(first), await(second), await(third))).containsOnly("done");
		});
	}

	@Test
	void transactionOfAStageCommitsUnderTheLock() {
		this.runner.run((context) -> assertThat(await(context.getBean(Stock.class).transactional())).isTrue());
	}

	@Test
	void cacheOfAStageIsAskedUnderTheLock() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(await(stock.cached(1))).isEqualTo(await(stock.cached(1)));
			assertThat(stock.keys()).hasSize(2);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@EnableAsync
	@EnableResilientMethods
	static class Application {

		@Bean
		RecordingBackend backend() {
			return new RecordingBackend(new LocalStore());
		}

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		LockFailureHandler twice() {
			return (invocation, failure) -> {
				invocation.proceed();
				return invocation.proceed();
			};
		}

		@Bean
		Stock stock(RecordingBackend backend) {
			return new Stock(backend);
		}

	}

	static class Stock {

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private final CountDownLatch entered = new CountDownLatch(1);

		private final AtomicInteger attempts = new AtomicInteger();

		private final RecordingBackend backend;

		Stock(RecordingBackend backend) {
			this.backend = backend;
		}

		CompletableFuture<String> work() {
			return this.work;
		}

		CountDownLatch entered() {
			return this.entered;
		}

		AtomicInteger attempts() {
			return this.attempts;
		}

		List<String> keys() {
			return new CopyOnWriteArrayList<>(this.backend.keys());
		}

		boolean isLocked() {
			return isLocked("stock");
		}

		private boolean isLocked(String key) {
			return !this.backend.inspect("lock:" + key, Duration.ofSeconds(1)).isEmpty();
		}

		@DistributedLock(name = "stock")
		CompletableFuture<Thread> stage() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@Async
		@DistributedLock(name = "stock", waitTime = "1m")
		CompletableFuture<Thread> async() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@Async
		@DistributedLock(name = "stock")
		CompletableFuture<String> asyncWork() {
			this.entered.countDown();
			return this.work;
		}

		@Async
		@DistributedLock(name = "stock", waitTime = "0s", onFailure = OnFailure.SKIP)
		CompletableFuture<Optional<String>> skippedAsync() {
			return CompletableFuture.completedFuture(Optional.of("done"));
		}

		@Async
		@DistributedLock(name = "aisle")
		@DistributedLock(name = "stock", waitTime = "0s", onFailure = OnFailure.FALLBACK, fallback = "later")
		CompletableFuture<Boolean> asyncOrLater() {
			return CompletableFuture.completedFuture(false);
		}

		/**
		 * Work that ends when its result is waited for.
		 */
		CompletableFuture<Boolean> later() {
			return new CompletableFuture<>() {

				@Override
				public Boolean get() throws InterruptedException, ExecutionException {
					complete(isLocked("aisle"));
					return super.get();
				}

			};
		}

		@Async
		@Transactional
		@DistributedLock(name = "stock", waitTime = "0s", onFailure = OnFailure.HANDLE, handler = "twice")
		CompletableFuture<Boolean> handledAsync() {
			return CompletableFuture.completedFuture(TransactionSynchronizationManager.isActualTransactionActive());
		}

		@Async
		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock(name = "stock")
		CompletableFuture<String> retriedAsync(boolean thrown) {
			if (this.attempts.incrementAndGet() == 3) {
				return CompletableFuture.completedFuture(LockContext.current().isHeld() ? "locked" : "free");
			}
			if (thrown) {
				throw new IllegalStateException("again");
			}
			return CompletableFuture.failedFuture(new IOException("again"));
		}

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock(name = "stock")
		CompletableFuture<String> retried() {
			return CompletableFuture.failedFuture(new IOException("again"));
		}

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock(name = "stock")
		Mono<String> retriedMono() {
			return (this.attempts.incrementAndGet() < 3) ? Mono.error(new IOException("again")) : Mono.just("done");
		}

		@Async
		@ConcurrencyLimit(value = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock(name = "stock")
		CompletableFuture<String> limitedAsync() {
			this.entered.countDown();
			return this.work;
		}

		@ConcurrencyLimit(value = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock(name = "other", key = "#key")
		CompletableFuture<String> limited(String key) {
			return this.work;
		}

		@Transactional
		@DistributedLock(name = "stock")
		CompletableFuture<Boolean> transactional() {
			CompletableFuture<Boolean> lockedAtCommit = new CompletableFuture<>();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					lockedAtCommit.complete(isLocked());
				}

			});
			return lockedAtCommit;
		}

		@DistributedLock(name = "stock")
		@Cacheable("stock")
		CompletableFuture<Integer> cached(int number) {
			return CompletableFuture.completedFuture(this.attempts.incrementAndGet());
		}

	}

}
