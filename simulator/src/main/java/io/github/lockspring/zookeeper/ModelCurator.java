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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.Listenable;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;
import io.github.lockspring.support.DaemonThreads;

/**
 * {@link CuratorFramework} on servers that are modelled, with the methods that locks use.
 * It replaces a client whose session has expired, reports changes of the connection in a
 * thread of its own, and expires the session at the client when the connection has been
 * suspended for the session timeout, by the wall clock. Thread-safe.
 */
public final class ModelCurator implements InvocationHandler {

	private final ZooKeeperNetwork network;

	private final int timeout;

	private final CuratorFramework framework;

	private final CuratorZookeeperClient client = new Client();

	private final Listeners listeners = new Listeners();

	private final Queue<ConnectionState> changes = new ArrayDeque<>();

	private final Thread reporter = DaemonThreads.create("connection-state-manager", this::report);

	private volatile CuratorFrameworkState state = CuratorFrameworkState.LATENT;

	private volatile @Nullable ModelZooKeeper handle;

	private volatile boolean connected;

	private @Nullable ConnectionState current;

	private boolean wasConnected;

	private long suspendedMillis;

	private ModelCurator(ZooKeeperNetwork network, int timeout) {
		this.network = network;
		this.timeout = timeout;
		this.framework = (CuratorFramework) Proxy.newProxyInstance(ModelCurator.class.getClassLoader(),
				new Class<?>[] { CuratorFramework.class }, this);
	}

	/**
	 * Create a client that is not started.
	 * @param network the way to the servers
	 * @param timeout the session timeout that is wanted, in milliseconds
	 * @return the client
	 */
	public static CuratorFramework create(ZooKeeperNetwork network, int timeout) {
		return new ModelCurator(network, timeout).framework;
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
		return switch (method.getName()) {
			case "getNamespace" -> "";
			case "getState" -> this.state;
			case "getZookeeperClient" -> this.client;
			case "getConnectionStateListenable" -> this.listeners;
			case "create" -> ModelCreation.begin(this::handle, this.framework);
			case "start" -> start();
			case "close" -> close();
			case "hashCode" -> System.identityHashCode(proxy);
			case "equals" -> arguments != null && proxy == arguments[0];
			case "toString" -> "CuratorFramework on a model";
			default -> throw new UnsupportedOperationException(method.toString());
		};
	}

	private @Nullable Object start() {
		this.state = CuratorFrameworkState.STARTED;
		this.reporter.start();
		reset();
		return null;
	}

	private @Nullable Object close() {
		if (this.state == CuratorFrameworkState.STARTED) {
			this.state = CuratorFrameworkState.STOPPED;
			LockSupport.unpark(this.reporter);
			handle().close();
		}
		return null;
	}

	private ModelZooKeeper handle() {
		ModelZooKeeper handle = this.handle;
		if (handle == null) {
			throw new IllegalStateException("The client is not started");
		}
		return handle;
	}

	/**
	 * Replace the session by a new one.
	 */
	private synchronized void reset() {
		ModelZooKeeper former = this.handle;
		this.connected = false;
		if (former != null) {
			former.close();
		}
		this.handle = ModelZooKeeper.connect(this.network, this.timeout, this::process);
	}

	private void process(WatchedEvent event) {
		if (event.getType() != EventType.None || this.state != CuratorFrameworkState.STARTED) {
			return;
		}
		switch (event.getState()) {
			case SyncConnected -> {
				this.connected = true;
				change(ConnectionState.RECONNECTED);
			}
			case Expired -> {
				reset();
				change(ConnectionState.LOST);
			}
			default -> {
				this.connected = false;
				suspend();
			}
		}
	}

	private synchronized void suspend() {
		if (this.current != ConnectionState.LOST) {
			change(ConnectionState.SUSPENDED);
		}
	}

	private synchronized void change(ConnectionState changed) {
		if (this.current == changed) {
			return;
		}
		ConnectionState reported = changed;
		if (changed.isConnected() && !this.wasConnected) {
			this.wasConnected = true;
			reported = ConnectionState.CONNECTED;
		}
		this.current = reported;
		this.suspendedMillis = (changed == ConnectionState.SUSPENDED) ? System.currentTimeMillis() : 0;
		this.changes.add(reported);
		LockSupport.unpark(this.reporter);
	}

	private void report() {
		while (this.state == CuratorFrameworkState.STARTED) {
			ConnectionState next = nextChange();
			if (next != null) {
				this.listeners.all.forEach((listener) -> listener.stateChanged(this.framework, next));
			}
			else {
				expireSuspended();
			}
			restoreLost();
		}
	}

	/**
	 * Wait for a change, at most until the session is over while it is suspended.
	 */
	private @Nullable ConnectionState nextChange() {
		long left;
		synchronized (this) {
			ConnectionState next = this.changes.poll();
			if (next != null) {
				return next;
			}
			left = leftMillis();
		}
		if (left > 0) {
			LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(left));
		}
		synchronized (this) {
			return this.changes.poll();
		}
	}

	private long leftMillis() {
		long elapsed = (this.suspendedMillis != 0) ? System.currentTimeMillis() - this.suspendedMillis
				: this.timeout / 2;
		return this.timeout - elapsed;
	}

	private void expireSuspended() {
		synchronized (this) {
			if (this.current != ConnectionState.SUSPENDED || leftMillis() > 0) {
				return;
			}
			this.suspendedMillis = System.currentTimeMillis();
		}
		handle().expire();
	}

	/**
	 * Report the connection of a new session that was established before the loss of the
	 * former one was reported.
	 */
	private synchronized void restoreLost() {
		if (this.current == ConnectionState.LOST && this.connected) {
			change(ConnectionState.RECONNECTED);
		}
	}

	/**
	 * Leads to the current handle.
	 */
	private final class Client extends CuratorZookeeperClient {

		Client() {
			super("model:2181", 1, 1, null, new RetryOneTime(1));
		}

		@Override
		public ZooKeeper getZooKeeper() {
			return handle();
		}

		@Override
		public boolean isConnected() {
			return ModelCurator.this.connected;
		}

		@Override
		public String getCurrentConnectionString() {
			return "model:2181";
		}

	}

	/**
	 * Listeners, called one after the other.
	 */
	private static final class Listeners implements Listenable<ConnectionStateListener> {

		private final List<ConnectionStateListener> all = new CopyOnWriteArrayList<>();

		@Override
		public void addListener(ConnectionStateListener listener) {
			this.all.add(listener);
		}

		@Override
		public void addListener(ConnectionStateListener listener, Executor executor) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void removeListener(ConnectionStateListener listener) {
			this.all.remove(listener);
		}

	}

}
