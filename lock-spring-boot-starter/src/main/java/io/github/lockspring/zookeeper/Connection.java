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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Tracks the current session, in which requests can be sent.
 * <ol>
 * <li>While the connection is suspended, there is no session to send requests in. Callers
 * wait for the restoration until their deadline.</li>
 * <li>When the connection is restored with the same session, that session continues. With
 * another session, the former one has ended. A session that the client has closed has
 * ended as well.</li>
 * <li>A client ends a session by its own clock, but servers that were away keep it for a
 * whole timeout more. Therefore, it is closed there.</li>
 * <li>A new session begins with its {@linkplain SessionPreparation preparation}.</li>
 * </ol>
 */
final class Connection {

	private static final Log logger = LogFactory.getLog(Connection.class);

	private final CuratorFramework client;

	private final LockPaths paths;

	private final SessionPreparation preparation;

	private final SessionListener listener;

	private final boolean startsClient;

	private final ConnectionStateListener stateListener = (client, state) -> changed(state);

	/**
	 * Last session, which may have ended.
	 */
	private volatile @Nullable Session session;

	/**
	 * Future of the session that is connected and prepared.
	 */
	private volatile CompletableFuture<Session> ready = new CompletableFuture<>();

	private volatile String processName = "";

	private volatile boolean connected;

	private volatile boolean preparing;

	Connection(CuratorFramework client, LockPaths paths, SessionListener listener, boolean startsClient) {
		this.client = client;
		this.paths = paths;
		this.preparation = new SessionPreparation(client, paths);
		this.listener = listener;
		this.startsClient = startsClient;
	}

	/**
	 * Start the client, unless it is already started or left to the application.
	 * @return whether it is started
	 */
	boolean start() {
		this.client.getConnectionStateListenable().addListener(this.stateListener);
		if (isLatent()) {
			if (!this.startsClient) {
				return false;
			}
			this.client.start();
		}
		else if (this.client.getZookeeperClient().isConnected() || isRejected()) {
			changed(ConnectionState.CONNECTED);
		}
		return true;
	}

	private boolean isLatent() {
		return this.client.getState() == CuratorFrameworkState.LATENT;
	}

	/**
	 * Return whether the servers rejected the credentials, which they report only in
	 * answers to requests.
	 */
	private boolean isRejected() {
		ZooKeeper zooKeeper = handle();
		return zooKeeper != null && zooKeeper.getState() == States.AUTH_FAILED;
	}

	/**
	 * Return the name of this process, empty if it has none.
	 */
	String processName() {
		return this.processName;
	}

	void setProcessName(String processName) {
		this.processName = processName;
	}

	/**
	 * Return the addresses of the servers, and the path of the root.
	 */
	String address() {
		return this.client.getZookeeperClient().getCurrentConnectionString() + ", below " + this.paths.root();
	}

	/**
	 * Stop listening. The client is not closed.
	 */
	void close() {
		this.client.getConnectionStateListenable().removeListener(this.stateListener);
		this.ready
			.completeExceptionally(new BackendUnavailableException("The lock backend 'zookeeper' is closed", null));
	}

	/**
	 * Return the last session, connected or not.
	 */
	@Nullable Session lastSession() {
		return this.session;
	}

	/**
	 * Run an action after a delay, if there is a session then.
	 */
	void later(Duration delay, Consumer<Session> action) {
		CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS).execute(() -> {
			Session session = sessionNow();
			if (session != null) {
				action.accept(session);
			}
		});
	}

	/**
	 * Return the session to send a request in now.
	 * @return the session, or {@code null} if there is none currently
	 */
	@Nullable Session sessionNow() {
		CompletableFuture<Session> ready = this.ready;
		return (ready.isDone() && !ready.isCompletedExceptionally()) ? ready.join() : null;
	}

	/**
	 * Return the session to send a request in.
	 * @param nanos the maximum time to wait for one
	 * @throws BackendUnavailableException if there is none
	 * @throws ZooKeeperLockSetupException if the data or configuration of the servers
	 * prevents locks
	 */
	Session session(long nanos) {
		Session session = sessionNow();
		return (session != null) ? session : awaitSession(nanos);
	}

	private Session awaitSession(long nanos) {
		if (this.connected && !this.preparing) {
			prepareAgain();
		}
		try {
			return this.ready.get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new BackendUnavailableException(isLatent() ? "The CuratorFramework of the application is not started"
					: "ZooKeeper is not connected", null);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for the connection to ZooKeeper", ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause
					: new BackendUnavailableException("ZooKeeper cannot be used: " + ex.getCause(), ex.getCause());
		}
	}

	/**
	 * Create the root again if it was deleted, or could not be created before.
	 */
	synchronized CompletableFuture<Session> prepareAgain() {
		if (this.connected) {
			prepare();
		}
		return this.ready;
	}

	private synchronized void changed(ConnectionState state) {
		switch (state) {
			case CONNECTED, RECONNECTED -> connected();
			case SUSPENDED, READ_ONLY -> suspended();
			case LOST -> {
				suspended();
				Session session = this.session;
				if (session != null && !session.isAlive()) {
					lost();
				} // otherwise a former session is meant, which was notified late
			}
		}
	}

	private void connected() {
		this.connected = true;
		ZooKeeper zooKeeper = handle();
		Session last = this.session;
		if (last != null && !last.isOver() && zooKeeper != null && last.isOf(zooKeeper)) {
			resume(last);
		}
		else {
			lost();
			prepare();
		}
	}

	private void prepare() {
		ZooKeeper zooKeeper = handle();
		CompletableFuture<Session> ready = renewed();
		if (zooKeeper == null) {
			return;
		}
		this.preparing = true;
		this.preparation.prepare(zooKeeper).whenComplete((prepared, failure) -> {
			this.preparing = false;
			if (failure == null) {
				prepared(prepared, ready);
			}
			else {
				ready.completeExceptionally(this.preparation.explain(failure));
			}
		});
	}

	private @Nullable ZooKeeper handle() {
		try {
			return this.client.getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			logger.debug("The client is not connected to ZooKeeper", ex);
			return null;
		}
	}

	private synchronized void prepared(Session prepared, CompletableFuture<Session> ready) {
		if (!this.connected) {
			return; // prepared again when the connection is restored
		}
		Session last = this.session;
		Session present = (last != null && !last.isOver() && last.isSameAs(prepared)) ? last : prepared;
		this.session = present;
		if (last != null && !last.isSameAs(present)) {
			FormerSession.close(last, this.client.getZookeeperClient().getCurrentConnectionString());
		}
		if (ready == this.ready) {
			resume(present);
		}
	}

	private void resume(Session session) {
		this.listener.resumed(session);
		this.ready.complete(session);
	}

	/**
	 * Return the future that callers wait for, another one if the last is complete.
	 */
	private CompletableFuture<Session> renewed() {
		if (this.ready.isDone()) {
			this.ready = new CompletableFuture<>();
		}
		return this.ready;
	}

	private void suspended() {
		this.connected = false;
		boolean wasReady = this.ready.isDone() && !this.ready.isCompletedExceptionally();
		renewed();
		if (wasReady) {
			this.listener.suspended();
		}
	}

	private void lost() {
		Session session = this.session;
		if (session != null && !session.isOver()) {
			session.end();
			this.listener.lost(session);
		}
	}

	/**
	 * Callbacks for changes of the session, in the threads of the client.
	 */
	interface SessionListener {

		/**
		 * Called when the connection is suspended: it is unknown whether the session
		 * still exists.
		 */
		void suspended();

		/**
		 * Called when a session can be used, for the first time or again.
		 */
		void resumed(Session session);

		/**
		 * Called when a session has ended.
		 */
		void lost(Session session);

	}

}
