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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;

/**
 * Existing transaction of a subscriber, which keeps a lock until it has completed.
 *
 * @param manager the synchronization manager of the transaction
 */
record ReactiveTransaction(TransactionSynchronizationManager manager) {

	private static final Log logger = LogFactory.getLog(ReactiveTransaction.class);

	private static final boolean SPRING_TX = ClassUtils.isPresent(
			"org.springframework.transaction.reactive.TransactionSynchronizationManager",
			ReactiveTransaction.class.getClassLoader());

	/**
	 * Return the transaction of a subscriber.
	 * @param context the context of the subscriber
	 * @return the transaction, or {@code null} if none is open
	 */
	static @Nullable ReactiveTransaction of(ContextView context) {
		return (SPRING_TX && !context.isEmpty()) ? find(context) : null;
	}

	/**
	 * Look up the transaction in the context, which returns immediately.
	 */
	private static @Nullable ReactiveTransaction find(ContextView subscriber) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((manager) -> manager.isActualTransactionActive() && manager.isSynchronizationActive())
			.map(ReactiveTransaction::new)
			.onErrorResume(NoTransactionException.class, (none) -> Mono.empty())
			.contextWrite(subscriber)
			.toFuture()
			.getNow(null);
	}

	/**
	 * Return the locks that a call in the transaction reenters.
	 * @param outer the locks of its caller
	 * @return these, and those that the transaction keeps
	 */
	@Nullable LockContext locks(@Nullable LockContext outer) {
		return Synchronization.locks(this.manager, outer);
	}

	/**
	 * Register a lock to be released when the transaction has completed.
	 * @param name the name of the lock
	 * @param lock the held lock
	 * @param onLost the handling of a loss before that
	 */
	void keep(String name, LockHandle lock, OnLost onLost) {
		try {
			Synchronization.register(this.manager, name, lock, onLost);
		}
		catch (Throwable ex) {
			lock.closeAsync();
			throw ex;
		}
	}

	/**
	 * Synchronization that releases a lock when the transaction has completed. Separate,
	 * because its supertype is part of the optional dependency spring-tx. The list of the
	 * transaction is not thread-safe, but calls can run in parallel.
	 *
	 * @param name the name of the lock
	 * @param lock the held lock
	 * @param onLost the handling of a loss before that
	 */
	private record Synchronization(String name, LockHandle lock, OnLost onLost) implements TransactionSynchronization {

		static synchronized void register(TransactionSynchronizationManager manager, String name, LockHandle lock,
				OnLost onLost) {
			manager.registerSynchronization(new Synchronization(name, lock, onLost));
		}

		static synchronized @Nullable LockContext locks(TransactionSynchronizationManager manager,
				@Nullable LockContext outer) {
			LockContext locks = outer;
			for (TransactionSynchronization each : manager.getSynchronizations()) {
				if (each instanceof Synchronization kept) {
					locks = LockUtils.context(kept.name, kept.lock, locks);
				}
			}
			return locks;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.defer(() -> (this.onLost != OnLost.REPORT && this.lock.isLost())
					? Mono.error(new LockLostException(this.lock.storeKey())) : Mono.empty());
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromFuture(this.lock::closeAsync, true).onErrorResume(LockLostException.class, (loss) -> {
				logger.warn("Transaction completed after its lock was lost: " + loss.getMessage());
				return Mono.empty();
			});
		}

	}

}
