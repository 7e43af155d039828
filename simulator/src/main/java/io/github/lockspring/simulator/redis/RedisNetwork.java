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

package io.github.lockspring.simulator.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Network between a process and the server that it uses. Decides when a request arrives,
 * how often and at which server, and when the reply or a message does.
 */
public interface RedisNetwork {

	/**
	 * Connections of a process. Each keeps the order of requests and replies.
	 */
	enum Connection {

		/**
		 * Connection for calls.
		 */
		CALLS,

		/**
		 * Connection for renewals.
		 */
		RENEWALS,

		/**
		 * Connection for messages.
		 */
		MESSAGES

	}

	/**
	 * Send a request.
	 * @param <T> the type of reply
	 * @param connection the connection
	 * @param atServer what the server does with the request; may throw a
	 * {@link RedisErrorReply}
	 * @return the future reply. Fails with the exception of the server, with an
	 * {@link io.github.lockspring.spi.OutcomeUnknownException} if the connection was lost
	 * while the reply was awaited, or with a
	 * {@link io.github.lockspring.spi.BackendUnavailableException} if the request was not
	 * sent
	 */
	<T> CompletableFuture<T> exchange(Connection connection, Function<RedisModel, T> atServer);

	/**
	 * Deliver what the server sends on the connection for messages: a message, or the end
	 * of the connection. Called while the server runs a command: must not run it now.
	 * @param event what the process does when it receives it
	 */
	void deliver(Runnable event);

	/**
	 * Return the time of the process.
	 * @return the time, as that of {@link System#nanoTime()}
	 */
	long nanoTime();

	/**
	 * Replace a connection, because a reply was not received in time. Does nothing by
	 * default.
	 * @param connection the connection
	 */
	default void replace(Connection connection) {
	}

}
