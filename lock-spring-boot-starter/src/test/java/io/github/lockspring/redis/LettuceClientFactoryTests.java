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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LettuceClientFactory}.
 */
class LettuceClientFactoryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final RedisConfiguration SERVER = new RedisStandaloneConfiguration("redis.example.org", 6390);

	private static final RedisConfiguration CLUSTER = new RedisClusterConfiguration(List.of("redis.example.org:6390"));

	@ParameterizedTest
	@EnumSource
	void encryptionIsKept(SslVerifyMode mode) {
		LettuceClientConfiguration original = LettuceClientConfiguration.builder()
			.useSsl()
			.verifyPeer(mode)
			.startTls()
			.build();
		withCopy(new LettuceConnectionFactory(SERVER, original), TIMEOUT, (copy) -> {
			LettuceClientConfiguration derived = copy.getClientConfiguration();
			assertThat(derived.isUseSsl()).isTrue();
			assertThat(derived.getVerifyMode()).isEqualTo(mode);
			assertThat(derived.isVerifyPeer()).isEqualTo(mode != SslVerifyMode.NONE);
			assertThat(derived.isStartTls()).isTrue();
			assertThat(uri(copy).isSsl()).isTrue();
			assertThat(uri(copy).getVerifyMode()).isEqualTo(mode);
			assertThat(uri(copy).isStartTls()).isTrue();
		});
	}

	@Test
	void encryptionWithoutStartTlsIsKept() {
		withCopy(factory(SERVER, LettuceClientConfiguration.builder().useSsl().and()), TIMEOUT, (copy) -> {
			assertThat(uri(copy).isSsl()).isTrue();
			assertThat(uri(copy).getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
			assertThat(uri(copy).isStartTls()).isFalse();
		});
	}

	@Test
	@SuppressWarnings("deprecation")
	void encryptionThatIsSetOnTheFactoryIsKept() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("redis.example.org", 6390);
		factory.setUseSsl(true);
		factory.setVerifyPeer(false);
		factory.setStartTls(true);
		factory.setClientName("orders");
		withCopy(factory, TIMEOUT, (copy) -> {
			assertThat(uri(copy).isSsl()).isTrue();
			assertThat(uri(copy).getVerifyMode()).isEqualTo(SslVerifyMode.NONE);
			assertThat(uri(copy).isStartTls()).isTrue();
			assertThat(uri(copy).getClientName()).isEqualTo("orders");
		});
	}

	@Test
	void connectionIsNotEncryptedByDefault() {
		withCopy(factory(SERVER, LettuceClientConfiguration.builder()), TIMEOUT,
				(copy) -> assertThat(uri(copy).isSsl()).isFalse());
	}

	@Test
	void otherSettingsAreKept() {
		RedisCredentialsProviderFactory credentials = mock(RedisCredentialsProviderFactory.class);
		withCopy(factory(SERVER,
				LettuceClientConfiguration.builder()
					.clientName("orders")
					.redisCredentialsProviderFactory(credentials)
					.shutdownTimeout(Duration.ofSeconds(7))),
				TIMEOUT, (copy) -> {
					LettuceClientConfiguration derived = copy.getClientConfiguration();
					assertThat(derived.getClientName()).contains("orders");
					assertThat(derived.getRedisCredentialsProviderFactory()).containsSame(credentials);
					assertThat(derived.getShutdownTimeout()).isEqualTo(Duration.ofSeconds(7));
				});
	}

	@Test
	void settingsThatAreMissingRemainMissing() {
		withCopy(factory(SERVER, LettuceClientConfiguration.builder()), TIMEOUT, (copy) -> {
			LettuceClientConfiguration derived = copy.getClientConfiguration();
			assertThat(derived.getClientName()).isEmpty();
			assertThat(derived.getRedisCredentialsProviderFactory()).isEmpty();
			assertThat(derived.getClientResources()).isEmpty();
			assertThat(derived.getShutdownTimeout())
				.isEqualTo(LettuceClientConfiguration.defaultConfiguration().getShutdownTimeout());
		});
	}

	@Test
	void optionsAreKeptExceptForThoseOfReconnects() {
		ClientOptions options = ClientOptions.builder()
			.requestQueueSize(321)
			.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(3)).build())
			.build();
		withCopy(factory(SERVER, LettuceClientConfiguration.builder().clientOptions(options)), TIMEOUT, (copy) -> {
			ClientOptions derived = client(copy).getOptions();
			assertThat(derived.getRequestQueueSize()).isEqualTo(321);
			assertThat(derived.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(3));
			assertThat(derived.isAutoReconnect()).isFalse();
			assertThat(derived.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
			assertThat(derived.getTimeoutOptions().isTimeoutCommands()).isFalse();
		});
	}

	@Test
	void optionsOfAClusterAreKeptExceptForThoseOfItsTopology() {
		ClientOptions options = ClusterClientOptions.builder().maxRedirects(9).build();
		withCopy(factory(CLUSTER, LettuceClientConfiguration.builder().clientOptions(options)), TIMEOUT, (copy) -> {
			ClusterClientOptions derived = (ClusterClientOptions) client(copy).getOptions();
			assertThat(derived.getMaxRedirects()).isEqualTo(9);
			assertThat(derived.isAutoReconnect()).isTrue();
			assertThat(derived.getTopologyRefreshOptions().isPeriodicRefreshEnabled()).isTrue();
		});
	}

	@Test
	void primaryIsAlwaysUsed() {
		withCopy(factory(SERVER, LettuceClientConfiguration.builder().readFrom(ReadFrom.REPLICA)), TIMEOUT,
				(copy) -> assertThat(copy.getClientConfiguration().getReadFrom()).isEmpty());
	}

	@Test
	void timeoutsAreThoseOfLocks() {
		LettuceClientConfigurationBuilder original = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ofMinutes(1))
			.shutdownQuietPeriod(Duration.ofSeconds(3));
		withCopy(factory(SERVER, original), TIMEOUT, (copy) -> {
			assertThat(copy.getClientConfiguration().getCommandTimeout()).isEqualTo(TIMEOUT);
			assertThat(copy.getClientConfiguration().getShutdownQuietPeriod()).isZero();
		});
		withCopy(factory(SERVER, original), Duration.ofMillis(50),
				(copy) -> assertThat(copy.getClientConfiguration().getCommandTimeout()).hasSeconds(2));
	}

	@Test
	void threadsOfTheApplicationAreShared() {
		ClientResources resources = DefaultClientResources.create();
		withCopy(factory(SERVER, LettuceClientConfiguration.builder().clientResources(resources)), TIMEOUT,
				(copy) -> assertThat(client(copy).getResources()).isSameAs(resources));
		resources.shutdown(0, 0, TimeUnit.SECONDS);
		LettuceConnectionFactory running = factory(SERVER, LettuceClientConfiguration.builder());
		running.afterPropertiesSet();
		running.start();
		withCopy(running, TIMEOUT,
				(copy) -> assertThat(client(copy).getResources()).isSameAs(client(running).getResources()));
		running.destroy();
	}

	private static LettuceConnectionFactory factory(RedisConfiguration configuration,
			LettuceClientConfigurationBuilder original) {
		return new LettuceConnectionFactory(configuration, original.build());
	}

	private static void withCopy(LettuceConnectionFactory factory, Duration timeout,
			Consumer<LettuceConnectionFactory> assertions) {
		LettuceConnectionFactory copy = LettuceClientFactory.of(factory, timeout);
		try {
			assertions.accept(copy);
		}
		finally {
			copy.destroy();
		}
	}

	private static AbstractRedisClient client(LettuceConnectionFactory factory) {
		return factory.getRequiredNativeClient();
	}

	private static RedisURI uri(LettuceConnectionFactory factory) {
		return (RedisURI) new DirectFieldAccessor(client(factory)).getPropertyValue("redisURI");
	}

}
