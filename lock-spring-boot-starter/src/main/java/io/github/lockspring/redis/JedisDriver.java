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
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;

/**
 * {@link RedisDriver} for Jedis, with its connections, but without its pools, because
 * every call has a deadline and is never repeated. Connections on which a call cannot be
 * written in time are closed.
 */
final class JedisDriver implements RedisDriver {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final int MAX_LINKS = 8;

	private static final Duration MIN_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration MAX_PAUSE = Duration.ofMillis(500);

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

	private static final Duration SILENCE = Duration.ofSeconds(2);

	private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.named("lock-redis-jedis-"));

	private final JedisConnectionFactory factory;

	private final RedisConfiguration servers;

	private final Duration timeout;

	private final JedisClientConfig config;

	private final @Nullable JedisSlots slots;

	private final Set<JedisLink> links = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	JedisDriver(JedisConnectionFactory factory, Duration operationTimeout) {
		this.factory = factory;
		this.servers = configuration(factory);
		this.timeout = Durations.max(operationTimeout, MIN_TIMEOUT);
		WithAuthentication login = (WithAuthentication) this.servers;
		this.config = config(RedisConfiguration.getDatabaseOrElse(this.servers, () -> 0), login.getUsername(),
				login.getPassword());
		this.slots = (this.servers instanceof RedisClusterConfiguration cluster) ? new JedisSlots(address(),
				cluster.getClusterNodes().stream().map(JedisDriver::address).toList(), this.config) : null;
	}

	/**
	 * Return the configuration of the servers of a factory.
	 */
	static RedisConfiguration configuration(JedisConnectionFactory factory) {
		RedisConfiguration cluster = factory.getClusterConfiguration();
		RedisConfiguration sentinel = factory.getSentinelConfiguration();
		RedisConfiguration server = factory.getStandaloneConfiguration();
		return (cluster != null) ? cluster
				: (sentinel != null) ? sentinel : (server != null) ? server : new RedisStandaloneConfiguration();
	}

	/**
	 * Create the configuration in the same way as the factory of the application.
	 */
	private JedisClientConfig config(int database, @Nullable String user, RedisPassword password) {
		JedisClientConfiguration original = this.factory.getClientConfiguration();
		DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder().database(database);
		if (user != null && !user.isEmpty()) {
			builder.user(user);
		}
		password.toOptional().map(String::new).ifPresent(builder::password);
		original.getClientName().ifPresent(builder::clientName);
		if (original.isUseSsl()) {
			builder.ssl(true);
			original.getSslSocketFactory().ifPresent(builder::sslSocketFactory);
			original.getSslParameters().ifPresent(builder::sslParameters);
			original.getHostnameVerifier().ifPresent(builder::hostnameVerifier);
		}
		original.getClientConfigCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		int millis = (int) Math.min(Math.max(1, this.timeout.toMillis()), Integer.MAX_VALUE);
		return builder.connectionTimeoutMillis(millis).socketTimeoutMillis(millis).build();
	}

	@Override
	public String address() {
		return RedisAddress.of(this.servers);
	}

	@Override
	public boolean isCluster() {
		return this.slots != null;
	}

	@Override
	public int maxLinks() {
		return isCluster() ? 1 : MAX_LINKS;
	}

	@Override
	public List<RedisNode> sentinels() {
		return (this.servers instanceof RedisSentinelConfiguration sentinel) ? List.copyOf(sentinel.getSentinels())
				: List.of();
	}

	@Override
	public String primaryName() {
		NamedNode primary = (this.servers instanceof RedisSentinelConfiguration sentinel) ? sentinel.getMaster() : null;
		return (primary != null) ? String.valueOf(primary.getName()) : "";
	}

	@Override
	public void start(Runnable failedOver) {
		this.threads.execute(this::watch);
		if (this.slots != null) {
			this.slots.start(failedOver);
		}
	}

	@Override
	public RedisLink connect(@Nullable RedisNode server, boolean forMessages) {
		JedisSlots slots = this.slots;
		if (slots != null) {
			return forMessages ? connect(any(slots)) : new JedisClusterLink(slots, this::links, this.timeout);
		}
		if (server != null) {
			return connect(address(server));
		}
		RedisStandaloneConfiguration single = (RedisStandaloneConfiguration) this.servers;
		return connect(new HostAndPort(single.getHostName(), single.getPort()));
	}

	private RedisLinks links(HostAndPort address) {
		return new RedisLinks(MAX_LINKS, (i) -> new ReconnectingConnection<>(address.toString(), () -> connect(address),
				RedisLink::isOpen, RedisLink::close, MAX_PAUSE, null));
	}

	private HostAndPort any(JedisSlots slots) {
		List<HostAndPort> candidates = new ArrayList<>(slots.primaries(this.timeout));
		Collections.shuffle(candidates);
		return candidates.get(0);
	}

	private static HostAndPort address(RedisNode node) {
		return new HostAndPort(node.getRequiredHost(), node.getRequiredPort());
	}

	private JedisLink connect(HostAndPort address) {
		return track(new JedisLink(address, this.config));
	}

	@Override
	public RedisLink connectSentinel(RedisNode sentinel, boolean forMessages) {
		RedisSentinelConfiguration login = (RedisSentinelConfiguration) this.servers;
		return track(
				new JedisLink(address(sentinel), config(0, login.getSentinelUsername(), login.getSentinelPassword())));
	}

	private JedisLink track(JedisLink link) {
		this.links.add(link);
		if (this.closed) {
			link.close();
			throw new JedisConnectionException("The client is closed");
		}
		return link;
	}

	/**
	 * Close connections with overdue calls until the thread is interrupted.
	 */
	private void watch() {
		try {
			while (!this.closed) {
				Thread.sleep(WATCH_INTERVAL.toMillis());
				this.links.removeIf((link) -> !link.isOpen());
				this.links.forEach(JedisLink::closeIfOverdue);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void follow(RedisLink link, Runnable lost) {
		execute(() -> {
			read((JedisLink) link);
			link.close();
			lost.run();
		});
	}

	/**
	 * Read messages until the connection is lost. A server that sends none for some time
	 * is checked.
	 */
	private void read(JedisLink link) {
		CompletableFuture<Void> never = new CompletableFuture<>();
		while (link.isOpen() && (this.slots == null || this.slots.contains(link.address()))) {
			link.drive(never, Deadline.after(SILENCE));
			if (link.isOpen() && link.idleNanos() >= SILENCE.toNanos()) {
				long deadline = Deadline.after(SILENCE);
				CompletableFuture<RedisReply> pong = link.ask(deadline, "PING");
				link.drive(pong, deadline);
				if (!pong.isDone()) {
					return;
				}
			}
		}
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The client no longer accepts calls");
		}
	}

	@Override
	public boolean isError(Throwable failure) {
		return failure instanceof JedisDataException;
	}

	@Override
	public boolean isUnsent(Throwable failure) {
		return false;
	}

	/**
	 * Close the connections first, which wakes the threads that read from them.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.links.forEach(JedisLink::close);
		if (this.slots != null) {
			this.slots.close();
		}
		this.threads.shutdownNow();
	}

}
