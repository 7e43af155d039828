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

import org.springframework.aop.framework.Advised;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Creates the adapter for the client library of the application.
 */
final class RedisClientAdapters {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisClientAdapters.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Connection",
			RedisClientAdapters.class.getClassLoader());

	private static final String REMEDY = """
			Define one for the locks, with the address of the server, beside that of the application:

				@Bean(defaultCandidate = false)
				LettuceConnectionFactory lockConnectionFactory() {
					return new LettuceConnectionFactory("localhost", 6379);
				}

			and set the property lock.redis.connection-factory to its name, lockConnectionFactory. \
			Lettuce is the dependency io.lettuce:lettuce-core. Or select another backend with lock.backend.""";

	private RedisClientAdapters() {
	}

	/**
	 * Create an adapter.
	 * @param bean the application's connection factory, of Lettuce or Jedis
	 * @param operationTimeout the timeout of a call
	 * @return the adapter, to be started
	 */
	static RedisClientAdapter of(RedisConnectionFactory bean, Duration operationTimeout) {
		Object factory = target(bean);
		if (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceClientAdapter(lettuce, operationTimeout);
		}
		if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
			return new JedisClientAdapter(jedis, operationTimeout);
		}
		throw new LockConfigurationException(
				"Locks in Redis need a LettuceConnectionFactory or a JedisConnectionFactory, "
						+ "whose settings are used for dedicated connections, not a " + factory.getClass().getName()
						+ '.',
				REMEDY);
	}

	/**
	 * Return the target of a proxy, whose own fields are empty.
	 */
	private static Object target(Object bean) {
		Object target = bean;
		try {
			while (target instanceof Advised proxy) {
				target = proxy.getTargetSource().getTarget();
			}
			return (target != null) ? target : bean;
		}
		catch (Exception ex) {
			throw new IllegalStateException(
					"The Redis connection factory behind the proxy " + bean + " could not be obtained", ex);
		}
	}

}
