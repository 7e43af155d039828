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
package io.github.lockspring.benchmarks.store;

import org.junit.jupiter.api.Test;

import io.github.lockspring.server.RedisConnection;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisCommandCount}.
 */
class RedisCommandCountTests {

	@Test
	void commandsOfScriptsAreCountedApart() {
		try (RedisServer server = RedisServer.start();
				RedisConnection connection = server.connect();
				RedisCommandCount count = new RedisCommandCount(server)) {
			connection.command("EVAL", "redis.call('GET', KEYS[1]) return redis.call('GET', KEYS[1])", "1", "key");
			connection.command("GET", "key");
			assertThat(count.soFar()).isEqualTo(2);
			assertThat(count.inScripts()).isEqualTo(2);
		}
	}

}
