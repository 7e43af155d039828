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

package io.github.lockspring.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.RedisServer;

/**
 * Tests for {@link ReconnectingConnection}.
 */
class ReconnectingConnectionTests {

	private static final int ATTEMPTS = 100;

	/**
	 * A client that is shut down does not always complete a pending connection.
	 */
	@Test
	void pendingConnectionIsCancelledByClose() throws InterruptedException {
		for (int i = 0; i < ATTEMPTS; i++) {
			RedisClient client = RedisClient.create(RedisServer.shared().uri().toString());
			ReconnectingConnection<StatefulRedisConnection<String, String>> connections = new ReconnectingConnection<>(
					"pending", client::connect, StatefulConnection::isOpen, StatefulConnection::closeAsync,
					Duration.ofSeconds(1));
			connections.renew();
			TimeUnit.MICROSECONDS.sleep(i * 60L);
			connections.close();
			client.shutdownAsync(0, 0, TimeUnit.SECONDS);
		}
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("lock-redis-pending")));
	}

}
