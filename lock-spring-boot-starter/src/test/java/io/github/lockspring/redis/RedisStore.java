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

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.Leftovers;
import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.server.RedisConnection;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis, for processes of tests.
 *
 * @param configuration the address
 * @param client how to get there
 * @param ports ports to which connections to others lead, with Lettuce
 */
public record RedisStore(RedisConfiguration configuration, Client client,
		Map<Integer, Integer> ports) implements Store {

	private static final String CLIENT_NAME = "lock-engine-of-a-test";

	/**
	 * Ten seconds, and the minute for which tokens lead the clock after a failover.
	 */
	private static final long MAX_MILLIS = 71_000;

	/**
	 * Creates a store that processes connect to with Lettuce.
	 * @param configuration the address
	 */
	public RedisStore(RedisConfiguration configuration) {
		this(configuration, Client.LETTUCE);
	}

	/**
	 * Creates a store.
	 * @param configuration the address
	 * @param client how to get there
	 */
	public RedisStore(RedisConfiguration configuration, Client client) {
		this(configuration, client, Map.of());
	}

	static RedisStore on(RedisServer server) {
		return new RedisStore(RedisProcess.configuration(server));
	}

	@Override
	public StoreClient connect(EngineSettings settings) {
		return new Connected(this.client.connect(this.configuration, this.ports), settings);
	}

	/**
	 * Waits until processes that have just started ask the server for nothing more.
	 */
	static void awaitSetup() {
		FaultRun.eventually().until(() -> !Leftovers.threads().contains("lock-redis-setup"));
	}

	/**
	 * Asserts that processes that have ended have left no connection, no subscription and
	 * no key on servers, but for records of the last token, which expire soon.
	 */
	static void assertNothingLeft(RedisServer... servers) {
		for (RedisServer server : servers) {
			assertNothingLeftOn(server, (key) -> false);
		}
	}

	/**
	 * Asserts the same, but for values.
	 */
	public static void assertOnlyValuesLeft(RedisServer... servers) {
		for (RedisServer server : servers) {
			assertNothingLeftOn(server, (key) -> key.endsWith(":value"));
		}
	}

	private static void assertNothingLeftOn(RedisServer server, Predicate<String> allowed) {
		try (RedisConnection connection = server.connect()) {
			assertThat((String) connection.command("CLIENT", "LIST")).doesNotContain(CLIENT_NAME);
			assertThat((List<?>) connection.command("PUBSUB", "CHANNELS", "lock:*")).isEmpty();
			if (server.info("replication").get("role").equals("master")) {
				((List<?>) connection.command("KEYS", "*")).stream()
					.map(String::valueOf)
					.filter(allowed.negate())
					.forEach((key) -> assertIsLastToken(connection, key));
			}
		}
	}

	private static void assertIsLastToken(RedisConnection connection, String key) {
		assertThat(key).matches(".*}(:mark)?");
		Object record = connection.command("HGET", key, "state");
		assertThat(record == null || record.toString().matches("1 \\d+")).as(key + "=" + record).isTrue();
		assertThat((Long) connection.command("HLEN", key)).isLessThanOrEqualTo(1L);
		assertThat((Long) connection.command("PTTL", key)).isNotEqualTo(-1L).isLessThanOrEqualTo(MAX_MILLIS);
	}

	/**
	 * The library of the application.
	 */
	public enum Client {

		LETTUCE, JEDIS;

		/**
		 * Create connections.
		 * @param configuration the address
		 * @return the connections, to be destroyed
		 */
		public RedisConnectionFactory connect(RedisConfiguration configuration) {
			return connect(configuration, Map.of());
		}

		private RedisConnectionFactory connect(RedisConfiguration configuration, Map<Integer, Integer> ports) {
			return (this == LETTUCE) ? lettuce(configuration, ports) : jedis(configuration);
		}

		private static LettuceConnectionFactory lettuce(RedisConfiguration configuration, Map<Integer, Integer> ports) {
			LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder().clientName(CLIENT_NAME);
			if (!ports.isEmpty()) {
				client.clientResources(redirecting(ports));
			}
			LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration, client.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

		/**
		 * Clients learn addresses from servers, and connect to those of proxies.
		 */
		private static ClientResources redirecting(Map<Integer, Integer> ports) {
			Function<HostAndPort, HostAndPort> proxy = (server) -> HostAndPort.of(server.getHostText(),
					ports.getOrDefault(server.getPort(), server.getPort()));
			return ClientResources.builder().socketAddressResolver(MappingSocketAddressResolver.create(proxy)).build();
		}

		private static JedisConnectionFactory jedis(RedisConfiguration configuration) {
			JedisClientConfiguration client = JedisClientConfiguration.builder().clientName(CLIENT_NAME).build();
			if (configuration instanceof RedisSentinelConfiguration sentinel) {
				return new JedisConnectionFactory(sentinel, client);
			}
			if (configuration instanceof RedisClusterConfiguration cluster) {
				return new JedisConnectionFactory(cluster, client);
			}
			return new JedisConnectionFactory((RedisStandaloneConfiguration) configuration, client);
		}

	}

	private static final class Connected implements StoreClient {

		private final RedisConnectionFactory factory;

		private final RedisLockBackend backend;

		Connected(RedisConnectionFactory factory, EngineSettings settings) {
			this.factory = factory;
			this.backend = new RedisLockBackend(this.factory,
					RedisLockSettings.defaults().withOperationTimeout(settings.operationTimeout()));
		}

		@Override
		public LockBackend backend() {
			return this.backend;
		}

		@Override
		public void disconnect() {
			this.backend.disconnect();
		}

		@Override
		public void close() {
			try {
				((DisposableBean) this.factory).destroy();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
