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

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.ServerProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClockShim}, with a server that is linked statically.
 */
class ClockShimServerTests {

	@AfterEach
	void startServersAsUsual() {
		ServerProcess.setPrefix(List.of());
	}

	@Test
	void wallClockOfServerJumpsAlsoAfterRestart(@TempDir Path folder) {
		ClockShim clocks = new ClockShim(folder);
		Assumptions.assumeTrue(clocks.isAvailable());
		ServerProcess.setPrefix(clocks.prefix("server"));
		try (RedisServer server = RedisServer.start()) {
			clocks.set("server", 10_000);
			assertThat(secondsAhead(server)).isBetween(9_000L, 11_000L);
			server.restart();
			assertThat(secondsAhead(server)).isBetween(9_000L, 11_000L);
			clocks.set("server", -10_000);
			assertThat(secondsAhead(server)).isBetween(-11_000L, -9_000L);
		}
	}

	private static long secondsAhead(RedisServer server) {
		List<?> time = (List<?>) server.command("TIME");
		return Long.parseLong((String) time.get(0)) - Instant.now().getEpochSecond();
	}

}
