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

package io.github.lockspring.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import io.github.lockspring.redlock.RedlockBackend;
import io.github.lockspring.spi.LockConfigurationException;

/**
 * Configuration of locks on a majority of independent Redis servers.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnLockBackend(LockBackendType.REDLOCK)
@ImportRuntimeHints(RedisLockConfiguration.Hints.class)
class RedlockConfiguration {

	@Bean(name = "io.github.lockspring.redlockBackend", destroyMethod = "")
	RedlockBackend redlockBackend(LockProperties lockProperties, LockSettings settings) {
		RedisLockProperties.Redlock properties = lockProperties.getRedis().getRedlock();
		if (properties.getNodes().isEmpty()) {
			throw new LockConfigurationException(
					"Locks are configured to be stored on a majority of Redis servers, but no servers are configured.",
					"Set the property lock.redis.redlock.nodes to the URLs of at least three independent servers, "
							+ "or select other backends with lock.backend and lock.additional-backends.");
		}
		return new RedlockBackend(factories(properties.getNodes()), settings.redisSettings(),
				properties.getNodeTimeout());
	}

	private static Map<String, RedisConnectionFactory> factories(List<String> nodes) {
		Map<String, RedisConnectionFactory> factories = new LinkedHashMap<>();
		for (int i = 0; i < nodes.size(); i++) {
			Node url = Node.of(nodes.get(i), i);
			if (factories.put(url.name(), url.connectionFactory()) != null) {
				throw new LockConfigurationException(
						"The property lock.redis.redlock.nodes contains " + url.name() + " more than once.",
						"List each server once: a server that is counted twice does not form a majority.");
			}
		}
		return factories;
	}

	/**
	 * URL of a single Redis server, such as {@code rediss://user:password@host:6379/0}.
	 *
	 * @param url the URL
	 */
	record Node(URI url) {

		private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
				Node.class.getClassLoader());

		private static final int DEFAULT_PORT = 6379;

		private static final Pattern DATABASE = Pattern.compile("(/\\d{0,9})?");

		/**
		 * Parse a URL. A message about an invalid one does not show it, because the
		 * position of the password in it is unknown.
		 */
		static Node of(String text, int index) {
			try {
				URI url = new URI(text.strip());
				if (isComplete(url)) {
					return new Node(url);
				}
			}
			catch (URISyntaxException ex) {
				// its message would show the URL
			}
			throw new LockConfigurationException(
					"The property lock.redis.redlock.nodes[" + index + "] is not the URL of a Redis server. "
							+ "It is not shown, because it may contain a password.",
					"Use URLs such as redis://host:6379 or rediss://user:password@host:6379/0, with special characters "
							+ "in the user name and the password percent-encoded: %2F for a slash, %23 for #, "
							+ "%3F for a question mark, %40 for @, %25 for %, %2C for a comma. A host name in a URL has no "
							+ "underscore: use an alias such as redis-1, or the IP address.");
		}

		private static boolean isComplete(URI url) {
			boolean known = "redis".equals(url.getScheme()) || "rediss".equals(url.getScheme());
			return known && url.getHost() != null && url.getRawQuery() == null && url.getRawFragment() == null
					&& DATABASE.matcher(url.getRawPath()).matches();
		}

		/**
		 * Return the name of the server in messages.
		 */
		String name() {
			return this.url.getHost() + ':' + port();
		}

		private int port() {
			return (this.url.getPort() != -1) ? this.url.getPort() : DEFAULT_PORT;
		}

		/**
		 * Create a connection factory, which is not started.
		 */
		RedisConnectionFactory connectionFactory() {
			return LETTUCE ? lettuce() : jedis();
		}

		private LettuceConnectionFactory lettuce() {
			LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
			return new LettuceConnectionFactory(configuration(),
					(isEncrypted() ? client.useSsl().and() : client).build());
		}

		private JedisConnectionFactory jedis() {
			JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder();
			return new JedisConnectionFactory(configuration(),
					(isEncrypted() ? client.useSsl().and() : client).build());
		}

		private boolean isEncrypted() {
			return "rediss".equals(this.url.getScheme());
		}

		private RedisStandaloneConfiguration configuration() {
			RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.url.getHost(), port());
			String user = this.url.getRawUserInfo();
			if (user != null) {
				int colon = user.indexOf(':');
				configuration.setUsername((colon > 0) ? decode(user.substring(0, colon)) : null);
				configuration.setPassword(decode(user.substring(colon + 1)));
			}
			String database = this.url.getPath();
			if (StringUtils.hasLength(database) && database.length() > 1) {
				configuration.setDatabase(Integer.parseInt(database.substring(1)));
			}
			return configuration;
		}

		private static String decode(String text) {
			return StringUtils.uriDecode(text, StandardCharsets.UTF_8);
		}

	}

}
