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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.DistributedLock.OnLost;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;

/**
 * A lock that a thread holds while it runs a method.
 */
final class ThreadHold implements AutoCloseable {

	private final LockHandle lock;

	private final OnLost onLost;

	private final @Nullable LockContext outer;

	private final @Nullable Interruption interruption;

	private final boolean kept;

	private ThreadHold(LockHandle lock, LockClaim claim, @Nullable LockContext outer, boolean kept) {
		this.lock = lock;
		this.onLost = claim.attributes().onLost();
		this.outer = outer;
		this.kept = kept;
		this.interruption = (this.onLost == OnLost.INTERRUPT) ? new Interruption(Thread.currentThread()) : null;
	}

	/**
	 * Acquires for the current thread.
	 * @param claim what to acquire
	 * @param transactions finds the transaction that keeps the lock
	 * @param order watches over the order of names
	 * @return the hold
	 */
	static ThreadHold acquire(LockClaim claim, OpenTransactions transactions, LockOrder order) {
		LockContext outer = LockContext.get();
		boolean open = OpenTransactions.isOpen();
		if (open) {
			transactions.requireAllowed(claim, outer);
		}
		if (outer != null) {
			order.acquiring(claim, outer);
		}
		LockHandle lock = claim.acquire();
		if (open) {
			OpenTransactions.keep(lock, claim.attributes().onLost());
		}
		ThreadHold hold = new ThreadHold(lock, claim, outer, open);
		LockContext.set(new LockContext(claim.name(), lock, outer));
		if (hold.interruption != null) {
			lock.onLost(hold.interruption);
		}
		return hold;
	}

	LockHandle lock() {
		return this.lock;
	}

	/**
	 * Gives the lock back, unless a transaction keeps it.
	 * @throws LockLostException if the lock was lost and the caller is to know
	 */
	@Override
	public void close() {
		LockContext.set(this.outer);
		if (this.interruption != null) {
			this.interruption.end();
		}
		if (!this.kept) {
			release();
		}
	}

	private void release() {
		try {
			this.lock.close();
		}
		catch (LockLostException ex) {
			if (this.onLost != OnLost.REPORT) {
				throw ex;
			}
		}
	}

	/**
	 * Interrupts a thread as long as it runs the method.
	 */
	private static final class Interruption implements Runnable {

		private final Thread thread;

		private boolean ended;

		private boolean interrupted;

		Interruption(Thread thread) {
			this.thread = thread;
		}

		@Override
		public synchronized void run() {
			if (!this.ended) {
				this.interrupted = true;
				this.thread.interrupt();
			}
		}

		/**
		 * Takes back an interrupt that the method did not notice.
		 */
		synchronized void end() {
			this.ended = true;
			if (this.interrupted) {
				Thread.interrupted();
			}
		}

	}

}
