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

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import io.github.lockspring.LockHandle;
import io.github.lockspring.OnLost;

/**
 * Binding of locks to an existing transaction. If a lock were released before the
 * transaction has completed, the next holder would read stale data: the lock is kept
 * until then, or the call is rejected. Without spring-tx there are no transactions, and
 * no class of it is loaded by this class.
 */
final class TransactionBinding {

	private static final Log logger = LogFactory.getLog(TransactionBinding.class);

	private static final boolean SPRING_TX = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			TransactionBinding.class.getClassLoader());

	private final BooleanSupplier reject;

	private final Set<AnnotatedMethod> warned = ConcurrentHashMap.newKeySet();

	TransactionBinding(BooleanSupplier reject) {
		this.reject = reject;
	}

	/**
	 * Return whether the current thread is in a transaction that can keep locks.
	 */
	static boolean isOpen() {
		return SPRING_TX && TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionLocks.canBeKept();
	}

	/**
	 * Reject a call inside the transaction or log a warning, as configured, unless the
	 * lock is held already.
	 * @param lockInvocation the lock to be acquired inside the transaction
	 * @param held whether it is held already
	 * @throws IllegalStateException if calls inside transactions are rejected
	 */
	void requireAllowed(LockInvocation lockInvocation, boolean held) {
		rejectIfConfigured(lockInvocation, held);
		AnnotatedMethod site = lockInvocation.attributes().site();
		if (!held && this.warned.add(site)) {
			logger.warn(site + " was called inside an existing transaction. The lock is held until the transaction has"
					+ " completed, but data read by the transaction before the lock was acquired may be stale");
		}
	}

	/**
	 * Reject a call inside the transaction if configured, unless the lock is held
	 * already.
	 * @param lockInvocation the lock to be acquired by a call inside the transaction
	 * @param held whether it is held already
	 * @throws IllegalStateException if calls inside transactions are rejected
	 */
	void rejectIfConfigured(LockInvocation lockInvocation, boolean held) {
		AnnotatedMethod site = lockInvocation.attributes().site();
		if (!held && this.reject.getAsBoolean()) {
			throw TransactionLocks
				.rejection(site + " was called inside an existing transaction, which lock.inside-transaction=refuse"
						+ " rejects: data read by the transaction before the lock was acquired may be stale."
						+ " Call it before the transaction begins");
		}
	}

	/**
	 * Return the locks that the current transaction keeps.
	 */
	static List<LockHandle> kept() {
		return TransactionLocks.kept();
	}

	/**
	 * Register a lock to be released when the transaction has completed.
	 * @param lock the held lock
	 * @param onLost the handling of a loss before that
	 * @return the action to run when the method has ended, which checks that the lock is
	 * still held
	 */
	static AutoCloseable keep(LockHandle lock, OnLost onLost) {
		TransactionLocks.keep(lock, onLost);
		return () -> TransactionLocks.requireHeld(lock, onLost);
	}

}
