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

/**
 * Tells a native image of the scripts, of the classes by which the clients are known to
 * be there, and of the configuration that is read from a factory of Lettuce.
 */
final class RedisLockRuntimeHints implements RuntimeHintsRegistrar {

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
