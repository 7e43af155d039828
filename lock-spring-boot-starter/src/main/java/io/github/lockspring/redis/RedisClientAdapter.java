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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

/**
 * Adapter of a client library, with dedicated connections and separate deadlines. No
 * command is ever sent twice. Renewals have separate connections, so that they do not
 * wait for calls that wait for replicas, nor for those of many acquiring threads.
 */
interface RedisClientAdapter extends AutoCloseable {

	/**
	 * Connect and subscribe to the channel, in the background if it takes longer.
	 */
	void start(RedisChannel channel, Duration timeout);

	/**
	 * Return whether the subscription to the channel is active, as far as is known. If
	 * not, it is restored in the background.
	 */
	boolean isListening();

	/**
	 * Return the address of the servers, without user names and passwords.
	 */
	String address();

	/**
	 * Return whether the keys are distributed over several servers.
	 */
	boolean isCluster();

	/**
	 * Return the lead of the tokens over the clock of the server.
	 */
	TokenLead lead();

	/**
	 * Send a call to the server that has its keys. If replicas must acknowledge it, and
	 * it has changed something, the reply contains the number of replicas that
	 * acknowledged it.
	 * @param call the call
	 * @param byText whether to send the text of the script instead of its digest
	 * @param timeout the maximum time to wait for a connection, or for the reply if the
	 * client waits for it in the calling thread
	 * @return the future reply, or a failure for {@link #translate(Throwable)}
	 */
	CompletableFuture<RedisReply> send(RedisCall call, boolean byText, Duration timeout);

	/**
	 * Send calls in parallel, by the digests of their scripts.
	 * @param calls the calls
	 * @param timeout the timeout of the calls
	 * @return the future replies, in the order of the calls
	 */
	default List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, Duration timeout) {
		long deadline = Deadline.after(timeout);
		return calls.stream().map((call) -> send(call, false, Deadline.remaining(deadline))).toList();
	}

	/**
	 * Run a task that sends calls, without blocking the delivery of messages.
	 */
	void execute(Runnable task);

	/**
	 * Query the state of each server that has keys.
	 * @return the server's answers to {@code INFO}
	 * @throws BackendUnavailableException if one of them does not respond in time
	 */
	List<String> info(Duration timeout);

	/**
	 * Replace the connection of a call whose reply was not received in time.
	 */
	void suspect(RedisCall call);

	/**
	 * Translate a failure of the client library.
	 * @param failure the failure of a future, without wrappers
	 * @return the failure as backends report it, or {@code null} if the server does not
	 * have the script
	 */
	@Nullable BackendException translate(Throwable failure);

	@Override
	void close();

}
