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

package io.github.lockspring.simulator.zookeeper;

import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * End of a connection at a client. The calls arrive one after the other, and must not
 * wait.
 */
public interface ZooKeeperReceiver {

	/**
	 * The session was opened, or it no longer exists.
	 * @param session its id
	 * @param password its password
	 * @param timeout the negotiated timeout in milliseconds, 0 if there is no session
	 */
	void opened(long session, byte[] password, int timeout);

	/**
	 * A request was answered.
	 * @param reply what the client does then
	 */
	void replied(Runnable reply);

	/**
	 * A node that is watched has changed.
	 * @param event the change
	 * @param path the node
	 */
	void changed(EventType event, String path);

	/**
	 * The connection was closed by the server, or refused.
	 */
	void closed();

}
