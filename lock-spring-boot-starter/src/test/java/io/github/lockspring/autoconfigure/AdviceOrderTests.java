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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.aop.LockTransactionListener;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The order of advice: a lock is acquired before a transaction begins and released after
 * it has ended.
 */
class AdviceOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void lockIsHeldUntilTheTransactionHasCommitted() {
		this.runner.run((context) -> {
			context.getBean(Stock.class).sell();
			assertThat(context.getBean(Stock.class).events()).containsExactly("begin, locked", "committed, locked");
			assertThat(context.getBean(Stock.class).isLocked()).isFalse();
		});
	}

	@Test
	void lockIsHeldUntilTheTransactionHasRolledBack() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThat(catchThrowable(stock::fail)).hasMessage("no paper");
			assertThat(stock.events()).containsExactly("begin, locked", "rolled back, locked");
			assertThat(stock.isLocked()).isFalse();
		});
	}

	@Test
	void lockIsHeldUntilTheTransactionOfTheCallerHasCommitted() {
		this.runner.withBean(Shop.class).run((context) -> {
			Stock stock = context.getBean(Stock.class);
			context.getBean(Shop.class).sellTwo();
			assertThat(stock.events()).containsExactly("begin, locked", "begin, locked", "before commit, locked",
					"after commit, locked");
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:stock");
			assertThat(stock.isLocked()).isFalse();
		});
	}

	@Test
	void noUpdateOfATransactionOfTheCallerIsLost() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<Future<?>> sales = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				sales.add(threads.submit(shop::sellOne));
			}
			for (Future<?> sale : sales) {
				sale.get(60, TimeUnit.SECONDS);
			}
			threads.shutdown();
			assertThat(context.getBean(Stock.class).left()).isEqualTo(900);
		});
	}

	@Test
	void noUpdateIsLost() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			ExecutorService threads = Executors.newFixedThreadPool(16);
			List<Future<?>> sales = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				sales.add(threads.submit(stock::sellOne));
			}
			for (Future<?> sale : sales) {
				sale.get(60, TimeUnit.SECONDS);
			}
			threads.shutdown();
			assertThat(stock.left()).isEqualTo(800);
		});
	}

	@Test
	void transactionManagersLookAtTheLocksBeforeTheCommit() {
		this.runner.run((context) -> assertThat(
				context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
			.hasAtLeastOneElementOfType(LockTransactionListener.class));
	}

	@Test
	void whenLockIsInsideTheTransactionThenItIsReleasedTooEarly() {
		this.runner.withUserConfiguration(TransactionsOutside.class).run((context) -> {
			context.getBean(Stock.class).sell();
			assertThat(context.getBean(Stock.class).events()).containsExactly("begin, locked", "committed");
		});
	}

	@Test
	void lockIsAcquiredBeforeTheCacheIsAsked() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.cached(1);
			stock.cached(1);
			assertThat(context.getBean(RecordingBackend.class).keys()).containsExactly("lock:stock", "lock:stock");
			assertThat(stock.events()).containsExactly("cached");
		});
	}

	@Test
	void eachAttemptAcquiresTheLockAnew() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.retried();
			assertThat(context.getBean(RecordingBackend.class).keys()).hasSize(3);
			assertThat(stock.events()).containsExactly("tried, locked", "tried, locked", "tried, locked");
		});
	}

	@Test
	void lockIsHeldInTheThreadOfTheAsynchronousMethod() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.asynchronous(Thread.currentThread());
			assertThat(stock.done().await(1, TimeUnit.MINUTES)).isTrue();
			assertThat(stock.events()).containsExactly("elsewhere, locked");
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
		Stock stock(RecordingBackend backend, DataSource dataSource) {
			return new Stock(backend, new JdbcTemplate(dataSource));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	static class TransactionsOutside {

	}

	static class Shop {

		private final Stock stock;

		Shop(Stock stock) {
			this.stock = stock;
		}

		@Transactional
		void sellTwo() {
			this.stock.sellInside();
			this.stock.sellInside();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					Shop.this.stock.note("before commit");
				}

				@Override
				public void afterCommit() {
					Shop.this.stock.note("after commit");
				}

			});
		}

		@Transactional
		void sellOne() {
			this.stock.sellOneInside();
		}

	}

	static class Stock {

		private final RecordingBackend backend;

		private final JdbcTemplate jdbc;

		private final List<String> events = new ArrayList<>();

		private final CountDownLatch done = new CountDownLatch(1);

		Stock(RecordingBackend backend, JdbcTemplate jdbc) {
			this.backend = backend;
			this.jdbc = jdbc;
			jdbc.execute("CREATE TABLE stock (pieces INT)");
			jdbc.execute("INSERT INTO stock VALUES (1000)");
		}

		boolean isLocked() {
			return !this.backend.inspect("lock:stock", Duration.ofSeconds(1)).isEmpty();
		}

		List<String> events() {
			return this.events;
		}

		CountDownLatch done() {
			return this.done;
		}

		void note(String event) {
			this.events.add(event + (isLocked() ? ", locked" : ""));
		}

		int left() {
			return this.jdbc.queryForObject("SELECT pieces FROM stock", Integer.class);
		}

		@Transactional
		@DistributedLock(name = "stock")
		void sell() {
			note("begin");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					note((status == STATUS_COMMITTED) ? "committed" : "rolled back");
				}

			});
		}

		@Transactional
		@DistributedLock(name = "stock")
		void fail() {
			sell();
			throw new IllegalStateException("no paper");
		}

		@Transactional
		@DistributedLock(name = "stock", waitTime = "60s")
		void sellOne() {
			this.jdbc.update("UPDATE stock SET pieces = ?", left() - 1);
		}

		@DistributedLock(name = "stock")
		void sellInside() {
			note("begin");
		}

		@DistributedLock(name = "stock", waitTime = "60s")
		void sellOneInside() {
			this.jdbc.update("UPDATE stock SET pieces = ?", left() - 1);
		}

		@Cacheable("stock")
		@DistributedLock(name = "stock")
		int cached(int number) {
			this.events.add("cached");
			return number;
		}

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock(name = "stock")
		void retried() {
			note("tried");
			if (this.events.size() < 3) {
				throw new IllegalStateException("again");
			}
		}

		@Async
		@DistributedLock(name = "stock")
		void asynchronous(Thread caller) {
			note((Thread.currentThread() != caller) ? "elsewhere" : "here");
			this.done.countDown();
		}

	}

}
