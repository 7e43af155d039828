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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.OnLost;

/**
 * Invoker of methods whose work ends when they return: the calling thread waits for the
 * lock, holds it and releases it.
 */
final class BlockingInvoker implements LockedInvoker {

	private static final Log logger = LogFactory.getLog(BlockingInvoker.class);

	/**
	 * Cache of the classes that are reactive types, because the registry compares a class
	 * with all registered types.
	 */
	private static final ClassValue<Boolean> REACTIVE = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	private final TransactionBinding transactions;

	private final LockOrder order;

	private final PersistenceContexts persistence;

	BlockingInvoker(TransactionBinding transactions, LockOrder order, PersistenceContexts persistence) {
		this.transactions = transactions;
		this.order = order;
		this.persistence = persistence;
	}

	@Override
	public @Nullable Object run(LockedMethod method, MethodInvocation invocation) throws Throwable {
		LockOperation only = method.onlyLock();
		if (only == null) {
			return runUnder(method.lockInvocationsOf(invocation), method, invocation);
		}
		return only.applies(invocation) ? runUnder(only, only.keyOf(invocation), List.of(), method, invocation)
				: proceed(method, invocation);
	}

	private @Nullable Object runUnder(List<LockInvocation> lockInvocations, LockedMethod method,
			MethodInvocation invocation) throws Throwable {
		if (lockInvocations.isEmpty()) {
			return proceed(method, invocation);
		}
		LockInvocation first = lockInvocations.get(0);
		return runUnder(first.lock(), first.key(), lockInvocations.subList(1, lockInvocations.size()), method,
				invocation);
	}

	private @Nullable Object runUnder(LockOperation lock, Object key, List<LockInvocation> others, LockedMethod method,
			MethodInvocation invocation) throws Throwable {
		boolean inTransaction = TransactionBinding.isOpen();
		boolean anew = PersistenceContexts.areBound() && lock.isExclusive() && !lock.isHeld(LockContext.get(), key);
		LockHandle handle;
		try {
			handle = acquire(lock, key, inTransaction, invocation);
		}
		catch (LockNotAcquiredException | LockUnavailableException | LockShutdownException ex) {
			return denied(lock, ex, method, new DelegatingInvocation(invocation,
					(call) -> runUnder(others, method, DetachableInvocation.detach(call))));
		}
		try (AutoCloseable end = endOf(handle, lock.onLost(), inTransaction)) {
			if (anew) {
				this.persistence.acquired(lock.name());
			}
			LockUtils.enter(lock.name(), handle);
			try {
				if (method.isOffered(lock)) {
					method.offer(handle, invocation);
				}
				return runUnder(others, method, invocation);
			}
			finally {
				LockUtils.leave();
			}
		}
	}

	/**
	 * Return the result of a call whose lock could not be acquired. A stage is awaited
	 * like that of the method, because the call may hold other locks.
	 */
	private static @Nullable Object denied(LockOperation lock, LockException failure, LockedMethod method,
			MethodInvocation unlocked) throws Throwable {
		Object result = lock.attributes().failurePolicy().resultOf(unlocked, failure);
		return (method.returnType().kind() == ReturnType.Kind.STAGE) ? AsyncInvocations.await(result) : result;
	}

	private LockHandle acquire(LockOperation lock, Object key, boolean inTransaction, MethodInvocation invocation) {
		LockContext outer = LockContext.get();
		LockOptions options = lock.optionsOf(invocation);
		if (outer != null || inTransaction) {
			LockHandle kept = prepare(new LockInvocation(lock, key, options), outer, inTransaction);
			if (kept != null) {
				return kept;
			}
		}
		return lock.acquire(key, options);
	}

	/**
	 * Prepare an acquisition by a thread that may have acquired other locks before.
	 * @return a permit of the transaction, or {@code null} if the lock is to be acquired
	 */
	private @Nullable LockHandle prepare(LockInvocation lockInvocation, @Nullable LockContext outer,
			boolean inTransaction) {
		CallerLocks own = CallerLocks.of(lockInvocation.lock(), outer, inTransaction);
		LockHandle kept = own.idlePermit(lockInvocation);
		if (kept != null) {
			return kept;
		}
		if (inTransaction) {
			this.transactions.requireAllowed(lockInvocation, lockInvocation.lock().isHeld(outer, lockInvocation.key()));
		}
		own.requireFree(lockInvocation);
		if (outer != null) {
			this.order.acquiring(lockInvocation, outer);
		}
		return null;
	}

	/**
	 * Return the action to run when the method has ended, which releases the lock unless
	 * a transaction keeps it.
	 */
	private static AutoCloseable endOf(LockHandle lock, OnLost onLost, boolean inTransaction) {
		try {
			AutoCloseable end = inTransaction ? TransactionBinding.keep(lock, onLost) : lock;
			return switch (onLost) {
				case THROW -> end;
				case INTERRUPT -> InterruptOnLoss.of(lock, end);
				case REPORT -> () -> closeQuietly(end);
			};
		}
		catch (Throwable ex) {
			lock.close();
			throw ex;
		}
	}

	private static void closeQuietly(AutoCloseable end) throws Exception {
		try {
			end.close();
		}
		catch (LockLostException ex) {
			logger.debug("Lock lost; the result is returned because of onLost = REPORT", ex);
		}
	}

	private static @Nullable Object proceed(LockedMethod method, MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (result != null && method.returnType().mayBeDeferred() && !isDone(result)) {
			throw new IllegalStateException(method.site() + ": the method returned " + result.getClass().getName()
					+ ", whose work would continue after the lock is released. Declare that type as its return type.");
		}
		return result;
	}

	private static boolean isDone(Object result) {
		if (result instanceof CompletionStage<?> stage) {
			return isDone(stage);
		}
		if (result instanceof Future<?> future) {
			return future.isDone();
		}
		return !REACTIVE.get(result.getClass());
	}

	private static boolean isDone(CompletionStage<?> stage) {
		try {
			return stage.toCompletableFuture().isDone();
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

}
