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

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.TimeSource;

/**
 * A process that uses an engine as an application does: with connections, threads and an
 * identity of its own.
 */
final class EngineProcess implements AutoCloseable {

	/**
	 * The name of its connections.
	 */
	static final String CLIENT_NAME = "lock-engine-of-a-test";

	final Queue<Long> lostTokens = new ConcurrentLinkedQueue<>();

	final RedisLockBackend backend;

	final LockEngine engine;

	private final LettuceConnectionFactory factory;

	EngineProcess(RedisConfiguration configuration, EngineSettings settings) {
		this.factory = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().clientName(CLIENT_NAME).build());
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.backend = new RedisLockBackend(this.factory,
				RedisLockSettings.defaults().withOperationTimeout(settings.operationTimeout()));
		this.engine = new LockEngine(this.backend, settings, new EngineListener() {

			@Override
			public void lost(String key, long token) {
				EngineProcess.this.lostTokens.add(token);
			}

		}, TimeSource.SYSTEM);
	}

	/**
	 * Loses all connections without a word, as a process does that is killed.
	 */
	void disconnect() {
		this.backend.disconnect();
	}

	@Override
	public void close() {
		this.engine.close();
		this.factory.destroy();
	}

}
