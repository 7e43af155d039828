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

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

import io.github.lockspring.LockLostException;

/**
 * Transaction listener that verifies the locks bound to a transaction immediately before
 * the commit. To be added to each transaction manager. Thread-safe.
 */
public final class LockTransactionListener implements TransactionExecutionListener {

	/**
	 * Reject the commit if a lock bound to the transaction is lost. A reactive
	 * transaction checks its own locks; the thread that commits it may be in another
	 * transaction.
	 * @throws LockLostException if a lock is lost, after which the transaction is rolled
	 * back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction instanceof TransactionStatus) {
			TransactionLocks.requireAllHeld();
			if (transaction.isNewTransaction()) {
				TransactionLocks.markCommitting();
			}
		}
	}

}
