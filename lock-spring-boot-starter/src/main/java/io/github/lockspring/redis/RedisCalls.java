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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * Runs scripts and waits for the replies until the deadline. Scripts are sent by digest,
 * and by their text if a server does not have them yet.
 */
final class RedisCalls {

	/**
	 * Number of arguments of an attempt and of an update, including the last ones, which
	 * may be missing.
	 */
	private static final int ARGS = 6;

	private static final byte[] NOTHING = { '-' };

	private final RedisClientAdapter client;

	private final RedisLockSettings settings;

	private final int replicas;

	private final TokenLead lead;

	/**
	 * Key in which a server stores the time of the last failover, since which its tokens
	 * lead its clock.
	 */
	private final byte[] mark;

	RedisCalls(RedisClientAdapter client, RedisLockSettings settings) {
		this.client = client;
		this.settings = settings;
		this.replicas = settings.waitReplicas();
		this.lead = client.lead();
		this.mark = RedisKeys.ofMark(settings.markKey());
	}

	/**
	 * Return a call whose changes replicas must acknowledge, if that is configured.
	 */
	RedisCall acknowledged(RedisCall call) {
		return (this.replicas > 0) ? call.acknowledgedBy(this.replicas, this.settings.waitTimeout()) : call;
	}

	/**
	 * Return a message if too few replicas have acknowledged a change.
	 * @param reply the reply of a script that has changed something
	 * @return the message, or {@code null} if enough replicas have acknowledged the
	 * change
	 */
	@Nullable String missingAcknowledgements(RedisReply reply) {
		if (this.replicas == 0 || reply.acknowledgements() >= this.replicas) {
			return null;
		}
		return "Only " + reply.acknowledgements() + " of " + this.replicas + " replicas acknowledged the change within "
				+ this.settings.waitTimeout().toMillis() + " ms";
	}

	/**
	 * Run a script.
	 * @return its answer
	 * @throws BackendException if there is none in time
	 */
	RedisReply run(RedisCall call, Duration timeout) {
		long start = System.nanoTime();
		RedisCall leading = leading(call);
		RedisReply reply = await(call, this.client.send(leading, false, timeout), timeout);
		return (reply != null) ? reply : runText(leading, Deadline.remaining(start + timeout.toNanos()));
	}

	/**
	 * Add the lead of the tokens and versions that the script may take, if there is one.
	 */
	private RedisCall leading(RedisCall call) {
		byte[] argument = this.lead.argument();
		return (argument != null && call.script().takesTime()) ? leading(call, argument, this.lead.isKept()) : call;
	}

	/**
	 * Return a call with one more argument, the lead, and one more key if the server
	 * stores the time of the failover.
	 */
	private RedisCall leading(RedisCall call, byte[] lead, boolean kept) {
		byte[][] args = call.args();
		boolean partial = call.script() == RedisScript.ACQUIRE || call.script() == RedisScript.UPDATE_VALUE;
		int index = partial ? ARGS : args.length;
		byte[][] longer = Arrays.copyOf(args, index + 1);
		Arrays.fill(longer, args.length, index, NOTHING);
		longer[index] = lead;
		return new RedisCall(call.script(), kept ? with(this.mark, call.keys()) : call.keys(), longer, call.replicas(),
				call.within());
	}

	private static byte[][] with(byte[] mark, byte[][] keys) {
		byte[][] longer = Arrays.copyOf(keys, keys.length + 1);
		longer[keys.length] = mark;
		return longer;
	}

	/**
	 * Run a script by its text, even if the server has it.
	 * @return its answer
	 * @throws BackendException if there is none in time
	 */
	RedisReply runText(RedisCall call, Duration timeout) {
		RedisReply reply = await(call, this.client.send(call, true, timeout), timeout);
		if (reply == null) {
			throw notAccepted(call);
		}
		return reply;
	}

	private static OutcomeUnknownException notAccepted(RedisCall call) {
		return new OutcomeUnknownException("Redis did not accept the script " + call.script(), null);
	}

	/**
	 * Run a script for batches of requests or keys, and read the replies that have
	 * arrived. In a cluster, a batch is one of them, because the others are on other
	 * servers, or may be moved there.
	 * @return whether all replies have arrived
	 * @throws BackendException if none has
	 */
	<T> boolean runInBatches(Collection<T> all, int maxSize, Function<List<T>, RedisCall> call, Duration timeout,
			BiConsumer<List<T>, RedisReply> reader) {
		List<T> list = List.copyOf(all);
		int size = this.client.isCluster() ? 1 : maxSize;
		List<List<T>> batches = new ArrayList<>();
		for (int i = 0; i < list.size(); i += size) {
			batches.add(list.subList(i, Math.min(i + size, list.size())));
		}
		List<@Nullable RedisReply> replies = runAll(batches.stream().map(call).map(this::leading).toList(), timeout);
		for (int i = 0; i < batches.size(); i++) {
			RedisReply reply = replies.get(i);
			if (reply != null) {
				reader.accept(batches.get(i), reply);
			}
		}
		return !replies.contains(null);
	}

	/**
	 * Run scripts in parallel.
	 * @return the answers; {@code null} for each that was not received in time
	 * @throws BackendException if none was received in time
	 */
	List<@Nullable RedisReply> runAll(List<RedisCall> calls, Duration timeout) {
		long deadline = Deadline.after(timeout);
		List<CompletableFuture<RedisReply>> futures = this.client.sendAll(calls, timeout);
		List<@Nullable RedisReply> replies = new ArrayList<>(calls.size());
		BackendException exception = null;
		int answered = 0;
		for (int i = 0; i < calls.size(); i++) {
			try {
				RedisReply reply = await(calls.get(i), futures.get(i), Deadline.remaining(deadline));
				replies.add((reply != null) ? reply : runText(calls.get(i), Deadline.remaining(deadline)));
				answered++;
			}
			catch (BackendException ex) {
				exception = ex;
				replies.add(null);
			}
		}
		if (exception != null && answered == 0) {
			throw exception;
		}
		return replies;
	}

	/**
	 * Run a script without waiting for its answer, where the client supports that.
	 * @return its answer, or a {@link BackendException} if there is none in time
	 */
	CompletableFuture<RedisReply> runAsync(RedisCall call, Duration timeout) {
		// fails if the client throws
		return CompletableFuture.completedFuture(call).thenCompose((sent) -> runAsync(leading(sent), false, timeout));
	}

	private CompletableFuture<RedisReply> runAsync(RedisCall call, boolean byText, Duration timeout) {
		return this.client.send(call, byText, timeout)
			.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionallyCompose((failure) -> {
				BackendException exception = translate(call, failure, timeout);
				if (exception == null && !byText) {
					return runAsync(call, true, timeout);
				}
				return CompletableFuture.failedFuture((exception != null) ? exception : notAccepted(call));
			});
	}

	private @Nullable BackendException translate(RedisCall call, Throwable failure, Duration timeout) {
		Throwable cause = cause(failure);
		if (cause instanceof TimeoutException) {
			this.client.suspect(call);
			return new OutcomeUnknownException(
					"Redis did not respond " + (timeout.isZero() ? "in time" : "within " + timeout.toMillis() + " ms"),
					cause);
		}
		return (cause instanceof BackendException known) ? known : this.client.translate(cause);
	}

	/**
	 * Run a script asynchronously, without blocking the delivery of messages.
	 * @param failed called if it fails
	 */
	void runInBackground(RedisCall call, Duration timeout, Runnable failed) {
		this.client.execute(() -> runAsync(call, timeout).whenComplete((reply, failure) -> {
			if (failure != null) {
				failed.run();
			}
		}));
	}

	/**
	 * Wait for a reply.
	 * @return the reply, or {@code null} if the server does not have the script
	 */
	private @Nullable RedisReply await(RedisCall call, Future<RedisReply> future, Duration timeout) {
		try {
			return Deadline.await(future, System.nanoTime() + timeout.toNanos());
		}
		catch (TimeoutException | ExecutionException | CancellationException ex) {
			// the client may have canceled it
			future.cancel(true);
			BackendException failure = translate(call, ex, timeout);
			if (failure != null) {
				throw failure;
			}
			return null;
		}
	}

	private static Throwable cause(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof ExecutionException || cause instanceof CompletionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

}
