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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.Disposable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;

/**
 * {@link RedisClientAdapter} for Lettuce: one connection for calls, which many threads
 * share without waiting for each other, one for renewals, and one for messages. The
 * client is a separate one, configured like the application's, because commands must fail
 * immediately when the connection is lost instead of being resent later.
 */
final class LettuceClientAdapter implements RedisClientAdapter {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * Idle time after which the role of the server is checked with the next call.
	 */
	private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

	private final LettuceConnectionFactory factory;

	private final AbstractRedisClient client;

	private final Duration timeout;

	private final TokenLead lead = new TokenLead();

	private final @Nullable LettucePrimary primary;

	private final String address;

	private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> calls;

	private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> renewals;

	private final ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> messages;

	private final List<ReconnectingConnection<?>> connections;

	private volatile @Nullable RedisChannel channel;

	private volatile boolean firstAwaited;

	private @Nullable Disposable topology;

	private volatile long usedNanos = System.nanoTime();

	private volatile long pingedNanos = System.nanoTime();

	private volatile @Nullable CompletableFuture<?> ping;

	LettuceClientAdapter(LettuceConnectionFactory applications, Duration operationTimeout) {
		this.factory = LettuceClientFactory.of(applications, operationTimeout);
		this.client = this.factory.getRequiredNativeClient();
		this.timeout = operationTimeout;
		this.primary = LettucePrimary.of(this.client, this.lead, this::failOver);
		this.address = RedisAddress.of(LettuceClientFactory.configuration(applications));
		this.calls = forCalls(this.address + " (calls)");
		this.renewals = forCalls(this.address + " (renewals)");
		this.messages = new ReconnectingConnection<>(this.address + " (messages)", this::subscribe,
				StatefulConnection::isOpen, LettuceClientAdapter::closeOnce, () -> channel().listening());
		this.connections = List.of(this.calls, this.renewals, this.messages);
	}

	private ReconnectingConnection<StatefulConnection<byte[], byte[]>> forCalls(String name) {
		return new ReconnectingConnection<>(name, this::connect, this::isUsable, LettuceClientAdapter::closeOnce, null);
	}

	@Override
	public void start(RedisChannel channel, Duration timeout) {
		this.channel = channel;
		if (this.primary != null) {
			this.primary.start();
		}
		if (this.client instanceof RedisClusterClient cluster) {
			follow(cluster);
		}
		this.connections.forEach(ReconnectingConnection::renew);
	}

	private StatefulConnection<byte[], byte[]> connect() {
		try {
			return connectOnce();
		}
		catch (RedisConnectionException ex) {
			if (!isHandshakeMissed(ex)) {
				throw ex;
			}
			return connectOnce();
		}
	}

	/**
	 * Return whether Lettuce does not report the reason of a failure: the server rejected
	 * the handshake before Lettuce has looked for it.
	 */
	private static boolean isHandshakeMissed(RedisConnectionException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return cause instanceof IllegalStateException
				&& String.valueOf(cause.getMessage()).startsWith("RedisHandshakeHandler");
	}

	private StatefulConnection<byte[], byte[]> connectOnce() {
		if (this.client instanceof RedisClusterClient cluster) {
			cluster.refreshPartitions();
			return cluster.connect(ByteArrayCodec.INSTANCE);
		}
		RedisClient server = (RedisClient) this.client;
		if (this.primary == null) {
			return server.connect(ByteArrayCodec.INSTANCE);
		}
		return ReconnectingConnection.prepare(server.connect(ByteArrayCodec.INSTANCE, this.primary.uri()),
				this::requirePrimary, LettuceClientAdapter::closeOnce);
	}

	/**
	 * Reject a server that is still a replica. The sentinels may report a replica before
	 * it is promoted.
	 */
	private StatefulConnection<byte[], byte[]> requirePrimary(StatefulConnection<byte[], byte[]> connection) {
		if (!await(LettuceMessages.isPrimary(connection), this.timeout.toNanos(), "role")) {
			throw new BackendUnavailableException("The server is a replica", null);
		}
		return connection;
	}

	/**
	 * Wait for a future here, because the timeout of the client does not elapse after the
	 * client is shut down.
	 */
	private static <T> T await(CompletableFuture<T> report, long nanos, String name) {
		try {
			return report.get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for the answer of Redis", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new BackendUnavailableException("Redis did not report its " + name, ex);
		}
	}

	private boolean isUsable(StatefulConnection<byte[], byte[]> connection) {
		return connection.isOpen() && (this.primary == null || this.primary.isTrusted());
	}

	/**
	 * Disconnect from the former primary, which may not have detected the failover yet.
	 */
	private void failOver() {
		this.connections.forEach(ReconnectingConnection::leave);
		channel().failedOver();
		this.connections.forEach(ReconnectingConnection::renew);
	}

	/**
	 * Detect changes of the primaries. The client itself disconnects from servers that
	 * are no longer primaries.
	 */
	private void follow(RedisClusterClient cluster) {
		this.topology = cluster.getResources()
			.eventBus()
			.get()
			.filter((event) -> event instanceof ClusterTopologyChangedEvent change && isFailover(change))
			.subscribe((event) -> {
				this.lead.begin(Duration.ZERO);
				channel().failedOver();
			});
	}

	private static boolean isFailover(ClusterTopologyChangedEvent change) {
		return !primaries(change.after()).containsAll(primaries(change.before()));
	}

	private static Set<String> primaries(List<RedisClusterNode> nodes) {
		return nodes.stream()
			.filter((node) -> !node.getSlots().isEmpty())
			.map(RedisClusterNode::getNodeId)
			.collect(Collectors.toSet());
	}

	private StatefulRedisPubSubConnection<String, String> connectPubSub() {
		if (this.client instanceof RedisClusterClient cluster) {
			return cluster.connectPubSub(StringCodec.UTF8);
		}
		RedisClient server = (RedisClient) this.client;
		return (this.primary != null) ? server.connectPubSub(StringCodec.UTF8, this.primary.uri())
				: server.connectPubSub(StringCodec.UTF8);
	}

	private StatefulRedisPubSubConnection<String, String> subscribe() {
		return ReconnectingConnection.prepare(connectPubSub(), (connection) -> {
			RedisChannel channel = channel();
			connection.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(String name, String text) {
					channel.message(text);
				}

			});
			connection.addListener(new RedisConnectionStateListener() {

				@Override
				public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
					LettuceClientAdapter.this.messages.restore(connection);
				}

			});
			connection.sync().subscribe(channel.name());
			return connection;
		}, LettuceClientAdapter::closeOnce);
	}

	/**
	 * Close a connection, unless Lettuce has done so when it was lost.
	 */
	private static void closeOnce(StatefulConnection<?, ?> connection) {
		if (!(connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed())) {
			connection.closeAsync();
		}
	}

	private RedisChannel channel() {
		RedisChannel channel = this.channel;
		if (channel == null) {
			throw new IllegalStateException("The client is not started");
		}
		return channel;
	}

	/**
	 * Return whether the subscription is active. A broken connection cannot be
	 * distinguished from an idle one; therefore it is checked from time to time, in the
	 * thread of the caller. The first caller waits for the first attempt to connect.
	 */
	@Override
	public boolean isListening() {
		if (!this.firstAwaited) {
			this.messages.awaitFirst(this.timeout);
			this.firstAwaited = true;
		}
		StatefulRedisPubSubConnection<String, String> connection = this.messages.current();
		if (connection == null) {
			this.messages.renew();
			return false;
		}
		long now = System.nanoTime();
		CompletableFuture<?> ping = this.ping;
		if (ping != null && !ping.isDone() && now - this.pingedNanos > TimeUnit.SECONDS.toNanos(2)) {
			this.ping = null;
			this.messages.replace();
			return false;
		}
		if (now - this.pingedNanos > TimeUnit.SECONDS.toNanos(5)) {
			this.pingedNanos = now;
			this.ping = connection.async().ping().toCompletableFuture();
		}
		return true;
	}

	@Override
	public TokenLead lead() {
		return this.lead;
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public boolean isCluster() {
		return this.client instanceof RedisClusterClient;
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, Duration timeout) {
		try {
			int replicas = call.replicas();
			StatefulConnection<byte[], byte[]> connection = (call.isRenewal() ? this.renewals : this.calls)
				.get(timeout);
			CompletableFuture<Boolean> primary = (replicas == 0 && isQuiet()) ? LettuceMessages.isPrimary(connection)
					: null;
			AsyncCommand<byte[], byte[], RedisReply> command = LettuceMessages.command(call, byText);
			connection.dispatch(command);
			if (replicas > 0) {
				return acknowledged(connection, call, command);
			}
			return (primary != null) ? command.thenCombine(primary, this::requirePrimary) : command;
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return whether the server was not used for some time, so that its role is to be
	 * queried.
	 */
	private boolean isQuiet() {
		long now = System.nanoTime();
		boolean quiet = now - this.usedNanos > QUIET_NANOS && !isCluster();
		this.usedNanos = now;
		return quiet;
	}

	private RedisReply requirePrimary(RedisReply reply, boolean primary) {
		if (!primary) {
			leavePrimary();
			throw new BackendUnavailableException("Redis rejected the command: the server is now a replica", null);
		}
		return reply;
	}

	private static CompletableFuture<RedisReply> acknowledged(StatefulConnection<byte[], byte[]> connection,
			RedisCall call, AsyncCommand<byte[], byte[], RedisReply> sent) {
		return sent
			.thenCompose((reply) -> reply.isChange() ? acknowledged(connectionOf(sent, call, connection), reply, call)
					: CompletableFuture.completedFuture(reply));
	}

	/**
	 * Wait for the acknowledgements of the replicas, on the connection of the write.
	 */
	private static CompletableFuture<RedisReply> acknowledged(
			CompletableFuture<? extends StatefulConnection<byte[], byte[]>> connection, RedisReply reply,
			RedisCall call) {
		return connection.thenCompose((own) -> LettuceMessages.awaitReplicas(own, call)).handle((replicas, failure) -> {
			if (failure != null) {
				throw new OutcomeUnknownException(
						"Redis did not report how many replicas acknowledged: " + failure.getMessage(), failure);
			}
			reply.acknowledgedBy(replicas.number(0));
			return reply;
		});
	}

	/**
	 * Return the connection to the server that has executed a command. In a cluster, the
	 * connections for writing are those by host and port.
	 */
	private static CompletableFuture<? extends StatefulConnection<byte[], byte[]>> connectionOf(
			AsyncCommand<byte[], byte[], RedisReply> sent, RedisCall call,
			StatefulConnection<byte[], byte[]> connection) {
		if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			RedisURI redirection = LettuceMessages.redirectionOf(sent);
			RedisURI uri = (redirection != null) ? redirection
					: cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(call.keys()[0])).getUri();
			return cluster.getConnectionAsync(uri.getHost(), uri.getPort());
		}
		return CompletableFuture.completedFuture(connection);
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	public List<String> info(Duration timeout) {
		long deadline = Deadline.after(timeout);
		List<CompletableFuture<String>> infos = requestInfo(this.calls.get(timeout));
		CompletableFuture<Void> all = CompletableFuture.allOf(infos.toArray(CompletableFuture[]::new));
		await(all, Deadline.remainingNanos(deadline), "configuration");
		return infos.stream().map(CompletableFuture::join).toList();
	}

	private static List<CompletableFuture<String>> requestInfo(StatefulConnection<byte[], byte[]> connection) {
		if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			return cluster.getPartitions()
				.stream()
				.filter((node) -> !node.getSlots().isEmpty())
				.map((node) -> cluster.getConnectionAsync(node.getNodeId()).thenCompose((own) -> own.async().info()))
				.toList();
		}
		return List.of(((StatefulRedisConnection<byte[], byte[]>) connection).async().info().toCompletableFuture());
	}

	@Override
	public void suspect(RedisCall call) {
		(call.isRenewal() ? this.renewals : this.calls).replace();
	}

	/**
	 * Replace all connections for calls, because the server is a replica now.
	 */
	private void leavePrimary() {
		this.calls.replace();
		this.renewals.replace();
	}

	@Override
	public @Nullable BackendException translate(Throwable failure) {
		if (failure instanceof RedisCommandExecutionException) {
			if (RedisErrors.isOutdatedPrimary(failure.getMessage())) {
				leavePrimary();
			}
			return RedisErrors.of(failure.getMessage(), failure);
		}
		String message = "Redis is not reachable: " + failure.getMessage();
		boolean sent = !(failure instanceof RedisConnectionException)
				&& !(failure instanceof RedisException && String.valueOf(failure.getMessage()).contains("rejected"));
		return sent ? new OutcomeUnknownException(message, failure) : new BackendUnavailableException(message, failure);
	}

	/**
	 * Shut the client down in a separate thread, because that may take arbitrarily long.
	 */
	@Override
	public void close() {
		if (this.primary != null) {
			this.primary.close();
		}
		if (this.topology != null) {
			this.topology.dispose();
		}
		this.connections.forEach(ReconnectingConnection::close);
		Thread closer = DaemonThreads.create("lock-redis-close", this.factory::destroy);
		closer.start();
		DaemonThreads.awaitEnd(closer, CLOSE_TIMEOUT);
	}

}
