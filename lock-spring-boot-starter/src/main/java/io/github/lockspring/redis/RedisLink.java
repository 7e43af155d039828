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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Connection to a server, or to all servers of a cluster, that many threads share. It is
 * not reopened after it was lost. Thread-safe.
 */
interface RedisLink extends AutoCloseable {

	/**
	 * Return whether the connection can be used, as far as is known.
	 */
	boolean isOpen();

	/**
	 * Check the connection if its loss may not have been detected.
	 * @return whether it can be used; it is closed otherwise
	 */
	default boolean isUsable(long deadline) {
		return true;
	}

	/**
	 * Send a call, and let the server wait for the replicas that must acknowledge it if
	 * it has changed something. The calling thread reads the reply if the client has no
	 * thread for that.
	 * @param byText whether to send the text of the script instead of its digest
	 * @return the future reply, with the number of replicas that have acknowledged it
	 */
	default CompletableFuture<RedisReply> run(RedisCall call, boolean byText, long deadline) {
		return acknowledged(call, send(call, byText, deadline), deadline);
	}

	/**
	 * Let the server wait for the replicas, on the connection of the write.
	 */
	default CompletableFuture<RedisReply> acknowledged(RedisCall call, CompletableFuture<RedisReply> sent,
			long deadline) {
		if (call.replicas() == 0) {
			return driven(sent, deadline);
		}
		return driven(sent.thenCompose((reply) -> reply.isChange()
				? awaitReplicas(call, deadline).handle((number, failure) -> acknowledged(reply, number, failure))
				: CompletableFuture.completedFuture(reply)), deadline);
	}

	private static RedisReply acknowledged(RedisReply reply, RedisReply number, @Nullable Throwable failure) {
		if (failure != null) {
			throw new OutcomeUnknownException(
					"Redis did not report how many replicas acknowledged: " + failure.getMessage(), failure);
		}
		reply.acknowledgedBy(number.number(0));
		return reply;
	}

	/**
	 * Send a call.
	 * @param byText whether to send the text of the script instead of its digest
	 * @return the future reply
	 */
	CompletableFuture<RedisReply> send(RedisCall call, boolean byText, long deadline);

	/**
	 * Send calls in parallel, by the digests of their scripts.
	 * @return the future replies, in the order of the calls
	 */
	default List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, long deadline) {
		return calls.stream().map((call) -> send(call, false, deadline)).toList();
	}

	/**
	 * Wait on the server for the replicas that must acknowledge a call.
	 * @return the future number of replicas that have acknowledged it
	 */
	default CompletableFuture<RedisReply> awaitReplicas(RedisCall call, long deadline) {
		return ask(deadline, "WAIT", String.valueOf(call.replicas()), String.valueOf(call.waitMillis(deadline)));
	}

	/**
	 * Send a command to the server.
	 */
	CompletableFuture<RedisReply> ask(long deadline, String... command);

	/**
	 * Query the state of each server that has keys.
	 */
	default List<CompletableFuture<RedisReply>> info(long deadline) {
		return List.of(ask(deadline, "INFO"));
	}

	/**
	 * Query whether the server accepts writes. A server that does not permit the query is
	 * assumed to accept them.
	 */
	CompletableFuture<Boolean> isPrimary(long deadline);

	/**
	 * Subscribe to channels.
	 * @param listener receives the messages
	 */
	void subscribe(List<String> channels, Consumer<String> listener, Duration timeout);

	/**
	 * Read from the connection in the calling thread until a future is completed, if the
	 * client has no thread for it.
	 */
	default void drive(CompletableFuture<?> reply, long deadline) {
	}

	/**
	 * {@linkplain #drive Read} until a reply is completed.
	 * @return the reply
	 */
	default <T> CompletableFuture<T> driven(CompletableFuture<T> reply, long deadline) {
		drive(reply, deadline);
		return reply;
	}

	/**
	 * Wait for a reply.
	 * @param name what the server is to report, for messages
	 * @throws BackendUnavailableException if it is not received in time, or is an error
	 */
	default <T> T await(CompletableFuture<T> reply, long deadline, String name) {
		drive(reply, deadline);
		try {
			return reply.get(Deadline.remainingNanos(deadline), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for the answer of Redis", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new BackendUnavailableException("Redis did not report its " + name, ex);
		}
	}

	/**
	 * Replace the connections to one of several servers, without those to the others.
	 * @param call a call that the server did not answer in time, or {@code null} if a
	 * server has become a replica
	 * @return {@code false} if this is a connection to one server, which is to be
	 * replaced
	 */
	default boolean suspect(@Nullable RedisCall call) {
		return false;
	}

	/**
	 * Disconnect. The calls in progress fail.
	 */
	@Override
	void close();

}
