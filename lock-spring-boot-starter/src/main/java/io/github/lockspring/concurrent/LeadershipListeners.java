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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.KeyFormat;

/**
 * Listeners of an election, to each of which changes of the leadership are announced in a
 * thread of its own. Thread-safe, except for announcements.
 */
final class LeadershipListeners {

	private static final Log logger = LogFactory.getLog(LeadershipListeners.class);

	private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

	private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();

	private final LockEngine engine;

	private final String storeKey;

	private final Executor threads;

	private boolean announced;

	private long announcedToken;

	private CompletableFuture<?> delivered = CompletableFuture.completedFuture(null);

	/**
	 * Create the listeners of an election. The first one is the listener of the engine,
	 * which publishes application events.
	 * @param engine the engine
	 * @param storeKey the key of the election
	 */
	LeadershipListeners(LockEngine engine, String storeKey) {
		this.engine = engine;
		this.storeKey = storeKey;
		ThreadFactory threads = DaemonThreads.virtualOrNamed("lock-" + engine.backendName() + "-leadership-");
		this.threads = (task) -> threads.newThread(task).start();
		add(new Events(), false);
	}

	/**
	 * Return an executor with a new thread for each task.
	 */
	Executor threads() {
		return this.threads;
	}

	/**
	 * Add a listener.
	 * @param listener the listener
	 * @param announced whether it knows already that this process leads
	 */
	void add(LeadershipListener listener, boolean announced) {
		this.deliveries.add(new Delivery(listener, announced));
	}

	void remove(LeadershipListener listener) {
		this.deliveries.removeIf((delivery) -> delivery.isFor(listener));
	}

	/**
	 * Return whether the current thread calls a listener, or runs what a listener is for.
	 */
	boolean areInCurrentThread() {
		return this.deliveries.stream().anyMatch(Delivery::isInCurrentThread);
	}

	/**
	 * Return whether the leadership was announced last. Confined to updates, like the
	 * announcements.
	 */
	boolean areGranted() {
		return this.announced;
	}

	/**
	 * Announce a change of the leadership to all listeners, and the present leadership to
	 * those that were added since.
	 * @param leads whether this process leads
	 * @param token the fencing token, if this process leads
	 * @return a future completed when the listeners have returned from the last change
	 */
	CompletableFuture<?> announce(boolean leads, long token) {
		this.announcedToken = leads ? token : this.announcedToken;
		if (leads != this.announced) {
			logger.info(
					(leads ? "Elected" : "No longer") + " leader of the election on " + KeyFormat.quote(this.storeKey));
			this.announced = leads;
			this.delivered = CompletableFuture.allOf(this.deliveries.stream()
				.map((delivery) -> delivery.announce(leads, this.announcedToken))
				.toArray(CompletableFuture[]::new));
		}
		else if (leads) {
			this.deliveries.forEach((delivery) -> delivery.announce(true, this.announcedToken));
		}
		return this.delivered;
	}

	/**
	 * Delivers changes of the leadership to one listener, one after the other, each in a
	 * thread that exists only for it.
	 */
	private final class Delivery {

		private final LeadershipListener listener;

		private boolean announced;

		private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

		private volatile @Nullable Thread thread;

		/**
		 * Create a delivery.
		 * @param listener the listener
		 * @param announced whether the listener knows already that this process leads
		 */
		Delivery(LeadershipListener listener, boolean announced) {
			this.listener = listener;
			this.announced = announced;
		}

		boolean isFor(LeadershipListener listener) {
			return this.listener == listener;
		}

		/**
		 * Return whether the listener is being called by the current thread, or the
		 * thread runs what the listener is for.
		 */
		boolean isInCurrentThread() {
			return this.thread == Thread.currentThread()
					|| (this.listener instanceof LeadershipBody body && body.isInCurrentThread());
		}

		/**
		 * Deliver the leadership after the changes that were announced before, unless it
		 * is what was announced last, or what a listener expects at first. Not called
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
				LeadershipListeners.this.threads.execute(task);
			}
			catch (Throwable ex) {
				logger.error("Could not start a thread for a listener of the election on "
						+ KeyFormat.quote(LeadershipListeners.this.storeKey) + "; it will be retried", ex);
				LeadershipListeners.this.engine.runAfter(RETRY_PAUSE, () -> execute(task));
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
				logger.error("A listener of the election on " + KeyFormat.quote(LeadershipListeners.this.storeKey)
						+ " failed", ex);
			}
			finally {
				this.thread = null;
			}
		}

	}

	/**
	 * Notifies the listener of the engine.
	 */
	private final class Events implements LeadershipListener {

		private long token;

		@Override
		public void onGranted(long fencingToken) {
			this.token = fencingToken;
			engineListener().leadershipGranted(LeadershipListeners.this.storeKey, fencingToken);
		}

		@Override
		public void onRevoked() {
			engineListener().leadershipRevoked(LeadershipListeners.this.storeKey, this.token);
		}

		private EngineListener engineListener() {
			return LeadershipListeners.this.engine.listener();
		}

	}

}
