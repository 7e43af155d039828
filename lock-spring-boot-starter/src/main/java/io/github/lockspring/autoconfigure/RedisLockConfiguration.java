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

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.redis.RedisLockBackend;

/**
 * Configuration of locks in Redis.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnLockBackend(value = LockBackendType.REDIS, client = RedisConnectionFactory.class)
@ImportRuntimeHints(RedisLockConfiguration.Hints.class)
class RedisLockConfiguration {

	private static final ClientBeanSelector<RedisConnectionFactory> CLIENT = new ClientBeanSelector<>(
			RedisConnectionFactory.class, "Redis connection factory", "Redis", "lock.redis.connection-factory",
			"spring.data.redis.host");

	@Bean(name = "io.github.lockspring.redisLockBackend", destroyMethod = "")
	RedisLockBackend redisLockBackend(LockProperties lockProperties, LockSettings settings,
			ListableBeanFactory beanFactory) {
		RedisConnectionFactory factory = CLIENT.requireOne(beanFactory,
				lockProperties.getRedis().getConnectionFactory());
		return new RedisLockBackend(factory, settings.redisSettings());
	}

	/**
	 * Hints for the scripts, for the classes by which the clients are detected, and for
	 * the configuration that is read from a connection factory of Lettuce.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/github/lockspring/redis/*.lua");
			ReflectionHints reflection = hints.reflection();
			reflection.registerTypeIfPresent(classLoader, "redis.clients.jedis.Connection");
			reflection.registerTypeIfPresent(classLoader, "io.lettuce.core.RedisClient",
					(type) -> type.withField("redisURI"));
			reflection.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					(type) -> type.withField("configuration"));
		}

	}

}
