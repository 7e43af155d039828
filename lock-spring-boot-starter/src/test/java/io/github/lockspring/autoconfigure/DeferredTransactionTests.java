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
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Transactions of methods that return before their work is done.
 */
class DeferredTransactionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void lockIsHeldUntilTheReactiveTransactionHasCommitted() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			context.getBean(Stock.class).sell().block(TIMEOUT);
			journal.note("done");
			assertThat(journal.events()).containsExactly("begun, locked", "sold, locked", "committed, locked", "done");
		});
	}

	@Test
	void lockIsHeldUntilTheReactiveTransactionHasRolledBack() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Stock.class).fail().block(TIMEOUT));
			journal.note("done");
			assertThat(journal.events()).containsExactly("begun, locked", "rolled back, locked", "done");
		});
	}

	@Configuration(proxyBeanMethods = false)
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
		ReactiveTransactionManager transactionManager(Journal journal) {
			return new JournalTransactionManager(journal);
		}

		@Bean
		Stock stock(Journal journal) {
			return new Stock(journal);
		}

	}

	static class Journal {

		private final RecordingBackend backend;

		private final List<String> events = new CopyOnWriteArrayList<>();

		Journal(RecordingBackend backend) {
			this.backend = backend;
		}

		void note(String event) {
			boolean locked = !this.backend.inspect("lock:stock", TIMEOUT).isEmpty();
			this.events.add(event + (locked ? ", locked" : ""));
		}

		List<String> events() {
			return this.events;
		}

	}

	static class Stock {

		private final Journal journal;

		Stock(Journal journal) {
			this.journal = journal;
		}

		@DistributedLock(name = "stock")
		@Transactional
		Mono<Void> sell() {
			return Mono.fromRunnable(() -> this.journal.note("sold"));
		}

		@DistributedLock(name = "stock")
		@Transactional
		Mono<Void> fail() {
			return Mono.error(new IllegalStateException("no paper"));
		}

	}

	private static final class JournalTransactionManager extends AbstractReactiveTransactionManager {

		private final transient Journal journal;

		private JournalTransactionManager(Journal journal) {
			this.journal = journal;
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
			return this.journal;
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizations, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> this.journal.note("begun"));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.journal.note("committed"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.journal.note("rolled back"));
		}

	}

}
