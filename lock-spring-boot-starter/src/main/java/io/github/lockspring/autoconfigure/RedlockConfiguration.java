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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.redlock.RedlockBackend;

/**
 * Locks on a majority of independent Redis servers.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnLockBackend(LockBackendType.REDLOCK)
@ImportRuntimeHints(RedisLockRuntimeHints.class)
class RedlockConfiguration {

	@Bean(destroyMethod = "")
	RedlockBackend redlockBackend(LockProperties lockProperties) {
		LockProperties.Redlock properties = lockProperties.getRedis().getRedlock();
		if (properties.getNodes().isEmpty()) {
			throw new LockConfigurationException(
					"Locks are configured to be stored on a majority of Redis servers, but no servers are configured.",
					"Set the property lock.redis.redlock.nodes to the URLs of at least three independent servers, "
							+ "or select other backends with lock.backend and lock.additional-backends.");
		}
		return new RedlockBackend(factories(properties.getNodes()), LockSettings.of(lockProperties).redisSettings(),
				properties.getNodeTimeout());
	}

	private static Map<String, RedisConnectionFactory> factories(List<URI> nodes) {
		Map<String, RedisConnectionFactory> factories = new LinkedHashMap<>();
		for (URI node : nodes) {
			RedisNodeUrl url = new RedisNodeUrl(node);
			if (factories.put(url.name(), url.connectionFactory()) != null) {
				throw new LockConfigurationException(
						"The property lock.redis.redlock.nodes contains " + url.name() + " more than once.",
						"List each server once: a server that is counted twice does not form a majority.");
			}
		}
		return factories;
	}

}
