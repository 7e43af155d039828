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
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockLostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ReactiveTransaction}.
 */
class ReactiveTransactionTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private LockedProxies proxies = new LockedProxies();

	private final AtomicReference<Boolean> heldAtCommit = new AtomicReference<>();

	private final TransactionalOperator transactions = TransactionalOperator.create(new Transactions());

	@AfterEach
	void close() {
		this.proxies.close();
	}

	private Mono<String> payInTransaction() {
		return this.proxies.proxy(new Orders()).pay(42).as(this.transactions::transactional);
	}

	@Test
	void lockIsKeptUntilTheTransactionHasCompleted() {
		assertThat(payInTransaction().block(LONG)).isEqualTo("paid");
		assertThat(this.heldAtCommit).hasValue(true);
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void lockIsAcquiredOnceAndReleasedOnceInATransaction() {
		Orders orders = this.proxies.proxy(new Orders());
		Mono<String> twice = orders.pay(42).then(orders.pay(42)).as(this.transactions::transactional);
		assertThat(twice.block(LONG)).isEqualTo("paid");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42");
		assertThat(this.proxies.backend.released()).containsExactly("lock:order:42");
	}

	@Test
	void severalKeysAreAcquiredOnceAndReleasedOnceInATransaction() {
		Orders orders = this.proxies.proxy(new Orders());
		Mono<String> twice = orders.payAll(List.of(1L, 2L))
			.then(orders.pay(1))
			.then(orders.payAll(List.of(1L, 2L)))
			.as(this.transactions::transactional);
		assertThat(twice.block(LONG)).isEqualTo("paid");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:1", "lock:order:2");
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void lockIsReleasedAfterRollback() {
		Mono<String> failing = this.proxies.proxy(new Orders())
			.pay(42)
			.<String>then(Mono.error(new IllegalStateException("no paper")))
			.as(this.transactions::transactional);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> failing.block(LONG));
		assertThat(this.heldAtCommit).hasValue(null);
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void whenLockIsOutsideThenItIsReleasedAfterTheTransaction() {
		Mono<String> paid = this.proxies.proxy(new Orders())
			.outside(() -> Mono.just("paid").as(this.transactions::transactional));
		assertThat(paid.block(LONG)).isEqualTo("paid");
		assertThat(this.heldAtCommit).hasValue(true);
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void whenLostThenTheTransactionIsNotCommitted() {
		Mono<String> lost = this.proxies.proxy(new Orders())
			.pay(42)
			.doOnNext((result) -> this.proxies.loseLeases())
			.as(this.transactions::transactional);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.block(LONG));
		assertThat(this.heldAtCommit).hasValue(null);
	}

	@Test
	void whenRejectedThenMethodDoesNotRun() {
		this.proxies.close();
		this.proxies = LockedProxies.rejectingTransactions();
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> payInTransaction().block(LONG));
		assertThat(this.proxies.backend.keys()).isEmpty();
		assertThat(this.proxies.proxy(new Orders()).pay(42).block(LONG)).isEqualTo("paid");
	}

	@Test
	void whenCommittedInsideABlockingTransactionThenThatTransactionKeepsItsLocks() {
		DataSourceTransactionManager blocking = new DataSourceTransactionManager(
				new DriverManagerDataSource("jdbc:h2:mem:"));
		Orders orders = this.proxies.proxy(new Orders());
		new TransactionTemplate(blocking).executeWithoutResult((status) -> {
			Mono.just("paid").as(this.transactions::transactional).block(LONG);
			orders.payAndWait();
			assertThat(this.proxies.isHeld("order:42")).isTrue();
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	static class Orders {

		@DistributedLock(name = "order", key = "42")
		void payAndWait() {
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<String> pay(long id) {
			return Mono.just("paid");
		}

		@DistributedLock(name = "order", key = "#ids")
		Mono<String> payAll(List<Long> ids) {
			return Mono.just("paid");
		}

		@DistributedLock(name = "order", key = "42")
		Mono<String> outside(Supplier<Mono<String>> inner) {
			return inner.get();
		}

	}

	/**
	 * Transactions that change nothing.
	 */
	private final class Transactions extends AbstractReactiveTransactionManager {

		Transactions() {
			addListener(new LockTransactionListener());
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> ReactiveTransactionTests.this.heldAtCommit
				.set(ReactiveTransactionTests.this.proxies.isHeld("order:42")));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.empty();
		}

	}

}
