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

import io.github.lockspring.LockHandle;
import io.github.lockspring.engine.LossReaction;

/**
 * Interrupts a thread if the lock is lost under which it runs a method, until that method
 * ends.
 */
final class InterruptOnLoss implements AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private final AutoCloseable end;

	private boolean ended;

	private boolean interrupted;

	private InterruptOnLoss(AutoCloseable end) {
		this.end = end;
	}

	/**
	 * Interrupt the current thread if a lock is lost.
	 * @param lock the held lock
	 * @param end the action to run when the method has ended
	 * @return the resource to close when the method has ended
	 */
	static InterruptOnLoss of(LockHandle lock, AutoCloseable end) {
		InterruptOnLoss interruptOnLoss = new InterruptOnLoss(end);
		lock.onLost((LossReaction) interruptOnLoss::interrupt);
		return interruptOnLoss;
	}

	private synchronized void interrupt() {
		if (!this.ended) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	/**
	 * Clear an interrupt that the method did not handle, and run the action.
	 */
	@Override
	public void close() throws Exception {
		if (end()) {
			Thread.interrupted();
		}
		this.end.close();
	}

	private synchronized boolean end() {
		this.ended = true;
		return this.interrupted;
	}

}
