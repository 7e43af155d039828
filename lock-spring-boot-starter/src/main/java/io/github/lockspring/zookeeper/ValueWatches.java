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

package io.github.lockspring.zookeeper;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendListener;

/**
 * Watches of values. A watch that the server has confirmed is valid as long as the
 * connection, or until the value changes; it is then set again when the value is read
 * with a watch the next time.
 * <p>
 * Answers and notifications arrive in one thread, in the order in which the server sent
 * them. There is one watcher for all nodes, so that a node watched twice is notified of
 * once.
 */
final class ValueWatches implements Watcher {

	private final Map<String, Watch> watches = new ConcurrentHashMap<>();

	private volatile BackendListener listener = BackendListener.NONE;

	void setListener(BackendListener listener) {
		this.listener = listener;
	}

	/**
	 * Watch a node, unless it is watched already. Must be called before the request that
	 * reads it.
	 */
	CompletableFuture<Void> add(Session session, String key, String path) {
		Watch watch = this.watches.computeIfAbsent(path, (absent) -> new Watch(key));
		if (watch.confirmedIn == session) {
			return CompletableFuture.completedFuture(null);
		}
		return session.watchAny(path, this, () -> {
			watch.confirmedIn = session;
			if (!this.watches.containsKey(path)) {
				session.unwatch(path); // removed before the answer
			}
		});
	}

	/**
	 * Stop watching a node. A watch that is set at the same time may be removed as well,
	 * which is notified like a change.
	 */
	void remove(String path) {
		Watch watch = this.watches.remove(path);
		Session session = (watch != null) ? watch.confirmedIn : null;
		if (session != null) {
			session.unwatch(path);
		}
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() != EventType.None) {
			Watch watch = this.watches.get(event.getPath());
			if (watch != null) {
				watch.confirmedIn = null;
				changed(watch);
			}
		}
		else if (event.getState() != KeeperState.SyncConnected) {
			this.watches.values().forEach((watch) -> watch.confirmedIn = null);
		}
	}

	/**
	 * Handle the restoration of the connection, or a new session: any value may have
	 * changed.
	 */
	void resumed() {
		this.watches.values().forEach(this::changed);
	}

	private void changed(Watch watch) {
		this.listener.onValueChanged(watch.key);
	}

	/**
	 * Watch of a value.
	 */
	private static final class Watch {

		private final String key;

		/**
		 * The session in which the server has confirmed the watch, unless it is no longer
		 * valid.
		 */
		private volatile @Nullable Session confirmedIn;

		Watch(String key) {
			this.key = key;
		}

	}

}
