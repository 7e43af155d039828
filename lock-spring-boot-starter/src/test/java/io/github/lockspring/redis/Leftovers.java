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

import java.util.List;

import io.github.lockspring.server.RedisConnection;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What processes that have ended may leave: no thread; no connection, no subscription and
 * no key on a server, but for records of the last token, which expire soon.
 */
final class Leftovers {

	private static final long LONGEST_MILLIS = 11_000;

	private final List<String> threadsBefore = threads();

	/**
	 * The names of our threads.
	 */
	static List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter(Thread::isAlive)
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-"))
			.sorted()
			.toList();
	}

	void assertNone(RedisServer... servers) {
		FaultRun.eventually().untilAsserted(() -> assertThat(threads()).isEqualTo(this.threadsBefore));
		for (RedisServer server : servers) {
			FaultRun.eventually().untilAsserted(() -> assertNoneOn(server));
		}
	}

	private static void assertNoneOn(RedisServer server) {
		try (RedisConnection connection = server.connect()) {
			assertThat((String) connection.command("CLIENT", "LIST")).doesNotContain(EngineProcess.CLIENT_NAME);
			assertThat((List<?>) connection.command("PUBSUB", "CHANNELS", "lock:*")).isEmpty();
			if (server.info("replication").get("role").equals("master")) {
				List<?> keys = (List<?>) connection.command("KEYS", "*");
				keys.forEach((key) -> assertIsLastToken(connection, String.valueOf(key)));
			}
		}
	}

	private static void assertIsLastToken(RedisConnection connection, String key) {
		assertThat(key).endsWith("}");
		Object record = connection.command("GET", key);
		assertThat(record == null || record.toString().matches("1 \\d+")).as(key + "=" + record).isTrue();
		assertThat((Long) connection.command("PTTL", key)).isNotEqualTo(-1L).isLessThanOrEqualTo(LONGEST_MILLIS);
	}

}
