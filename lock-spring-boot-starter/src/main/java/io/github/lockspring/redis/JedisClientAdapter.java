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

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;

/**
 * {@link RedisClientAdapter} for Jedis: a few connections for calls, each of which is
 * made in the thread of the caller, and one for messages. The connections are those of
 * Jedis, configured like the application's; the pool is a separate one, because every
 * call has a deadline and is never repeated.
 */
final class JedisClientAdapter implements RedisClientAdapter {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final int MAX_REDIRECTIONS = 5;

	private final ExecutorService threads;

	private final JedisClientFactory client;

	private final boolean cluster;

	private final TokenLead lead = new TokenLead();

	private final JedisNodes nodes;

	private volatile @Nullable JedisSubscription subscription;

	private volatile @Nullable RedisChannel channel;

	JedisClientAdapter(JedisConnectionFactory applications, Duration operationTimeout) {
		this.threads = Executors.newCachedThreadPool(DaemonThreads.named("lock-redis-jedis-"));
		this.client = new JedisClientFactory(applications, operationTimeout);
		this.cluster = applications.isRedisClusterAware();
		this.nodes = this.cluster ? new JedisShards(this.client, this.threads, this::failOver)
				: new JedisPrimary(this.client, this.threads, this.lead, this::failOver);
	}

	@Override
	public void start(RedisChannel channel, Duration timeout) {
		long deadline = Deadline.after(timeout);
		JedisSubscription subscription = new JedisSubscription(this.nodes, channel, this.client, this.threads);
		this.subscription = subscription;
		this.channel = channel;
		this.nodes.start();
		this.threads.execute(this.client);
		subscription.start();
		try {
			ask(this.nodes.all(timeout).get(0), Protocol.Command.PING, deadline);
			subscription.awaitFirst(Deadline.remaining(deadline));
		}
		catch (RuntimeException ex) {
			logger.debug("Not connected to Redis yet: " + ex.getMessage());
		}
	}

	private void failOver() {
		this.lead.begin(Duration.ZERO);
		RedisChannel channel = this.channel;
		if (channel != null) {
			channel.failedOver();
		}
	}

	@Override
	public boolean isListening() {
		JedisSubscription subscription = this.subscription;
		return subscription != null && subscription.isListening();
	}

	@Override
	public TokenLead lead() {
		return this.lead;
	}

	@Override
	public String address() {
		return this.client.address();
	}

	@Override
	public boolean isCluster() {
		return this.cluster;
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, Duration timeout) {
		return complete(() -> run(call, byText, Deadline.after(timeout)));
	}

	private RedisReply run(RedisCall call, boolean byText, long deadline) {
		JedisLinks links = linksFor(call, deadline);
		boolean asking = false;
		for (int i = 0; i < MAX_REDIRECTIONS; i++) {
			JedisLinks current = links;
			JedisLink link = current.borrow(deadline);
			try {
				return exchange(link, call, byText, asking, deadline);
			}
			catch (JedisRedirectionException ex) {
				// the server has not run the script
				asking = ex instanceof JedisAskDataException;
				links = linksFor(call, redirected(link, ex));
			}
			finally {
				current.release(link);
			}
		}
		throw new BackendUnavailableException("Redis sent too many redirections", null);
	}

	private JedisLinks linksFor(RedisCall call, long deadline) {
		return linksFor(call, this.nodes.of(call.keys()[0], Deadline.remaining(deadline)));
	}

	private static JedisLinks linksFor(RedisCall call, JedisLinks server) {
		return call.isRenewal() ? server.reserved() : server;
	}

	private JedisLinks redirected(JedisLink link, JedisRedirectionException redirection) {
		if (!this.cluster) {
			throw redirection;
		}
		if (!(redirection instanceof JedisAskDataException)) {
			this.nodes.doubt();
		}
		HostAndPort target = redirection.getTargetNode();
		return this.nodes
			.at(target.getHost().isEmpty() ? new HostAndPort(link.address().getHost(), target.getPort()) : target);
	}

	private static RedisReply exchange(JedisLink link, RedisCall call, boolean byText, boolean asking, long deadline) {
		if (asking) {
			link.send(new CommandArguments(Protocol.Command.ASKING));
			link.read(deadline);
		}
		link.send(JedisMessages.command(call, byText));
		RedisReply reply = link.readReply(deadline);
		if (call.replicas() > 0 && reply.isChange()) {
			reply.acknowledgedBy(acknowledgements(link, call, deadline));
		}
		return reply;
	}

	/**
	 * Wait for the acknowledgements of the replicas, on the connection of the write.
	 */
	private static long acknowledgements(JedisLink link, RedisCall call, long deadline) {
		long wait = Math.min(call.within().toMillis(), Deadline.remaining(deadline).toMillis() * 9 / 10);
		try {
			link.send(new CommandArguments(Protocol.Command.WAIT).add(call.replicas()).add(Math.max(1, wait)));
			return JedisMessages.reply(link.read(deadline)).number(0);
		}
		catch (JedisException ex) {
			throw new OutcomeUnknownException("Redis did not report how many replicas acknowledged: " + ex.getMessage(),
					ex);
		}
	}

	@Override
	public List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, Duration timeout) {
		if (calls.size() == 1) {
			return List.of(send(calls.get(0), false, timeout));
		}
		long deadline = Deadline.after(timeout);
		Map<JedisLinks, JedisBatch> batches = new LinkedHashMap<>();
		List<CompletableFuture<RedisReply>> replies = new ArrayList<>(calls.size());
		for (RedisCall call : calls) {
			replies.add(complete(() -> linksFor(call, deadline))
				.thenCompose((links) -> batches.computeIfAbsent(links, JedisBatch::new).add(call)));
		}
		boolean several = batches.size() > 1;
		for (JedisBatch batch : batches.values()) {
			batch.write(several ? System.nanoTime() + Deadline.remainingNanos(deadline) / 2 : deadline, deadline);
		}
		for (JedisBatch batch : batches.values()) {
			batch.read(deadline, (call) -> send(call, false, Deadline.remaining(deadline)));
		}
		return replies;
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The sending thread no longer accepts calls");
		}
	}

	@Override
	public List<String> info(Duration timeout) {
		long deadline = Deadline.after(timeout);
		return this.nodes.all(timeout).stream().map((links) -> ask(links, Protocol.Command.INFO, deadline)).toList();
	}

	private static String ask(JedisLinks links, Protocol.Command command, long deadline) {
		JedisLink link = links.borrow(deadline);
		try {
			link.send(new CommandArguments(command));
			return JedisMessages.text((byte[]) link.read(deadline));
		}
		catch (JedisException ex) {
			throw new BackendUnavailableException("Redis did not respond: " + ex.getMessage(), ex);
		}
		finally {
			links.release(link);
		}
	}

	private static <T> CompletableFuture<T> complete(Supplier<T> call) {
		try {
			return CompletableFuture.completedFuture(call.get());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void suspect(RedisCall call) {
		this.nodes.doubt();
	}

	@Override
	public @Nullable BackendException translate(Throwable failure) {
		if (failure instanceof JedisDataException) {
			return RedisErrors.of(failure.getMessage(), failure);
		}
		String message = (failure.getCause() instanceof SocketTimeoutException) ? "Redis did not respond in time"
				: "The connection to Redis was lost: " + failure.getMessage();
		return new OutcomeUnknownException(message, failure);
	}

	/**
	 * Close the connections first, which wakes the threads that read from them.
	 */
	@Override
	public void close() {
		JedisSubscription subscription = this.subscription;
		if (subscription != null) {
			subscription.close();
		}
		this.nodes.close();
		this.client.close();
		this.threads.shutdownNow();
	}

}
