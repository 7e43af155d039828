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
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockType;
import io.github.lockspring.OnFailure;
import io.github.lockspring.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for annotated methods that are called inside a transaction that is open already.
 */
@ExtendWith(OutputCaptureExtension.class)
class TransactionBindingTests {

	private final LockedProxies proxies = new LockedProxies();

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final DataSourceTransactionManager transactions = new DataSourceTransactionManager(this.dataSource);

	private final TransactionTemplate transaction = new TransactionTemplate(this.transactions);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final Stock stock = this.proxies.proxy(new Stock(this.jdbc));

	TransactionBindingTests() {
		this.jdbc.execute("CREATE TABLE sales (id INT)");
	}

	@AfterEach
	void close() {
		this.proxies.close();
		this.jdbc.execute("SHUTDOWN");
	}

	@Test
	void lockIsKeptUntilCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.sell();
			assertThat(this.proxies.isHeld("stock")).isTrue();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					assertThat(sales()).isOne();
					assertThat(TransactionBindingTests.this.proxies.isHeld("stock")).isTrue();
				}

			});
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
		assertThat(sales()).isOne();
	}

	@Test
	void lockIsKeptUntilRollback() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.sell();
			status.setRollbackOnly();
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
		assertThat(sales()).isZero();
	}

	@Test
	void lockOfAMethodThatFailedIsKeptUntilTheTransactionHasEnded() {
		this.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.stock::fail);
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
	}

	@Test
	void withoutATransactionLockIsReleasedAtTheEndOfTheMethod() {
		this.stock.sell();
		assertThat(this.proxies.isHeld("stock")).isFalse();
		template(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
			this.stock.sell();
			assertThat(this.proxies.isHeld("stock")).isFalse();
		});
	}

	@Test
	void newTransactionReleasesItsLocksBeforeTheSuspendedOne() {
		this.transaction.executeWithoutResult((outer) -> {
			this.stock.sell();
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
				this.stock.other();
				assertThat(this.proxies.isHeld("other")).isTrue();
			});
			assertThat(this.proxies.isHeld("other")).isFalse();
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
	}

	@Test
	void newTransactionDoesNotReleaseTheLockOfTheSuspendedOne() {
		this.transaction.executeWithoutResult((outer) -> {
			this.stock.sell();
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> this.stock.sell());
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
	}

	@Test
	void withoutTheSuspendedTransactionLockIsReleasedAtTheEndOfTheMethod() {
		this.transaction.executeWithoutResult((outer) -> {
			template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((none) -> this.stock.sell());
			assertThat(this.proxies.isHeld("stock")).isFalse();
		});
	}

	@Test
	void lockOfANestedTransactionIsKeptUntilTheOuterOneHasEnded() {
		this.transaction.executeWithoutResult((outer) -> {
			template(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((inner) -> {
				assertThat(inner.isNewTransaction()).isFalse();
				this.stock.sell();
				inner.setRollbackOnly();
			});
			assertThat(sales()).isZero();
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isHeld("stock")).isFalse();
	}

	@Test
	void lockIsAcquiredOnceAndReleasedOnceInATransaction() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.sell();
			this.stock.nested(this.stock);
			this.stock.sell();
			assertThat(this.proxies.backend.released()).isEmpty();
		});
		assertThat(sales()).isEqualTo(3);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:stock");
		assertThat(this.proxies.backend.released()).containsExactly("lock:stock");
	}

	@Test
	void contextEndsWithTheMethod() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.sell();
			assertThat(LockContext.get()).isNull();
		});
	}

	@Test
	void permitIsKeptUntilCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.limited();
			assertThat(this.proxies.isHeld("limit")).isTrue();
		});
		assertThat(this.proxies.isHeld("limit")).isFalse();
	}

	@Test
	void skippedCallDoesNotAffectTheTransaction() {
		this.proxies.holdElsewhere("stock");
		this.transaction.executeWithoutResult((status) -> {
			this.jdbc.update("INSERT INTO sales VALUES (0)");
			this.stock.sellOrSkip();
		});
		assertThat(sales()).isOne();
	}

	@Test
	void lockThatIsTakenAfterCommitIsReleased() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						TransactionBindingTests.this.stock.other();
					}

					@Override
					public void afterCompletion(int result) {
						TransactionBindingTests.this.stock.limited();
					}

				}));
		assertThat(this.proxies.backend.keys()).containsExactly("lock:other", "lock:limit");
		assertThat(this.proxies.isHeld("other")).isFalse();
		assertThat(this.proxies.isHeld("limit")).isFalse();
	}

	@Test
	void lockThatIsTakenWhileTheTransactionIsSuspendedIsReleased() {
		this.transaction.executeWithoutResult((outer) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void suspend() {
					TransactionBindingTests.this.stock.other();
				}

			});
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
			});
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void lockThatIsTakenWhileATransactionWithALockIsSuspendedIsReleasedWithIt() {
		this.transaction.executeWithoutResult((outer) -> {
			this.stock.sell();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void suspend() {
					TransactionBindingTests.this.stock.other();
				}

			});
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
			});
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	/**
	 * Spring neither rolls back nor completes a transaction before the commit of which a
	 * checked exception is thrown, which cannot be declared there.
	 */
	static Stream<Arguments> synchronizationsThatThrow() {
		Stream<Supplier<Throwable>> kinds = Stream.of(() -> new IllegalStateException("x"), () -> new IOException("x"),
				() -> new StackOverflowError("x"), () -> new NoClassDefFoundError("x"));
		return kinds.flatMap((kind) -> Stream.of("beforeCommit", "beforeCompletion", "afterCommit", "afterCompletion")
			.filter((method) -> !(method.equals("beforeCommit") && kind.get() instanceof IOException))
			.flatMap((method) -> Stream.of(true, false)
				.map((first) -> Arguments.of(kind.get().getClass().getSimpleName(), method, first, kind))));
	}

	@ParameterizedTest(name = "{0} from {1}, before the lock: {2}")
	@MethodSource("synchronizationsThatThrow")
	void synchronizationThatThrowsDoesNotKeepTheLock(String name, String method, boolean first,
			Supplier<Throwable> kind) {
		FaultySynchronization faulty = new FaultySynchronization(method, first ? Integer.MIN_VALUE : Integer.MAX_VALUE,
				kind);
		Throwable failure = catchThrowable(() -> this.transaction.executeWithoutResult((status) -> {
			if (first) {
				TransactionSynchronizationManager.registerSynchronization(faulty);
			}
			this.stock.sell();
			this.stock.limited();
			if (!first) {
				TransactionSynchronizationManager.registerSynchronization(faulty);
			}
		}));
		assertThat(faulty.calls).hasValue(1);
		assertThat(failure != null).isEqualTo(method.endsWith("Commit"));
		assertThat(sales()).isEqualTo(method.equals("beforeCommit") ? 0 : 1);
		assertThat(this.proxies.isEmpty()).isTrue();
		this.transaction.executeWithoutResult((status) -> this.stock.sell());
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void whenLockIsTakenAndLostBeforeCommitThenTransactionIsRolledBack() {
		this.transactions.addListener(new LockTransactionListener());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update("INSERT INTO sales VALUES (1)");
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						TransactionBindingTests.this.stock.other();
						TransactionBindingTests.this.proxies.loseLeases();
					}

				});
			}));
		assertThat(sales()).isZero();
	}

	@Test
	void whenLockIsLostInItsMethodBeforeCommitThenTransactionIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update("INSERT INTO sales VALUES (1)");
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						TransactionBindingTests.this.stock.sellAnd(TransactionBindingTests.this.proxies::loseLeases);
					}

				});
			}));
		assertThat(sales()).isZero();
	}

	@Test
	void whenLockIsLostThenTransactionIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.stock.sell();
				this.proxies.loseLeases();
			}));
		assertThat(sales()).isZero();
	}

	@Test
	void whenLockIsLostInTheMethodThenTransactionIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.transaction.executeWithoutResult((status) -> this.stock.sellAnd(this.proxies::loseLeases)));
		assertThat(sales()).isZero();
	}

	@Test
	void whenLockIsLostAndMethodIsToBeInterruptedThenTransactionIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.stock.interrupted();
				this.proxies.loseLeases();
			}));
		assertThat(Thread.interrupted()).isFalse();
		assertThat(sales()).isZero();
	}

	@Test
	void whenLossIsOnlyReportedThenTransactionIsCommitted(CapturedOutput output) {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.reporting();
			this.proxies.loseLeases();
		});
		assertThat(sales()).isOne();
		assertThat(output).contains("Transaction completed after its lock was lost");
	}

	@Test
	void eachMethodWarnsOnce(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			this.transaction.executeWithoutResult((status) -> {
				this.stock.sell();
				this.stock.other();
			});
		}
		assertThat(output.getAll().split("was called inside an existing transaction", -1)).hasSize(3);
		assertThat(output).contains("Stock.sell()").contains("Stock.other()");
	}

	@Test
	void whenLockIsHeldAlreadyThenNothingIsWarnedOf(CapturedOutput output) {
		this.stock.outer(this.stock, this.transaction);
		assertThat(sales()).isOne();
		assertThat(output).doesNotContain("inside a transaction");
		assertThat(this.proxies.isHeld("stock")).isFalse();
	}

	@Test
	void whenRejectingThenMethodDoesNotRun() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			this.transaction
				.executeWithoutResult((status) -> assertThatExceptionOfType(IllegalTransactionStateException.class)
					.isThrownBy(proxy::sell)
					.withMessageContaining("@DistributedLock on " + Stock.class.getName() + ".sell()")
					.withMessageContaining("lock.inside-transaction"));
			assertThat(rejecting.backend.keys()).isEmpty();
			assertThat(sales()).isZero();
			proxy.sell();
			assertThat(sales()).isOne();
		}
	}

	@Test
	void whenRejectingThenLockThatIsHeldAlreadyIsNotRejected() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			proxy.outer(proxy, this.transaction);
			proxy.outerOfSeveral(proxy, this.transaction, List.of("b", "a", "b"));
			assertThat(sales()).isEqualTo(2);
			assertThat(rejecting.isHeld("stock")).isFalse();
		}
	}

	@Test
	void whenRejectingThenLockThatWasAcquiredInCodeIsNotRejected() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			rejecting.locks()
				.executeWithoutResult("stock",
						(lock) -> this.transaction.executeWithoutResult((status) -> proxy.sell()));
			try (LockHandle lock = rejecting.locks().named("several").acquireAll(List.of("a", "b", "c"))) {
				assertThat(lock.isHeld()).isTrue();
				this.transaction.executeWithoutResult((status) -> proxy.several(List.of("c", "a")));
			}
			try (LockHandle lock = rejecting.locks()
				.acquire("reading", LockedProxies.TRY_ONCE.withType(LockType.WRITE))) {
				assertThat(lock.isHeld()).isTrue();
				this.transaction.executeWithoutResult((status) -> proxy.reading());
			}
			assertThat(sales()).isEqualTo(3);
			assertThat(rejecting.isEmpty()).isTrue();
		}
	}

	@Test
	void whenRejectingThenOneOfSeveralKeysThatAreHeldIsNotRejected() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			proxy.outerOfOthers(proxy, this.transaction, List.of("a", "b", "c"), List.of("c", "a"));
			assertThat(sales()).isOne();
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> proxy.outerOfOthers(proxy, this.transaction, List.of("a", "b"), List.of("a", "d")));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> proxy.outerOfOthers(proxy, this.transaction, List.of("a,b"), List.of("a", "b")));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> proxy.outerOfOthers(proxy, this.transaction, List.of("a", "b"), List.of("a,b")));
			assertThat(sales()).isOne();
		}
	}

	@Test
	void whenRejectingThenCallsAfterTheCommitAreNotRejected() {
		this.transactions.addListener(new LockTransactionListener());
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			this.transaction.executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						proxy.other();
						assertThat(rejecting.isHeld("other")).isFalse();
						TransactionTemplate next = template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
						next.executeWithoutResult(
								(inner) -> assertThatExceptionOfType(IllegalTransactionStateException.class)
									.isThrownBy(proxy::sell));
					}

				}));
			assertThat(rejecting.backend.keys()).containsExactly("lock:other");
		}
	}

	@Test
	void savepointThatIsReleasedIsNoCommit() {
		this.transactions.addListener(new LockTransactionListener());
		this.transaction.executeWithoutResult((outer) -> {
			template(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((inner) -> {
			});
			this.stock.sell();
			assertThat(this.proxies.isHeld("stock")).isTrue();
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void permitThatTheTransactionKeepsIsUsedAgain() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 5; i++) {
				this.stock.limited();
			}
			assertThat(this.proxies.backend.keys()).containsExactly("lock:limit");
		});
		assertThat(this.proxies.isEmpty()).isTrue();
		this.transaction.executeWithoutResult((status) -> this.stock.limited());
		assertThat(this.proxies.backend.keys()).hasSize(2);
	}

	@Test
	void permitThatTheTransactionKeepsIsNotUsedByTwoMethodsAtATime() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.limited();
			this.stock.limitedAnd(
					() -> this.stock.limitedAnd(() -> assertThatIllegalStateException().isThrownBy(this.stock::limited)
						.withMessageContaining("@DistributedSemaphore on " + Stock.class.getName() + ".limited()")
						.withMessageContaining("would wait for itself: the key 'lock:limit' is held with 2 permits")));
			assertThat(this.proxies.backend.keys()).containsExactly("lock:limit", "lock:limit");
		});
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void lockOfTheSameNameAsAPermitThatIsKeptIsRejected() {
		this.transaction.executeWithoutResult((status) -> {
			this.stock.limited();
			assertThatIllegalStateException().isThrownBy(this.stock::limit)
				.withMessageContaining("would wait for itself: the key 'lock:limit' is held with 1 permit by");
		});
	}

	@Test
	void whenRejectingThenAnotherLockIsRejectedUnderOneThatIsHeld() {
		try (LockedProxies rejecting = LockedProxies.rejectingTransactions()) {
			Stock proxy = rejecting.proxy(new Stock(this.jdbc));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> proxy.otherOuter(proxy, this.transaction));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> proxy.limitedOuter(proxy, this.transaction));
			assertThat(sales()).isZero();
			assertThat(rejecting.isHeld("other")).isFalse();
		}
	}

	private TransactionTemplate template(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.transactions);
		template.setPropagationBehavior(propagation);
		return template;
	}

	private int sales() {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM sales", Integer.class);
	}

	/**
	 * Throws in one of its methods.
	 */
	private record FaultySynchronization(String method, int order, Supplier<Throwable> kind,
			AtomicInteger calls) implements TransactionSynchronization {

		FaultySynchronization(String method, int order, Supplier<Throwable> kind) {
			this(method, order, kind, new AtomicInteger());
		}

		@Override
		public int getOrder() {
			return this.order;
		}

		@SuppressWarnings("unchecked")
		private <E extends Throwable> void called(String method) throws E {
			if (this.method.equals(method)) {
				this.calls.incrementAndGet();
				throw (E) this.kind.get();
			}
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			this.<RuntimeException>called("beforeCommit");
		}

		@Override
		public void beforeCompletion() {
			this.<RuntimeException>called("beforeCompletion");
		}

		@Override
		public void afterCommit() {
			this.<RuntimeException>called("afterCommit");
		}

		@Override
		public void afterCompletion(int status) {
			this.<RuntimeException>called("afterCompletion");
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		private void insert() {
			this.jdbc.update("INSERT INTO sales VALUES (1)");
		}

		@DistributedLock(name = "stock")
		void sell() {
			insert();
		}

		@DistributedLock(name = "stock")
		void sellAnd(Runnable then) {
			insert();
			then.run();
		}

		@DistributedLock(name = "stock")
		void fail() {
			throw new UnsupportedOperationException();
		}

		@DistributedLock(name = "stock")
		void nested(Stock proxy) {
			proxy.sell();
		}

		@DistributedLock(name = "stock", onLost = OnLost.REPORT)
		void reporting() {
			insert();
		}

		@DistributedLock(name = "stock", onLost = OnLost.INTERRUPT)
		void interrupted() {
			insert();
		}

		@DistributedLock(name = "stock", onFailure = OnFailure.SKIP)
		void sellOrSkip() {
			insert();
		}

		@DistributedLock(name = "other")
		void other() {
		}

		@DistributedSemaphore(name = "limit", permits = "2")
		void limited() {
		}

		@DistributedSemaphore(name = "limit", permits = "2")
		void limitedAnd(Runnable then) {
			then.run();
		}

		@DistributedLock(name = "limit")
		void limit() {
		}

		@DistributedLock(name = "reading", type = LockType.READ)
		void reading() {
			insert();
		}

		@DistributedLock(name = "several", key = "#keys")
		void outerOfOthers(Stock proxy, TransactionTemplate transaction, List<String> keys, List<String> others) {
			transaction.executeWithoutResult((status) -> proxy.several(others));
		}

		@DistributedLock(name = "stock")
		void outer(Stock proxy, TransactionTemplate transaction) {
			transaction.executeWithoutResult((status) -> proxy.sell());
		}

		@DistributedLock(name = "several", key = "#keys")
		void outerOfSeveral(Stock proxy, TransactionTemplate transaction, List<String> keys) {
			transaction.executeWithoutResult((status) -> proxy.several(keys));
		}

		@DistributedLock(name = "several", key = "#keys")
		void several(List<String> keys) {
			insert();
		}

		@DistributedLock(name = "other")
		void otherOuter(Stock proxy, TransactionTemplate transaction) {
			transaction.executeWithoutResult((status) -> proxy.sell());
		}

		@DistributedSemaphore(name = "limit", permits = "2")
		void limitedOuter(Stock proxy, TransactionTemplate transaction) {
			transaction.executeWithoutResult((status) -> proxy.limited());
		}

	}

}
