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

package io.github.lockspring.aop.invocation;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.github.lockspring.JpaMode;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockLostException;

/**
 * Transaction listener that verifies the locks bound to a transaction immediately before
 * the commit, and that checks for entities loaded by JPA before the lock was acquired
 * under which a transaction begins. To be added to each transaction manager. Thread-safe.
 */
public final class LockTransactionListener implements TransactionExecutionListener {

	private final PersistenceContexts persistence;

	/**
	 * Create a listener.
	 * @param mode the handling of entities loaded before a lock was acquired
	 */
	public LockTransactionListener(JpaMode mode) {
		this.persistence = new PersistenceContexts(() -> mode);
	}

	/**
	 * Log a warning if entities were loaded before the lock was acquired under which the
	 * transaction begins.
	 */
	@Override
	public void beforeBegin(TransactionExecution transaction) {
		LockContext locks = PersistenceContexts.areBound() ? LockContext.get() : null;
		if (locks != null) {
			this.persistence.beginning(locks.name());
		}
	}

	/**
	 * Reject the commit if a lock bound to the transaction is lost.
	 * @throws LockLostException if a lock is lost, after which the transaction is rolled
	 * back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		TransactionLocks.requireAllHeld();
	}

}
