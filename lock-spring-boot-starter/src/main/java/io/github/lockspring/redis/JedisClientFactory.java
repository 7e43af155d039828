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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
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
import redis.clients.jedis.providers.ClusterConnectionProvider;

import io.github.lockspring.support.Durations;

/**
 * Creates connections with the application's Jedis configuration, but separate timeouts,
 * and tracks all of them: connections whose call has exceeded its deadline are closed.
 */
final class JedisClientFactory implements Runnable, AutoCloseable {

	private static final Duration MIN_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);

	private final JedisConnectionFactory factory;

	private final Duration timeout;

	private final JedisClientConfig config;

	private final Set<JedisLink> links = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	JedisClientFactory(JedisConnectionFactory factory, Duration operationTimeout) {
		this.factory = factory;
		this.timeout = Durations.max(operationTimeout, MIN_TIMEOUT);
		this.config = serverConfig();
	}

	private JedisClientConfig serverConfig() {
		RedisConfiguration servers = servers();
		return config(RedisConfiguration.getDatabaseOrElse(servers, () -> 0),
				RedisConfiguration.getUsernameOrElse(servers, () -> ""),
				RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none));
	}

	private RedisConfiguration servers() {
		RedisConfiguration cluster = this.factory.getClusterConfiguration();
		RedisConfiguration sentinel = sentinel();
		return (cluster != null) ? cluster : (sentinel != null) ? sentinel : standalone();
	}

	@Nullable RedisSentinelConfiguration sentinel() {
		return this.factory.getSentinelConfiguration();
	}

	RedisStandaloneConfiguration standalone() {
		RedisStandaloneConfiguration server = this.factory.getStandaloneConfiguration();
		return (server != null) ? server : new RedisStandaloneConfiguration();
	}

	/**
	 * Create the configuration in the same way as the factory of the application.
	 */
	@SuppressWarnings("deprecation") // Spring Data Redis 4.0 has only getCustomizer()
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
		original.getCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		int millis = (int) Math.min(Math.max(1, this.timeout.toMillis()), Integer.MAX_VALUE);
		return builder.connectionTimeoutMillis(millis).socketTimeoutMillis(millis).build();
	}

	/**
	 * Return the address of the servers, for messages.
	 */
	String address() {
		return RedisAddress.of(servers());
	}

	/**
	 * Return the timeout for a server when no caller waits.
	 */
	Duration timeout() {
		return this.timeout;
	}

	List<HostAndPort> clusterNodes() {
		RedisClusterConfiguration cluster = this.factory.getClusterConfiguration();
		return (cluster != null) ? cluster.getClusterNodes().stream().map(JedisClientFactory::address).toList()
				: List.of();
	}

	static HostAndPort address(RedisNode node) {
		return new HostAndPort(node.getRequiredHost(), node.getRequiredPort());
	}

	/**
	 * Connect to a server.
	 */
	JedisLink open(HostAndPort address, int epoch) {
		return track(new JedisLink(address, this.config, epoch));
	}

	/**
	 * Query nodes of a cluster for its slots.
	 * @throws redis.clients.jedis.exceptions.JedisException if none of them responds
	 */
	ClusterConnectionProvider cluster(Set<HostAndPort> candidates) {
		return new ClusterConnectionProvider(candidates, this.config);
	}

	/**
	 * Connect to a sentinel.
	 */
	JedisLink openSentinel(HostAndPort address, RedisSentinelConfiguration sentinel) {
		return track(
				new JedisLink(address, config(0, sentinel.getSentinelUsername(), sentinel.getSentinelPassword()), 0));
	}

	private JedisLink track(JedisLink link) {
		this.links.add(link);
		if (this.closed) {
			link.cut();
			throw new JedisConnectionException("The client is closed");
		}
		return link;
	}

	/**
	 * Close connections even if they are in use.
	 */
	void cut(Predicate<JedisLink> which) {
		this.links.stream().filter(which).forEach((link) -> {
			link.setBroken();
			link.cut();
		});
	}

	/**
	 * Check the deadlines until the thread is interrupted.
	 */
	@Override
	public void run() {
		try {
			while (!this.closed) {
				Thread.sleep(WATCH_INTERVAL.toMillis());
				this.links.removeIf(JedisLink::isBroken);
				this.links.forEach(JedisLink::cutIfOverdue);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.links.forEach(JedisLink::cut);
	}

}
