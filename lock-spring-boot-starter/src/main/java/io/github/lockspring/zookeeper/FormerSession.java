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

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * Session that the client has ended, to be closed in the servers, so that its nodes do
 * not block others, or the same process, until the servers expire it. It is opened on
 * another connection, and closed. If that is not possible before it expires, nothing is
 * left to do.
 */
final class FormerSession implements Watcher {

	private static final Log logger = LogFactory.getLog(FormerSession.class);

	private final CompletableFuture<ZooKeeper> handle = new CompletableFuture<>();

	private FormerSession() {
	}

	/**
	 * Close a session in the servers, in the background.
	 * @param session the session, in which no requests are sent any more
	 * @param connectString the servers
	 */
	static void close(Session session, String connectString) {
		FormerSession former = new FormerSession();
		try {
			former.open(session.zooKeeper(), connectString);
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Could not close a former session in ZooKeeper, which will expire", ex);
		}
	}

	private void open(ZooKeeper former, String connectString) throws IOException {
		int timeout = former.getSessionTimeout();
		this.handle
			.complete(new ZooKeeper(connectString, timeout, this, former.getSessionId(), former.getSessionPasswd(),
					false, new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses()),
					former.getClientConfig()));
		CompletableFuture.delayedExecutor(timeout, TimeUnit.MILLISECONDS).execute(this::close);
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getState() != KeeperState.Disconnected) {
			this.handle.thenRun(this::close);
		}
	}

	/**
	 * Close the session if it is connected, and the handle in any case.
	 */
	private void close() {
		try {
			this.handle.join().close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
