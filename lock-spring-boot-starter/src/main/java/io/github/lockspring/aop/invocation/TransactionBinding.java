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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.OnLost;
import io.github.lockspring.aop.annotation.AnnotatedMethod;
import io.github.lockspring.aop.annotation.InsideTransaction;

/**
 * Calls inside a transaction that is open already. A lock that was released before the
 * transaction ends would let others see the data of before: it is kept until then, or the
 * call is refused. An application without spring-tx has none; no type of it is loaded for
 * this class.
 */
public final class TransactionBinding {

	private static final Log logger = LogFactory.getLog(TransactionBinding.class);

	private static final boolean SPRING_TX = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			TransactionBinding.class.getClassLoader());

	private final Supplier<InsideTransaction> policy;

	private final Set<AnnotatedMethod> warned = ConcurrentHashMap.newKeySet();

	public TransactionBinding(Supplier<InsideTransaction> policy) {
		this.policy = SingletonSupplier.of(policy);
	}

	/**
	 * Whether the current thread is in a transaction that can keep locks.
	 */
	static boolean isOpen() {
		return SPRING_TX && TransactionLocks.canBeKept();
	}

	/**
	 * Refuses or warns, unless the lock was held before already.
	 * @param lockInvocation what is to be locked inside the transaction
	 * @param held what is held already
	 * @throws IllegalStateException if locks inside transactions are refused
	 */
	void requireAllowed(LockInvocation lockInvocation, @Nullable LockContext held) {
		rejectIfConfigured(lockInvocation, held);
		AnnotatedMethod site = lockInvocation.attributes().site();
		if (!lockInvocation.isHeldIn(held) && this.warned.add(site)) {
			logger.warn(site + " was called inside an existing transaction. The lock is held until the transaction has"
					+ " completed, but data read by the transaction before the lock was acquired may be stale");
		}
	}

	/**
	 * Refuses what is to be, unless the lock was held before already.
	 * @param lockInvocation what is to be locked by a call inside the transaction
	 * @param held what is held already
	 * @throws IllegalStateException if locks inside transactions are refused
	 */
	void rejectIfConfigured(LockInvocation lockInvocation, @Nullable LockContext held) {
		AnnotatedMethod site = lockInvocation.attributes().site();
		if (this.policy.get() == InsideTransaction.REFUSE && !lockInvocation.isHeldIn(held)) {
			throw TransactionLocks
				.rejection(site + " was called inside an existing transaction, which lock.inside-transaction=refuse"
						+ " rejects: data read by the transaction before the lock was acquired may be stale."
						+ " Call it before the transaction begins");
		}
	}

	/**
	 * Have the transaction release a lock when it has ended.
	 * @param lock the held lock
	 * @param onLost what happens if the lock is lost before
	 * @return what is to be done when the method has ended: to look whether the lock is
	 * still held
	 */
	static AutoCloseable keep(LockHandle lock, OnLost onLost) {
		TransactionLocks.keep(lock, onLost);
		return () -> TransactionLocks.requireHeld(lock, onLost);
	}

}
