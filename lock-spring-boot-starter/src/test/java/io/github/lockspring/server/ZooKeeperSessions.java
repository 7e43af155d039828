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
package io.github.lockspring.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * Ends sessions from outside.
 */
public final class ZooKeeperSessions {

	private static final int TIMEOUT = 10_000;

	private ZooKeeperSessions() {
	}

	/**
	 * Let a session expire, as if its timeout were over: its ephemeral nodes are removed
	 * when this method returns, and its client is notified when it reconnects, which it
	 * does immediately.
	 * @param connectString the connect string of the servers
	 * @param client the client whose session it is
	 */
	public static void expire(String connectString, ZooKeeper client) {
		expire(connectString, client.getSessionId(), client.getSessionPasswd());
	}

	/**
	 * Let a session expire, see {@link #expire(String, ZooKeeper)}: a second client takes
	 * it over and closes it.
	 * @param connectString the connect string of the servers
	 * @param sessionId the id of the session
	 * @param password its password
	 */
	public static void expire(String connectString, long sessionId, byte[] password) {
		// Its client may take the session back before it is closed: again, until it is
		// gone
		Await.until("session 0x" + Long.toHexString(sessionId) + " is expired",
				() -> closeOrSeeExpired(connectString, sessionId, password));
	}

	private static boolean closeOrSeeExpired(String connectString, long sessionId, byte[] password) {
		CompletableFuture<KeeperState> state = new CompletableFuture<>();
		try {
			ZooKeeper client = new ZooKeeper(connectString, TIMEOUT, (event) -> note(event, state), sessionId,
					password.clone());
			try {
				return state.get(TIMEOUT, TimeUnit.MILLISECONDS) == KeeperState.Expired;
			}
			finally {
				client.close(TIMEOUT);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static void note(WatchedEvent event, CompletableFuture<KeeperState> state) {
		if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
			state.complete(event.getState());
		}
	}

}
