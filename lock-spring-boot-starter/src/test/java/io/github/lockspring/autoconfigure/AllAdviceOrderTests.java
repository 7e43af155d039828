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

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order of all advice that one method may have, as it is seen by what each of them
 * does. Everything runs in one thread, since another one would only be handed the call.
 */
class AllAdviceOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void handOffToAnotherThreadRetriesAndLimitsAreOutsideOfTheLockAndCacheAndTransactionInside() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			context.getBean(Stock.class).sell(1);
			assertThat(journal.events()).containsExactly("handed off", "cache asked, locked", "begun, locked",
					"tried 1, locked", "rolled back, locked", "cache asked, locked", "begun, locked", "tried 1, locked",
					"handed off, locked", "committed, locked", "cached, locked");
			assertThat(context.getBean(RecordingBackend.class).keys()).as("each attempt, but no call above the limit")
				.containsExactly("lock:stock:1", "lock:stock:1");
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
		Journal journal(RecordingBackend backend) {
			return new Journal(backend);
		}

		@Bean
		TaskExecutor taskExecutor(Journal journal) {
			return (task) -> {
				journal.note("handed off");
				task.run();
			};
		}

		@Bean
		PlatformTransactionManager transactionManager(Journal journal) {
			return new JournalTransactionManager(journal);
		}

		@Bean
		ConcurrentMapCacheManager cacheManager(Journal journal) {
			return new ConcurrentMapCacheManager() {

				@Override
				protected Cache createConcurrentMapCache(String name) {
					return new JournalCache(name, journal);
				}

			};
		}

		@Bean
		Stock stock(Journal journal, ObjectProvider<Stock> stock) {
			return new Stock(journal, stock);
		}

	}

	static class Journal {

		private final RecordingBackend backend;

		private final List<String> events = new ArrayList<>();

		Journal(RecordingBackend backend) {
			this.backend = backend;
		}

		void note(String event) {
			boolean locked = !this.backend.inspect("lock:stock:1", Duration.ofSeconds(1)).isEmpty();
			this.events.add(event + (locked ? ", locked" : ""));
		}

		List<String> events() {
			return this.events;
		}

	}

	static class Stock {

		private final Journal journal;

		private final ObjectProvider<Stock> proxy;

		private int attempts;

		Stock(Journal journal, ObjectProvider<Stock> proxy) {
			this.journal = journal;
			this.proxy = proxy;
		}

		/**
		 * Fails at first, and then calls itself, which is one call more than the limit.
		 */
		@Async
		@Retryable(includes = IllegalStateException.class, maxRetries = 1, delay = 1)
		@ConcurrencyLimit(value = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock(name = "stock", key = "#product")
		@Transactional
		@Cacheable("stock")
		void sell(int product) {
			this.journal.note("tried " + product);
			this.attempts++;
			if (this.attempts == 1) {
				throw new IllegalStateException("again");
			}
			this.proxy.getObject().sell(2);
		}

	}

	private static final class JournalCache extends ConcurrentMapCache {

		private final Journal journal;

		private JournalCache(String name, Journal journal) {
			super(name);
			this.journal = journal;
		}

		@Override
		protected @Nullable Object lookup(Object key) {
			this.journal.note("cache asked");
			return super.lookup(key);
		}

		@Override
		public void put(Object key, @Nullable Object value) {
			this.journal.note("cached");
			super.put(key, value);
		}

	}

	private static final class JournalTransactionManager extends AbstractPlatformTransactionManager {

		private final transient Journal journal;

		private JournalTransactionManager(Journal journal) {
			this.journal = journal;
		}

		@Override
		protected Object doGetTransaction() {
			return this.journal;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.journal.note("begun");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.journal.note("committed");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.journal.note("rolled back");
		}

	}

}
