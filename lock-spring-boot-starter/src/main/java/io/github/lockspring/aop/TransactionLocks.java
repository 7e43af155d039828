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

import java.lang.StackWalker.Option;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.OnLost;

/**
 * Locks that a transaction keeps until it has completed. A transaction whose lock is lost
 * before the commit is rolled back.
 */
final class TransactionLocks implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(TransactionLocks.class);

	private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

	/**
	 * Marks a transaction whose locks have been checked for the last time. Application
	 * code that runs in it afterwards runs after the commit.
	 */
	private static final TransactionSynchronization COMMITTING = new TransactionSynchronization() {
	};

	private final Deque<KeptLock> locks = new ArrayDeque<>();

	private TransactionLocks() {
	}

	/**
	 * Return whether the current thread is in a transaction that releases locks when it
	 * has completed. A transaction that is being suspended has collected its
	 * synchronizations already and would not call a new one. After the commit, a call is
	 * no longer part of the transaction.
	 */
	static boolean canBeKept() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& canBeKept(TransactionSynchronizationManager.getSynchronizations());
	}

	private static boolean canBeKept(List<TransactionSynchronization> synchronizations) {
		return !synchronizations.contains(COMMITTING)
				&& (synchronizations.stream().anyMatch(TransactionLocks.class::isInstance) || !isBeingSuspended());
	}

	/**
	 * Mark the current transaction, which is about to be committed.
	 */
	static void markCommitting() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(COMMITTING);
		}
	}

	static List<LockHandle> kept() {
		TransactionLocks locks = find();
		return (locks != null) ? locks.locks.stream().map(KeptLock::lock).distinct().toList() : List.of();
	}

	private static boolean isBeingSuspended() {
		return STACK.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals("suspend")
				&& TransactionSynchronization.class.isAssignableFrom(frame.getDeclaringClass())));
	}

	/**
	 * Add a lock to the current transaction.
	 * @param lock the held lock
	 * @param onLost the handling of a loss before the commit
	 */
	static void keep(LockHandle lock, OnLost onLost) {
		TransactionLocks locks = find();
		if (locks == null) {
			locks = new TransactionLocks();
			TransactionSynchronizationManager.registerSynchronization(locks);
		}
		locks.locks.push(new KeptLock(lock, onLost));
	}

	private static @Nullable TransactionLocks find() {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof TransactionLocks locks) {
				return locks;
			}
		}
		return null;
	}

	/**
	 * Check the locks of the current transaction, if there is one.
	 * @throws LockLostException if one of them is lost
	 */
	static void requireAllHeld() {
		TransactionLocks locks = TransactionSynchronizationManager.isSynchronizationActive() ? find() : null;
		if (locks != null) {
			locks.beforeCommit(false);
		}
	}

	static void requireHeld(LockHandle lock, OnLost onLost) {
		if (onLost != OnLost.REPORT && lock.isLost()) {
			throw new LockLostException(lock.storeKey());
		}
	}

	static RuntimeException rejection(String reason) {
		return new IllegalTransactionStateException(reason);
	}

	/**
	 * Return the lowest precedence, because other synchronizations may need the locks.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		this.locks.forEach((kept) -> requireHeld(kept.lock, kept.onLost));
	}

	@Override
	public void afterCompletion(int status) {
		for (KeptLock kept = this.locks.poll(); kept != null; kept = this.locks.poll()) {
			release(kept.lock);
		}
	}

	private static void release(LockHandle lock) {
		try {
			lock.close();
		}
		catch (LockLostException ex) {
			logger.warn("Transaction completed after its lock was lost: " + ex.getMessage());
		}
		catch (Throwable ex) {
			logger.error("Could not release a lock after transaction completion", ex);
		}
	}

	/**
	 * Lock of the transaction.
	 *
	 * @param lock the held lock
	 * @param onLost the handling of a loss before the commit
	 */
	private record KeptLock(LockHandle lock, OnLost onLost) {

	}

}
