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

package io.github.lockspring.torture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.redis.RedisStore.Client;
import io.github.lockspring.redlock.RedlockBackend;
import io.github.lockspring.spi.LockBackend;

/**
 * Independent Redis servers.
 *
 * @param servers their addresses
 */
record RedlockStore(List<RedisStandaloneConfiguration> servers) implements Store {

	@Override
	public StoreClient connect(EngineSettings settings) {
		Map<String, RedisConnectionFactory> factories = new LinkedHashMap<>();
		this.servers.forEach((server) -> factories.put(server.getHostName() + ":" + server.getPort(),
				Client.LETTUCE.connect(server)));
		return new Connected(factories, new RedlockBackend(factories,
				RedisLockSettings.defaults().withOperationTimeout(settings.operationTimeout())));
	}

	private record Connected(Map<String, RedisConnectionFactory> factories,
			LockBackend backend) implements StoreClient {

		@Override
		public void disconnect() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			for (RedisConnectionFactory factory : this.factories.values()) {
				try {
					((DisposableBean) factory).destroy();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

	}

}
