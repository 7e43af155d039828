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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.KeyFormat;

/**
 * Delivers changes of the leadership to one listener, one after the other, each in a
 * thread that exists only for it.
 */
final class LeadershipDelivery {

	private static final Log logger = LogFactory.getLog(LeadershipDelivery.class);

	private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

	private final LeadershipListener listener;

	private final LockEngine engine;

	private final String key;

	private final Executor threads;

	private boolean announced;

	private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

	private volatile @Nullable Thread thread;

	/**
	 * Create a delivery.
	 * @param listener the listener
	 * @param engine the engine
	 * @param key the key of the election
	 * @param threads runs the listener
	 * @param announced whether the listener knows already that this process leads
	 */
	LeadershipDelivery(LeadershipListener listener, LockEngine engine, String key, Executor threads,
			boolean announced) {
		this.listener = listener;
		this.engine = engine;
		this.key = key;
		this.threads = threads;
		this.announced = announced;
	}

	boolean isFor(LeadershipListener listener) {
		return this.listener == listener;
	}

	/**
	 * Return whether the listener is being called by the current thread, or the thread
	 * runs what the listener is for.
	 */
	boolean isInCurrentThread() {
		return this.thread == Thread.currentThread()
				|| (this.listener instanceof LeadershipBody body && body.isInCurrentThread());
	}

	/**
	 * Deliver the leadership after the changes that were announced before, unless it is
	 * what was announced last, or what a listener expects at first. Not called
	 * concurrently.
	 * @return a future completed when the listener has returned
	 */
	CompletableFuture<Void> announce(boolean granted, long token) {
		if (this.announced == granted) {
			return CompletableFuture.completedFuture(null);
		}
		this.announced = granted;
		this.last = this.last.thenRunAsync(() -> deliver(granted, token), this::execute);
		return this.last;
	}

	private void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (Throwable ex) {
			logger.error("Could not start a thread for a listener of the election on " + KeyFormat.quote(this.key)
					+ "; it will be retried", ex);
			this.engine.runAfter(RETRY_PAUSE, () -> execute(task));
		}
	}

	private void deliver(boolean granted, long token) {
		this.thread = Thread.currentThread();
		try {
			if (granted) {
				this.listener.onGranted(token);
			}
			else {
				this.listener.onRevoked();
			}
		}
		catch (Throwable ex) {
			logger.error("A listener of the election on " + KeyFormat.quote(this.key) + " failed", ex);
		}
		finally {
			this.thread = null;
		}
	}

}
