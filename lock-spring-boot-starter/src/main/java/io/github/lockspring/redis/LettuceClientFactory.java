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
import java.util.Optional;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

import io.github.lockspring.support.Durations;

/**
 * Creates clients with the application's Lettuce configuration, adapted for locks:
 * commands fail immediately while there is no connection and are never resent, and all of
 * them are sent to the primary. The threads are shared with the application.
 */
final class LettuceClientFactory {

	private static final Duration MIN_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);

	private LettuceClientFactory() {
	}

	/**
	 * Create a separate factory.
	 * @param factory the factory of the application
	 * @param operationTimeout the timeout of a call
	 * @return a started factory, to be destroyed
	 */
	static LettuceConnectionFactory of(LettuceConnectionFactory factory, Duration operationTimeout) {
		LettuceConnectionFactory copy = new LettuceConnectionFactory(configuration(factory),
				derived(factory, operationTimeout));
		copy.afterPropertiesSet();
		copy.start();
		return copy;
	}

	/**
	 * Return the configuration from the field, because the getters return a local server
	 * for other types of configurations.
	 */
	static RedisConfiguration configuration(LettuceConnectionFactory factory) {
		Object configuration = new DirectFieldAccessor(factory).getPropertyValue("configuration");
		if (configuration instanceof RedisConfiguration.StaticMasterReplicaConfiguration) {
			throw new IllegalArgumentException(
					"A static list of Redis primaries and replicas is not supported for locks, "
							+ "because a failover would not be detected: use Sentinel or Cluster");
		}
		if (configuration instanceof RedisConfiguration known) {
			return known;
		}
		throw new IllegalArgumentException("Unsupported Redis configuration: " + configuration);
	}

	/**
	 * Return the configuration of the clients. It does not wait for callers when it is
	 * shut down, because there are none.
	 */
	private static LettuceClientConfiguration derived(LettuceConnectionFactory factory, Duration operationTimeout) {
		LettuceClientConfiguration original = factory.getClientConfiguration();
		ClientOptions options = original.getClientOptions().orElseGet(ClientOptions::create);
		AbstractRedisClient client = factory.isRunning() ? factory.getNativeClient() : null;
		LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.clientOptions(factory.isClusterAware() ? forCluster(options) : forServer(options))
			.commandTimeout(Durations.max(operationTimeout, MIN_TIMEOUT))
			.shutdownTimeout(original.getShutdownTimeout())
			.shutdownQuietPeriod(Duration.ZERO);
		original.getClientResources()
			.or(() -> Optional.ofNullable(client).map(AbstractRedisClient::getResources))
			.ifPresent(builder::clientResources);
		original.getClientName().filter(StringUtils::hasText).ifPresent(builder::clientName);
		original.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
		if (original.isUseSsl()) {
			LettuceSslClientConfigurationBuilder ssl = builder.useSsl().verifyPeer(original.getVerifyMode());
			return (original.isStartTls() ? ssl.startTls() : ssl).build();
		}
		return builder.build();
	}

	private static ClientOptions forServer(ClientOptions options) {
		return failAtOnce(options.mutate()).autoReconnect(false).build();
	}

	private static ClientOptions forCluster(ClientOptions options) {
		ClusterClientOptions.Builder cluster = (options instanceof ClusterClientOptions own) ? own.mutate()
				: ClusterClientOptions.builder(options);
		failAtOnce(cluster).autoReconnect(true);
		return cluster
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
				.enablePeriodicRefresh(TOPOLOGY_REFRESH)
				.enableAllAdaptiveRefreshTriggers()
				.adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
				.build())
			.build();
	}

	private static ClientOptions.Builder failAtOnce(ClientOptions.Builder options) {
		return options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.replayFilter((command) -> true)
			.timeoutOptions(TimeoutOptions.create());
	}

}
