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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.Disposable;

import io.github.lockspring.support.DaemonThreads;

/**
 * {@link RedisDriver} for Lettuce. The client is a separate one, configured like the
 * application's, because commands must fail immediately when the connection is lost
 * instead of being resent later.
 */
final class LettuceDriver implements RedisDriver {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	private static final ByteArrayCodec CODEC = ByteArrayCodec.INSTANCE;

	private final LettuceConnectionFactory factory;

	private final AbstractRedisClient client;

	private final String address;

	/**
	 * Address of the servers, without a cluster.
	 */
	private final @Nullable RedisURI uri;

	private final AtomicLong usedNanos = new AtomicLong(System.nanoTime());

	private @Nullable Disposable topology;

	LettuceDriver(LettuceConnectionFactory applications, Duration operationTimeout) {
		this.factory = LettuceClientFactory.of(applications, operationTimeout);
		this.client = this.factory.getRequiredNativeClient();
		this.address = RedisAddress.of(LettuceClientFactory.configuration(applications));
		this.uri = (this.client instanceof RedisClient server) ? configured(server) : null;
	}

	/**
	 * Return the address of a client from its field, because it has no accessor.
	 */
	private static @Nullable RedisURI configured(RedisClient client) {
		return (RedisURI) new DirectFieldAccessor(client).getPropertyValue("redisURI");
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
	public int maxLinks() {
		return 1;
	}

	@Override
	public List<RedisNode> sentinels() {
		return (this.uri != null) ? this.uri.getSentinels().stream().map(LettuceDriver::node).toList() : List.of();
	}

	private static RedisNode node(RedisURI uri) {
		return new RedisNode(uri.getHost(), uri.getPort());
	}

	@Override
	public String primaryName() {
		return (this.uri != null) ? String.valueOf(this.uri.getSentinelMasterId()) : "";
	}

	/**
	 * Detect changes of the primaries. The client itself disconnects from servers that
	 * are no longer primaries.
	 */
	@Override
	public void start(Runnable failedOver) {
		if (isCluster()) {
			this.topology = this.client.getResources()
				.eventBus()
				.get()
				.filter((event) -> event instanceof ClusterTopologyChangedEvent change && isFailover(change))
				.subscribe((event) -> failedOver.run());
		}
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

	@Override
	public RedisLink connect(@Nullable RedisNode server, boolean forMessages) {
		if (this.client instanceof RedisClusterClient cluster) {
			if (forMessages) {
				return link(cluster.connectPubSub(CODEC));
			}
			return link(() -> {
				cluster.refreshPartitions();
				return cluster.connect(CODEC);
			});
		}
		RedisURI uri = uri(server);
		RedisClient client = (RedisClient) this.client;
		return forMessages ? link(client.connectPubSub(CODEC, uri)) : link(() -> client.connect(CODEC, uri));
	}

	private RedisURI uri(@Nullable RedisNode server) {
		RedisURI uri = this.uri;
		if (uri == null) {
			throw new IllegalStateException("The client has no address");
		}
		return (server != null)
				? RedisURI.builder(uri).withHost(server.getRequiredHost()).withPort(server.getRequiredPort()).build()
				: uri;
	}

	/**
	 * Connect, and once more if Lettuce does not report the reason of a failure: the
	 * server rejected the handshake before Lettuce has looked for it.
	 */
	private RedisLink link(Supplier<StatefulConnection<byte[], byte[]>> connector) {
		try {
			return link(connector.get());
		}
		catch (RedisConnectionException ex) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			if (cause instanceof IllegalStateException
					&& String.valueOf(cause.getMessage()).startsWith("RedisHandshakeHandler")) {
				return link(connector.get());
			}
			throw ex;
		}
	}

	private RedisLink link(StatefulConnection<byte[], byte[]> connection) {
		return new LettuceLink(connection, this.usedNanos);
	}

	@Override
	public RedisLink connectSentinel(RedisNode sentinel, boolean forMessages) {
		RedisURI uri = uri(null).getSentinels()
			.stream()
			.filter((candidate) -> node(candidate).equals(sentinel))
			.findFirst()
			.orElseThrow();
		RedisClient client = (RedisClient) this.client;
		return link(forMessages ? client.connectPubSub(CODEC, uri) : client.connectSentinel(CODEC, uri));
	}

	@Override
	public void follow(RedisLink link, Runnable lost) {
		((LettuceLink) link).whenLost(lost);
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	public boolean isError(Throwable failure) {
		return failure instanceof RedisCommandExecutionException;
	}

	@Override
	public boolean isUnsent(Throwable failure) {
		return failure instanceof RedisConnectionException
				|| (failure instanceof RedisException && String.valueOf(failure.getMessage()).contains("rejected"));
	}

	/**
	 * Shut the client down in a separate thread, because that may take arbitrarily long.
	 */
	@Override
	public void close() {
		if (this.topology != null) {
			this.topology.dispose();
		}
		CompletableFuture<Void> end = new CompletableFuture<>();
		DaemonThreads.create("lock-redis-close", () -> {
			this.factory.destroy();
			end.complete(null);
		}).start();
		try {
			end.get(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The connections to Redis are not closed yet");
		}
	}

}
