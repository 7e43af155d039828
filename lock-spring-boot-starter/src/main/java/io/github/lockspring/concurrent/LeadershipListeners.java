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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

	private final List<LeadershipDelivery> deliveries = new CopyOnWriteArrayList<>();

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
		add(new Events(engine.listener(), storeKey), false);
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
		this.deliveries.add(new LeadershipDelivery(listener, this.engine, this.storeKey, this.threads, announced));
	}

	void remove(LeadershipListener listener) {
		this.deliveries.removeIf((delivery) -> delivery.isFor(listener));
	}

	/**
	 * Return whether the current thread calls a listener, or runs what a listener is for.
	 */
	boolean areInCurrentThread() {
		return this.deliveries.stream().anyMatch(LeadershipDelivery::isInCurrentThread);
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
	 * Notifies the listener of the engine.
	 */
	private static final class Events implements LeadershipListener {

		private final EngineListener listener;

		private final String storeKey;

		private long token;

		Events(EngineListener listener, String storeKey) {
			this.listener = listener;
			this.storeKey = storeKey;
		}

		@Override
		public void onGranted(long fencingToken) {
			this.token = fencingToken;
			this.listener.leadershipGranted(this.storeKey, fencingToken);
		}

		@Override
		public void onRevoked() {
			this.listener.leadershipRevoked(this.storeKey, this.token);
		}

	}

}
