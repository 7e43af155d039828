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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.support.DaemonThreads;

/**
 * Opens the store of an engine and starts its threads, shuts them down, and starts them
 * again. Thread-safe.
 */
final class EngineLifecycle {

	private static final Log logger = LogFactory.getLog(EngineLifecycle.class);

	private final EngineContext context;

	private final Store store;

	private final LocalQueues queues;

	private final Dispatchers dispatchers;

	private final Values values;

	private final LossHandler lossHandler;

	private final ReleaseRetrier releaseRetrier;

	private final Acquirer acquirer;

	private final RetainedLeases retainedLeases;

	/**
	 * Guards starting and shutting down.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private boolean shutDown;

	/**
	 * Closes the store, and may take longer than it should.
	 */
	private @Nullable Thread closing;

	EngineLifecycle(EngineContext context, Dispatchers dispatchers, Values values, LossHandler lossHandler,
			ReleaseRetrier releaseRetrier, Acquirer acquirer, RetainedLeases retainedLeases) {
		this.context = context;
		this.store = context.store();
		this.queues = context.queues();
		this.dispatchers = dispatchers;
		this.values = values;
		this.lossHandler = lossHandler;
		this.releaseRetrier = releaseRetrier;
		this.acquirer = acquirer;
		this.retainedLeases = retainedLeases;
	}

	/**
	 * Open the store and start the threads for the first time.
	 */
	void open(BackendListener notifications) {
		this.context.threads().start();
		this.store.open(notifications);
		this.context.startTasks();
	}

	/**
	 * Open the store again after a shutdown.
	 */
	void start(BackendListener notifications) {
		this.lock.lock();
		try {
			if (this.shutDown) {
				awaitClosingOfStore(this.context.answerNanos());
				this.store.reopen(notifications);
				this.context.threads().start();
				this.context.restartTasks();
				this.shutDown = false;
				this.context.setClosed(false);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Shut down gracefully, unless that is done already.
	 * @param graceNanos the time that holders have to finish
	 */
	void shutdown(long graceNanos) {
		this.context.setClosed(true);
		this.lock.lock();
		try {
			this.context.setClosed(true); // a start may have been in progress
			if (!this.shutDown) {
				shutDown(graceNanos, this.context.answerNanos());
				this.shutDown = true;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void shutDown(long graceNanos, long operationNanos) {
		this.queues.all().forEach(LocalQueue::wakeAll);
		this.values.watches().wakeAll();
		awaitUntil(System.nanoTime() + graceNanos, this::hasNoUser);
		List<Hold> remaining = new ArrayList<>();
		this.queues.forEachHolder(remaining::add);
		remaining.forEach((hold) -> this.lossHandler.loseAndRelease(hold, "the application shuts down"));
		long end = System.nanoTime() + operationNanos; // not counting the log
		awaitUntil(end, this::hasNoWaiter);
		this.releaseRetrier.flush(end);
		awaitUntil(end, () -> !this.dispatchers.isCalling());
		this.context.stopTasks();
		this.context.threads().stop();
		this.lossHandler.resume();
		this.closing = DaemonThreads.create("lock-" + this.store.name() + "-close", this::closeStore);
		this.closing.start();
		awaitClosingOfStore(end + operationNanos - System.nanoTime());
	}

	private boolean hasNoUser() {
		this.retainedLeases.releaseAll();
		return this.queues.all().stream().noneMatch(LocalQueue::isInUse);
	}

	private void closeStore() {
		try {
			this.store.close();
		}
		catch (RuntimeException ex) {
			logger.warn("The lock backend '" + this.store.name() + "' was not closed cleanly", ex);
		}
	}

	private void awaitClosingOfStore(long nanos) {
		Thread closing = this.closing;
		if (closing != null) {
			awaitUntil(System.nanoTime() + nanos, () -> !closing.isAlive());
			if (closing.isAlive()) {
				logger.warn("The lock backend '" + this.store.name()
						+ "' did not close in time; closing continues in the background");
			}
		}
	}

	/**
	 * Wait for other threads, and therefore by the clock of the machine.
	 */
	private void awaitUntil(long deadline, BooleanSupplier condition) {
		while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0
				&& !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, Duration.ofMillis(1).toNanos());
		}
	}

	private boolean hasNoWaiter() {
		return this.queues.all().stream().noneMatch(LocalQueue::isWaitedFor) && !this.acquirer.isAnyLeaving();
	}

}
