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

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.protocol.RedisHandshakeHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link RedisClientAdapters}.
 */
class RedisClientAdaptersServerTests {

	@Test
	void clientOfTheApplicationIsUsed() {
		assertThat(of(new LettuceConnectionFactory())).isEqualTo(LettuceClientAdapter.class);
		assertThat(of(new JedisConnectionFactory())).isEqualTo(JedisClientAdapter.class);
	}

	private static Class<?> of(RedisConnectionFactory factory) {
		try (RedisClientAdapter adapter = RedisClientAdapters.of(factory, Duration.ofSeconds(5))) {
			return adapter.getClass();
		}
	}

	@Test
	void proxyOfFactoryIsSeenThrough() {
		for (boolean ofClass : new boolean[] { true, false }) {
			assertThat(of(proxy(new LettuceConnectionFactory(), ofClass))).isEqualTo(LettuceClientAdapter.class);
			assertThat(of(proxy(new JedisConnectionFactory(), ofClass))).isEqualTo(JedisClientAdapter.class);
			assertThat(of(proxy(proxy(new LettuceConnectionFactory(), true), ofClass)))
				.isEqualTo(LettuceClientAdapter.class);
		}
	}

	private static RedisConnectionFactory proxy(RedisConnectionFactory factory, boolean ofClass) {
		ProxyFactory proxy = new ProxyFactory(factory);
		proxy.setProxyTargetClass(ofClass);
		return (RedisConnectionFactory) proxy.getProxy();
	}

	@Test
	void otherClientIsRejected() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> of(mock(RedisConnectionFactory.class)))
			.withMessageContaining("LettuceConnectionFactory")
			.withMessageContaining("JedisConnectionFactory");
	}

	@Test
	void fixedListOfReplicasIsRejected() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration("localhost").node("example.org"));
		assertThatIllegalArgumentException().isThrownBy(() -> of(factory)).withMessageContaining("use Sentinel");
	}

	@Test
	@Timeout(300)
	void lettuceConnectsInTheBackgroundAtStart() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(silent.getInetAddress().getHostAddress(),
					silent.getLocalPort());
			factory.afterPropertiesSet();
			try (RedisClientAdapter adapter = RedisClientAdapters.of(factory, Duration.ofMinutes(1))) {
				RedisChannel channel = mock(RedisChannel.class);
				adapter.start(channel, Duration.ofMinutes(1));
				silent.accept().close();
				verify(channel, never()).listening();
			}
			factory.destroy();
		}
	}

	/**
	 * Lettuce looks for the handshake of a connection when that may have ended already.
	 */
	@Test
	void lettuceConnectsAgainWhenItHasMissedTheHandshake() {
		AtomicInteger connections = new AtomicInteger();
		ClientResources resources = ClientResources.builder().nettyCustomizer(new NettyCustomizer() {

			@Override
			public void afterChannelInitialized(Channel channel) {
				if (connections.incrementAndGet() == 1) {
					channel.pipeline().remove(RedisHandshakeHandler.class);
				}
			}

		}).build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				LettuceConnectionFactory.createRedisConfiguration(RedisServer.shared().uri().toString()),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		factory.afterPropertiesSet();
		try (RedisClientAdapter adapter = RedisClientAdapters.of(factory, Duration.ofMinutes(1))) {
			assertThat(adapter.info(Duration.ofMinutes(1))).isNotEmpty();
		}
		factory.destroy();
		resources.shutdown().awaitUninterruptibly();
		assertThat(connections).hasValueGreaterThan(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Timeout(300)
	void serverThatDoesNotAnswerIsNotAwaited(boolean lettuce) {
		Duration timeout = Duration.ofMillis(200);
		try (RedisServer server = RedisServer.start()) {
			RedisConnectionFactory factory = lettuce ? new LettuceConnectionFactory(server.host(), server.port())
					: new JedisConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()));
			try (RedisClientAdapter adapter = RedisClientAdapters.of(factory, Duration.ofMinutes(1))) {
				adapter.start(mock(RedisChannel.class), Duration.ofMinutes(1));
				assertThat(adapter.info(Duration.ofMinutes(1))).singleElement(InstanceOfAssertFactories.STRING)
					.contains("redis_version");
				server.pause();
				assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> adapter.info(timeout));
				server.resume();
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "lettuce-core, jedis.JedisConnectionFactory, JedisClientAdapter",
			"/jedis-7, lettuce.LettuceConnectionFactory, LettuceClientAdapter" })
	void otherClientMayBeMissing(String missing, String factory, String adapter) throws Exception {
		try (URLClassLoader without = new URLClassLoader(classPathWithout(missing),
				ClassLoader.getPlatformClassLoader())) {
			assertThat(adapter(without, factory).getClass().getSimpleName()).isEqualTo(adapter);
		}
	}

	private static URL[] classPathWithout(String part) {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains(part))
			.map(RedisClientAdaptersServerTests::url)
			.toArray(URL[]::new);
	}

	private static URL url(String entry) {
		try {
			return new File(entry).toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Object adapter(ClassLoader loader, String factory) throws Exception {
		Object application = loader.loadClass("org.springframework.data.redis.connection." + factory)
			.getConstructor()
			.newInstance();
		Method of = loader.loadClass(RedisClientAdapters.class.getName())
			.getDeclaredMethod("of", loader.loadClass(RedisConnectionFactory.class.getName()), Duration.class);
		of.setAccessible(true);
		try {
			Object adapter = of.invoke(null, application, Duration.ofSeconds(1));
			Method close = adapter.getClass().getDeclaredMethod("close");
			close.setAccessible(true);
			close.invoke(adapter);
			return adapter;
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

}
